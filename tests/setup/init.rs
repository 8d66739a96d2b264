//! `omerta init` by flags and by dialogue, and the game that its own commands begin.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use omerta::config::{Config, Password, Tls};
use omerta::letters::Lang;

use crate::house::binary::{Said, rest};
use crate::servers::{DOMAIN, MailServer, PASSWORD, piped, shared};

pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn omerta(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_omerta"));
        command.args(arguments).env_remove("OMERTA_CONFIG").env_remove("LANG").env_remove("LC_ALL");
        command.env("OMERTA_LOG", "warn").current_dir(self.path());
        command
    }

    pub fn say(&self, arguments: &[&str], input: &str) -> Said {
        let said = Said::of(&piped(self.omerta(arguments), input.as_bytes()));
        assert!(!said.out.contains(PASSWORD) && !said.err.contains(PASSWORD), "the password is told: {said:?}");
        said
    }

    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub fn config(&self) -> Config {
        Config::load(&self.path().join("config.toml")).unwrap_or_else(|faults| panic!("{faults:?}"))
    }
}

/// What every set-up against this server says by flags.
pub fn at(server: &MailServer, user: &str) -> Vec<String> {
    let text = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let mut flags = text(&["init", "--address", &format!("{user}@{DOMAIN}"), "--provider", "own"]);
    flags.extend(text(&["--imap-server", "localhost", "--imap-port", &server.inbox_port(Tls::Implicit).to_string()]));
    flags.extend(text(&["--smtp-server", "localhost", "--smtp-port", &server.outbox_port(Tls::Implicit).to_string()]));
    flags.extend(text(&["--imap-tls", "implicit", "--smtp-tls", "implicit"]));
    flags.extend(text(&["--ca-file", &server.ca_file().display().to_string()]));
    flags.extend(text(&["--host-address", &format!("host@{DOMAIN}")]));
    flags
}

pub fn with<'a>(flags: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    flags.iter().map(String::as_str).chain(more.iter().copied()).collect()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn by_flags_alone_everything_is_set_up() {
    let server = shared();
    let folder = Folder::new();
    std::fs::write(folder.path().join("my.secret"), format!("{PASSWORD}\n")).unwrap();
    let flags = at(server, "p01");
    let more = [
        "--password-file",
        "my.secret",
        "--zone",
        "Asia/Yekaterinburg",
        "--deadline",
        "Mon-Thu 21:00, Sun 20:00",
        "--language",
        "en",
        "--markup",
        "markdown",
        "--host-name",
        "Don \"Vito\"",
        "--yes",
    ];
    let said = folder.say(&with(&flags, &more), "");
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
    assert_eq!(folder.names(), ["config.toml", "host.secret", "my.secret"]);
    let config = folder.config();
    assert_eq!(config.language, Lang::En);
    assert_eq!(config.zone_name(), "Asia/Yekaterinburg");
    assert_eq!(config.host.name, "Don \"Vito\"");
    assert_eq!(config.host.addresses, [format!("host@{DOMAIN}")]);
    assert_eq!(config.outbox.from.address, format!("p01@{DOMAIN}"));
    assert!(config.outbox.plus_addressing, "the letter with a tag came");
    assert_eq!(config.game.deadline.to_string(), "Mon,Tue,Wed,Thu 21:00; Sun 20:00");
    let server_of = |found: &Option<omerta::config::Server>| found.clone().unwrap();
    for found in [server_of(&config.inbox.server), server_of(&config.outbox.server)] {
        assert_eq!(found.login.unwrap().password, Password::File(folder.path().join("my.secret")));
        assert_eq!(found.ca_file, Some(server.ca_file()));
    }
    assert_eq!(mode(&folder.path().join("config.toml")), 0o600);
    assert_eq!(mode(&folder.path().join("host.secret")), 0o600);
    let text = std::fs::read_to_string(folder.path().join("config.toml")).unwrap();
    assert!(text.contains("\npassword_file = \"my.secret\""), "as seen from the config: {text}");
    assert!(text.contains("# an extra trust root"), "the comments stay: {text}");
    server.until_delivered();
    assert_eq!(server.letters("p01"), Vec::<Vec<u8>>::new(), "the letters to itself are taken away again");
}

/// Wrong answers are explained and asked again; a wrong password, too; what is typed is told to nobody.
#[test]
fn a_dialogue_forgives_slips_and_a_wrong_password() {
    let server = shared();
    let folder = Folder::new();
    let (imap, smtp) = (server.inbox_port(Tls::Implicit), server.outbox_port(Tls::Implicit));
    let answers = [
        "klingon".to_owned(),
        "ru".to_owned(),
        "не адрес".to_owned(),
        format!("p02@{DOMAIN}"),
        String::new(),
        "localhost".to_owned(),
        "девять".to_owned(),
        imap.to_string(),
        "localhost".to_owned(),
        smtp.to_string(),
        String::new(),
        "wrong-password".to_owned(),
        PASSWORD.to_owned(),
        format!("p02@{DOMAIN}"),
        format!("host@{DOMAIN}"),
        String::new(),
        "Europe/Atlantis".to_owned(),
        String::new(),
        "25:00".to_owned(),
        "20:30".to_owned(),
        String::new(),
        String::new(),
    ];
    let ca = server.ca_file().display().to_string();
    let flags = ["init", "--ca-file", &ca, "--imap-tls", "implicit", "--smtp-tls", "implicit"];
    let said = folder.say(&flags, &(answers.join("\n") + "\n"));
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
    assert!(!said.out.contains("wrong-password"), "{}", said.out);
    for explained in [
        "Ответьте ru или en",
        "Это не адрес почты",
        "Нужно число от 1 до 65535",
        "Проверьте логин и пароль",
        "Вход удался",
        "Письмо пришло",
        "Это ящик самой игры",
        "Такого пояса нет",
        "Это не похоже на время",
    ] {
        assert_eq!(said.out.matches(explained).count(), 1, "{explained}: {}", said.out);
    }
    assert_eq!(folder.names(), ["config.toml", "host.secret", "mail.secret"]);
    let secret = folder.path().join("mail.secret");
    assert_eq!((std::fs::read_to_string(&secret).unwrap(), mode(&secret)), (format!("{PASSWORD}\n"), 0o600));
    let config = folder.config();
    assert_eq!(config.zone_name(), "Europe/Moscow");
    assert_eq!(config.game.deadline.to_string(), "20:30");
}

