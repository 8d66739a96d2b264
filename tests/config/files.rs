//! What lies on the machine: files that are not there or are no files, programs, and who may read the secrets.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use expect_test::{Expect, expect};
use omerta::config::{Config, Fault};

const SERVERS: &str = "[host]\naddresses = [\"host@example.org\"]\n[inbox]\nkind = \"imap\"\nserver = \"i.example.org\"\n\
                       ca_file = \"ca.pem\"\nuser = \"m\"\npassword_file = \"imap.secret\"\n\
                       [outbox]\nkind = \"sendmail\"\nfrom = \"m@example.org\"\ncommand = [\"./send\", \"-i\"]\n";

struct Place(tempfile::TempDir);

impl Place {
    /// Everything that the config names is there, for its owner alone.
    fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        place.put("config.toml", &SERVERS.replace("./send", &place.at("send")), 0o600);
        for name in ["ca.pem", "imap.secret", "host.secret", "omerta.key"] {
            place.put(name, "palermo-42\n", 0o600);
        }
        place.put("send", "#!/bin/sh\n", 0o700);
        place
    }

    fn at(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn put(&self, name: &str, text: &str, mode: u32) {
        std::fs::write(self.at(name), text).unwrap();
        std::fs::set_permissions(self.at(name), std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn pipe(&self, name: &str) {
        std::fs::remove_file(self.at(name)).unwrap();
        assert!(Command::new("mkfifo").arg(self.at(name)).status().unwrap().success());
    }

    fn config(&self) -> Config {
        Config::load(Path::new(&self.at("config.toml"))).unwrap()
    }

    fn said(&self, faults: &[Fault], expected: Expect) {
        let folder = format!("{}/", self.0.path().display());
        let lines: Vec<String> = faults.iter().map(|fault| fault.to_string().replace(&folder, "")).collect();
        expected.assert_eq(&(lines.join("\n") + "\n"));
    }

    fn faults(&self) -> Vec<Fault> {
        let config = self.config();
        soon(move || config.faults_of_files(|_| None))
    }
}

/// What comes without waiting for anybody: reading a pipe would never end.
fn soon<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (give, take) = std::sync::mpsc::channel();
    std::thread::spawn(move || give.send(work()));
    take.recv_timeout(Duration::from_secs(60)).expect("it waits")
}

#[test]
fn what_is_there_and_private_has_no_fault() {
    let place = Place::new();
    assert_eq!((place.faults(), place.config().open_secrets(), place.config().odd_values()), (vec![], vec![], vec![]));
    // Nobody needs a word or a key before its time, and a link to a file is as good as the file.
    std::fs::remove_file(place.at("host.secret")).unwrap();
    std::fs::rename(place.at("imap.secret"), place.at("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", place.at("imap.secret")).unwrap();
    assert_eq!((place.faults(), place.config().open_secrets()), (vec![], vec![]));
}

#[test]
fn what_is_no_plain_file_is_a_fault_and_reading_it_never_waits() {
    let place = Place::new();
    for name in ["imap.secret", "host.secret", "ca.pem"] {
        place.pipe(name);
    }
    std::fs::remove_file(place.at("omerta.key")).unwrap();
    std::fs::create_dir(place.at("omerta.key")).unwrap();
    place.put("send", "#!/bin/sh\n", 0o600);
    place.said(
        &place.faults(),
        expect![[r#"
            config.toml: host.word_file: host.secret is a pipe, and a plain file is wanted. Put the right file there, or name it here.
            config.toml: key_file: omerta.key is a folder, and a plain file is wanted. Put the right file there, or name it here.
            config.toml:6: inbox.ca_file: ca.pem is a pipe, and a plain file is wanted. Put the right file there, or name it here.
            config.toml:8: inbox.password_file: imap.secret is a pipe, and a plain file is wanted. Put the right file there, or name it here.
            config.toml:12: outbox.command: send may not be executed by us. Install it, or write the whole path of one that is there.
        "#]],
    );
    let host = place.config().host;
    assert_eq!(soon(move || host.word()), None);
    std::fs::remove_file(place.at("send")).unwrap();
    let long = "x".repeat(5 << 20);
    for name in ["imap.secret", "host.secret", "ca.pem"] {
        std::fs::remove_file(place.at(name)).unwrap();
        place.put(name, &long, 0o600);
    }
    place.said(
        &place.faults(),
        expect![[r#"
            config.toml: host.word_file: host.secret is larger than the 64 KiB that it may have. Put the right file there, or name it here.
            config.toml: key_file: omerta.key is a folder, and a plain file is wanted. Put the right file there, or name it here.
            config.toml:6: inbox.ca_file: ca.pem is larger than the 4096 KiB that it may have. Put the right file there, or name it here.
            config.toml:8: inbox.password_file: imap.secret is larger than the 64 KiB that it may have. Put the right file there, or name it here.
            config.toml:12: outbox.command: the program send is not there. Install it, or write the whole path of one that is there.
        "#]],
    );
    for name in ["imap.secret", "ca.pem"] {
        std::fs::remove_file(place.at(name)).unwrap();
    }
    place.put("host.secret", "palermo-42\n", 0o600);
    place.said(
        &place.faults(),
        expect![[r#"
            config.toml: key_file: omerta.key is a folder, and a plain file is wanted. Put the right file there, or name it here.
            config.toml:6: inbox.ca_file: the file ca.pem is not there. Put the PEM certificate there.
            config.toml:8: inbox.password_file: the file imap.secret is not there. Write the password into it, on one line, and let nobody else read it (chmod 600).
            config.toml:12: outbox.command: the program send is not there. Install it, or write the whole path of one that is there.
        "#]],
    );
}

#[test]
fn a_password_file_with_nothing_on_its_first_line_is_a_fault() {
    let place = Place::new();
    for nothing in ["", "\n", "\r\n", "\nhunter2\n"] {
        place.put("imap.secret", nothing, 0o600);
        let faults = place.faults();
        assert_eq!(
            (faults.len(), faults[0].key.as_str(), faults[0].line),
            (1, "inbox.password_file", 8),
            "{nothing:?}"
        );
        assert!(!faults[0].to_string().contains("hunter2"));
    }
}

#[test]
fn a_program_is_looked_for_where_the_system_looks() {
    let place = Place::new();
    place.put("config.toml", &SERVERS.replace("./send", "send"), 0o600);
    let config = place.config();
    let folder = place.0.path().as_os_str().to_owned();
    let path = |name: &str| (name == "PATH").then(|| folder.clone());
    assert_eq!(config.faults_of_files(path), []);
    place.said(
        &config.faults_of_files(|_| Some("/nowhere".into())),
        expect![[r#"
            config.toml:12: outbox.command: there is no program send in any folder of $PATH. Install it, or write the whole path of one that is there.
        "#]],
    );
}

#[test]
fn a_secret_that_others_may_read_is_told_and_is_no_fault() {
    let place = Place::new();
    for (name, mode) in [("imap.secret", 0o644), ("host.secret", 0o640), ("omerta.key", 0o604)] {
        place.put(name, "palermo-42\n", mode);
    }
    place.said(
        &place.config().open_secrets(),
        expect![[r#"
            config.toml:8: inbox.password_file: imap.secret can be read by others than its owner (mode 644). chmod 600 imap.secret
            config.toml: host.word_file: host.secret can be read by others than its owner (mode 640). chmod 600 host.secret
            config.toml: key_file: omerta.key can be read by others than its owner (mode 604). chmod 600 omerta.key
        "#]],
    );
    assert_eq!(place.faults(), []);
    let inside = SERVERS.replace("password_file = \"imap.secret\"", "password = \"hunter2\"");
    place.put("config.toml", &inside, 0o644);
    let open = place.config().open_secrets();
    assert!(open.iter().any(|one| one.key == "inbox.password" && one.cure.ends_with("config.toml")), "{open:?}");
}

/// The folders of mail and that of the database: each is told as what stands there, and not as a matter of who may write.
#[test]
fn what_stands_where_a_folder_is_wanted_is_a_fault() {
    let place = Place::new();
    let maildirs = "database = \"data/omerta.db\"\ntemplates = \"mine\"\n[host]\naddresses = [\"host@example.org\"]\n\
                    [inbox]\npath = \"mail/in\"\n[outbox]\npath = \"mail/out\"\n";
    place.put("config.toml", maildirs, 0o600);
    std::fs::create_dir(place.at("mine")).unwrap();
    assert_eq!(place.faults(), [], "they are made at first use");
    std::fs::remove_dir(place.at("mine")).unwrap();
    for name in ["data", "mine"] {
        place.put(name, "", 0o600);
    }
    std::fs::create_dir(place.at("mail")).unwrap();
    place.put("mail/in", "", 0o600);
    std::os::unix::fs::symlink("nowhere", place.at("mail/out")).unwrap();
    place.said(
        &place.faults(),
        expect![[r#"
            config.toml:1: database: data is a plain file, and a folder is wanted. Take it away, or name a file in a folder that is there or can be made.
            config.toml:2: templates: mine is a plain file, and a folder is wanted. Make the folder, or write "" for the built-in letters.
            config.toml:6: inbox.path: mail/in is a plain file, and a folder is wanted. Take it away, or name a folder here that is there or can be made.
            config.toml:8: outbox.path: mail/out is a link that leads nowhere, and a folder is wanted. Take it away, or name a folder here that is there or can be made.
        "#]],
    );
    for name in ["data", "mine", "mail/in", "mail/out"] {
        std::fs::remove_file(place.at(name)).unwrap();
    }
    std::fs::create_dir(place.at("mine")).unwrap();
    std::fs::create_dir(place.at("mail/in")).unwrap();
    place.put("mail/in/new", "", 0o600);
    place.said(
        &place.faults(),
        expect![[r#"
            config.toml:6: inbox.path: mail/in/new is a plain file, and a folder is wanted. Take it away, or name a folder here that is there or can be made.
        "#]],
    );
}

/// Nobody waits for the config, and nothing is read without end.
#[test]
fn a_config_that_is_no_plain_file_is_told_in_one_sentence() {
    let place = Place::new();
    place.pipe("config.toml");
    let told = |path: String| {
        let faults = soon(move || Config::load(Path::new(&path))).unwrap_err();
        assert_eq!(faults.len(), 1);
        faults
    };
    place.said(
        &told(place.at("config.toml")),
        expect![[r#"
            config.toml: is a pipe, and a plain file is wanted. Name the config file itself with --config, or save what it gives into one.
        "#]],
    );
    place.said(
        &told("/dev/zero".to_owned()),
        expect![[r#"
            /dev/zero: is a device, and a plain file is wanted. Name the config file itself with --config, or save what it gives into one.
        "#]],
    );
    place.put("large", &"#\n".repeat(600 << 10), 0o600);
    place.said(
        &told(place.at("large")),
        expect![[r#"
            large: is larger than the 1024 KiB that it may have. Name the right file with --config.
        "#]],
    );
    // What is asked of it later does not wait either.
    place.put("later", SERVERS, 0o600);
    let config = Config::load(Path::new(&place.at("later"))).unwrap();
    place.pipe("later");
    assert_eq!(soon(move || (config.line_of("inbox.kind"), config.odd_values())), (0, vec![]));
}
