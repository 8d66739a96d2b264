//! The table at which one game is played: the rules' state and, beside it, the time that the rules do not know.
//! It is the fold of the journal: [`Table::apply`] cannot fail and decides nothing.

pub mod activity;
mod hearing;
mod looks;
pub mod people;
pub mod revision;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use self::activity::Activity;
use self::people::People;
use self::revision::{Told, Undo};
use crate::journal::{By, Created, Day, Entry, Held, Item, Nag, Settings};
use crate::letters::Lang;
use crate::request::dates::Days;
use crate::rules::game::{Game, Player};
use crate::rules::ledger::{Act, Ask};
use crate::rules::report::{PublishVotes, Report};
use crate::rules::turn::{self, Circumstances};
use crate::rules::{Order, PlayerId, Role, TextRef};
use crate::schedule::Skips;
use crate::signup::Signup;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Signup,
    Playing,
    Paused,
    Finished,
    Cancelled,
}

impl State {
    pub fn word(self) -> &'static str {
        match self {
            State::Signup => "signup",
            State::Playing => "playing",
            State::Paused => "paused",
            State::Finished => "finished",
            State::Cancelled => "cancelled",
        }
    }
}

/// Whether the word of a state, as a game's row has it, is that of a game that is not over.
pub fn is_on(state: &str) -> bool {
    [State::Signup, State::Playing, State::Paused].into_iter().any(|on| on.word() == state)
}

/// Where the turn stands; `settling` is not here because it is only a matter of the hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Open,
    Review,
}

/// The wait for a dying commissioner's shot (A50).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    pub until: Timestamp,
    /// None: nobody is asked, and the turn waits all the same, lest the waiting tell.
    pub dying: Option<PlayerId>,
    /// His answers in order of arrival.
    pub letters: Vec<(Order, Vec<Ask>)>,
}

/// A deadline that came early (`early_close`), and the one that it replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Early {
    pub deadline: Timestamp,
    pub was: Timestamp,
}

/// What the final letter tells of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnTold {
    pub turn: u16,
    /// Empty where results by nick are not given (R109).
    pub ballots: Vec<(PlayerId, PlayerId)>,
    pub fell: Vec<PlayerId>,
    /// Commissioner from the next turn on.
    pub promoted: Option<PlayerId>,
    /// Who is alive, and who is not, by the host's ruling (R112).
    #[serde(default)]
    pub ruled: Vec<(PlayerId, bool)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    pub tag: String,
    pub title: String,
    pub lang: Lang,
    pub zone: String,
    pub host_name: String,
    pub settings: Settings,
    pub commitment: String,
    pub roles_given: Option<Vec<Role>>,
    pub dealt_as_given: bool,
    /// The roles as dealt, in roster order.
    pub dealt: Vec<Role>,
    pub state: State,
    pub phase: Phase,
    pub game: Game,
    /// Of a game that people sign up for by letter.
    pub signup: Option<Signup>,
    /// Nick and word for the lots, in roster order.
    pub lot_words: Vec<(String, String)>,
    /// The numbers that the players had as applicants, in roster order; empty where a roster was given.
    pub applicants: Vec<u16>,
    /// Who may come to which seat.
    #[serde(default)]
    pub people: People,
    /// Of the open turn.
    pub deadline: Option<Timestamp>,
    /// When the open turn began: its publication or the start of the game.
    pub opened: Option<Timestamp>,
    /// The deadline of the turn that was closed last.
    pub closed_at: Option<Timestamp>,
    pub held: Option<Held>,
    /// With what the closed turn was judged.
    pub circumstances: Circumstances,
    /// The host's grounds for what he ruled in it (R112).
    #[serde(default)]
    pub grounds: BTreeMap<PlayerId, TextRef>,
    /// Who is asked for his last shot, and until when.
    pub window: Option<Window>,
    /// What was left until the deadline when the game was paused.
    pub paused_left: Option<SignedDuration>,
    /// Since the last morning letter.
    pub day: Day,
    pub paused_at: Option<Timestamp>,
    /// No turn ends on these dates of its own accord.
    pub skips: Skips,
    /// The open turn ended early, which happens once.
    pub early: Option<Early>,
    pub reminded: BTreeSet<SignedDuration>,
    /// Kinds of trouble that the hosts were told of in this turn.
    pub alerted: BTreeSet<String>,
    /// The host's story for the turn that is published next, and for the one published last.
    #[serde(default)]
    pub story: Option<TextRef>,
    #[serde(default)]
    pub last_story: Option<TextRef>,
    /// Who was told that the closed turn waits for the host.
    #[serde(default)]
    pub nagged: BTreeSet<Nag>,
    /// What may be taken back.
    #[serde(default)]
    pub undo: Undo,
    /// The turn published last.
    pub last: Option<Box<Report>>,
    pub told: Vec<TurnTold>,
    /// When it was won or cancelled.
    pub ended: Option<Timestamp>,
    /// Addresses, texts and raw letters are erased.
    pub erased: bool,
    /// The seats that were given to another person, in the order in which it happened.
    pub taken_over: Vec<PlayerId>,
    /// Who is away, by his own word: he gets no reminders.
    pub away: BTreeMap<PlayerId, Days>,
    /// Who writes in the topic and who does not (A69).
    pub activity: Activity,
}

