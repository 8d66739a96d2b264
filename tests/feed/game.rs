//! What follows from the feed in a game: who was silent is warned, expelled or proposed; where anything may be missing
//! nobody is judged and the host is told why; and the forum is asked seldom.

use std::io::Write;
use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};
use omerta::desk::command::Command;
use omerta::journal::Entry;
use omerta::rules::game::Life;
use omerta::rules::{PlayerId, Role};

use tracing_subscriber::fmt::MakeWriter;

use crate::forum::{Forum, answer, rss};
use crate::house::{Got, House, config_text};

const TAG: &str = "palermo";
const HOST: &str = "host@example.org";
const NAMES: [&str; 7] = ["Анна", "Борис", "Вера", "Глеб", "Дарья", "Егор", "Жанна"];
const DARIA: PlayerId = PlayerId(4);

fn roster() -> String {
    let row = |(at, name)| format!("p{at:02}@{TAG}.test,{name},{}\n", if at == 1 { "mafioso" } else { "citizen" });
    format!("address,nick,role\n{}", NAMES.iter().enumerate().map(row).collect::<String>())
}

/// A game whose topic has its feed at a forum. Its first turn ends fifty hours after its start.
struct Town {
    house: House,
    forum: Forum,
    began: Timestamp,
    posts: Vec<(String, Timestamp)>,
}

impl Town {
    fn new(rules: &[(&str, &str)]) -> Town {
        Town::of(&roster(), rules)
    }

    fn of(roster: &str, rules: &[(&str, &str)]) -> Town {
        let mut town = Town::beside(Forum::showing(&rss(&[])), roster, rules);
        town.wrote(&["Ведущая", "Зритель"], -1);
        town.look();
        town
    }

    fn beside(forum: Forum, roster: &str, rules: &[(&str, &str)]) -> Town {
        let mut house = House::of(&config_text(&format!("[forum]\nactivity_feed = \"{}\"", forum.link())));
        let began = house.now();
        house.new_game_of(TAG, roster, rules).unwrap();
        house.command(TAG, Command::Deadline { when: "+50h".to_owned() });
        house.command(TAG, Command::Start);
        Town { house, forum, began, posts: Vec::new() }
    }

    fn at(&self, hour: i64) -> Timestamp {
        self.began.saturating_add(SignedDuration::from_hours(hour)).unwrap()
    }

    /// So many hours after the start each of them has written.
    fn wrote(&mut self, names: &[&str], hour: i64) {
        let at = self.at(hour);
        self.posts.extend(names.iter().map(|name| ((*name).to_owned(), at)));
        self.shows(usize::MAX);
    }

    /// The feed holds so many of the newest posts.
    fn shows(&self, most: usize) {
        let newest = self.posts.iter().rev().take(most);
        let posts: Vec<(&str, Timestamp)> = newest.map(|(name, at)| (name.as_str(), *at)).collect();
        self.forum.now_shows(&rss(&posts));
    }

    /// The daemon looks round; what it asks the forum for, it gets.
    fn look(&mut self) {
        self.house.round();
        while self.house.daemon().is_reading_topic() {
            std::thread::park_timeout(std::time::Duration::from_millis(1));
            self.house.round();
        }
        self.house.round();
    }

    fn look_at(&mut self, hour: i64) {
        self.house.set_clock(self.at(hour));
        self.look();
    }

    /// Passes the deadline as time does: the forum is asked at the deadline, the turn is closed when it has settled.
    fn close(&mut self) {
        let deadline = self.house.table(TAG).deadline.unwrap();
        self.house.set_clock(deadline);
        self.look();
        self.house.set_clock(deadline.saturating_add(SignedDuration::from_mins(2)).unwrap());
        self.look();
        assert_ne!(self.house.table(TAG).deadline, Some(deadline), "no feed keeps a turn from its close");
    }

    fn warned(&mut self) -> Vec<u32> {
        let table = self.house.table(TAG);
        table.seats().map(|(_, player)| player.warned).collect()
    }

    fn judged(&mut self) -> Vec<Vec<PlayerId>> {
        let judged = |entry| match entry {
            Entry::FeedJudged { players, .. } => Some(players),
            _ => None,
        };
        self.house.journal(TAG).into_iter().filter_map(judged).collect()
    }

