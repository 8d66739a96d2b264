//! Every value of every toggle that is not the default makes a difference, and no way to set one differs from another.
#![cfg(test)]

mod house;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use house::House;
use omerta::config::Config;
use omerta::desk::command::{Command, Terms};
use omerta::feed::Post;
use omerta::feed::address::FeedAddress;
use omerta::feed::fetch::{Answer, Known};
use omerta::journal::Entry;
use omerta::rules::Role;
use omerta::rules::deal::deck;
use omerta::rules::rulebook::{Rulebook, TOGGLES, Toggle, Values};
use omerta::scenario;

/// Toggle, value, and a case that comes out otherwise without it.
const CASES: &[(&str, &str, &str)] = &[
    ("hunt_on_first_turn", "true", "random/RND-02"),
    ("hunt_special_conflict", "last", "HUN-24"),
    ("hunt_special_conflict", "special", "own/TGL-01"),
    ("unsatisfied_hunt_frees_special", "true", "DOC-28"),
    ("hunt_blocks_pistol", "false", "own/TGL-02"),
    ("hunt_change_keeps_place", "true", "own/TGL-03"),
    ("hunt_maniac", "kills_maniac", "own/TGL-04"),
    ("hunt_maniac", "kills_hunter", "own/TGL-05"),
    ("maniac_may_hunt", "true", "own/TGL-06"),
    ("tell_hunter_result", "true", "own/OWN-15"),
    ("hunt_needs_vote", "true", "HUN-18"),
    ("lynch_quorum", "0.5", "own/OWN-02"),
    ("lynch_quorum_base", "alive", "own/TGL-07"),
    ("lynch_quorum_base", "all_players", "LYN-06"),
    ("self_vote", "rejected", "LYN-16"),
    ("lynch_dead_falls_to_next", "true", "LYN-11"),
    ("lynch_before_night", "true", "LYN-24"),
    ("publish_nonvoters", "false", "own/OWN-07"),
    ("deprived_is_miss", "true", "DEP-10"),
    ("deprived_status_counts", "false", "DEP-08"),
    ("doctor_vs_hunt", "target", "DOC-15"),
    ("doctor_vs_hunt", "hunter", "DOC-17"),
    ("doctor_vs_hunt", "both", "DOC-32"),
    ("doctor_saves_from_maniac", "false", "own/TGL-08"),
    ("doctor_saves_from_kamikaze", "false", "own/TGL-09"),
    ("doctor_saves_from_pistol", "true", "own/OWN-20"),
    ("heal_absorbs", "one", "DOC-12"),
    ("void_heal_blocks_repeat", "true", "DOC-34"),
    ("announce_saves", "doctor", "own/OWN-09"),
    ("announce_saves", "patient", "own/OWN-10"),
    ("announce_saves", "public", "own/OWN-11"),
    ("check_reveals", "team", "COM-20"),
    ("check_shows_foundling", "false", "own/TGL-10"),
    ("check_killer_detail", "nick", "own/TGL-11"),
    ("dead_commissioner_gets_check", "false", "own/TGL-12"),
    ("sergeant_gets_killers", "true", "own/TGL-13"),
    ("pistol_mode", "turn", "PIS-14"),
    ("pistol_mode", "window", "PIS-15"),
    ("pistol_public", "false", "own/OWN-13"),
    ("expulsion_triggers_succession", "false", "FND-17"),
    ("kamikaze_kills_too", "false", "KAM-09"),
    ("foundling_before_win_check", "false", "own/TGL-14"),
    ("foundling_immune_after_conversion", "false", "FND-22"),
    ("mafia_may_kill_own", "false", "MAF-11"),
    ("public_causes", "true", "own/OWN-12"),
    ("missed_votes_limit", "3", "own/OWN-03"),
    ("status_needs_vote", "false", "own/TGL-15"),
    ("reveal_on_expulsion", "false", "HST-06"),
    ("note_on_expulsion", "true", "own/TGL-16"),
    ("activity_auto", "false", "own/OWN-06"),
    ("ghost_private", "true", "own/OWN-17"),
    ("note_on", "mafia_or_lynch", "own/TGL-17"),
    ("note_to_dead", "drop", "own/TGL-18"),
    ("maniac_counts_as_peaceful", "true", "WIN-07"),
    ("maniac_blocks_victory", "true", "WIN-08"),
    ("stalemate_turns", "2", "own/OWN-04"),
    ("relay_private", "false", "own/OWN-18"),
];

