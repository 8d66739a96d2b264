//! `omerta demo`: a whole game here and now. The real daemon runs over Maildir folders; every player is a bot that
//! mails and reads mail. [`play`] is the game's hours; [`bots`] and [`plans`] are the players, who know only what the
//! letters tell them; [`scribe`] writes their letters as people's mail programs do.

pub mod bots;
pub mod luck;
pub mod people;
pub mod phrases;
pub mod plans;
pub mod play;
pub mod postbag;
pub mod screen;
pub mod scribe;
pub mod stage;

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::demo::bots::Bot;
use crate::demo::luck::Luck;
use crate::demo::people::MOST_PLAYERS;
use crate::demo::postbag::Postbag;
use crate::demo::screen::Screen;
use crate::demo::stage::Stage;
use crate::letters::Lang;
use crate::rules::Winner;

/// The game's tag.
pub const TAG: &str = "demo";
pub const GAME_ADDRESS: &str = "mafia@demo.test";
pub const HOST_ADDRESS: &str = "host@demo.test";
pub const MODERATOR_ADDRESS: &str = "moderator@demo.test";
pub const FEWEST_PLAYERS: u16 = 7;
/// `settle` of the demo's config: how long after a deadline mail on its way is waited for.
pub const SETTLE: Duration = Duration::from_secs(120);
const ZONE: &str = "Europe/Moscow";
/// Tuesday, 1 December 2026, 12:00 in Moscow: the game's first noon.
const FIRST_NOON: i64 = 1_796_115_600;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// From [`FEWEST_PLAYERS`] to [`MOST_PLAYERS`].
    pub players: u16,
    /// The bots' whims; the lots of the game are drawn by the daemon.
    pub seed: u64,
    /// Empty or not yet there.
    pub folder: PathBuf,
    pub pace: Pace,
    pub lang: Lang,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    #[default]
    Fast,
    /// Slow enough to read along.
    Slow,
}

/// Where the game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Open {
        turn: u16,
        deadline: Option<Timestamp>,
    },
    /// The turn waits for the host's word.
    Review,
    Over(Winner),
}

/// Does something to the daemon; what went wrong is said in words.
type Act<T> = Box<dyn FnMut() -> Result<T, Box<dyn Error>>>;
type ActAt = Box<dyn FnMut(Timestamp) -> Result<(), Box<dyn Error>>>;

/// The strings by which the demo moves the daemon.
pub struct Controls {
    /// Sets the injected clock.
    pub set_clock: Box<dyn FnMut(Timestamp)>,
    /// `omerta game deadline demo WHEN`: only when the game gave itself none.
    pub set_deadline: ActAt,
    /// `omerta game publish demo`.
    pub publish: Act<()>,
    /// Comes back when the daemon, by the clock as it stands, has read the inbox through, done what was due and emptied
    /// the outbox.
    pub settle: Act<()>,
    pub standing: Act<Standing>,
    /// Ends the daemon.
    pub stop: Act<()>,
}

/// Why the demo can't be played.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    #[error("the folder {folder} is not empty: name another one with --dir")]
    FolderInUse { folder: String },
    #[error("{players} players: the demo takes from {FEWEST_PLAYERS} to {MOST_PLAYERS}")]
    Players { players: u16 },
    #[error(transparent)]
    File(#[from] io::Error),
    #[error("the daemon: {0}")]
    Daemon(String),
    #[error("the game did not end")]
    Endless,
}

impl DemoError {
    fn daemon(error: impl std::fmt::Display) -> DemoError {
        DemoError::Daemon(error.to_string())
    }
}

