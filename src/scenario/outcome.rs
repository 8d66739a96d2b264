//! What came of a turn in the vocabulary of `[turn.expect]` (tests/scenarios/FORMAT.md), and the comparison.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::letters::facts;
use crate::rules::PlayerId;
use crate::rules::game::Game;
use crate::rules::report::{Learned, Murder, Report, Status};

/// Expected and got share one form; a key that does not apply is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Outcome {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish_votes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alive: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tally: Option<BTreeMap<String, u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lynch: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tie: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub murder: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hunt: Option<HuntRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deaths: Vec<DeathRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub learns: Vec<LearnsRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expelled: Vec<ExpelledRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stopped: Vec<StoppedRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<LineRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub void: Vec<LineRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub promoted: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub converted: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warned: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<NoteRow>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub revealed: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_shows: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_hides: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub letters: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineRow {
    pub from: String,
    pub line: String,
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HuntRow {
    pub hunter: String,
    pub target: String,
    pub result: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeathRow {
    pub nick: String,
    pub when: String,
    pub causes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoppedRow {
    pub nick: String,
    pub cause: String,
    pub by: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnsRow {
    pub who: String,
    pub about: String,
    pub status: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub killers: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub killer_nicks: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoteRow {
    pub from: String,
    pub to: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpelledRow {
    pub nick: String,
    pub why: String,
}

impl Outcome {
    /// `game` is the state before the close. Refused and void lines are the caller's to give: he has them as written.
    pub fn of(report: &Report, game: &Game, rejected: Vec<LineRow>, void: Vec<LineRow>) -> Outcome {
        let names = Names { game };
        let vote = &report.vote;
        let first_turn = report.turn <= 1;
        let counted = vote.tally.iter().map(|(who, votes)| (names.nick(*who), *votes)).collect();
        Outcome {
            outcome: Some(word(&vote.outcome)),
            publish_votes: Some(word(&vote.publish)),
            winner: Some(report.winner.map_or("none".to_owned(), |winner| word(&winner))),
            alive: Some(names.nicks(&report.alive)),
            tally: (!first_turn).then_some(counted),
            lynch: vote.chosen.map(|who| names.nick(who)),
            tie: names.nicks(&vote.tied),
            murder: match report.murder {
                Murder::None => None,
                Murder::Split => Some("split".to_owned()),
                Murder::Victim(who) => Some(names.nick(who)),
            },
            promoted: report.promoted.map(|who| names.nick(who)).into_iter().collect(),
            converted: report.converted.map(|who| names.nick(who)).into_iter().collect(),
            missed: names.nicks(&report.missed),
            warned: names.nicks(&report.warned),
            rejected,
            void,
            ..names.rows(report)
        }
    }

    /// What the summary and the letters tell (topic `publication`).
    pub fn with_publication(self, report: &Report, game: &Game) -> Outcome {
        let codes = |facts: Vec<facts::Fact>| Some(facts.iter().map(|fact| fact.code(game)).collect());
        let letters = facts::private(report, game).into_iter().map(|(_, fact)| fact).collect();
        Outcome {
            public_shows: codes(facts::public(report, game)),
            public_hides: codes(facts::hidden(report, game)),
            letters: codes(letters),
            ..self
        }
    }

    /// A sentence a key that differs. Lists are complete: what is absent must not have happened.
    pub fn differences(expected: &Outcome, got: &Outcome) -> Vec<String> {
        let (expected, got) = (expected.comparable(), got.comparable());
        let mut keys: Vec<&String> = expected.keys().chain(got.keys()).collect();
        keys.sort();
        keys.dedup();
        let mut differences = Vec::new();
        for key in keys {
            let (wanted, came) = (expected.get(key), got.get(key));
            // These four always come; a case that does not name them does not ask.
            let asked = !matches!(key.as_str(), "outcome" | "publish_votes" | "winner" | "alive") || wanted.is_some();
            if asked && wanted != came {
                let shown = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
                differences.push(format!("{key}: expected {}, got {}", shown(wanted), shown(came)));
            }
        }
        differences
    }

    /// Key by key, without empty lists, and lists in one order where theirs does not matter.
    fn comparable(&self) -> BTreeMap<String, Value> {
        let Ok(Value::Object(keys)) = serde_json::to_value(self) else { return BTreeMap::new() };
        let tidy = |(key, value): (String, Value)| {
            let value = if key == "alive" { value } else { in_one_order(value) };
            (key, value)
        };
        keys.into_iter().map(tidy).filter(|(_, value)| !is_empty(value)).collect()
    }
}

fn in_one_order(value: Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<Value> = items.into_iter().map(in_one_order).collect();
            items.sort_by_key(Value::to_string);
            Value::Array(items)
        }
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(key, value)| (key, in_one_order(value))).collect())
        }
        // Spaces around a line of a letter do not matter.
        Value::String(text) => Value::String(text.trim().to_owned()),
        other => other,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// The word that serde gives to a variant.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        Ok(_) | Err(_) => String::new(),
    }
}

struct Names<'g> {
    game: &'g Game,
}

impl Names<'_> {
    fn nick(&self, who: PlayerId) -> String {
        self.game.player(who).map_or_else(|| "?".to_owned(), |player| player.nick.clone())
    }

    fn nicks(&self, who: &[PlayerId]) -> Vec<String> {
        who.iter().map(|who| self.nick(*who)).collect()
    }

    /// The keys whose lists are rows.
    fn rows(&self, report: &Report) -> Outcome {
        let hunt = report.hunt.as_ref().map(|hunt| HuntRow {
            hunter: self.nick(hunt.hunter),
            target: self.nick(hunt.prey),
            result: word(&hunt.result),
        });
        let deaths = report.deaths.iter().map(|death| DeathRow {
            nick: self.nick(death.who),
            when: word(&death.when),
            causes: death.causes.iter().map(word).collect(),
        });
        let stopped = report.stopped.iter().map(|stopped| StoppedRow {
            nick: self.nick(stopped.who),
            cause: word(&stopped.cause),
            by: word(&stopped.by),
        });
        let expelled = report
            .expelled
            .iter()
            .map(|expulsion| ExpelledRow { nick: self.nick(expulsion.who), why: word(&expulsion.why) });
        let notes = report.notes.iter().map(|note| NoteRow { from: self.nick(note.from), to: self.nick(note.to) });
        Outcome {
            hunt,
            deaths: deaths.collect(),
            stopped: stopped.collect(),
            expelled: expelled.collect(),
            notes: notes.collect(),
            learns: report.learns.iter().map(|learned| self.learns(learned)).collect(),
            revealed: self.revealed(report),
            ..Outcome::default()
        }
    }

    fn learns(&self, learned: &Learned) -> LearnsRow {
        LearnsRow {
            who: self.nick(learned.who),
            about: self.nick(learned.about),
            status: match learned.status {
                Status::Role(role) => role.name().to_owned(),
                Status::Side(side) => word(&side),
            },
            killers: learned.killers.iter().map(word).collect(),
            killer_nicks: self.nicks(&learned.killer_nicks),
        }
    }

    /// R70, A67.
    fn revealed(&self, report: &Report) -> BTreeMap<String, String> {
        let dead = report.deaths.iter().map(|death| (death.who, death.role));
        let expelled = report.expelled.iter().map(|expulsion| (expulsion.who, expulsion.role));
        let expelled = expelled.filter(|_| self.game.rulebook.reveal_on_expulsion);
        dead.chain(expelled).map(|(who, role)| (self.nick(who), role.name().to_owned())).collect()
    }
}
