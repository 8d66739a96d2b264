//! What each player is told by the rules, step by step, from the pure rules alone: no letter, no table, no desk. Two
//! games are alike for a reader as long as these are equal.

use omerta::draws;
use omerta::letters::facts::{self, Fact};
use omerta::rules::game::{Game, Player};
use omerta::rules::ledger::{Act, Ask, Fate, HostAct, Target};
use omerta::rules::lots::Lots;
use omerta::rules::report::{PublishVotes, Report};
use omerta::rules::turn::Circumstances;
use omerta::rules::{Kind, Order, PlayerId, Role, Side, TextRef};

use super::script::{Deed, Event, Line, NICKS, Script, Turn, What, When};

/// The moments at which mailboxes are compared, in every turn; the game's start has one of its own before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Start,
    /// Morning, noon and evening are over.
    Open,
    /// After the deadline, before the close.
    Settling,
    /// Published, or in review.
    Closed,
    /// What came after the close is answered; a review goes on.
    Answered,
    /// A review is over.
    Later,
}

/// The steps of a turn.
pub const STEPS: [Step; 5] = [Step::Open, Step::Settling, Step::Closed, Step::Answered, Step::Later];

/// What was told until one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    pub public: Vec<String>,
    /// By player.
    pub private: Vec<Vec<String>>,
}

/// What a script tells, a row a step.
pub struct Known {
    pub steps: Vec<Told>,
}

impl Known {
    /// For how many steps from the start a reader is told the same in both games; `None` reads what is public.
    pub fn alike(&self, other: &Known, reader: Option<u16>) -> usize {
        let same = |(one, other): &(&Told, &Told)| {
            let private = |told: &Told| reader.map(|reader| told.private[usize::from(reader)].clone());
            one.public == other.public && private(one) == private(other)
        };
        self.steps.iter().zip(&other.steps).take_while(same).count()
    }
}

/// The seed that [`super::house::House`] gives every game.
fn lots() -> Lots {
    Lots { seed: [5; 32], words: Vec::new() }
}

pub fn known(script: &Script) -> Known {
    let players = NICKS.iter().take(script.roles.len()).map(|nick| Player::new(nick)).collect();
    let mut game = Game::new(script.rulebook(), players);
    game.start(&script.roles);
    let mut play = Play { game, told: Vec::new(), now: Told::default() };
    play.now.private = vec![Vec::new(); script.roles.len()];
    play.tell_cards();
    play.end_step();
    for turn in &script.turns {
        play.turn(turn);
        if play.game.winner.is_some() {
            break;
        }
    }
    Known { steps: play.told }
}

struct Play {
    game: Game,
    told: Vec<Told>,
    now: Told,
}

impl Play {
    fn turn(&mut self, turn: &Turn) {
        for when in [When::Morning, When::Noon, When::Evening] {
            for event in turn.at(when) {
                self.on_time(event);
            }
        }
        self.end_step();
        self.end_step();
        for event in turn.at(When::LastMinute) {
            self.on_time(event);
        }
        for event in turn.at(When::TooLate) {
            self.late(event);
        }
        let report = draws::close(&self.game, &Circumstances::default(), &lots());
        let waits = report.missed.len() * 3 > self.game.living().len();
        if waits {
            self.now.public.push("the turn waits for the host".to_owned());
        } else {
            self.publish(report);
        }
        self.end_step();
        for event in turn.at(When::Lost) {
            self.lost(event);
        }
        for event in turn.at(When::AfterClose) {
            if waits { self.late(event) } else { self.on_time(event) }
        }
        self.end_step();
        if waits {
            let pardoned = if turn.forgives { self.game.everybody().collect() } else { Default::default() };
            let circumstances = Circumstances { pardoned, ..Circumstances::default() };
            let report = draws::close(&self.game, &circumstances, &lots());
            self.publish(report);
        }
        self.end_step();
    }

    fn end_step(&mut self) {
        self.told.push(self.now.clone());
    }

    fn tell(&mut self, who: PlayerId, what: String) {
        self.now.private[usize::from(who.0)].push(what);
    }