/// Plays a whole game and shows it. `start` starts the daemon: it loads [`Stage::config`], makes the game [`TAG`] from
/// [`Stage::roster`], starts it, and gives the strings to move it.
///
/// # Errors
/// When the folder is in use, a file can't be written, or the daemon fails.
pub fn play(
    options: &Options,
    out: &mut dyn Write,
    start: impl FnOnce(&Stage) -> Result<Controls, Box<dyn Error>>,
) -> Result<Winner, DemoError> {
    let players = usize::from(options.players);
    if options.players < FEWEST_PLAYERS || players > MOST_PLAYERS {
        return Err(DemoError::Players { players: options.players });
    }
    let mut luck = Luck::new(options.seed);
    let people = people::cast(players, options.lang, &mut luck);
    let stage = stage::build(options, &people)?;
    let now = Timestamp::from_second(FIRST_NOON).unwrap_or(Timestamp::UNIX_EPOCH);
    let zone = TimeZone::get(ZONE).unwrap_or(TimeZone::UTC);
    let mut screen = Screen::new(out, options, stage::names(options.lang, &people), zone);
    screen.opening(options)?;
    let controls = start(&stage).map_err(DemoError::daemon)?;
    let bots = people.iter().map(|person| Bot::new(person.clone(), &people, options.lang, luck.split())).collect();
    let mut play = play::Play {
        options,
        controls,
        bots,
        luck,
        postbag: Postbag::new(&options.folder.join("mail/out")),
        screen,
        moderator: MODERATOR_ADDRESS,
        now,
        letters_in: 0,
        letters_out: 0,
    };
    let winner = play.to_the_end();
    (play.controls.stop)().map_err(DemoError::daemon)?;
    let winner = winner?;
    play.screen.ending(&options.folder, play.letters_in, play.letters_out)?;
    Ok(winner)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;
    use std::rc::Rc;

    use super::*;
    use crate::mail::inbox::MaildirInbox;
    use crate::mail::outbox::MaildirOutbox;
    use crate::mail::write::write;
    use crate::mail::{AutoSubmitted, Outgoing};

    /// Answers each letter, lets the first of the living die at each deadline, ends with three.
    struct Understudy {
        folder: PathBuf,
        inbox: MaildirInbox,
        outbox: MaildirOutbox,
        living: Vec<(String, String)>,
        all: Vec<(String, String)>,
        turn: u16,
        deadline: Timestamp,
        now: Timestamp,
        sent: u32,
        texts: Vec<String>,
        order: Vec<(i64, String)>,
        places: BTreeSet<String>,
    }

    impl Understudy {
        fn new(stage: &Stage) -> Understudy {
            let roster = fs::read_to_string(&stage.roster).unwrap();
            let seat = |line: &str| {
                let mut cells = line.split(',');
                (cells.next().unwrap().to_owned(), cells.next().unwrap().to_owned())
            };
            let all: Vec<_> = roster.lines().skip(1).map(seat).collect();
            let noon = Timestamp::from_second(FIRST_NOON).unwrap();
            let mut understudy = Understudy {
                folder: stage.folder().to_owned(),
                inbox: MaildirInbox::open(&stage.folder().join("mail/in")).unwrap(),
                outbox: MaildirOutbox::new(&stage.folder().join("mail/out")),
                living: all.clone(),
                all: all.clone(),
                turn: 1,
                deadline: noon + Duration::from_secs(9 * 3600),
                now: noon,
                sent: 0,
                texts: Vec::new(),
                order: Vec::new(),
                places: BTreeSet::new(),
            };
            let roles = ["commissioner", "mafioso", "mafioso", "doctor", "maniac"];
            for (number, (address, _)) in all.iter().enumerate() {
                let role = roles.get(number).copied().unwrap_or("citizen");
                let fellows = format!("{}\n{}\n", all[1].1, all[2].1);
                let text = if role == "mafioso" { fellows } else { "мирный".to_owned() };
                understudy.send(address, "role", "Ваша роль", &text, Some(role));
            }
            understudy
        }

        fn send(&mut self, to: &str, kind: &str, subject: &str, text: &str, role: Option<&str>) {
            self.sent += 1;
            let id = format!("{}@demo.test", self.sent);
            let letter = Outgoing {
                from: GAME_ADDRESS.into(),
                to: to.into(),
                reply_to: None,
                message_id: id.clone(),
                in_reply_to: None,
                references: vec![],
                date: self.now,
                subject: format!("[{TAG}] {subject}"),
                text: text.into(),
                attachments: vec![],
                pictures: Vec::new(),
                kind: kind.into(),
                game: Some(TAG.into()),
                turn: self.turn,
                auto: AutoSubmitted::Generated,
                extra: role.map(|role| ("X-Omerta-Role".to_owned(), role.to_owned())).into_iter().collect(),
            };
            self.outbox.deliver(to, &id, &write(&letter).unwrap(), self.now).unwrap();
        }

        fn settle(&mut self) {
            for found in self.inbox.scan_all().unwrap() {
                assert!(found.second <= self.now.as_second(), "a letter from the future");
                let raw = self.inbox.read(&found, 1 << 20).unwrap().unwrap();
                self.inbox.mark_done(&found).unwrap();
                let letter = mail_parser::MessageParser::new().parse(&raw.bytes).unwrap();
                let from = letter.from().unwrap().first().unwrap().address().unwrap().to_owned();
                let subject = letter.subject().unwrap_or_default();
                self.texts.push(format!("{subject}\n{}", letter.body_text(0).unwrap_or_default()));
                self.order.push((found.second, found.within.clone()));
                assert!(self.places.insert(found.place));
                assert!(self.all.iter().any(|(address, _)| *address == from));
                self.send(&from, "receipt", "Принято", "Принято.", None);
            }
            if self.now.duration_since(self.deadline).as_secs() < 120 {
                return;
            }
            let (dead, _) = self.living.remove(0);
            self.send(&dead, "death", "Письмо для вас", "Вы погибли.", None);
            self.turn += 1;
            self.deadline += Duration::from_secs(24 * 3600);
            let nicks: Vec<&str> = self.living.iter().map(|(_, nick)| nick.as_str()).collect();
            let text = format!("Город проснулся.\n\nВ живых {}: {}.\n", nicks.len(), nicks.join(", "));
            for (address, _) in self.all.clone() {
                self.send(&address, "summary", "Итоги хода", &text, None);
            }
            self.send(MODERATOR_ADDRESS, "summary", "Итоги хода", &text, None);
        }
    }

    fn options(folder: &Path) -> Options {
        Options { players: 12, seed: 5, folder: folder.to_owned(), pace: Pace::Fast, lang: Lang::Ru }
    }

    fn controls(stage: &Stage, understudy: &Rc<RefCell<Understudy>>) -> Controls {
        let (clock, worker, teller) = (Rc::clone(understudy), Rc::clone(understudy), Rc::clone(understudy));
        let mut hand = stage.clock_hand();
        Controls {
            set_clock: Box::new(move |now| {
                hand(now);
                clock.borrow_mut().now = now;
            }),
            set_deadline: Box::new(|_| Err("the game has a deadline".into())),
            publish: Box::new(|| Err("nothing waits".into())),
            settle: Box::new(move || {
                worker.borrow_mut().settle();
                Ok(())
            }),
            standing: Box::new(move || {
                let game = teller.borrow();
                if game.living.len() <= 3 {
                    return Ok(Standing::Over(Winner::Mafia));
                }
                Ok(Standing::Open { turn: game.turn, deadline: Some(game.deadline) })
            }),
            stop: Box::new(|| Ok(())),
        }
    }

    fn played(folder: &Path) -> (String, Vec<String>) {
        let mut shown = Vec::new();
        let mut kept = None;
        let winner = play(&options(folder), &mut shown, |stage| {
            let understudy = Rc::new(RefCell::new(Understudy::new(stage)));
            kept = Some(Rc::clone(&understudy));
            Ok(controls(stage, &understudy))
        });
        assert_eq!(winner.unwrap(), Winner::Mafia);
        let game = kept.unwrap();
        let game = game.borrow();
        assert_eq!(game.folder, folder);
        assert!(game.order.is_sorted(), "letters were handed in out of order");
        (String::from_utf8(shown).unwrap(), game.texts.clone())
    }

    #[test]
    fn a_game_is_played_to_its_end_and_told() {
        let folder = tempfile::tempdir().unwrap();
        let (shown, texts) = played(folder.path());
        println!("{shown}");
        assert!(shown.contains("--- Ход 1, срок 01.12.2026 21:00 ---"));
        assert!(shown.contains("--- Ход 9, срок 09.12.2026 21:00 ---"));
        assert!(shown.contains("    В живых 3: "));
        assert!(shown.contains("Омерта → 13 адресатов"));
        assert!(shown.contains("omerta --config"));
        let said = texts.join("\n").to_lowercase();
        for word in ["уби", "провер", "леч", "пистолет", "клану - ", "охота", "лс - ", "записка - "]
        {
            assert!(said.contains(word), "nobody wrote {word}");
        }
    }

    #[test]
    fn the_same_seed_plays_the_same_letters() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        assert_eq!(played(one.path()).1, played(other.path()).1);
    }

    #[test]
    fn a_folder_in_use_and_a_crowd_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let nobody = |_: &Stage| Err("no daemon".into());
        for players in [0, 6, 61] {
            let options = Options { players, ..options(folder.path()) };
            assert!(matches!(play(&options, &mut Vec::new(), nobody), Err(DemoError::Players { .. })));
        }
        assert!(matches!(play(&options(folder.path()), &mut Vec::new(), nobody), Err(DemoError::Daemon(_))));
        assert!(matches!(play(&options(folder.path()), &mut Vec::new(), nobody), Err(DemoError::FolderInUse { .. })));
    }
}