    /// The words of the alerts that the host got.
    fn told(&self) -> Vec<String> {
        let alerts = self.house.got(HOST).into_iter().filter(|got: &Got| got.kind == "alert");
        alerts
            .map(|got| format!("{}\n{}", got.subject, got.body).split_whitespace().collect::<Vec<_>>().join(" "))
            .collect()
    }
}

/// What is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Log;

    fn make_writer(&self) -> Log {
        self.clone()
    }
}

const NOBODY: [u32; 7] = [0; 7];

#[test]
fn the_silent_one_is_warned_and_the_second_time_expelled() {
    let mut town = Town::new(&[]);
    town.wrote(&["анна", "БОРИС", "Вера", "Глеб", "Жанна"], 20);
    town.look_at(30);
    town.wrote(&["Егор"], 49);
    town.close();
    assert_eq!(town.judged(), [[DARIA]]);
    assert_eq!(town.warned(), [0, 0, 0, 0, 1, 0, 0]);
    assert!(town.house.kinds(TAG, 4).contains(&"warning".to_owned()));
    let told = town.told();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("Кто молчал") && told[0].contains("Дарья") && !told[0].contains("Егор"), "{told:?}");
    assert_eq!(town.forum.asked().len(), 3, "at the start, at thirty hours, at the deadline");

    town.wrote(&["Анна", "Борис", "Вера", "Глеб", "Егор", "Жанна"], 60);
    // A day later nobody is judged: a silence counts anew from the deadline at which it was judged.
    for player in 0..7 {
        town.house.write(TAG, player, if player == 6 { "Суд Линча - Борис" } else { "Суд Линча - Жанна" });
    }
    town.house.command(TAG, Command::Deadline { when: "+24h".to_owned() });
    town.close();
    assert_eq!(town.judged().len(), 1);
    assert_eq!(town.house.table(TAG).game.turn, 3, "the game goes on");

    town.wrote(&["Анна", "Борис", "Вера", "Глеб", "Егор"], 90);
    town.house.command(TAG, Command::Deadline { when: "+25h".to_owned() });
    for player in [0, 1, 2, 3, 4, 5] {
        town.house.write(TAG, player, if player == 5 { "Суд Линча - Анна" } else { "Суд Линча - Егор" });
    }
    town.close();
    assert_eq!(town.judged(), [[DARIA], [DARIA]]);
    assert_eq!(town.house.table(TAG).player(DARIA).unwrap().life, Life::Expelled);
    // As the alert says, where the feed was wrong: the turn is judged again without that silence.
    town.house.command(TAG, Command::Undo);
    town.house.command(TAG, Command::Watched { silent: false, nicks: vec!["Дарья".to_owned()] });
    town.house.command(TAG, Command::Resolve);
    town.house.round();
    assert_eq!(town.house.table(TAG).player(DARIA).unwrap().life, Life::Alive);
    assert_eq!(town.warned(), [0, 0, 0, 0, 1, 0, 0]);
}

#[test]
fn where_the_host_decides_he_is_told_and_nobody_is_warned() {
    let mut town = Town::new(&[("activity_auto", "false")]);
    town.wrote(&["Анна", "Борис", "Вера", "Глеб", "Егор", "Жанна"], 20);
    town.close();
    assert_eq!(town.warned(), NOBODY);
    let told = town.told();
    assert!(told.len() == 1 && told[0].contains("Дарья") && told[0].contains("решаете вы"), "{told:?}");
}

#[test]
fn a_gap_in_the_feed_judges_nobody() {
    let mut town = Town::new(&[]);
    town.wrote(&["Анна", "Борис", "Вера"], 10);
    town.look_at(11);
    // Between two readings more was written than the feed holds, and Дарья's post was among it.
    town.wrote(&["Дарья", "Глеб", "Егор", "Жанна"], 20);
    town.wrote(&["Анна", "Вера", "Борис"], 29);
    town.shows(3);
    town.look_at(30);
    town.close();
    assert_eq!((town.judged(), town.warned()), (vec![], NOBODY.to_vec()));
    let told = town.told();
    assert!(told.len() == 1 && told[0].contains("только последние сообщения"), "{told:?}");
}

#[test]
fn the_same_feed_read_in_time_has_no_gap() {
    let mut town = Town::new(&[]);
    town.wrote(&["Анна", "Борис", "Вера"], 10);
    town.look_at(11);
    town.wrote(&["Глеб", "Егор", "Жанна"], 20);
    town.shows(4);
    town.look_at(21);
    town.wrote(&["Анна", "Вера", "Борис"], 29);
    town.shows(4);
    town.close();
    assert_eq!(town.judged(), [[DARIA]]);
}

