//! The host's tools on the command line: `check` in words, `letters preview`, `simulate`, `chronicle`.
#![cfg(test)]

mod house;

use house::binary::{Machine, Said};
use house::{address, config_text, raw_letter};
use serde_json::{Value, json};

const TAG: &str = "palermo";
const ROSTER: [(&str, &str, &str); 7] = [
    ("Анна д'Арк", "citizen", "держит кафе & \"не спит\""),
    ("Борис", "mafioso", ""),
    ("Вера", "doctor", ""),
    ("Глеб", "commissioner", "тихий</td>"),
    ("Дарья", "sergeant", ""),
    ("Егор", "citizen", ""),
    ("Жанна", "boss", ""),
];

fn machine(more_config: &str) -> Machine {
    let machine = Machine::new();
    std::fs::write(machine.folder.join("config.toml"), config_text(more_config)).unwrap();
    machine
}

fn seated(machine: &Machine) {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let rows: String = (0..)
        .zip(ROSTER)
        .map(|(n, (nick, role, remark))| {
            format!("{},{},{role},{},person-{n}\n", address(TAG, n), quoted(nick), quoted(remark))
        })
        .collect();
    std::fs::write(machine.folder.join("roster.csv"), format!("address,nick,role,characteristic,forum_name\n{rows}"))
        .unwrap();
    // Who died is told by his name on the forum: in letters, and nowhere else.
    let rule = "reveal_person_on_death=true";
    machine.ok(&["game", "new", TAG, "--title", "Палермо <script>", "--roster", "roster.csv", "--rule", rule]);
}

fn fails(said: &Said, code: i32, parts: &[&str]) {
    assert_eq!((said.code, said.out.as_str()), (code, ""), "{}", said.err);
    for part in parts {
        assert!(said.err.contains(part), "no {part:?} in {:?}", said.err);
    }
}

// -------------------------------------------------------------------------------------------------------------- check

#[test]
fn check_tells_deadlines_in_russian_and_faults_of_templates_with_a_caret() {
    let machine = machine("");
    let said = machine.ok(&["check"]);
    assert_eq!(said.matches("(Europe/Moscow)\n").count(), 7, "{said}");
    assert!(said.contains("среда, 2 декабря, 21:00 (Europe/Moscow)\n"), "{said}");
    let json = machine.json(&["check", "--json"]);
    assert_eq!(json["deadlines"].as_array().unwrap().len(), 7);
    assert_eq!(json["deadlines_in_words"][0].as_str().unwrap().matches("Europe/Moscow").count(), 1);

    let text = std::fs::read_to_string(machine.folder.join("config.toml")).unwrap();
    std::fs::write(machine.folder.join("config.toml"), format!("templates = \"own\"\n{text}")).unwrap();
    std::fs::create_dir_all(machine.folder.join("own/ru")).unwrap();
    std::fs::write(machine.folder.join("own/ru/death.txt"), "Subject: Увы\n\n  Это вы, {{ letter.nik }}.\n").unwrap();
    let said = machine.say(&["check"]);
    fails(
        &said,
        78,
        &[
            "own/ru/death.txt:3: ",
            "did you mean `letter.nick`?",
            "letter.nick",
            "heading.turn",
            "  Это вы, {{ letter.nik }}.",
        ],
    );
    let caret = said.err.lines().last().unwrap();
    assert_eq!(caret.trim(), "^");
    let line = said.err.lines().rev().nth(1).unwrap();
    let below: String = line.chars().skip(caret.chars().count() - 1).take(6).collect();
    assert_eq!(below, "letter");
}

/// The config of a machine with some words put in the place of others.
fn reword(machine: &Machine, words: &[(&str, &str)]) {
    let path = machine.folder.join("config.toml");
    let mut text = std::fs::read_to_string(&path).unwrap();
    for (old, new) in words {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        text = text.replace(old, new);
    }
    house::whole::put(&path, &text);
}

fn first_deadline(machine: &Machine, now: &str) -> String {
    machine.set_clock(now);
    machine.json(&["check", "--json"])["deadlines_in_words"][0].as_str().unwrap().to_owned()
}

