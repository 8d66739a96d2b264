//! The chronicle as HTML: one file, no script, nothing fetched from anywhere, and a policy in its head that forbids both.

use jiff::Timestamp;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::words;
use crate::letters::compose::{Chronicle, ChronicleRow};
use crate::letters::phrase::{Telling, plural};
use crate::letters::render::{RenderError, Templates};
use crate::letters::{GameName, Heading, Lang, Summary, glossary, rules_said};
use crate::rules::Side;
use crate::rules::game::Life;
use crate::rules::report::PublishVotes;
use crate::table::Table;

const TEMPLATE: &str = include_str!("../../templates/chronicle.html");
const STYLE: &str = include_str!("../../templates/chronicle.css");

/// By which a page of ours is known.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"omerta chronicle\">";

/// The page could not be put into words: a defect of this program, or of a template of the operator's.
#[derive(Debug, thiserror::Error)]
pub enum PageFault {
    #[error(transparent)]
    Words(#[from] RenderError),
    #[error("the page could not be written: {0}")]
    Template(#[from] minijinja::Error),
}

/// What the page's template sees; all of it is escaped there.
#[derive(Debug, Serialize)]
pub struct Page {
    lang: &'static str,
    style: &'static str,
    policy: String,
    title: String,
    winner: String,
    ended: Option<String>,
    host: String,
    words: words::Words,
    roster: Vec<Row>,
    deviations: Vec<String>,
    turns: Vec<Turn>,
    seed: String,
    commitment: String,
    lot_words: Vec<(String, String)>,
    dealt_as_given: bool,
    tag: String,
}

#[derive(Debug, Serialize)]
struct Row {
    nick: String,
    characteristic: String,
    role: String,
    /// `town`, `mafia`, `maniac`: for the colour.
    side: &'static str,
    fate: String,
    out: bool,
}

#[derive(Debug, Serialize)]
struct Turn {
    heading: String,
    story: Vec<String>,
    outcome: Vec<String>,
    ballots: Vec<(String, String)>,
    tally: Vec<(String, String)>,
    nonvoters: String,
    /// The votes of this turn are not published (R109).
    secret_votes: bool,
    standings: Vec<String>,
}

impl Page {
    /// # Errors
    /// When a template fails, which tests exclude.
    pub fn new(table: &Table, chronicle: &Chronicle, templates: &Templates) -> Result<Page, PageFault> {
        let lang = table.lang;
        let telling = Telling { lang, zone: table.zone.clone(), now: Timestamp::MIN };
        let words = words::of(lang);
        let turns = chronicle.turns.iter().map(|summary| turn(table, summary, templates, &words));
        let style = data_encoding::BASE64.encode(&Sha256::digest(STYLE));
        Ok(Page {
            lang: if lang == Lang::Ru { "ru" } else { "en" },
            style: STYLE,
            policy: format!("default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"),
            title: table.title.clone(),
            winner: words::won(lang, chronicle.winner, chronicle.by_host),
            ended: chronicle.ended.map(|ended| format!("{} ({})", telling.day_and_hour(ended), telling.city())),
            host: table.host_name.clone(),
            roster: roster(lang, chronicle),
            deviations: chronicle
                .deviations
                .iter()
                .map(|(name, value)| rules_said::sentence(lang, name, value))
                .collect(),
            turns: turns.collect::<Result<_, _>>()?,
            seed: chronicle.lots.seed.clone(),
            commitment: chronicle.lots.commitment.clone(),
            lot_words: chronicle.lots.words.clone(),
            dealt_as_given: chronicle.lots.dealt_as_given,
            tag: table.tag.clone(),
            words,
        })
    }

    /// # Errors
    /// When the built-in template fails, which tests exclude.
    pub fn html(&self) -> Result<String, PageFault> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
        environment.set_syntax(syntax.build()?);
        environment.add_template("chronicle.html", TEMPLATE)?;
        Ok(environment.get_template("chronicle.html")?.render(Value::from(Serde(self)))?)
    }
}

fn roster(lang: Lang, chronicle: &Chronicle) -> Vec<Row> {
    let row = |row: &ChronicleRow| Row {
        nick: row.nick.clone(),
        characteristic: row.characteristic.clone(),
        role: match row.dealt {
            None => glossary::role(lang, row.role).to_owned(),
            Some(dealt) => words::became(lang, glossary::role(lang, dealt), glossary::role(lang, row.role)),
        },
        side: match row.role.side() {
            Side::Town => "town",
            Side::Mafia => "mafia",
            Side::Maniac => "maniac",
        },
        fate: words::fate(lang, row.life, row.gender).to_owned(),
        out: row.life != Life::Alive,
    };
    chronicle.roster.iter().map(row).collect()
}

fn turn(table: &Table, summary: &Summary, templates: &Templates, words: &words::Words) -> Result<Turn, PageFault> {
    let lang = table.lang;
    let heading = Heading {
        lang,
        game: Some(GameName { tag: table.tag.clone(), title: table.title.clone() }),
        turn: summary.turn,
        zone: table.zone.clone(),
        now: table.ended.unwrap_or_default(),
        host_name: table.host_name.clone(),
    };
    let votes = |count: u32| {
        let noun = match lang {
            Lang::Ru => plural(lang, u64::from(count), "голос", "голоса", "голосов"),
            Lang::En => plural(lang, u64::from(count), "vote", "votes", "votes"),
        };
        format!("{count} {noun}")
    };
    Ok(Turn {
        heading: format!("{} {}", words.turn, summary.turn),
        story: summary.story.iter().flat_map(|story| story.lines()).map(str::to_owned).collect(),
        outcome: templates.lines_of("_outcome.txt", &heading, summary)?,
        ballots: summary.ballots.clone(),
        tally: summary.tally.iter().map(|(nick, count)| (nick.clone(), votes(*count))).collect(),
        nonvoters: summary.nonvoters.join(", "),
        secret_votes: summary.publish == PublishVotes::OutcomeOnly,
        standings: templates.lines_of("_standings.txt", &heading, summary)?,
    })
}