    fn on_time(&mut self, event: &Event) {
        match &event.what {
            What::Host(deed) => self.obey(event, deed),
            What::Letter { from, lines, .. } => {
                let from = PlayerId(*from);
                self.tell(from, format!("wrote {event:?}"));
                if self.game.winner.is_some() {
                    return;
                }
                let asks = asks(lines);
                let fates = self.judge(event, from, &asks);
                self.tell(from, format!("{fates:?}"));
                self.relay(from, &asks, &fates);
                let heard = asks.into_iter().filter(|ask| !is_talk(ask)).collect();
                self.game.hear(order(event), act(event, from, heard));
            }
        }
    }

    /// Turn requests are refused; a note waits for the next turn; talk goes on, by the state before the close.
    fn late(&mut self, event: &Event) {
        let What::Letter { from, lines, .. } = &event.what else { return };
        let from = PlayerId(*from);
        self.tell(from, format!("wrote {event:?}"));
        let asks = asks(lines);
        let mut fates = self.judge(event, from, &asks);
        for (ask, fate) in asks.iter().zip(&mut fates) {
            if !self.game.is_living(from) && matches!(fate, Fate::Refused(_)) {
                continue;
            }
            if !matches!(ask, Ask::Do { kind: Kind::Note | Kind::Pm | Kind::Clan, .. }) {
                *fate = Fate::Refused(omerta::rules::admit::Refusal::AfterDeadline);
            }
        }
        self.tell(from, format!("{fates:?}"));
        self.relay(from, &asks, &fates);
        for (ask, fate) in asks.into_iter().zip(fates) {
            if let (Ask::Do { kind: Kind::Note, target, text }, Fate::Accepted { .. }) = (ask, fate) {
                self.game.hear_late_note(from, target, text);
            }
        }
    }

    /// It changes nothing; its sender is told so.
    fn lost(&mut self, event: &Event) {
        let What::Letter { from, .. } = &event.what else { return };
        let life = self.game.player(PlayerId(*from)).unwrap().life;
        self.tell(PlayerId(*from), format!("lost {event:?} {life:?}"));
    }

    fn judge(&self, event: &Event, from: PlayerId, asks: &[Ask]) -> Vec<Fate> {
        self.game.judge(&order(event), &act(event, from, asks.to_vec()))
    }

    fn relay(&mut self, from: PlayerId, asks: &[Ask], fates: &[Fate]) {
        for (ask, fate) in asks.iter().zip(fates) {
            let (Ask::Do { kind, target, text: Some(text) }, Fate::Accepted { .. }) = (ask, fate) else { continue };
            let to = match (kind, target) {
                (Kind::Pm, Target::Player(to)) => vec![*to],
                (Kind::Clan, _) => self.game.clan(from),
                _ => continue,
            };
            for to in to {
                self.tell(to, format!("{kind:?} of {from:?}: {}", text.hash));
            }
        }
    }

    fn obey(&mut self, event: &Event, deed: &Deed) {
        let (Deed::Expel(who) | Deed::Deprive(who) | Deed::Forgive(who) | Deed::Warn(who, _)) = deed;
        let who = PlayerId(*who);
        if !self.game.is_living(who) {
            return;
        }
        let act = match deed {
            Deed::Expel(_) => {
                // He is out at once, and nobody can name him any more.
                self.now.public.push(format!("{who:?} is out"));
                HostAct::Expel { who, left: false }
            }
            Deed::Deprive(_) => {
                self.tell(who, format!("deprived in turn {}", self.game.turn));
                HostAct::Deprive { who, turns: 1 }
            }
            Deed::Forgive(_) => HostAct::ForgiveMiss { who },
            Deed::Warn(_, text) => return self.tell(who, format!("warned: {text}")),
        };
        self.game.hear(order(event), Act::Host(act));
        self.tell_counters();
    }