#[test]
fn a_forum_that_is_down_delays_nothing_and_judges_nobody() {
    let mut town = Town::new(&[]);
    town.wrote(&["Анна", "Борис", "Вера", "Глеб", "Егор", "Жанна"], 20);
    town.look_at(49);
    town.forum.now_answers(|_, stream| answer(stream, "500 Internal Server Error", "", b""));
    town.house.write(TAG, 0, "Статус");
    town.close();
    assert!(town.house.kinds(TAG, 0).contains(&"answer".to_owned()), "mail goes on");
    assert_eq!((town.judged(), town.warned()), (vec![], NOBODY.to_vec()));
    let told = town.told();
    assert!(told.len() == 1 && told[0].contains("прочесть ещё до срока"), "{told:?}");
}

#[test]
fn a_forum_that_was_never_up_is_told_as_such_and_asked_seldom() {
    let broken = Forum::new(|_, stream| answer(stream, "500 Internal Server Error", "", b""));
    let mut town = Town::beside(broken, &roster(), &[]);
    let log = Log::default();
    let heard = tracing_subscriber::fmt().with_ansi(false).with_writer(log.clone()).finish();
    // Of one listener alone tracing lets the thread that comes first to a line decide for all whether it is heard.
    let _second = tracing::Dispatch::new(tracing_subscriber::fmt().with_writer(std::io::sink).finish());
    tracing::subscriber::with_default(heard, || {
        for minute in 0..24 * 60 {
            town.house.set_clock(town.began.saturating_add(SignedDuration::from_mins(minute)).unwrap());
            town.look();
        }
    });
    let said = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert_eq!(said.matches("can't be read").count(), 1, "the operator is told once: {said}");
    assert!(said.contains("127.0.0.1") && !said.contains("geheim"), "{said}");
    let asked = town.forum.asked().len();
    assert!((20..=32).contains(&asked), "{asked} requests in a day of failures");
    town.house.set_clock(town.at(48));
    town.close();
    assert_eq!(town.warned(), NOBODY);
    let told = town.told();
    assert!(told.len() == 1 && told[0].contains("ничего не удалось"), "{told:?}");
}

#[test]
fn a_day_of_quiet_costs_the_forum_six_requests_an_hour() {
    let mut town = Town::new(&[]);
    let before = town.forum.asked().len();
    for second in (0..3 * 3600).step_by(20) {
        town.house.set_clock(town.began.saturating_add(SignedDuration::from_secs(second)).unwrap());
        town.look();
    }
    assert_eq!(town.forum.asked().len() - before, 17);
}

#[test]
fn a_persons_word_goes_before_the_feeds() {
    let mut town = Town::new(&[]);
    town.wrote(&["Анна", "Борис", "Вера", "Глеб", "Жанна"], 20);
    town.look_at(40);
    town.house.command(TAG, Command::Watched { silent: false, nicks: vec!["Дарья".to_owned()] });
    town.house.command(TAG, Command::Watched { silent: true, nicks: vec!["Анна".to_owned()] });
    town.close();
    assert_eq!(town.judged(), [[PlayerId(5)]], "nobody has seen Егор");
    assert_eq!(town.warned(), [1, 0, 0, 0, 0, 1, 0]);
}

#[test]
fn names_on_the_forum_stand_for_nicks() {
    let rows = "address,nick,role,forum_name\na@x.test,Анна,citizen,Котёнок\nb@x.test,Борис,mafioso,\n\
                c@x.test,Вера,citizen,vera_77\nd@x.test,Глеб,citizen,\ne@x.test,Дарья,citizen,\n\
                f@x.test,Егор,citizen,\ng@x.test,Жанна,citizen,Дарья\n";
    let mut town = Town::of(rows, &[]);
    town.wrote(&["котенок", "@Vera_77 Вера", "Борис", "Глеб", "Егор"], 20);
    town.wrote(&["Вера"], 21);
    town.close();
    // «Дарья» is Жанна's name there, and the name of Дарья too, for want of another: neither has written.
    assert_eq!(town.judged(), [[DARIA, PlayerId(6)]]);
}