#[test]
fn check_tells_what_the_clocks_do_in_either_language_and_keeps_the_shortest_turn() {
    const ENGLISH: (&str, &str) = ("language = \"ru\"", "language = \"en\"");
    let machine = machine("");
    reword(&machine, &[("Europe/Moscow", "Europe/Berlin")]);
    let spring = first_deadline(&machine, "2027-03-27T20:30:00Z");
    assert_eq!(spring, "воскресенье, 28 марта, 21:00 (Europe/Berlin); перед этим часы переводят на 1 ч вперёд");
    // In Lord Howe by half an hour.
    reword(&machine, &[("Europe/Berlin", "Australia/Lord_Howe")]);
    let half = first_deadline(&machine, "2027-04-03T00:00:00Z");
    assert!(half.ends_with("(Australia/Lord_Howe); перед этим часы переводят на 30 мин назад"), "{half}");
    reword(&machine, &[ENGLISH]);
    let half = first_deadline(&machine, "2027-04-03T00:00:00Z");
    assert!(half.ends_with("(Australia/Lord_Howe); the clocks go back by 30 min before it"), "{half}");
    reword(&machine, &[("Australia/Lord_Howe", "Europe/Berlin"), ("deadline = \"21:00\"", "deadline = \"02:30\"")]);
    reword(&machine, &[(ENGLISH.1, ENGLISH.0)]);
    let twice = first_deadline(&machine, "2026-10-24T10:00:00Z");
    assert_eq!(
        twice,
        "воскресенье, 25 октября, 02:30 (Europe/Berlin); этот час часы показывают дважды, берём тот, что раньше"
    );
    // Fourteen hours and a half ahead, and a turn takes a day.
    reword(&machine, &[("settle = \"2m\"", "settle = \"2m\"\nmin_turn = \"24h\"")]);
    assert!(first_deadline(&machine, "2026-12-01T10:00:00Z").starts_with("четверг, 3 декабря, 02:30 "));
}

#[test]
fn check_names_what_is_not_there_with_its_line_and_every_way_of_mail() {
    let machine = machine("");
    let server = "kind = \"imap\"\nserver = \"imap.example.org\"\nca_file = \"ca.pem\"\nuser = \"m\"\n\
                  password_file = \"imap.secret\"";
    reword(
        &machine,
        &[
            ("kind = \"maildir\"\npath = \"mail/in\"", server),
            ("kind = \"maildir\"\npath = \"mail/out\"", "kind = \"sendmail\"\ncommand = [\"/bin/cat\", \"-i\"]"),
        ],
    );
    let said = machine.say(&["check"]);
    let parts =
        ["config.toml:12: inbox.ca_file: the file ", "/ca.pem is not there", "config.toml:14: inbox.password_file: "];
    fails(&said, 78, &parts);
    let json: Value = serde_json::from_str(&machine.say(&["check", "--json"]).out).unwrap();
    assert_eq!(
        (&json["ok"], &json["faults"][0]["line"], &json["faults"][1]["line"]),
        (&json!(false), &json!(12), &json!(14))
    );
    for file in ["ca.pem", "imap.secret"] {
        std::fs::write(machine.folder.join(file), "x").unwrap();
    }
    let said = machine.ok(&["check"]).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["mail in IMAP, imap.example.org:993 ", "mail out the command /bin/cat -i, from Омерта <"] {
        assert!(said.contains(part), "no {part:?} in {said}");
    }
}

// ---------------------------------------------------------------------------------------------------- letters preview