    fn publish(&mut self, report: Report) {
        let before = self.game.clone();
        self.game.apply_report(&report);
        let code = |fact: &Fact| fact.code(&before);
        for fact in facts::public(&report, &before) {
            let detail = match &fact {
                Fact::Shot { who, .. } => {
                    format!("{:?}", report.deaths.iter().find(|death| death.who == *who).map(|death| death.when))
                }
                Fact::Cause(who) => {
                    format!("{:?}", report.deaths.iter().find(|death| death.who == *who).map(|death| &death.causes))
                }
                Fact::Expelled { who, .. } => {
                    format!("{:?}", report.expelled.iter().find(|row| row.who == *who).map(|row| row.why))
                }
                _ => String::new(),
            };
            self.now.public.push(format!("{} {detail}", code(&fact)));
        }
        let vote = &report.vote;
        if vote.publish == PublishVotes::ByNick {
            self.now.public.push(format!("{:?} {:?} {:?}", vote.outcome, vote.chosen, vote.tally));
        }
        self.now.public.push(format!("{:?} {:?} {:?}", vote.publish, report.alive, report.winner));
        for (reader, fact) in facts::private(&report, &before) {
            let detail = match &fact {
                Fact::Check { who, about } => {
                    let learned = report.learns.iter().filter(|row| row.who == *who && row.about == *about);
                    format!("{:?}", learned.collect::<Vec<_>>())
                }
                Fact::Note { from, to } => {
                    let notes = report.notes.iter().filter(|note| note.from == *from && note.to == *to);
                    format!("{:?}", notes.map(|note| &note.text.hash).collect::<Vec<_>>())
                }
                Fact::Hunter(_) => format!("{:?}", report.hunt),
                _ => String::new(),
            };
            self.tell(reader, format!("{} {detail}", code(&fact)));
        }
        self.tell_counters();
        self.tell_cards();
    }

    /// Each knows what stands against him.
    fn tell_counters(&mut self) {
        for who in self.game.everybody() {
            let player = self.game.player(who).unwrap();
            let counters = format!("{:?} missed {} deprived {}", player.life, player.missed, player.deprived_until);
            self.tell(who, counters);
        }
    }

    /// Whom each knows, written down from rules.md (R10, R31, R34, A6-A8) and not from the code that makes role letters.
    fn tell_cards(&mut self) {
        for who in self.game.everybody() {
            let rulebook = &self.game.rulebook;
            let role = self.game.role(who).unwrap();
            let role = if role == Role::Foundling { Role::Citizen } else { role };
            let living = |wanted: Role| {
                let holds = |other: &PlayerId| self.game.role(*other) == Some(wanted);
                self.game.living().into_iter().find(holds)
            };
            let mut card = format!("{role:?}");
            if role.side() == Side::Mafia {
                for mate in self.game.living() {
                    let mate_role = self.game.role(mate).unwrap();
                    if mate_role.side() == Side::Mafia {
                        card.push_str(&format!(" {mate:?} {:?}", rulebook.clan_knows_roles.then_some(mate_role)));
                    }
                }
            }
            if role == Role::Sergeant {
                card.push_str(&format!(" commissioner {:?}", living(Role::Commissioner)));
            }
            if role == Role::Commissioner && rulebook.commissioner_knows_sergeant {
                card.push_str(&format!(" sergeant {:?}", living(Role::Sergeant)));
            }
            if role == Role::Boss && rulebook.boss_knows_foundling {
                card.push_str(&format!(" foundling {:?}", living(Role::Foundling)));
            }
            self.tell(who, card);
        }
    }
}

pub fn asks(lines: &[Line]) -> Vec<Ask> {
    let target = |target: &Option<u16>| target.map_or(Target::Unknown, |who| Target::Player(PlayerId(who)));
    let ask = |line: &Line| match line {
        Line::Do { kind, target: whom } => Some(Ask::Do { kind: *kind, target: target(whom), text: None }),
        Line::Text { kind, target: whom, text } => {
            let target = if *kind == Kind::Clan { Target::Nobody } else { target(whom) };
            Some(Ask::Do { kind: *kind, target, text: Some(TextRef { id: 0, hash: text.clone() }) })
        }
        Line::Cancel(kind) => Some(Ask::Cancel { kind: *kind }),
        Line::Question(_) | Line::Prose(_) => None,
    };
    lines.iter().filter_map(ask).collect()
}

fn is_talk(ask: &Ask) -> bool {
    matches!(ask, Ask::Do { kind: Kind::Pm | Kind::Clan, .. })
}

fn order(event: &Event) -> Order {
    // What arrives after the close belongs before everything of the next day.
    let day = if event.when == When::AfterClose { -24 * 3600 } else { 0 };
    Order { second: day + event.arrives(), within: String::new() }
}

fn act(event: &Event, from: PlayerId, asks: Vec<Ask>) -> Act {
    Act::Letter { letter: u64::from(event.slot), from, asks }
}