impl Table {
    /// The table of a new game; its first event is always `created`.
    pub fn new(created: &Created) -> Table {
        Table {
            tag: created.tag.clone(),
            title: created.title.clone(),
            lang: created.language,
            zone: created.zone.clone(),
            host_name: created.host_name.clone(),
            settings: created.settings.clone(),
            commitment: created.commitment.clone(),
            roles_given: created.roles_given.clone(),
            dealt_as_given: false,
            dealt: Vec::new(),
            state: State::Signup,
            phase: Phase::Open,
            game: Game::new(created.rulebook.clone(), Vec::new()),
            signup: created.signup.then(Signup::default),
            lot_words: Vec::new(),
            applicants: Vec::new(),
            people: People::default(),
            deadline: None,
            opened: None,
            closed_at: None,
            held: None,
            circumstances: Circumstances::default(),
            grounds: BTreeMap::new(),
            window: None,
            paused_left: None,
            day: Day::default(),
            paused_at: None,
            skips: Skips::default(),
            early: None,
            reminded: BTreeSet::new(),
            alerted: BTreeSet::new(),
            story: None,
            last_story: None,
            nagged: BTreeSet::new(),
            undo: Undo::default(),
            last: None,
            told: Vec::new(),
            ended: None,
            erased: false,
            taken_over: Vec::new(),
            away: BTreeMap::new(),
            activity: Activity::default(),
        }
    }

