//! The demo's hours: people write, the clock goes on, the daemon works, people read.

use std::io;
use std::time::Duration;

use jiff::Timestamp;

use crate::demo::bots::Bot;
use crate::demo::luck::Luck;
use crate::demo::plans::{Draft, Moment, Town};
use crate::demo::postbag::{Fetched, Postbag};
use crate::demo::screen::Screen;
use crate::demo::scribe::{self, Note};
use crate::demo::{Controls, DemoError, GAME_ADDRESS, Options, SETTLE, Standing};
use crate::rules::Winner;

/// More turns than any game of the demo takes.
const MOST_TURNS: usize = 120;
/// The last hours: the first reminder has come by then.
const EVENING: Duration = Duration::from_secs(2 * 60 * 60 + 59 * 60);

pub struct Play<'a> {
    pub options: &'a Options,
    pub controls: Controls,
    pub bots: Vec<Bot>,
    pub luck: Luck,
    pub postbag: Postbag,
    pub screen: Screen<'a>,
    /// Whose summary is shown as the story.
    pub moderator: &'a str,
    pub now: Timestamp,
    pub letters_in: usize,
    pub letters_out: usize,
}

impl Play<'_> {
    /// Plays to the end.
    ///
    /// # Errors
    /// When the daemon fails, or the game does not end.
    pub fn to_the_end(&mut self) -> Result<Winner, DemoError> {
        for _ in 0..MOST_TURNS {
            self.let_work()?;
            let standing = (self.controls.standing)().map_err(DemoError::daemon)?;
            match standing {
                Standing::Over(winner) => return Ok(winner),
                Standing::Review => (self.controls.publish)().map_err(DemoError::daemon)?,
                Standing::Open { deadline: None, .. } => {
                    let tomorrow = self.now + Duration::from_secs(24 * 60 * 60);
                    (self.controls.set_deadline)(tomorrow).map_err(DemoError::daemon)?;
                }
                Standing::Open { turn, deadline: Some(deadline) } => self.turn(turn, deadline)?,
            }
        }
        Err(DemoError::Endless)
    }

    fn turn(&mut self, turn: u16, deadline: Timestamp) -> Result<(), DemoError> {
        self.screen.turn(turn, deadline)?;
        let town = self.talk_of_the_town(turn);
        let left = deadline.duration_since(self.now).unsigned_abs();
        let evening = deadline - EVENING.min(left / 4);
        self.hour(Moment::Morning, turn, &town, self.now + left / 3)?;
        self.hour(Moment::Afternoon, turn, &town, self.now + evening.duration_since(self.now).unsigned_abs() / 2)?;
        // Nobody writes until the reminder is out.
        self.now = self.now.max(evening);
        self.let_work()?;
        self.hour(Moment::Evening, turn, &town, deadline - Duration::from_secs(60))?;
        let closing = deadline + SETTLE;
        self.now = deadline;
        self.hand_in(Moment::Late, turn, &town, deadline + SETTLE / 2)?;
        self.now = closing + Duration::from_secs(1);
        Ok(())
    }

    /// Letters arrive until `until`, then the daemon works.
    fn hour(&mut self, moment: Moment, turn: u16, town: &Town, until: Timestamp) -> Result<(), DemoError> {
        self.hand_in(moment, turn, town, until)?;
        self.let_work()
    }

    /// Each letter has its own moment between now and `until`.
    fn hand_in(&mut self, moment: Moment, turn: u16, town: &Town, until: Timestamp) -> Result<(), DemoError> {
        let mut drafts: Vec<(usize, Draft)> = Vec::new();
        for (seat, bot) in self.bots.iter_mut().enumerate() {
            drafts.extend(bot.write(moment, turn, town).into_iter().map(|draft| (seat, draft)));
        }
        // Letters of one player keep their order.
        let mut order: Vec<usize> = drafts.iter().map(|(seat, _)| *seat).collect();
        self.luck.shuffle(&mut order);
        drafts.sort_by_key(|(seat, _)| order.iter().position(|other| other == seat));
        let steps = u32::try_from(drafts.len() + 1).unwrap_or(u32::MAX);
        let step = until.duration_since(self.now).unsigned_abs() / steps;
        for (seat, draft) in drafts {
            let whim = Duration::from_micros(u64::try_from(self.luck.below(1_000_000)).unwrap_or(0));
            self.now = (self.now + step + whim).min(until);
            self.post(seat, &draft)?;
        }
        self.now = self.now.max(until);
        Ok(())
    }

    fn post(&mut self, seat: usize, draft: &Draft) -> Result<(), DemoError> {
        let Some(bot) = self.bots.get(seat) else { return Ok(()) };
        self.letters_in += 1;
        let note = Note {
            name: String::new(),
            address: bot.person.address.clone(),
            to: GAME_ADDRESS.to_owned(),
            subject: draft.subject.clone(),
            message_id: format!("{}.{}@client.demo.test", self.letters_in, self.luck.below(1_000_000)),
            answers: draft.answers.clone(),
            lines: draft.lines.clone(),
            style: draft.style,
            // Somebody's clock is wrong; only the server's time counts.
            date: if self.luck.chance(10) { self.now - Duration::from_secs(3 * 60 * 60) } else { self.now },
            lang: bot.lang,
        };
        self.screen.letter_in(self.now, &note.address, &note.subject, &gist(&draft.lines))?;
        let inbox = self.options.folder.join("mail/in");
        let bytes = scribe::write(&note);
        scribe::hand_in(&inbox, &bytes, self.now, self.letters_in)?;
        if draft.twice {
            let again = [b"Received: from relay.demo.test by mx.demo.test\r\n".as_slice(), &bytes].concat();
            self.letters_in += 1;
            scribe::hand_in(&inbox, &again, self.now + Duration::from_millis(1), self.letters_in)?;
        }
        Ok(())
    }

    /// The daemon does everything that is due at this hour; then people read what it wrote.
    fn let_work(&mut self) -> Result<(), DemoError> {
        (self.controls.set_clock)(self.now);
        (self.controls.settle)().map_err(DemoError::daemon)?;
        let fetched = self.postbag.fetch()?;
        self.letters_out += fetched.len();
        self.screen.letters_out(&fetched)?;
        self.tell_story(&fetched)?;
        for Fetched { address, letter } in &fetched {
            if let Some(bot) = self.bots.iter_mut().find(|bot| bot.person.address == *address) {
                bot.hear(letter);
            }
        }
        Ok(())
    }

    fn tell_story(&mut self, fetched: &[Fetched]) -> io::Result<()> {
        let told = |fetched: &&Fetched| {
            fetched.address == self.moderator && matches!(fetched.letter.kind.as_str(), "summary" | "final")
        };
        let stories: Vec<String> = fetched.iter().filter(told).map(|fetched| fetched.letter.text.clone()).collect();
        stories.iter().try_for_each(|text| self.screen.story(text))
    }

    /// Two suspects a day; and not more than one player who spoils the turn, lest the host be asked.
    fn talk_of_the_town(&mut self, turn: u16) -> Town {
        let living = self.bots.iter().find(|bot| bot.is_in_play()).map(Bot::living).unwrap_or_default();
        let mut suspects: Vec<String> = self.bots.iter().find_map(Bot::hint).into_iter().collect();
        suspects.extend(self.luck.pick(&living).cloned());
        suspects.extend(self.luck.pick(&living).cloned());
        let somebody = self.luck.pick(&living).cloned().filter(|_| turn > 1 && living.len() > 4);
        let (forgetful, late) = match self.luck.below(4) {
            0 => (somebody, None),
            1 => (None, somebody),
            _ => (None, None),
        };
        Town { suspects, forgetful, late }
    }
}

/// The lines that ask for something, else the first one.
fn gist(lines: &[String]) -> String {
    let asks = |line: &&String| {
        line.split_once(['-', '–', '—', ':']).is_some_and(|(_, argument)| argument.chars().any(char::is_alphanumeric))
    };
    let asked: Vec<&str> = lines.iter().filter(asks).map(String::as_str).collect();
    if asked.is_empty() { lines.first().cloned().unwrap_or_default() } else { asked.join(" | ") }
}
