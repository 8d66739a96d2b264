//! Each game its own topic: whose feed is read for whom, how a host names it, and how a forum with many topics is spared.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};
use omerta::desk::command::{Command, CommandError, NotDone};
use omerta::feed::address::NoFeedAddress;
use omerta::journal::{By, Entry};
use omerta::rules::PlayerId;

use crate::forum::{Forum, answer, rss};
use crate::house::{House, config_text, raw_letter};

const GAMES: [&str; 2] = ["palermo", "corleone"];
const HOST: &str = "host@example.org";
const HOST_WORD: &str = "берёза-17";
const DARIA: PlayerId = PlayerId(4);
const BUT_DARIA: [&str; 6] = ["Анна", "Борис", "Вера", "Глеб", "Егор", "Жанна"];

/// What each topic of the forum shows, by its path; of what is not here it answers nothing good.
type Topics = Arc<Mutex<BTreeMap<String, String>>>;

/// Two games with the same nicks, whose turns end fifty hours after their start, and one forum.
struct Towns {
    house: House,
    forum: Forum,
    topics: Topics,
    began: Timestamp,
    _folder: tempfile::TempDir,
}

impl Towns {
    /// `config`: the path that config names as the feed; None names none.
    fn new(config: Option<&str>) -> Towns {
        let topics = Topics::default();
        let shown = topics.clone();
        let forum = Forum::new(move |asked, stream| {
            let topic = shown.lock().unwrap().get(&asked.path).cloned();
            let Some(topic) = topic else { return answer(stream, "503 Service Unavailable", "", b"") };
            let etag = format!("\"{}\"", topic.len());
            if asked.header("if-none-match") == Some(&etag) {
                return answer(stream, "304 Not Modified", "", b"");
            }
            answer(stream, "200 OK", &format!("ETag: {etag}\r\n"), topic.as_bytes());
        });
        let feed = config.map(|path| format!("\n[forum]\nactivity_feed = \"{}\"", link(&forum, path)));
        let config = config_text(&feed.unwrap_or_default());
        let folder = tempfile::tempdir().unwrap();
        let config = config.replace("[host]\n", "[host]\nword_file = \"host.secret\"\n");
        std::fs::write(folder.path().join("config.toml"), config).unwrap();
        std::fs::write(folder.path().join("host.secret"), HOST_WORD).unwrap();
        let house = House::in_folder(folder.path());
        let began = house.now();
        Towns { house, forum, topics, began, _folder: folder }
    }

    fn start(&mut self, tag: &str) {
        let row = |(at, name)| format!("p{at:02}@{tag}.test,{name},{}\n", if at == 1 { "mafioso" } else { "citizen" });
        let names = ["Анна", "Борис", "Вера", "Глеб", "Дарья", "Егор", "Жанна"];
        let roster = format!("address,nick,role\n{}", names.iter().enumerate().map(row).collect::<String>());
        self.house.new_game_of(tag, &roster, &[]).unwrap();
        self.house.command(tag, Command::Deadline { when: "+50h".to_owned() });
        self.house.command(tag, Command::Start);
    }

    fn feed(&mut self, tag: &str, path: &str) {
        let address = link(&self.forum, path);
        self.house.command(tag, Command::Feed { address });
    }

    fn at(&self, hour: i64) -> Timestamp {
        self.began.saturating_add(SignedDuration::from_hours(hour)).unwrap()
    }

    /// So many hours after the start each of them has written in that topic, where nothing else stands.
    fn shows(&self, path: &str, posts: &[(&str, i64)]) {
        let posts: Vec<(&str, Timestamp)> = posts.iter().map(|(name, hour)| (*name, self.at(*hour))).collect();
        self.topics.lock().unwrap().insert(path.to_owned(), rss(&posts));
    }