/// Toggles of the deal: value, and a number of players that are dealt other roles without it.
const DECKS: &[(&str, &str, usize)] = &[
    ("mafia_share", "0.33", 13),
    ("mafia_rounding", "floor", 9),
    ("mafia_rounding", "nearest", 9),
    ("roles", "commissioner,boss,mafioso,mafioso", 8),
    ("min_players", "9", 8),
    ("boss", "always", 8),
    ("boss", "never", 12),
];

/// Toggles of the letters: value, whose letter, which one, and the word that stands there under one of the two only.
const LETTERS: &[(&str, &str, u16, &str, &str)] = &[
    ("clan_knows_roles", "false", 1, "role", "камикадзе"),
    ("boss_knows_foundling", "true", 6, "role", "Ирина"),
    ("commissioner_knows_sergeant", "true", 3, "role", "Вера"),
    ("reveal_person_on_death", "true", 4, "summary", "Человек с форума 0"),
    ("reveal_persons_at_end", "false", 4, "final", "Человек с форума 0"),
];

/// Toggles of sign-up by letter: value, and what an applicant is asked for under the default alone.
const SIGNUP: &[(&str, &str, &str)] =
    &[("nick_source", "issued", "имени персонажа"), ("photo_required", "false", "фотографии")];

/// Toggles of the topic's feed: value, and the hour of a first deadline at which a silence is one only with it.
const FEED: &[(&str, &str, i64)] = &[("activity_days", "1", 26)];

fn file(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios").join(format!("{case}.toml"))
}