/// Wherever it ends, the folder is as it was.
#[test]
fn what_does_not_come_to_its_end_leaves_nothing() {
    let server = shared();
    let flags = at(server, "p03");
    let folder = Folder::new();
    let cut = |more: &[&str], input: &str, code: i32, why: &str| {
        let said = folder.say(&with(&flags, more), input);
        assert_eq!(said.code, code, "{said:?}");
        assert!(said.err.contains(why), "{said:?}");
        assert_eq!(folder.names(), Vec::<String>::new(), "{why}");
    };
    cut(&["--lang", "ru"], "", 64, "не хватает --user");
    cut(&["--lang", "ru", "--user", "p03"], "", 64, "не хватает --password-file");
    cut(&["--lang", "en", "--user", "p03"], &format!("{PASSWORD}\n"), 64, "--host-name is missing");
    let three = "wrong\nwrong\nwrong\n";
    cut(&["--lang", "en", "--user", "p03"], three, 69, "the login failed");
    cut(&["--yes", "--user", "p03", "--lang", "en", "--password-command", "echo wrong"], "", 69, "Nothing was written");
    cut(&["--yes", "--user", "p03", "--lang", "en", "--password-command", "exit 3"], "", 69, "can't be read");
    let nowhere = ["--yes", "--lang", "en", "--password-command", "echo x", "--zone", "Europe/Atlantis", "--no-login"];
    cut(&nowhere, "", 64, "--zone");
    let outlook = [
        "init",
        "--yes",
        "--lang",
        "en",
        "--address",
        "a@outlook.com",
        "--host-address",
        "b@c.org",
        "--password-env",
        "X",
    ];
    let said = folder.say(&outlook, "");
    assert!(said.code == 64 && said.err.contains("OAuth 2.0"), "{said:?}");
    assert_eq!(folder.names(), Vec::<String>::new());
}

#[test]
fn what_is_there_is_kept_unless_forced_and_then_beside() {
    let server = shared();
    let flags = at(server, "p04");
    let folder = Folder::new();
    let config = folder.path().join("config.toml");
    std::fs::write(&config, "# mine\n").unwrap();
    std::fs::write(folder.path().join("host.secret"), "барсук-77\n").unwrap();
    let more = ["--yes", "--lang", "en", "--password-command", "echo x", "--no-login"];
    let said = folder.say(&with(&flags, &more), "");
    assert!(said.code == 78 && said.err.contains("--force"), "{said:?}");
    assert_eq!(std::fs::read_to_string(&config).unwrap(), "# mine\n");
    let forced: Vec<&str> = more.iter().copied().chain(["--force"]).collect();
    let said = folder.say(&with(&flags, &forced), "");
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
    assert_eq!(folder.names(), ["config.toml", "config.toml.bak", "host.secret"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("config.toml.bak")).unwrap(), "# mine\n");
    assert_eq!(std::fs::read_to_string(folder.path().join("host.secret")).unwrap(), "барсук-77\n");
    assert!(!folder.config().outbox.plus_addressing, "untried, it is not relied on");
}

/// Init, then the very commands that it printed: the players get their roles.
#[test]
fn the_printed_commands_begin_a_game() {
    let server = shared();
    let folder = Folder::new();
    let flags = at(server, "p05");
    let more = ["--yes", "--user", "p05", "--no-test", "--password-command"];
    let said = folder.say(
        &with(
            &with(&flags, &more).iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(),
            &[&format!("echo {PASSWORD}")],
        ),
        "",
    );
    assert_eq!(said.code, 0, "{said:?}");
    let roster: String = std::iter::once("address,nick,gender\n".to_owned())
        .chain((11..=20).map(|n| format!("p{n}@{DOMAIN},Игрок {n},m\n")))
        .collect();
    std::fs::write(folder.path().join("players.csv"), roster).unwrap();
    let commands: Vec<&str> = said.out.lines().filter_map(|line| line.strip_prefix("  omerta ")).collect();
    let [new, start, run] = commands.as_slice() else { panic!("three commands: {commands:?}") };
    for command in [new, start] {
        let words: Vec<&str> = command.split_whitespace().collect();
        let said = folder.say(&words, "");
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{command}: {}", said.out);
    }
    let log = std::fs::File::create(folder.path().join("log")).unwrap();
    let mut daemon = folder.omerta(&run.split_whitespace().collect::<Vec<_>>());
    let mut daemon = daemon.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap();
    let begun = Instant::now();
    let has_role = |n: u16| {
        let letters = server.letters(&format!("p{n}"));
        letters.iter().any(|letter| String::from_utf8_lossy(letter).contains("X-Omerta-Letter: role"))
    };
    while !(11..=20).all(has_role) {
        if begun.elapsed() > Duration::from_secs(60) {
            daemon.kill().unwrap();
            panic!("no roles; {}", std::fs::read_to_string(folder.path().join("log")).unwrap());
        }
        rest();
    }
    daemon.kill().unwrap();
    daemon.wait().unwrap();
}