    /// A topic in which the host and somebody wrote before the start, and all but one at twenty hours.
    fn shows_all_but_daria(&self, path: &str) {
        let posts = [("Ведущая", -1), ("Зритель", -1)].into_iter().chain(BUT_DARIA.map(|name| (name, 20)));
        self.shows(path, &posts.collect::<Vec<_>>());
    }

    /// Lets half a minute pass, in which each topic of the forum can be asked for.
    fn look_at(&mut self, moment: Timestamp) {
        for seconds in [0, 6, 12, 18, 24, 30] {
            self.house.set_clock(moment.saturating_add(SignedDuration::from_secs(seconds)).unwrap());
            self.house.round();
            while self.house.daemon().is_reading_topic() {
                std::thread::park_timeout(std::time::Duration::from_millis(1));
                self.house.round();
            }
            self.house.round();
        }
    }

    fn close(&mut self) {
        let deadline = self.house.table(GAMES[0]).deadline.unwrap();
        self.look_at(deadline);
        self.look_at(deadline.saturating_add(SignedDuration::from_mins(2)).unwrap());
        assert_ne!(self.house.table(GAMES[0]).deadline, Some(deadline), "no feed keeps a turn from its close");
    }

    fn judged(&mut self, tag: &str) -> Vec<Vec<PlayerId>> {
        let judged = |entry| match entry {
            Entry::FeedJudged { players, .. } => Some(players),
            _ => None,
        };
        self.house.journal(tag).into_iter().filter_map(judged).collect()
    }