fn values_of(toggle: &Toggle) -> Vec<String> {
    match toggle.values {
        Values::YesNo => vec!["true".to_owned(), "false".to_owned()],
        Values::Words(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        // Of endless values one that is not the default stands for all.
        Values::Share | Values::Count | Values::Roles => Vec::new(),
    }
}

#[test]
fn the_tables_hold_every_value_of_every_toggle() {
    let rows: Vec<(&str, &str)> = CASES
        .iter()
        .map(|row| (row.0, row.1))
        .chain(DECKS.iter().map(|row| (row.0, row.1)))
        .chain(LETTERS.iter().map(|row| (row.0, row.1)))
        .chain(SIGNUP.iter().map(|row| (row.0, row.1)))
        .chain(FEED.iter().map(|row| (row.0, row.1)))
        .collect();
    assert_eq!(rows.len(), rows.iter().collect::<BTreeSet<_>>().len(), "a row stands twice");
    let default = Rulebook::default();
    let names: Vec<&str> = Rulebook::names().collect();
    for (name, value) in &rows {
        assert!(names.contains(name), "{name} is no toggle");
        let mut rulebook = Rulebook::default();
        rulebook.set(name, value).unwrap();
        assert_ne!(rulebook, default, "{name} = {value} is the default");
    }
    for toggle in TOGGLES {
        let known = default.get(toggle.name).unwrap();
        let missing: Vec<String> = values_of(toggle)
            .into_iter()
            .filter(|value| *value != known && !rows.contains(&(toggle.name, value.as_str())))
            .collect();
        assert!(missing.is_empty(), "no test for {} = {missing:?}", toggle.name);
        assert!(rows.iter().any(|(name, _)| *name == toggle.name), "no test for {}", toggle.name);
    }
}

/// The case holds with the toggle, and comes out otherwise when that one line is taken away.
#[test]
fn each_case_comes_out_otherwise_without_its_toggle() {
    let mut idle = Vec::new();
    for (name, value, case) in CASES {
        let text = std::fs::read_to_string(file(case)).unwrap();
        let mut table: toml::Table = toml::from_str(&text).unwrap();
        let toggles = table["toggles"].as_table_mut().unwrap();
        let set = toggles.remove(*name).unwrap_or_else(|| panic!("{case} does not set {name}"));
        let mut rulebook = Rulebook::default();
        rulebook.set(name, set.as_str().unwrap_or(&set.to_string())).unwrap();
        let mut named = Rulebook::default();
        named.set(name, value).unwrap();
        assert_eq!(rulebook, named, "{case} sets {name} otherwise");
        let with = scenario::play(case, &text).unwrap();
        assert!(with.ok, "{with}");
        let without = scenario::play(case, &toml::to_string(&table).unwrap()).unwrap();
        let got = |verdict: &scenario::Verdict| -> Vec<serde_json::Value> {
            verdict.turns.iter().map(|turn| serde_json::to_value(&turn.got).unwrap()).collect()
        };
        if got(&with) == got(&without) {
            idle.push(format!("{name} = {value} changes nothing in {case}"));
        }
    }
    assert!(idle.is_empty(), "{idle:#?}");
}

#[test]
fn each_toggle_of_the_deal_changes_the_deck() {
    for (name, value, players) in DECKS {
        let mut rulebook = Rulebook::default();
        rulebook.set(name, value).unwrap();
        assert_ne!(deck(*players, &rulebook), deck(*players, &Rulebook::default()), "{name} = {value}");
    }
}

const TOWN: [(&str, Role); 9] = [
    ("Анна", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Sergeant),
    ("Глеб", Role::Commissioner),
    ("Дарья", Role::Doctor),
    ("Егор", Role::Citizen),
    ("Жанна", Role::Boss),
    ("Ирина", Role::Foundling),
    ("Кирилл", Role::Kamikaze),
];

fn roster() -> String {
    let row = |(number, (nick, role)): (u16, &(&str, Role))| {
        format!("{},{nick},{},Человек с форума {number}\n", house::address("palermo", number), role.name())
    };
    let rows: String = (0..).zip(&TOWN).map(row).collect();
    format!("address,nick,role,forum_name\n{rows}")
}

/// Everybody's letters of a game in which Анна dies in turn 1 and the mafia wins in turn 3.
fn letter(rules: &[(&str, &str)], player: u16, kind: &str) -> String {
    let mut house = House::new();
    house.new_game_of("palermo", &roster(), rules).unwrap();
    house.start("palermo");
    for victim in ["Анна", "Егор", "Вера"] {
        house.write("palermo", 1, &format!("Убийство - {victim}\nСуд Линча - {victim}"));
        for voter in [2, 3, 4, 6, 7, 8] {
            house.write("palermo", voter, "Суд Линча - Глеб");
        }
        house.close("palermo");
        let letters = house.got_by("palermo", player);
        if let Some(found) = letters.iter().find(|got| got.kind == kind) {
            return found.body.clone();
        }
    }
    panic!("no {kind} for player {player}; turn {}", house.table("palermo").game.turn);
}

#[test]
fn each_toggle_of_the_letters_changes_what_its_reader_learns() {
    for (name, value, player, kind, word) in LETTERS {
        let (with, without) = (letter(&[(name, value)], *player, kind), letter(&[], *player, kind));
        let hides = *value == "false";
        assert_eq!(with.contains(word), !hides, "{name} = {value}:\n{with}");
        assert_eq!(without.contains(word), hides, "default of {name}:\n{without}");
    }
}

/// What an application without any field is answered.
fn application(rules: &[(&str, &str)]) -> String {
    let mut house = House::new();
    house.new_game_of_nobody("palermo", rules);
    house.command("palermo", Command::Open(Terms::default()));
    house.write("palermo", 0, "Заявка");
    house.round();
    house.round();
    house.last("palermo", 0, "joined").body
}

#[test]
fn each_toggle_of_the_sign_up_changes_what_is_asked_for() {
    for (name, value, word) in SIGNUP {
        let missing = |body: String| body.lines().find(|line| line.starts_with("Не хватает")).unwrap().to_owned();
        let (with, without) = (missing(application(&[(name, value)])), missing(application(&[])));
        assert!(!with.contains(word), "{name} = {value}: {with}");
        assert!(without.contains(word), "default of {name}: {without}");
    }
}

/// Who is warned at a deadline so many hours after the start, when the fifth has not written in the topic.
fn warned(rules: &[(&str, &str)], hours: i64) -> Vec<u32> {
    // Nobody listens there: the test tells itself what was read.
    const FEED: &str = "http://127.0.0.1:9/";
    let mut house = House::with(&format!("[forum]\nactivity_feed = \"{FEED}\""));
    house.new_game_of("palermo", &roster(), rules).unwrap();
    house.command("palermo", Command::Deadline { when: format!("+{hours}h") });
    house.command("palermo", Command::Start);
    let game = house.daemon().desk().table("palermo").unwrap().0;
    let (began, deadline) = (house.now(), house.table("palermo").deadline.unwrap());
    let post = |author: &str, at| Post { author: author.to_owned(), at, id: format!("{author}{at}") };
    let names = (0..TOWN.len()).filter(|number| *number != 4).map(|number| format!("Человек с форума {number}"));
    let mut posts = vec![post("Ведущая", began), post("Зритель", began)];
    posts.extend(names.map(|name| post(&name, deadline)));
    let feed = FeedAddress::new(FEED).unwrap();
    for (seen, at) in [(2, began), (posts.len(), deadline)] {
        let answer = Answer::Posts { posts: posts[..seen].to_vec(), known: Known::default() };
        house.daemon().desk().topic_read(game, &feed, &answer, at).unwrap();
    }
    house.close("palermo");
    house.table("palermo").seats().map(|(_, player)| player.warned).collect()
}

#[test]
fn each_toggle_of_the_topic_changes_what_is_a_silence() {
    for (name, value, hours) in FEED {
        let warned_with = warned(&[(name, value)], *hours);
        assert_eq!((warned_with[4], warned_with.iter().sum::<u32>()), (1, 1), "{name} = {value}");
        assert_eq!(warned(&[], *hours).iter().sum::<u32>(), 0, "default of {name}");
    }
}

// ------------------------------------------------------------------------------------------- the ways to set a toggle

/// One value of each toggle that is not its default.
fn one_of_each() -> Vec<(&'static str, &'static str)> {
    let mut chosen: Vec<(&str, &str)> = Vec::new();
    let rows = CASES.iter().map(|row| (row.0, row.1)).chain(DECKS.iter().map(|row| (row.0, row.1)));
    let rows = rows.chain(LETTERS.iter().map(|row| (row.0, row.1))).chain(SIGNUP.iter().map(|row| (row.0, row.1)));
    let rows = rows.chain(FEED.iter().map(|row| (row.0, row.1)));
    for row in rows {
        // Such a deck could not be dealt.
        if !chosen.iter().any(|(name, _)| *name == row.0) && !matches!(row.0, "min_players" | "roles") {
            chosen.push(row);
        }
    }
    chosen
}

fn omerta(config: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_omerta"));
    let said = command.arg("--config").arg(config).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (said.status.code(), text(said.stdout), text(said.stderr))
}

/// A folder with a config of these rules and a roster of nine without roles.
fn folder(rules: &str) -> (tempfile::TempDir, PathBuf, String) {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.toml");
    std::fs::write(&config, house::config_text(&format!("[game.rules]\n{rules}"))).unwrap();
    let csv = folder.path().join("players.csv");
    let rows: String = (0..9).map(|number| format!("p{number}@x.test,Игрок {number}\n")).collect();
    std::fs::write(&csv, format!("address,nick\n{rows}")).unwrap();
    (folder, config, csv.display().to_string())
}

/// What `created` froze.
fn frozen(config: &Path, tag: &str) -> Rulebook {
    let (code, text, error) = omerta(config, &["export", tag]);
    assert_eq!(code, Some(0), "{error}");
    let entry: Entry = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    match entry {
        Entry::Created(created) => created.rulebook,
        other => panic!("the first event is {}", other.name()),
    }
}

#[test]
fn config_command_line_and_case_make_the_same_rulebook_and_a_game_keeps_it() {
    let chosen = one_of_each();
    let mut expected = Rulebook::default();
    for (name, value) in &chosen {
        expected.set(name, value).unwrap();
    }
    let line = |(name, value): &(&str, &str)| match value.parse::<f64>().is_ok() || ["true", "false"].contains(value) {
        true => format!("{name} = {value}\n"),
        false => format!("{name} = \"{value}\"\n"),
    };
    let lines: String = chosen.iter().map(line).collect();
    // By config.toml.
    let (_kept, config, csv) = folder(&lines);
    let (code, _, error) = omerta(&config, &["game", "new", "one", "--roster", &csv]);
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(frozen(&config, "one"), expected);
    // By the command line, which stands above config.toml.
    let (_kept, config, csv) = folder("pistol_mode = \"window\"\nlynch_quorum = 0.9\n");
    let rules: Vec<String> = chosen.iter().map(|(name, value)| format!("--rule={name}={value}")).collect();
    let arguments = ["game", "new", "two", "--roster", &csv].into_iter().chain(rules.iter().map(String::as_str));
    let (code, _, error) = omerta(&config, &arguments.collect::<Vec<_>>());
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(frozen(&config, "two"), expected);
    // A later change of config.toml does not touch it.
    std::fs::write(&config, house::config_text("")).unwrap();
    assert_eq!(frozen(&config, "two"), expected);
    // By a case.
    let toggles: Rulebook = toml::from_str(&lines).unwrap();
    assert_eq!(toggles, expected);
    // And the printed rulebook marks just these.
    let (code, text, error) = omerta(&config, &["rules", "two"]);
    assert_eq!(code, Some(0), "{error}");
    let marked: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("* ")?.split(' ').next()).collect();
    let names: Vec<String> = expected.deviations().into_iter().map(|(name, _)| name).collect();
    assert_eq!(marked, names);
}