#[test]
fn a_letter_of_any_kind_is_shown_in_both_languages_with_its_headers() {
    let machine = machine("");
    seated(&machine);
    let said = machine.ok(&["letters", TAG, "preview", "death"]);
    assert!(said.contains("===== death, in Russian, of invented facts =====\nFrom: "), "{said}");
    assert!(said.contains("===== death, in English, of invented facts =====\n"), "{said}");
    for part in ["Subject: [palermo] ", "X-Omerta-Letter: death\n", "X-Omerta-Game: palermo\n", "X-Omerta-Turn: "] {
        assert_eq!(said.matches(part).count(), 2, "{part}: {said}");
    }
    assert!(!said.contains('\u{E000}') && !said.contains("Палермо, зима"), "{said}");
    // A variant by its own name; the others of its kind are named.
    let said = machine.ok(&["letters", TAG, "preview", "alert-misses"]);
    assert!(said.contains("«Простить всем»") && said.contains("“Forgive all”"), "{said}");
    assert!(said.contains("Other letters of the kind alert") && said.contains("alert-approval"), "{said}");
    let json = machine.json(&["letters", TAG, "preview", "summary", "--json"]);
    assert_eq!((&json[0]["language"], &json[1]["language"]), (&json!("ru"), &json!("en")));
    assert_eq!(json[0]["headers"]["X-Omerta-Letter"], "summary");
    assert_eq!(machine.json(&["letters", TAG, "--json"]), json!([]), "nothing was sent");
    // Every kind that is listed can be shown.
    let said = machine.say(&["letters", TAG, "preview"]);
    fails(&said, 64, &["which kind?", "receipt", "summary", "final"]);
    let kinds: Vec<String> = said
        .err
        .lines()
        .filter(|line| line.starts_with("  "))
        .flat_map(|line| line.split(','))
        .map(|kind| kind.trim().to_owned())
        .filter(|kind| !kind.is_empty())
        .collect();
    assert_eq!(kinds.len(), 29, "{kinds:?}");
    for kind in &kinds {
        let json = machine.json(&["letters", TAG, "preview", kind, "--json"]);
        assert_eq!(json[0]["headers"]["X-Omerta-Letter"].as_str(), Some(kind.as_str()));
    }
    fails(&machine.say(&["letters", TAG, "preview", "sumary"]), 64, &["did you mean `summary`?", "The kinds are:"]);
    fails(&machine.say(&["letters", "nowhere", "preview", "death"]), 65, &["nowhere"]);
}

#[test]
fn a_preview_goes_through_ones_own_templates() {
    let machine = machine("");
    seated(&machine);
    let text = std::fs::read_to_string(machine.folder.join("config.toml")).unwrap();
    std::fs::write(machine.folder.join("config.toml"), format!("templates = \"own\"\n{text}")).unwrap();
    std::fs::create_dir_all(machine.folder.join("own/ru")).unwrap();
    let own = "Subject: Своё\n\n{{ heading.game.title }}: прощайте, {{ letter.nick }}.\n";
    std::fs::write(machine.folder.join("own/ru/death.txt"), own).unwrap();
    let said = machine.ok(&["letters", TAG, "preview", "death"]);
    assert!(said.contains("Subject: [palermo] Своё\n") && said.contains("Палермо <script>: прощайте, "), "{said}");
}

#[test]
fn a_letter_that_was_written_is_shown_as_its_reader_sees_it() {
    let machine = machine("");
    seated(&machine);
    machine.ok(&["game", "start", TAG]);
    let letters = machine.json(&["letters", TAG, "--json"]);
    let opening = letters.as_array().unwrap().iter().find(|letter| letter["kind"] == "opening").unwrap();
    let (id, subject) = (opening["id"].to_string(), opening["subject"].as_str().unwrap());
    let said = machine.ok(&["letters", TAG, "show", &id]);
    assert!(said.contains(&format!("Subject: {subject}\n")) && said.contains("From: Омерта <"), "{said}");
    assert!(said.contains("Палермо <script>") && said.contains("X-Omerta-Letter: opening\n"), "{said}");
    assert!(!said.contains("=?utf-8") && !said.contains("Content-Transfer-Encoding"), "{said}");
    let json = machine.json(&["letters", TAG, "show", &id, "--json"]);
    assert_eq!(json["headers"]["Subject"], subject);
    assert!(said.contains(json["text"].as_str().unwrap().trim()), "{json}");
    // The bytes, as they were sent.
    let raw = machine.ok(&["letters", TAG, "show", &id, "--raw"]);
    assert!(raw.contains("Content-Transfer-Encoding: base64\r\n") && !raw.contains("Палермо"), "{raw}");
    fails(&machine.say(&["letters", TAG, "shwo", &id]), 64, &["shwo", "show"]);
}

