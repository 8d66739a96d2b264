//! One turn as the journal tells it: who wrote what, what stood before the close, what came of it.

use jiff::Timestamp;

use crate::desk::fold;
use crate::journal::{Entry, Heard};
use crate::rules::PlayerId;
use crate::rules::report::Report;
use crate::rules::turn::Circumstances;
use crate::table::Table;

/// A turn with its letters and, once it is closed, its result.
#[derive(Clone, Debug)]
pub struct Story {
    pub turn: u16,
    /// As it stood when the turn was closed, or as it stands.
    pub table: Table,
    /// In order of arrival.
    pub letters: Vec<Heard>,
    /// Whom the host warned in his own words.
    pub host_warned: Vec<PlayerId>,
    /// None while the turn is open.
    pub closed: Option<(Report, Circumstances)>,
}

/// Why there is nothing to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoStory {
    #[error("the game has not begun: there is no turn to explain")]
    NotBegun,
    #[error("there is no turn {asked}: the last one is {last}")]
    NoTurn { asked: u16, last: u16 },
}

impl Story {
    /// The wanted turn of a journal; None is the one that was closed last, or the open one where none is closed yet.
    ///
    /// # Errors
    /// There is no such turn (yet).
    pub fn of(journal: impl IntoIterator<Item = (Timestamp, Entry)>, wanted: Option<u16>) -> Result<Story, NoStory> {
        let mut table: Option<Table> = None;
        let mut told: Option<Story> = None;
        let mut open = Open::default();
        for (at, entry) in journal {
            if let Some(now) = &table {
                open.hear(now.game.turn, &entry);
                match &entry {
                    Entry::Closed { report, circumstances, .. } if wanted.is_none_or(|turn| turn == report.turn) => {
                        told = Some(open.story(now, Some((report, circumstances))));
                    }
                    // A turn that was taken back is judged with letters that were not there before.
                    Entry::JudgedAgain { report, circumstances, .. } => {
                        if let Some(told) = told.as_mut().filter(|told| told.turn == report.turn) {
                            told.closed = Some(((**report).clone(), circumstances.clone()));
                            told.table = now.clone();
                        }
                    }
                    Entry::MissesForgiven { report, circumstances }
                    | Entry::WindowClosed { report, circumstances, .. } => {
                        if let Some(told) = told.as_mut().filter(|told| told.turn == report.turn) {
                            told.closed = Some(((**report).clone(), circumstances.clone()));
                        }
                    }
                    // Between close and publication letters go on to be answered as of the closed turn.
                    Entry::Heard(heard) => {
                        if let Some(told) = told.as_mut().filter(|told| told.turn == heard.turn) {
                            told.letters.push((**heard).clone());
                        }
                    }
                    _ => {}
                }
            }
            fold(&mut table, at, &entry);
        }
        let table = table.filter(|table| table.game.turn > 0).ok_or(NoStory::NotBegun)?;
        let last = table.game.turn;
        let mut story = match (told, wanted) {
            (Some(story), _) => story,
            (None, wanted) if wanted.is_none_or(|turn| turn == last) => open.story(&table, None),
            (None, wanted) => return Err(NoStory::NoTurn { asked: wanted.unwrap_or_default(), last }),
        };
        story.letters.sort_by(|one, other| one.order.cmp(&other.order));
        Ok(story)
    }

    pub fn report(&self) -> Option<&Report> {
        self.closed.as_ref().map(|(report, _)| report)
    }
}

/// What was heard in the turn that is open.
#[derive(Default)]
struct Open {
    turn: u16,
    letters: Vec<Heard>,
    host_warned: Vec<PlayerId>,
}

impl Open {
    fn hear(&mut self, turn: u16, entry: &Entry) {
        if turn != self.turn {
            *self = Open { turn, ..Open::default() };
        }
        match entry {
            Entry::Heard(heard) if heard.turn == turn => self.letters.push((**heard).clone()),
            // A second copy had come earlier: that is the letter's place.
            Entry::Rearranged { letter, order } => {
                for heard in self.letters.iter_mut().filter(|heard| heard.letter == *letter) {
                    heard.order.clone_from(order);
                }
            }
            Entry::HostWarned { player, .. } => self.host_warned.push(*player),
            _ => {}
        }
    }

    fn story(&self, table: &Table, closed: Option<(&Report, &Circumstances)>) -> Story {
        Story {
            turn: self.turn,
            table: table.clone(),
            letters: self.letters.clone(),
            host_warned: self.host_warned.clone(),
            closed: closed.map(|(report, circumstances)| (report.clone(), circumstances.clone())),
        }
    }
}