    /// The alerts that the host got of one game.
    fn told(&self, tag: &str) -> Vec<String> {
        let alerts = self.house.got(HOST).into_iter().filter(|got| got.kind == "alert" && got.subject.contains(tag));
        alerts.map(|got| got.body.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    fn asked(&self, path: &str) -> usize {
        self.forum.asked().iter().filter(|asked| asked.path == path).count()
    }

    /// What the host is answered to a letter of his.
    fn answered(&mut self, text: &str) -> String {
        let id = format!("host-{}@h.test", self.house.got(HOST).len());
        let now = self.house.now();
        let letter = raw_letter(HOST, GAMES[0], &id, &format!("Слово - {HOST_WORD}\n{text}"));
        self.house.drop_in(&letter, now, 1);
        self.house.round();
        self.house.round();
        let got =
            self.house.got(HOST).into_iter().rfind(|got| got.in_reply_to.as_deref() == Some(id.as_str())).unwrap();
        got.body.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn link(forum: &Forum, path: &str) -> String {
    format!("http://127.0.0.1:{}{path}", forum.port())
}

#[test]
fn of_two_games_with_two_topics_the_one_is_judged_while_the_others_feed_stalls() {
    let mut towns = Towns::new(None);
    for tag in GAMES {
        towns.start(tag);
        towns.feed(tag, &format!("/{tag}"));
    }
    towns.shows_all_but_daria("/palermo");
    towns.look_at(towns.at(21));
    towns.close();
    assert_eq!(towns.judged("palermo"), [[DARIA]]);
    assert_eq!(towns.judged("corleone"), Vec::<Vec<PlayerId>>::new());
    assert!(towns.told("palermo")[0].contains("Дарья"), "{:?}", towns.told("palermo"));
    let told = towns.told("corleone");
    assert!(told.len() == 1 && told[0].contains("ничего не удалось"), "{told:?}");
}

#[test]
fn two_games_of_one_topic_ask_for_it_once_and_both_are_judged() {
    let mut towns = Towns::new(None);
    towns.start("palermo");
    towns.feed("palermo", "/both?key=1");
    towns.shows_all_but_daria("/both?key=1");
    towns.look_at(towns.at(21));
    // Who comes to a feed that is known is told of it as well, though nothing in it has changed.
    towns.start("corleone");
    towns.feed("corleone", "/both?key=1");
    towns.house.command("corleone", Command::Deadline { when: "+50h".to_owned() });
    towns.look_at(towns.at(49));
    let before = towns.asked("/both?key=1");
    towns.close();
    assert_eq!(towns.asked("/both?key=1") - before, 1, "at the deadline, once for both");
    assert_eq!(towns.judged("palermo"), [[DARIA]]);
    let read = towns.house.daemon().desk().store.read(|tx| {
        let game = tx.game("corleone")?.unwrap().id;
        tx.topic_author(game, "анна")
    });
    assert!(read.unwrap().is_some());
}

#[test]
fn a_feed_that_is_named_in_mid_turn_judges_nobody_for_what_was_before() {
    let mut towns = Towns::new(None);
    towns.start("palermo");
    towns.feed("palermo", "/old");
    towns.shows_all_but_daria("/old");
    towns.look_at(towns.at(21));
    // The game moves. The new topic is older than the turn, so that nothing seems to be missing in it.
    towns.shows("/new", &[("Ведущая", -99), ("Ведущая", -98), ("Анна", 30)]);
    towns.house.set_clock(towns.at(22));
    towns.feed("palermo", "/new");
    towns.look_at(towns.at(31));
    towns.close();
    assert_eq!(towns.judged("palermo"), Vec::<Vec<PlayerId>>::new());
    let told = towns.told("palermo");
    assert!(told.len() == 1 && told[0].contains("вы назвали"), "{told:?}");
    // The same again is no other topic, and a turn that is seen whole is judged.
    towns.feed("palermo", "/new");
    let mut posts = vec![("Ведущая", -99), ("Ведущая", -98), ("Анна", 30)];
    posts.extend(BUT_DARIA.map(|name| (name, 70)));
    towns.shows("/new", &posts);
    for player in 0..7 {
        towns.house.write("palermo", player, if player == 6 { "Суд Линча - Борис" } else { "Суд Линча - Жанна" });
    }
    towns.house.command("palermo", Command::Deadline { when: "+50h".to_owned() });
    towns.close();
    assert_eq!(towns.judged("palermo"), [[DARIA]]);
}

#[test]
fn a_game_keeps_configs_feed_and_an_old_one_follows_it() {
    let mut towns = Towns::new(Some("/config"));
    towns.shows_all_but_daria("/config");
    towns.start("palermo");
    let set = |entry: &Entry| matches!(entry, Entry::FeedSet { feed: Some(_), by: By::Rule });
    assert_eq!(towns.house.journal("palermo").iter().filter(|entry| set(entry)).count(), 1);
    towns.look_at(towns.at(21));
    assert_eq!(towns.asked("/config"), 1);
    // A second game that has config's as well: nobody knows whose topic it is, until one of them has its own.
    towns.start("corleone");
    towns.look_at(towns.at(22));
    assert_eq!(towns.asked("/config"), 1);
    towns.feed("corleone", "/corleone");
    towns.look_at(towns.at(23));
    assert_eq!((towns.asked("/config"), towns.asked("/corleone")), (2, 1));
    towns.house.command("corleone", Command::Cancel);
    // A game of before this was kept has no row.
    let forget = "DELETE FROM feeds";
    towns.house.shut();
    rusqlite::Connection::open(towns.house.folder.join("omerta.db")).unwrap().execute(forget, ()).unwrap();
    towns.house.open();
    towns.look_at(towns.at(24));
    assert_eq!(towns.asked("/config"), 3);
    towns.close();
    assert_eq!(towns.judged("palermo"), [[DARIA]]);
}

#[test]
fn of_one_forum_one_topic_is_asked_for_at_a_time() {
    let mut towns = Towns::new(None);
    for tag in GAMES {
        towns.start(tag);
        towns.feed(tag, &format!("/{tag}"));
        towns.shows_all_but_daria(&format!("/{tag}"));
    }
    let mut asked = Vec::new();
    for second in 0..12 {
        towns.house.set_clock(towns.began.saturating_add(SignedDuration::from_secs(second)).unwrap());
        towns.house.round();
        while towns.house.daemon().is_reading_topic() {
            std::thread::park_timeout(std::time::Duration::from_millis(1));
            towns.house.round();
        }
        asked.push(towns.forum.asked().len());
    }
    assert_eq!(asked, [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2]);
    // A forum that wants to be left alone is left alone with every topic.
    towns.forum.now_answers(|_, stream| answer(stream, "429 Too Many Requests", "Retry-After: 7200\r\n", b""));
    towns.look_at(towns.at(1));
    assert_eq!(towns.forum.asked().len(), 3, "the first of two is told so");
    towns.look_at(towns.at(2));
    assert_eq!(towns.forum.asked().len(), 3);
}

#[test]
fn the_host_names_the_feed_by_letter_and_stops_it() {
    let mut towns = Towns::new(None);
    towns.start("palermo");
    let said = towns.answered("Лента - <https://other.test/t.rss?key=geheim>");
    assert!(said.contains("читаем с other.test") && said.contains("после тире «нет»"), "{said}");
    // In quotes, and with the full stop of the sentence.
    let said = towns.answered("Feed - «https://forum.test/7.rss».");
    assert!(said.contains("читаем с forum.test") && said.contains("Прежняя лента была с other.test"), "{said}");
    let kept = towns.house.daemon().desk().store.read(|tx| tx.feed(tx.game("palermo")?.unwrap().id));
    assert_eq!(kept.unwrap().unwrap().address, "https://forum.test/7.rss");
    let said = towns.answered("Лента - «Нет».");
    assert!(said.contains("больше не читается") && said.contains("была с forum.test"), "{said}");
    let journal = format!("{:?}", towns.house.journal("palermo"));
    assert!(!journal.contains("geheim"), "an address may hold a key, and the journal is handed out");
    let set = |entry: &Entry| matches!(entry, Entry::FeedSet { by: By::Host, .. });
    let heard = |entry: &Entry| matches!(entry, Entry::HostHeard(heard) if heard.host == 0);
    let journal = towns.house.journal("palermo");
    assert_eq!((journal.iter().filter(|e| set(e)).count(), journal.iter().filter(|e| heard(e)).count()), (3, 3));
}

#[test]
fn a_feed_that_is_none_is_refused_with_the_form_and_a_password_belongs_in_no_letter() {
    let mut towns = Towns::new(None);
    towns.start("palermo");
    for (said, why, words) in [
        ("там же", NoFeedAddress::NoLink, "не похоже"),
        ("ftp://forum.test/7", NoFeedAddress::NoLink, "не похоже"),
        ("http://forum.test/7.rss", NoFeedAddress::InTheClear, "открытому каналу"),
        ("https://host:geheim@forum.test/7.rss", NoFeedAddress::HoldsPassword, "паролю в письмах не место"),
    ] {
        let answer = towns.answered(&format!("Лента - {said}"));
        assert!(answer.contains(words) && answer.contains("Лента - ‹https://…›"), "{said}: {answer}");
        let refused = towns.house.try_command("palermo", Command::Feed { address: said.to_owned() });
        assert!(matches!(refused, Err(CommandError::NotDone(NotDone::FeedUnfit { why: is })) if is == why), "{said}");
    }
    // In quotes, and a comma behind.
    assert!(towns.house.try_command("palermo", Command::Feed { address: "«нет»,".to_owned() }).is_ok());
    let long = format!("https://forum.test/{}", "7".repeat(500));
    assert!(towns.house.try_command("palermo", Command::Feed { address: long }).is_err());
    let journal = format!("{:?}", towns.house.journal("palermo"));
    assert!(!journal.contains("feed: Some") && !journal.contains("geheim"), "{journal}");
}

/// The server stands where a host does not: no letter sends it to ask its own machine or network.
#[test]
fn a_letter_names_no_machine_of_the_servers_own_network() {
    let mut towns = Towns::new(None);
    towns.start("palermo");
    let own = link(&towns.forum, "/palermo");
    for inside in
        [own.as_str(), "https://localhost/7", "https://192.168.0.1/7", "https://[::1]/7", "«https://printer/7»"]
    {
        let answer = towns.answered(&format!("Лента - {inside}"));
        assert!(answer.contains("IP-адресов") && answer.contains("Лента - ‹https://…›"), "{inside}: {answer}");
    }
    towns.look_at(towns.at(1));
    assert_eq!(towns.forum.asked().len(), 0);
    // The operator may.
    towns.feed("palermo", "/palermo");
    towns.look_at(towns.at(2));
    assert_eq!(towns.asked("/palermo"), 1);
}

/// In the database of a house that is open.
fn sql(towns: &Towns, words: &str) {
    let database = rusqlite::Connection::open(towns.house.folder.join("omerta.db")).unwrap();
    database.execute_batch(words).unwrap();
}

#[test]
fn a_game_whose_journal_does_not_read_keeps_no_other_from_its_feed() {
    let mut towns = Towns::new(None);
    for tag in GAMES {
        towns.start(tag);
        towns.feed(tag, &format!("/{tag}"));
        towns.shows_all_but_daria(&format!("/{tag}"));
    }
    towns.house.shut();
    let database = rusqlite::Connection::open(towns.house.folder.join("omerta.db")).unwrap();
    let name = "events_are_never_changed";
    let trigger: String =
        database.query_row("SELECT sql FROM sqlite_master WHERE name = ?1", [name], |row| row.get(0)).unwrap();
    let broken = "UPDATE events SET body = '{}' WHERE seq = 2 AND game = (SELECT id FROM games WHERE tag = 'corleone')";
    database.execute_batch(&format!("DROP TRIGGER {name}; {broken}; DELETE FROM snapshots; {trigger}")).unwrap();
    drop(database);
    towns.house.open();
    towns.look_at(towns.at(21));
    assert_eq!((towns.asked("/palermo"), towns.asked("/corleone")), (1, 0));
    towns.close();
    assert_eq!(towns.judged("palermo"), [[DARIA]]);
}

/// Two games go by one feed, and what it tells can't be stored for the second of them.
fn one_of_two_stores_nothing() -> Towns {
    let mut towns = Towns::new(None);
    for tag in GAMES {
        towns.start(tag);
        towns.feed(tag, "/both");
    }
    let poison = "CREATE TRIGGER poison BEFORE INSERT ON topics
                  WHEN NEW.game = (SELECT id FROM games WHERE tag = 'corleone') BEGIN SELECT RAISE(ABORT, 'poison'); END";
    sql(&towns, poison);
    towns.shows_all_but_daria("/both");
    towns
}

/// What could not be written down was not seen: the forum is asked for all of it again, not whether anything is new.
#[test]
fn what_one_game_could_not_store_is_asked_for_once_more() {
    let mut towns = one_of_two_stores_nothing();
    towns.look_at(towns.at(21));
    assert_eq!(towns.asked("/both"), 1);
    let mut has = |tag: &str| {
        let read = towns.house.daemon().desk().store.read(|tx| tx.topic_author(tx.game(tag)?.unwrap().id, "анна"));
        read.unwrap().is_some()
    };
    assert_eq!((has("palermo"), has("corleone")), (true, false));
    sql(&towns, "DROP TRIGGER poison");
    towns.look_at(towns.at(22));
    towns.close();
    assert_eq!(GAMES.map(|tag| towns.judged(tag)), [[[DARIA]], [[DARIA]]]);
}

/// A game that can't be told slows none of the others that go by the same feed: it is asked for as often as ever.
#[test]
fn one_game_that_ails_keeps_no_other_from_new_posts() {
    let mut towns = one_of_two_stores_nothing();
    const TIMES: i64 = 24;
    for step in 0..TIMES {
        towns.look_at(towns.at(21).saturating_add(SignedDuration::from_mins(11 * step)).unwrap());
    }
    assert_eq!(towns.asked("/both"), usize::try_from(TIMES).unwrap());
    // The same is true of what the forum says is not new.
    towns.close();
    assert_eq!(GAMES.map(|tag| towns.judged(tag)), [vec![vec![DARIA]], vec![]]);
}

#[test]
fn of_one_forum_the_topic_whose_turn_ends_is_asked_for_first() {
    let mut towns = Towns::new(None);
    for tag in GAMES {
        towns.start(tag);
        towns.feed(tag, &format!("/{tag}"));
        towns.shows_all_but_daria(&format!("/{tag}"));
    }
    towns.house.command("palermo", Command::Deadline { when: "+20h".to_owned() });
    towns.look_at(towns.began);
    assert_eq!(
        towns.forum.asked().iter().map(|asked| asked.path.as_str()).collect::<Vec<_>>(),
        ["/corleone", "/palermo"]
    );
    // Both are due by now, and the other has waited longer.
    let deadline = towns.house.table("palermo").deadline.unwrap();
    towns.look_at(deadline.saturating_add(SignedDuration::from_secs(1)).unwrap());
    assert_eq!(towns.forum.asked().iter().map(|asked| asked.path.as_str()).collect::<Vec<_>>()[2], "/palermo");
}

#[test]
fn a_new_game_is_made_with_its_feed_or_with_none() {
    let mut towns = Towns::new(Some("/config"));
    towns.house.shut();
    let omerta = |arguments: &[&str]| {
        let config = towns.house.folder.join("config.toml");
        let mut process = std::process::Command::new(env!("CARGO_BIN_EXE_omerta"));
        let said = process.arg("game").args(arguments).arg("--config").arg(config).output().unwrap();
        let words = String::from_utf8_lossy(&said.stdout).into_owned() + &String::from_utf8_lossy(&said.stderr);
        (said.status.code(), words)
    };
    assert_eq!(omerta(&["new", "own", "--feed", "https://forum.test/7.rss"]).0, Some(0));
    assert_eq!(omerta(&["new", "nothing", "--feed", "none"]).0, Some(0));
    assert_eq!(omerta(&["new", "configs"]).0, Some(0));
    let (code, said) = omerta(&["new", "bad", "--feed", "https://me:geheim@forum.test/7.rss"]);
    assert!(code == Some(65) && said.contains("password") && !said.contains("geheim"), "{code:?} {said}");
    // Whoever may read the database sees which one it is; it may be one topic of many of a forum.
    let configs = link(&towns.forum, "/config");
    for (tag, feed) in
        [("own", Some("https://forum.test/7.rss")), ("nothing", None), ("configs", Some(configs.as_str()))]
    {
        let (_, shown) = omerta(&["show", tag]);
        let line = feed.map(|feed| format!("\nthe topic's feed: {feed}\n"));
        assert!(line.map_or(!shown.contains("feed"), |line| shown.contains(&line)), "{tag}: {shown}");
        let shown: serde_json::Value = serde_json::from_str(&omerta(&["show", tag, "--json"]).1).unwrap();
        assert_eq!(shown.get("feed").map(|shown| shown.as_str()), feed.map(Some), "{tag}");
    }
    towns.house.open();
    let read = towns.house.daemon().desk().store.read(|tx| {
        let feed = |tag| tx.feed(tx.game(tag)?.unwrap().id).map(|row| row.map(|row| (row.address, row.named)));
        assert!(tx.game("bad")?.is_none());
        Ok::<_, omerta::store::StoreError>([feed("own")?, feed("nothing")?, feed("configs")?])
    });
    let expected = [("https://forum.test/7.rss".to_owned(), true), (String::new(), true), (configs, false)];
    assert_eq!(read.unwrap(), expected.map(Some));
}