/// Of the game its name, its zone and its host, of the config the sender and the markup; the letter as it leaves.
#[test]
fn a_preview_is_the_letter_as_it_would_leave() {
    let machine = machine("");
    reword(&machine, &[("Europe/Moscow", "Asia/Yekaterinburg"), ("name = \"Ведущая\"", "name = \"Донна Роза\"")]);
    seated(&machine);
    let shown = |kind: &str| machine.json(&["letters", TAG, "preview", kind, "--json"]);
    let receipt = shown("receipt");
    assert!(receipt[0]["text"].as_str().unwrap().contains("(Екатеринбург)"), "{receipt}");
    assert_eq!(receipt[0]["headers"]["From"], "Омерта <mafia@example.org>");
    assert_eq!(receipt[0]["headers"]["Auto-Submitted"], "auto-replied");
    let summary = shown("summary");
    assert_eq!(summary[0]["headers"]["Auto-Submitted"], "auto-generated");
    let opening = shown("opening");
    let opening = opening[0]["text"].as_str().unwrap();
    assert!(opening.contains("Донна Роза"), "{opening}");
    // A letter of no game bears none.
    let nowhere = shown("alert-inbox");
    assert_eq!(nowhere[0]["headers"].get("X-Omerta-Game"), None, "{nowhere}");
    // What is attached is shown, in the markup of the config.
    let paste = shown("summary-paste");
    let attached = |shown: &Value| shown[0]["attachments"][0]["text"].as_str().unwrap().to_owned();
    assert!(attached(&paste).contains("[b]"), "{paste}");
    let said = machine.ok(&["letters", TAG, "preview", "summary-paste"]);
    assert!(said.contains("\n----- attached: ") && said.contains("[b]"), "{said}");
    let text = std::fs::read_to_string(machine.folder.join("config.toml")).unwrap();
    house::whole::put(&machine.folder.join("config.toml"), &(text + "[forum]\nmarkup = \"markdown\"\n"));
    let paste = attached(&shown("summary-paste"));
    assert!(paste.contains("**") && !paste.contains("[b]"), "{paste}");
    // The letter that is shown is not named among the others of its kind.
    let others = machine.ok(&["letters", TAG, "preview", "alert-misses"]);
    let others = others.split("Other letters of the kind alert").nth(1).unwrap();
    assert!(others.contains("alert-approval") && !others.contains("alert-misses"), "{others}");
}

