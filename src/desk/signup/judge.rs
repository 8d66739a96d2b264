//! What each line of an applicant's letter comes to.

use super::LOT_WORD;
use crate::letters::Lang;
use crate::letters::glossary::role;
use crate::request::names::fold;
use crate::request::{self, Request, Word};
use crate::roster::{check_nick, is_request_word};
use crate::rules::{Order, Role};
use crate::signup::{Act, Applicant, Given, NickFault, Seating, Signup};
use crate::table::{State, Table};

/// As a roster allows them.
const LONGEST_REMARK: usize = 200;

/// What players call the roles, the sides and the host besides their names in letters.
const ROLE_WORDS: &[&str] = &[
    "мирный",
    "мирные",
    "мж",
    "город",
    "горожанин",
    "комиссар",
    "каттани",
    "мафия",
    "клан",
    "одиночка",
    "призрак",
    "ведущий",
    "ведущая",
    "омерта",
    "citizen",
    "town",
    "commissioner",
    "cattani",
    "mafia",
    "clan",
    "loner",
    "ghost",
    "host",
    "omerta",
];

/// The lines of one letter, one after the other, on a copy of what is known of its writer.
pub(super) struct Judge<'a> {
    pub table: &'a Table,
    pub signup: &'a Signup,
    pub number: u16,
    pub order: &'a Order,
    pub now: Applicant,
}

impl Judge<'_> {
    pub fn item<'b>(&self, item: &'b request::Item) -> (&'b str, Act) {
        match item {
            request::Item::Problem(problem) => {
                let line = if problem.problem == request::ProblemKind::DoubtfulText { "" } else { &problem.line };
                (line, Act::Problem { word: problem.word, problem: problem.problem })
            }
            request::Item::Request(request) => (&request.line, self.request(request)),
        }
    }

    pub fn request(&self, request: &Request) -> Act {
        let word = request.word;
        let in_time = self.signup.takes(self.order.second);
        let in_play = self.table.state != State::Signup;
        match word {
            // Who waits for a seat in a game that is being played.
            Word::Yes if in_play && self.is_offered() => Act::TakesSeat,
            Word::Yes if in_play => Act::NothingOffered,
            Word::Leave if in_play && self.now.seating == Seating::Waiting => Act::Left,
            Word::Join | Word::Leave | Word::Lot if !in_time => Act::TooLate { word },
            Word::Join => self.apply(request),
            Word::Leave if self.now.seating.is_in() => Act::Left,
            Word::Leave => Act::NothingToLeave,
            Word::Lot => match request.argument.as_deref().map(str::trim).filter(|said| !said.is_empty()) {
                Some(said) => Act::LotWord { word: said.chars().take(LOT_WORD).collect() },
                None => Act::Problem { word: Some(word), problem: request::ProblemKind::NoArgument },
            },
            Word::Status | Word::Players | Word::Rules | Word::Help => Act::Asked { word },
            _ => Act::NotNow { word },
        }
    }

    /// Whether a seat is offered to him, and the letter arrived before the offer ends.
    fn is_offered(&self) -> bool {
        let offer = self.table.people.offer_to(self.number);
        offer.is_some_and(|(_, offer)| self.order.second < offer.until.as_second())
    }

    pub fn apply(&self, request: &Request) -> Act {
        let fields = request.fields.clone().unwrap_or_default();
        // Who comes back keeps his nick unless somebody else has it now.
        let own = Some(self.now.nick.clone()).filter(|own| !own.is_empty() && !self.now.seating.is_in());
        let wanted = fields.character.as_deref().map(tidy_nick).or(own);
        let nick_fault = wanted.as_deref().and_then(|nick| self.fault_of(nick));
        let nick = match nick_fault {
            None => wanted,
            // What he had is gone, too, where it is the one that is taken.
            Some(_) if self.signup.is_taken(&self.now.nick, self.number) => Some(String::new()),
            Some(_) => None,
        };
        let given = Given {
            nick,
            characteristic: fields.characteristic.as_deref().map(cut).filter(|text| !text.is_empty()),
            gender: fields.gender,
            forum_name: fields.forum_name.is_some(),
        };
        Act::Applied { given, nick_fault, seating: self.seating() }
    }

    pub fn fault_of(&self, nick: &str) -> Option<NickFault> {
        if is_request_word(nick) {
            Some(NickFault::Word)
        } else if check_nick(nick).is_err() {
            Some(NickFault::Unfit)
        } else if self.misleads(nick) {
            Some(NickFault::Misleading)
        } else if self.signup.is_taken(nick, self.number) {
            Some(NickFault::Taken)
        } else {
            None
        }
    }

    /// Whether the nick alone is a word for a role, for a side, or the host.
    fn misleads(&self, nick: &str) -> bool {
        let folded = fold(nick);
        let mut words = ROLE_WORDS.iter().copied().chain([self.table.host_name.as_str()]);
        words.any(|word| fold(word) == folded)
            || Role::ALL.iter().any(|one| [Lang::Ru, Lang::En].iter().any(|lang| fold(role(*lang, *one)) == folded))
    }

    pub fn seating(&self) -> Seating {
        match self.now.seating {
            seating @ (Seating::Kept | Seating::Pending | Seating::Waiting | Seating::Declined) => seating,
            Seating::Came | Seating::Left | Seating::Dropped if self.table.settings.approve_applicants => {
                Seating::Pending
            }
            // Within one letter he may have left the place that he still holds in the table.
            _ if self.signup.has_room() => Seating::Kept,
            _ => Seating::Waiting,
        }
    }
}

/// Composed (NFC), with single spaces.
fn tidy_nick(nick: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    nick.nfc().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn cut(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    clean.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST_REMARK).collect()
}