    /// Folds one event in. `at` is when it was journaled.
    pub fn apply(&mut self, at: Timestamp, entry: &Entry) {
        self.activity.apply(at, entry);
        self.people.apply(at, entry);
        match entry {
            Entry::Created(_) => {}
            Entry::SignupOpened(opened) => {
                if let Some(title) = &opened.title {
                    self.title.clone_from(title);
                }
                if let Some(commitment) = &opened.commitment {
                    self.commitment.clone_from(commitment);
                }
                self.sign_up(entry);
            }
            Entry::SignupClosed { .. }
            | Entry::ApplicantCame { .. }
            | Entry::SignupHeard(_)
            | Entry::Placed { .. }
            | Entry::ApplicantJudged { .. } => self.sign_up(entry),
            Entry::Registered { nick, characteristic, gender, applicant, .. } => {
                self.applicants.extend(applicant);
                let mut player = Player::new(nick);
                player.characteristic.clone_from(characteristic);
                player.gender = *gender;
                self.game.players.push(player);
            }
            Entry::Greeted { .. } => self.day.since = Some(at),
            Entry::Started { roles, dealt_as_given, deadline, words } => {
                self.lot_words.clone_from(words);
                self.game.start(roles);
                self.dealt.clone_from(roles);
                self.dealt_as_given = *dealt_as_given;
                self.state = State::Playing;
                self.day.since = Some(at);
                self.open(at, Some(*deadline));
            }
            Entry::DeadlineSet { deadline, was, by } => {
                if let (By::AllVoted, Some(was)) = (by, was) {
                    self.early = Some(Early { deadline: *deadline, was: *was });
                }
                self.set_deadline(*deadline);
            }
            Entry::SkipsSet { skips } => self.skips.clone_from(skips),
            Entry::Paused { left } => {
                self.state = State::Paused;
                self.paused_left = Some(*left);
                self.paused_at = Some(at);
                self.deadline = None;
            }
            Entry::Resumed { deadline } => {
                self.state = State::Playing;
                self.paused_left = None;
                self.paused_at = None;
                self.set_deadline(*deadline);
            }
            Entry::Heard(heard) => {
                self.day.count(heard);
                self.hear(heard);
                let days = heard.items.iter().filter_map(|item| match item {
                    Item::Absent { days } => *days,
                    _ => None,
                });
                self.away.extend(days.map(|days| (heard.from, days)));
            }
            Entry::Asked(_) => self.day.asked = self.day.asked.saturating_add(1),
            Entry::Morning(_) => self.day = Day { since: Some(at), ..Day::default() },
            Entry::Rearranged { letter, order } => {
                self.game.rearrange(*letter, order.clone());
            }
            Entry::HostActed { order, act, .. } => {
                self.game.hear(order.clone(), Act::Host(act.clone()));
            }
            Entry::CopyFoundLate { letter, order, deadline, .. } => self.undo.copy_found(*letter, order, *deadline),
            Entry::Watched { silent, players } => self.watch(*silent, players),
            Entry::Ruled { player, text, .. } => {
                self.grounds.insert(*player, text.clone());
            }
            Entry::HostWarned { .. }
            | Entry::TalkWaits { .. }
            | Entry::Posted { .. }
            | Entry::FeedSet { .. }
            | Entry::FeedJudged { .. }
            | Entry::HostAsked { .. }
            | Entry::HostHeard(_)
            | Entry::Commanded { .. }
            | Entry::Previewed { .. }
            | Entry::Confirmed { .. }
            | Entry::SeatOffered { .. }
            | Entry::HandShaken { .. }
            | Entry::StartQuestioned { .. }
            | Entry::AccountsGiven { .. }
            | Entry::AccountsDealt { .. }
            | Entry::PasswordsChanged { .. }
            | Entry::OffersOver { .. }
            | Entry::AddressChanged { .. } => {}
            Entry::Erased => self.erased = true,
            Entry::Alerted { alert } => {
                self.alerted.insert(alert.key());
            }
            Entry::Reminded { before, .. } => {
                self.reminded.extend(before.iter().copied());
            }
            Entry::StoryTold { text, .. } => self.story = Some(text.clone()),
            Entry::WindowClosed { report, circumstances, why_held, .. } => {
                self.circumstances.clone_from(circumstances);
                self.game.pending = Some((**report).clone());
                self.held = *why_held;
                self.window = None;
            }
            Entry::Closed { report, circumstances, deadline, why_held, .. } => {
                self.circumstances.clone_from(circumstances);
                if *why_held == Some(Held::Window) {
                    self.window = Some(Window {
                        until: whole_second(at.saturating_add(self.settings.pistol_window).unwrap_or(at)),
                        dying: turn::needs_window(&self.game, report),
                        letters: Vec::new(),
                    });
                }
                self.game.pending = Some((**report).clone());
                self.undo.close(*deadline);
                self.grounds.clear();
                self.nagged.clear();
                self.closed_at = Some(*deadline);
                self.day.closed.push(report.turn);
                self.phase = Phase::Review;
                self.held = *why_held;
            }
            Entry::Nagged { steps, .. } => self.nagged.extend(steps.iter().copied()),
            Entry::TakenBack { cancelled, .. } => {
                self.take_back(cancelled);
                self.undo.again_at = Some(at);
            }
            Entry::JudgedAgain { report, circumstances, why_held, .. } => {
                self.circumstances.clone_from(circumstances);
                self.game.pending = Some((**report).clone());
                self.held = *why_held;
                self.undo.again_at = Some(at);
            }
            Entry::MissesForgiven { report, circumstances } => {
                self.circumstances.clone_from(circumstances);
                self.game.pending = Some((**report).clone());
                self.held = self.held.map(|why| if why == Held::TakenBack { Held::Approval } else { why });
            }
            Entry::Published { next } => {
                if let Some(deadline) = self.closed_at {
                    self.activity.judged(&self.circumstances.silent, deadline);
                }
                self.publish(at, *next);
            }
            Entry::Replaced { player, .. } => {
                self.taken_over.push(*player);
                self.away.remove(player);
                if let Some(revision) = &mut self.undo.revision {
                    revision.newcomers.insert(*player);
                }
                self.sign_up(entry);
            }
            Entry::Finished { winner } => {
                self.game.winner = Some(*winner);
                self.end(at, State::Finished);
            }
            Entry::Cancelled => self.end(at, State::Cancelled),
        }
    }