/// It loads, for no sample brings its fault to light; this game does.
#[test]
fn a_template_that_fails_in_a_preview_is_named_and_the_built_in_one_is_shown() {
    let machine = machine("");
    seated(&machine);
    let text = std::fs::read_to_string(machine.folder.join("config.toml")).unwrap();
    house::whole::put(&machine.folder.join("config.toml"), &format!("templates = \"own\"\n{text}"));
    std::fs::create_dir_all(machine.folder.join("own/ru")).unwrap();
    let own = "Subject: Своё\n\n{{ letter.gone if \"<script>\" in heading.game.title else \"\" }}Прощайте.\n";
    std::fs::write(machine.folder.join("own/ru/death.txt"), own).unwrap();
    let said = machine.say(&["letters", TAG, "preview", "death"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(
        said.err.contains("ru/death.txt line 3") && said.err.contains("the built-in template was taken"),
        "{}",
        said.err
    );
    assert!(said.out.contains("===== death, in Russian") && !said.out.contains("Своё"), "{}", said.out);
}

// ----------------------------------------------------------------------------------------------------------- simulate

#[test]
fn a_simulation_tells_the_same_for_the_same_seed_and_needs_no_config() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_omerta"));
        command.arg("simulate").args(arguments).current_dir(folder.path()).env_remove("OMERTA_CONFIG");
        Said::of(&command.output().unwrap())
    };
    let json = |arguments: &[&str]| -> Value {
        let said = run(arguments);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{arguments:?}");
        serde_json::from_str(&said.out).unwrap()
    };
    let first = json(&["--players", "10", "--games", "60", "--seed", "5", "--json"]);
    assert_eq!(first, json(&["--players", "10", "--games", "60", "--seed", "5", "--json"]));
    let other = json(&["--players", "10", "--games", "60", "--seed", "6", "--json"]);
    assert_ne!((&first["winners"], &first["deaths"]), (&other["winners"], &other["deaths"]));
    assert_eq!((&first["games"], &first["players"], &first["deck"]["mafioso"]), (&json!(60), &json!(10), &json!(3)));
    let games: u64 = first["winners"].as_object().unwrap().values().map(|end| end["games"].as_u64().unwrap()).sum();
    assert_eq!(games, 60);
    let said = run(&["--games", "20"]).out;
    assert!(said.starts_with("20 games of 12 players, seed 1\n") && said.contains("bots"), "{said}");

    // Known ends: nobody is mafia, everybody is, and a deck that the rules refuse.
    std::fs::write(folder.path().join("town.csv"), roster_of("citizen", 8)).unwrap();
    std::fs::write(folder.path().join("mafia.csv"), roster_of("mafioso", 8)).unwrap();
    for (file, winner) in [("town.csv", "town"), ("mafia.csv", "mafia")] {
        let over = json(&["--roster", file, "--games", "30", "--json"]);
        assert_eq!((&over["winners"][winner]["share"], &over["over_at_start"]), (&json!(1.0), &json!(true)), "{over}");
        assert_eq!(over["turns"]["mean"], json!(0.0));
    }
    // Without a config the columns are explained in English, with one in its language.
    assert!(said.contains("\nWINNER: who won;"), "{said}");
    std::fs::write(folder.path().join("config.toml"), config_text("")).unwrap();
    let said = run(&["--games", "20"]).out;
    assert!(said.contains("\nWINNER - кто победил") && said.contains("Играют здесь боты"), "{said}");
    std::fs::remove_file(folder.path().join("config.toml")).unwrap();
    // What nobody would wait for is refused, and told how much may be asked.
    fails(&run(&["--players", "65535"]), 64, &["at most 1000"]);
    fails(&run(&["--players", "1000"]), 64, &["--games 1000 of 1000 players would take too long: at most 200"]);
    fails(&run(&["--games", "18446744073709551615"]), 64, &["at most 1388888"]);
    fails(&run(&["--games", "0"]), 64, &["--games"]);
    fails(&run(&["--players", "3"]), 65, &["7"]);
    fails(&run(&["--rule", "hunt_manic=nothing"]), 64, &["hunt_maniac"]);
    fails(&run(&["--rule", "nonsense"]), 64, &["name=value"]);
    assert_eq!(run(&["--players", "9", "--roster", "town.csv"]).code, 64);
    let changed = json(&["--players", "10", "--games", "30", "--rule", "maniac_blocks_victory=true", "--json"]);
    assert_eq!(changed["rules"], json!({"maniac_blocks_victory": "true"}));
}

fn roster_of(role: &str, players: u16) -> String {
    let rows = (0..players).map(|n| format!("p{n}@palermo.test,Игрок{n},{role}\n"));
    "address,nick,role\n".to_owned() + &rows.collect::<String>()
}

// ---------------------------------------------------------------------------------------------------------- chronicle

/// Closes a turn: the clock passes the deadline until the next turn is open, or the game is over.
fn close(machine: &mut Machine, turn: u16) {
    machine.until("letters are read", || machine.unread() == 0);
    machine.ok(&["game", "resolve", TAG]);
    machine.until("the turn is closed", || {
        machine.wait_seconds(5);
        let show = machine.json(&["game", "show", TAG, "--json"]);
        show["state"] == "finished" || show["turn"].as_u64() > Some(u64::from(turn))
    });
}