#[test]
fn the_rulebook_is_printed_for_people_and_for_scripts() {
    let (_kept, config, _) = folder("hunt_maniac = \"kills_hunter\"\n");
    let (_, text, _) = omerta(&config, &["rules"]);
    assert!(text.starts_with("Правила новых игр; отличий от обычных (они помечены *): 1\n"), "{text}");
    assert!(
        text.contains(
            "* hunt_maniac = kills_hunter [обычно: nothing]\n    если добыча — маньяк, погибает охотник (A23)\n"
        ),
        "{text}"
    );
    assert_eq!(text.lines().filter(|line| line.contains(" = ")).count(), TOGGLES.len());
    let (_, json, _) = omerta(&config, &["rules", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rules = json["rules"].as_array().unwrap();
    assert_eq!((json["game"].is_null(), rules.len()), (true, TOGGLES.len()));
    let row = rules.iter().find(|row| row["name"] == "hunt_maniac").unwrap();
    assert_eq!(
        *row,
        serde_json::json!({"name": "hunt_maniac", "value": "kills_hunter", "default": "nothing", "deviates": true,
            "ruling": "A23", "sentence": "если добыча — маньяк, погибает охотник"})
    );
    let (code, _, error) = omerta(&config, &["rules", "nowhere"]);
    assert_eq!(code, Some(65), "{error}");
}

#[test]
fn bad_names_and_values_are_refused_with_the_cure_on_every_way() {
    let near = "did you mean `hunt_maniac`?";
    let allowed = "nothing, kills_maniac, kills_hunter";
    for (name, value, cure) in [("hunt_manic", "nothing", near), ("hunt_maniac", "dies", allowed)] {
        // config.toml, by `check` and by every command.
        let (_kept, config, csv) = folder(&format!("{name} = \"{value}\"\n"));
        for arguments in [vec!["check"], vec!["rules"], vec!["game", "new", "one", "--roster", &csv]] {
            let (code, said, error) = omerta(&config, &arguments);
            assert_eq!(code, Some(78), "{error}");
            assert!(format!("{said}{error}").contains(cure), "{arguments:?}: {said}{error}");
        }
        // The command line.
        let (_kept, config, csv) = folder("");
        let rule = format!("--rule={name}={value}");
        let (code, _, error) = omerta(&config, &["game", "new", "one", "--roster", &csv, &rule]);
        assert_eq!(code, Some(64), "{error}");
        assert!(error.contains(cure), "{error}");
        // A case.
        let case = format!("id = \"X\"\nplayers = []\n[toggles]\n{name} = \"{value}\"\n");
        let fault = scenario::play("x.toml", &case).unwrap_err().to_string();
        assert!(fault.starts_with("x.toml:4: "), "{fault}");
        for part in cure.split(", ") {
            assert!(fault.contains(part), "{fault}: {part}");
        }
    }
}

#[test]
fn a_config_is_read_with_its_rules_in_it() {
    let (_kept, config, _) = folder("lynch_quorum = 0.5\n");
    let config = Config::load(&config).unwrap_or_else(|faults| panic!("{faults:?}"));
    assert_eq!(config.game.rules, [("lynch_quorum".to_owned(), "0.5".to_owned())]);
}