#[test]
fn a_feed_without_any_player_is_another_topics() {
    let mut town = Town::new(&[]);
    town.wrote(&["Кто-то", "Другой", "Третий"], 20);
    town.close();
    assert_eq!(town.warned(), NOBODY);
    let told = town.told();
    assert!(told.len() == 1 && told[0].contains("другой темы"), "{told:?}");
}

#[test]
fn of_two_games_nobody_knows_whose_the_feed_is() {
    let mut town = Town::new(&[]);
    town.wrote(&["Анна", "Борис", "Вера", "Глеб", "Егор", "Жанна"], 20);
    town.look_at(21);
    let roles: Vec<(&str, Role)> = NAMES
        .iter()
        .enumerate()
        .map(|(at, name)| (*name, if at == 1 { Role::Mafioso } else { Role::Citizen }))
        .collect();
    town.house.new_game("second", &roles, &[]);
    town.house.command("second", Command::Deadline { when: "+90h".to_owned() });
    town.house.command("second", Command::Start);
    let asked = town.forum.asked().len();
    town.look_at(22);
    town.close();
    assert_eq!(town.forum.asked().len(), asked, "it is not read");
    assert_eq!(town.warned(), NOBODY);
    let told = town.told();
    assert!(told.iter().filter(|told| told.contains("игр сейчас идёт несколько")).count() == 1, "{told:?}");
}

#[test]
fn a_restart_forgets_nothing_of_what_was_read() {
    let mut town = Town::new(&[]);
    town.wrote(&["Анна", "Борис", "Вера", "Глеб"], 20);
    town.look_at(21);
    town.house.shut();
    town.house.open();
    town.wrote(&["Егор", "Жанна"], 30);
    town.shows(3);
    town.close();
    assert_eq!(town.judged(), [[DARIA]], "what the feed has lost since was seen before");
}

#[test]
fn a_pause_is_no_silence() {
    let mut town = Town::new(&[]);
    town.wrote(&["Анна", "Борис", "Вера", "Глеб", "Егор", "Жанна"], 1);
    town.look_at(2);
    town.house.command(TAG, Command::Pause);
    town.look_at(100);
    town.house.command(TAG, Command::Resume);
    town.house.command(TAG, Command::Deadline { when: "+47h".to_owned() });
    town.close();
    assert_eq!((town.judged(), town.warned()), (vec![], NOBODY.to_vec()));
    assert!(town.told().is_empty(), "{:?}", town.told());
}

#[test]
fn a_newcomer_is_judged_only_when_his_name_is_known() {
    let mut town = Town::new(&[]);
    town.wrote(&NAMES, 0);
    town.look_at(1);
    town.house.command(TAG, Command::Replace { nick: "Дарья".to_owned(), address: "new@x.test".to_owned() });
    town.house.command(TAG, Command::Deadline { when: "+60h".to_owned() });
    town.wrote(&["Анна", "Борис", "Вера", "Глеб", "Егор", "Новенькая"], 40);
    town.close();
    assert_eq!(town.judged(), [[PlayerId(6)]], "nobody knows how the newcomer is called there");
    for player in 0..6 {
        town.house.write(TAG, player, if player == 5 { "Суд Линча - Анна" } else { "Суд Линча - Егор" });
    }
    // Seen once under the nick, and then no more.
    town.wrote(&["Дарья"], 62);
    town.wrote(&["Анна", "Борис", "Вера", "Глеб", "Егор", "Жанна"], 100);
    town.house.command(TAG, Command::Deadline { when: "+60h".to_owned() });
    town.close();
    assert_eq!(town.judged(), [[PlayerId(6)], [DARIA]]);
}

#[test]
fn who_wrote_is_forgotten_with_the_game() {
    let mut town = Town::new(&[]);
    town.wrote(&NAMES, 1);
    town.look_at(2);
    town.house.command(TAG, Command::Cancel);
    let known = |town: &mut Town| {
        let read = town.house.daemon().desk().store.read(|tx| {
            let game = tx.game(TAG)?.unwrap().id;
            Ok::<_, omerta::store::StoreError>((tx.topic(game)?.is_some(), tx.topic_author(game, "анна")?.is_some()))
        });
        read.unwrap()
    };
    assert_eq!(known(&mut town), (true, true));
    town.look_at(24 * 91);
    assert_eq!(known(&mut town), (false, false));
}
