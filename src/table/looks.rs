//! Looks at a table: what can be told of it without changing it.

use jiff::Timestamp;

use super::{Phase, State, Table};
use crate::journal::{Held, Publish, Writer};
use crate::request::names::{self, Match};
use crate::rules::game::{Life, Player};
use crate::rules::rulebook::NickSource;
use crate::rules::{PlayerId, Role};
use crate::signup::{Applicant, Seating};

/// One line of the roster for the forum.
pub struct RosterRow {
    pub nick: String,
    pub characteristic: String,
    /// Whose photograph: his number among those who signed up.
    pub photograph: Option<u16>,
}

impl Table {
    /// `open`, `settling` or `review` while a turn runs.
    pub fn phase_word(&self, now: Timestamp) -> Option<&'static str> {
        if !matches!(self.state, State::Playing | State::Paused) {
            return None;
        }
        Some(match self.phase {
            Phase::Review if self.held == Some(Held::Window) => "window",
            Phase::Review => "review",
            Phase::Open if self.deadline.is_some_and(|deadline| deadline <= now) => "settling",
            Phase::Open => "open",
        })
    }

    /// When a turn in review goes out without the host's word: not when its misses wait for him.
    pub fn publishes_itself_at(&self) -> Option<Timestamp> {
        match (self.held, self.settings.publish, self.closed_at) {
            (Some(Held::Approval), Publish::Approve { after: Some(after) }, Some(closed)) => {
                // Judged again, it waits anew.
                self.undo.again_at.map_or(closed, |again| again.max(closed)).saturating_add(after).ok()
            }
            _ => None,
        }
    }

    /// Whether he was the commissioner in that turn (R23, R32), and not the sergeant who has a copy.
    pub fn was_commissioner(&self, player: PlayerId, turn: u16) -> bool {
        self.dealt.get(usize::from(player.0)) == Some(&Role::Commissioner)
            || self.told.iter().any(|told| told.promoted == Some(player) && told.turn < turn)
    }

    pub fn player(&self, player: PlayerId) -> Option<&Player> {
        self.game.players.get(usize::from(player.0))
    }

    /// How many people sat on this seat before its player.
    pub fn predecessors(&self, player: PlayerId) -> u16 {
        let times = self.taken_over.iter().filter(|seat| **seat == player).count();
        u16::try_from(times).unwrap_or(u16::MAX)
    }

    pub fn nick(&self, player: PlayerId) -> &str {
        self.player(player).map_or("?", |player| player.nick.as_str())
    }

    /// Whom the host means: a nick, or one in another case where it fits no other. What is only like a nick is none: much of
    /// what he orders can't be taken back.
    pub fn by_nick(&self, written: &str) -> Option<PlayerId> {
        let nicks: Vec<&str> = self.game.players.iter().map(|player| player.nick.as_str()).collect();
        let index = match names::find(&nicks, written) {
            Match::Exact(index) => index,
            Match::Near(index) if nicks.get(index).is_some_and(|nick| names::is_in_another_case(nick, written)) => {
                index
            }
            Match::Near(_) | Match::Unknown { .. } => return None,
        };
        u16::try_from(index).ok().map(PlayerId)
    }

    /// Nick and word of the players who sent one when they signed up, in roster order.
    pub fn words_for_lots(&self) -> Vec<(String, String)> {
        let Some(signup) = &self.signup else { return Vec::new() };
        let players = self.game.players.iter().zip(&self.applicants);
        let word = |applicant: u16| signup.applicant(applicant).and_then(|one| one.word.clone());
        players.filter_map(|(player, number)| Some((player.nick.clone(), word(*number)?))).collect()
    }

    /// What the draw of the forum accounts goes by, before players have seats: each one's nick, empty where the account
    /// is to give it (A9), and their words for the lots, of which the nicks are left out.
    pub fn for_accounts(&self) -> (Vec<String>, Vec<(String, String)>) {
        let Some(signup) = self.signup.as_ref().filter(|_| self.game.players.is_empty()) else {
            let nicks = self.game.players.iter().map(|player| player.nick.clone()).collect();
            let words = self.words_for_lots().into_iter().map(|(_, word)| (String::new(), word));
            return (nicks, words.collect());
        };
        let kept = signup.standing(Seating::Kept);
        let issued = self.game.rulebook.nick_source == NickSource::Issued;
        let nick = |one: &Applicant| if issued { String::new() } else { one.nick.clone() };
        let nicks = kept.iter().map(|(_, one)| nick(one)).collect();
        let words = kept.iter().filter_map(|(_, one)| Some((String::new(), one.word.clone()?)));
        (nicks, words.collect())
    }

    /// Who will be dealt a role, as far as it is settled: the roster, else those who have a place once sign-up is closed.
    pub fn to_be_dealt(&self) -> Vec<Writer> {
        match &self.signup {
            Some(signup) if self.game.players.is_empty() && (signup.open || !signup.opened) => Vec::new(),
            Some(signup) if self.game.players.is_empty() => {
                signup.standing(Seating::Kept).into_iter().map(|(number, _)| Writer::Applicant(number)).collect()
            }
            _ => self.seats().map(|(player, _)| Writer::Player(player)).collect(),
        }
    }

    /// Who of them has not answered the first letter, with `handshake`.
    pub fn silent_hands(&self) -> Vec<Writer> {
        if !self.settings.handshake || self.state != State::Signup {
            return Vec::new();
        }
        self.to_be_dealt().into_iter().filter(|who| !self.people.shaken.contains(who)).collect()
    }

    /// The nick of a player or applicant; empty where he has none.
    pub fn nick_of(&self, who: Writer) -> String {
        match who {
            Writer::Player(player) => self.nick(player).to_owned(),
            Writer::Applicant(number) => self.applicant_nick(number),
            Writer::Host(_) | Writer::Moderator(_) => String::new(),
        }
    }

    /// Those who have a place, or play, as the forum may know them.
    pub fn roster_rows(&self) -> Vec<RosterRow> {
        let has_photograph = |number: &u16| {
            let applicant = self.signup.as_ref().and_then(|signup| signup.applicant(*number));
            applicant.is_some_and(|applicant| applicant.photograph)
        };
        if let (Some(signup), true) = (&self.signup, self.game.players.is_empty()) {
            let row = |(number, one): (u16, &Applicant)| RosterRow {
                nick: one.nick.clone(),
                characteristic: one.characteristic.clone(),
                photograph: Some(number).filter(has_photograph),
            };
            return signup.standing(Seating::Kept).into_iter().map(row).collect();
        }
        let row = |(player, one): (PlayerId, &Player)| RosterRow {
            nick: one.nick.clone(),
            characteristic: one.characteristic.clone(),
            photograph: self.applicants.get(usize::from(player.0)).copied().filter(has_photograph),
        };
        self.seats().map(row).collect()
    }

    /// The nick of somebody who signed up; empty where he has none.
    pub fn applicant_nick(&self, number: u16) -> String {
        let applicant = self.signup.as_ref().and_then(|signup| signup.applicant(number));
        applicant.map(|applicant| applicant.nick.clone()).unwrap_or_default()
    }

    /// Nicks of those who still owe their vote in the open turn.
    pub fn owing(&self) -> Vec<String> {
        if self.state != State::Playing {
            return Vec::new();
        }
        let owes = |player: PlayerId| self.game.owes_vote(player);
        self.living().filter(|(player, _)| owes(*player)).map(|(_, player)| player.nick.clone()).collect()
    }

    /// All players of the roster, in its order.
    pub fn seats(&self) -> impl Iterator<Item = (PlayerId, &Player)> {
        (0u16..).map(PlayerId).zip(&self.game.players)
    }

    pub fn living(&self) -> impl Iterator<Item = (PlayerId, &Player)> {
        self.seats().filter(|(_, player)| player.life == Life::Alive)
    }
}