    /// The host ends the game in mid-turn.
    fn end(&mut self, at: Timestamp, state: State) {
        self.state = state;
        self.ended = Some(at);
        self.deadline = None;
        self.paused_left = None;
        self.window = None;
    }

    /// Of a closed turn that waits it is said who was silent, or was not after all: it is judged again with it.
    fn watch(&mut self, silent: bool, players: &[PlayerId]) {
        if self.phase != Phase::Review {
            return;
        }
        if silent {
            self.circumstances.silent.extend(players);
        } else {
            self.circumstances.silent.retain(|who| !players.contains(who));
        }
    }

    fn sign_up(&mut self, entry: &Entry) {
        if let Some(signup) = &mut self.signup {
            signup.apply(entry);
        }
    }

    fn open(&mut self, at: Timestamp, deadline: Option<Timestamp>) {
        self.phase = Phase::Open;
        self.opened = Some(at);
        self.deadline = deadline;
        self.early = None;
        self.reminded.clear();
        self.alerted.clear();
    }

    fn set_deadline(&mut self, deadline: Timestamp) {
        // A reminder goes out anew only where the new deadline leaves a good while until its moment.
        let was = self.deadline;
        let moved = was.map_or(SignedDuration::ZERO, |was| deadline.duration_since(was));
        self.reminded.retain(|before| moved < *before);
        self.deadline = Some(deadline);
    }

    fn publish(&mut self, at: Timestamp, next: Option<Timestamp>) {
        let before = self.game.clone();
        let Some(report) = self.game.pending.take() else { return };
        self.day.published.push(report.turn);
        self.told.push(TurnTold {
            turn: report.turn,
            ballots: match report.vote.publish {
                PublishVotes::ByNick => report.vote.ballots.clone(),
                PublishVotes::OutcomeOnly | PublishVotes::NoLynch => Vec::new(),
            },
            fell: report
                .deaths
                .iter()
                .map(|death| death.who)
                .chain(report.expelled.iter().map(|expulsion| expulsion.who))
                .collect(),
            promoted: report.promoted,
            ruled: self.circumstances.rulings.iter().map(|(who, alive)| (*who, *alive)).collect(),
        });
        self.game.apply_report(&report);
        self.held = None;
        self.last_story = self.story.take();
        self.last = Some(Box::new(report));
        let revision = self.undo.revision.take();
        self.undo.told = None;
        if self.game.winner.is_some() {
            self.state = State::Finished;
            self.ended = Some(at);
            self.deadline = None;
            self.undo.corrected = revision;
            return;
        }
        let rulings = self.circumstances.rulings.clone();
        self.undo.told = Some(Box::new(Told { before, story: self.last_story.clone(), next, rulings }));
        self.open(at, next);
        if let Some(revision) = revision {
            self.resume_after_correction(revision);
        }
    }
}

/// Deadlines stand on whole seconds, because arrivals do.
pub fn whole_second(moment: Timestamp) -> Timestamp {
    Timestamp::from_second(moment.as_second()).unwrap_or(moment)
}