#[test]
fn a_chronicle_is_one_escaped_page_and_only_of_a_game_that_is_over() {
    let mut machine = machine("");
    seated(&machine);
    fails(&machine.say(&["chronicle", TAG, "-o", "page"]), 69, &["not finished"]);
    machine.ok(&["game", "start", TAG]);
    machine.start(&[]);
    let mut written = 0;
    let mut write = |machine: &Machine, player: u16, text: &str| {
        written += 1;
        let id = format!("letter-{written}@players.test");
        machine.drop_in(&machine.now().to_string(), written, &raw_letter(&address(TAG, player), TAG, &id, text));
    };
    write(&machine, 1, "Убийство - Егор");
    write(&machine, 6, "Убийство - Егор");
    write(&machine, 3, "Записка - Вера: сокровенное-завещание\nКонец\nПроверка - Борис");
    write(&machine, 0, "ЛС - Вера: сокровенное-личное");
    machine.until("letters are read", || machine.unread() == 0);
    machine.ok(&["game", "story", TAG, "Дождь <i>лил</i>\nвсю ночь"]);
    close(&mut machine, 1);
    fails(&machine.say(&["chronicle", TAG, "-o", "page"]), 69, &["not finished"]);
    assert!(!machine.folder.join("page").exists());
    for player in [0, 1, 2, 3, 4, 6] {
        write(&machine, player, "Суд Линча - Борис");
    }
    close(&mut machine, 2);
    // Taken back, ruled on and published anew: only what was told last is told.
    machine.ok(&["game", "undo", TAG]);
    machine.ok(&["game", "rule", TAG, "Борис", "alive", "верёвка", "порвалась"]);
    machine.ok(&["game", "publish", TAG]);
    machine.ok(&["game", "finish", TAG, "town"]);
    let said = machine.ok(&["chronicle", TAG, "-o", "page"]);
    assert!(said.contains("page/index.html"), "{said}");
    let page = std::fs::read_to_string(machine.folder.join("page/index.html")).unwrap();

    // Everything that was told, once and escaped.
    for part in [
        "<h1>Палермо &lt;script&gt;</h1>",
        "Анна д&#x27;Арк",
        "держит кафе &amp; &quot;не спит&quot;",
        "тихий&lt;&#x2f;td&gt;",
        "Дождь &lt;i&gt;лил&lt;&#x2f;i&gt;",
        "Победил город: так решил ведущий",
        "<h3>Ход 1</h3>",
        "<h3>Ход 2</h3>",
        "<tr><td>Вера</td><td>Борис</td></tr>",
        "Content-Security-Policy",
        "default-src &#x27;none&#x27;; style-src &#x27;sha256-",
        "prefers-color-scheme: dark",
        "width=device-width",
    ] {
        assert!(page.contains(part), "no {part} in\n{page}");
    }
    assert_eq!((page.matches("<h3>Ход ").count(), page.matches("казнён игрок").count()), (2, 0), "{page}");
    assert!(page.contains("<span class=\"role\">мафиози</span><span class=\"fate\">в живых</span>"), "{page}");
    // The seed is the one whose hash was told.
    let seed = page.split("<dd><code>").nth(1).unwrap().split('<').next().unwrap();
    let told = page.split("<dd><code>").nth(2).unwrap().split('<').next().unwrap();
    let seed = data_encoding::HEXLOWER.decode(seed.as_bytes()).unwrap();
    assert_eq!(told, data_encoding::HEXLOWER.encode(&<sha2::Sha256 as sha2::Digest>::digest(seed)));
    // Nothing private, nothing from elsewhere, nothing left of the template.
    for bad in [
        "сокровенное",
        "записк",
        "@palermo",
        "@example",
        "person-",
        "://",
        "src=",
        "href",
        "<script",
        "<b>",
        "<i>",
        "{{",
        "{%",
        "url(",
        "@import",
        "\u{E000}",
    ] {
        assert!(!page.to_lowercase().contains(bad), "{bad} in\n{page}");
    }
    // The style is the one that the policy lets in.
    let style = page.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    let hash = data_encoding::BASE64.encode(&<sha2::Sha256 as sha2::Digest>::digest(style));
    let written = hash.replace('/', "&#x2f;");
    assert!(page.contains(&format!("sha256-{written}&#x27;")), "{hash}");

    // Once more over its own page, but over nobody else's; and the same bytes.
    machine.ok(&["chronicle", TAG, "-o", "page"]);
    assert_eq!(std::fs::read_to_string(machine.folder.join("page/index.html")).unwrap(), page);
    std::fs::create_dir(machine.folder.join("site")).unwrap();
    std::fs::write(machine.folder.join("site/index.html"), "<h1>Моя страница</h1>").unwrap();
    fails(&machine.say(&["chronicle", TAG, "-o", "site"]), 69, &["did not write"]);
    assert_eq!(std::fs::read_to_string(machine.folder.join("site/index.html")).unwrap(), "<h1>Моя страница</h1>");
    fails(&machine.say(&["chronicle", "nowhere", "-o", "page"]), 65, &["nowhere"]);
}
