//! `omerta init` with files that the command line names; no server is asked.

use std::process::Command;

use crate::init::Folder;

/// A wrong file is told at once, in one language, and nothing is asked or written.
#[test]
fn an_authority_that_is_no_certificate_is_refused_before_the_first_question() {
    let folder = Folder::new();
    let refused = |file: &str, lang: &str, no_login: bool| {
        let mut arguments = vec!["init", "--address", "p@example.org", "--provider", "own", "--yes", "--lang", lang];
        arguments.extend(["--host-address", "h@example.org", "--password-command", "echo x", "--ca-file", file]);
        arguments.extend(["--imap-server", "localhost", "--smtp-server", "localhost"]);
        arguments.extend(no_login.then_some("--no-login"));
        let before = folder.names();
        let said = folder.say(&arguments, "");
        assert_eq!((said.code, said.out.as_str()), (64, ""), "{said:?}");
        assert_eq!(folder.names(), before);
        said.err.replace(&folder.path().display().to_string(), "F")
    };
    for no_login in [true, false] {
        assert_eq!(
            refused("missing.pem", "ru", no_login),
            "omerta: --ca-file: файла F/missing.pem нет. Нужен сертификат центра сертификации в виде PEM: \
             -----BEGIN CERTIFICATE-----. Ничего не записано.\n"
        );
    }
    assert_eq!(
        refused("missing.pem", "en", true),
        "omerta: --ca-file: the file F/missing.pem is not there. The authority's certificate is wanted, as PEM: \
         -----BEGIN CERTIFICATE-----. Nothing was written.\n"
    );
    std::fs::write(folder.path().join("words.pem"), "no certificate\n").unwrap();
    assert!(refused("words.pem", "ru", true).contains("в файле F/words.pem нет годного сертификата. Нужен"));
    assert!(refused("words.pem", "en", true).contains("there is no good certificate in F/words.pem. The"));
    assert!(Command::new("mkfifo").arg(folder.path().join("pipe.pem")).status().unwrap().success());
    assert!(refused("pipe.pem", "ru", true).contains("F/pipe.pem - не обычный файл."));
    assert!(refused("/dev/zero", "en", true).contains("/dev/zero is a device, and a plain file is wanted."));
}

#[test]
fn the_last_words_name_the_file_that_was_named() {
    for (lang, settings, doctor) in [
        ("ru", "Настройки - в c.toml, ", "omerta --config c.toml doctor - проверит"),
        ("en", "The settings are in c.toml, ", "omerta --config c.toml doctor tries"),
    ] {
        let folder = Folder::new();
        let mut arguments = vec!["init", "--address", "p@example.org", "--provider", "own", "--yes", "--lang", lang];
        arguments.extend(["--host-address", "h@example.org", "--password-command", "echo x", "--no-login"]);
        arguments.extend(["--imap-server", "localhost", "--smtp-server", "localhost", "--config", "c.toml"]);
        let said = folder.say(&arguments, "");
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
        assert!(said.out.contains(settings) && said.out.contains(doctor), "{}", said.out);
        assert!(!said.out.contains("config.toml"), "{}", said.out);
    }
}

/// Where no login is tried, nobody else would notice.
#[test]
fn a_password_file_with_no_password_is_refused_before_the_first_question() {
    let folder = Folder::new();
    let refused = |file: &str, lang: &str| {
        let mut arguments = vec!["init", "--address", "p@example.org", "--provider", "own", "--yes", "--lang", lang];
        arguments.extend(["--host-address", "h@example.org", "--password-file", file, "--no-login"]);
        arguments.extend(["--imap-server", "localhost", "--smtp-server", "localhost"]);
        let before = folder.names();
        let said = folder.say(&arguments, "");
        assert_eq!((said.code, said.out.as_str()), (64, ""), "{said:?}");
        assert_eq!(folder.names(), before);
        said.err.replace(&folder.path().display().to_string(), "F")
    };
    assert_eq!(
        refused("missing", "ru"),
        "omerta: --password-file: файла F/missing нет. Запишите в него пароль одной строкой и закройте от других \
         (chmod 600). Ничего не записано.\n"
    );
    assert_eq!(
        refused("missing", "en"),
        "omerta: --password-file: the file F/missing is not there. Write the password into it, on one line, and let \
         nobody else read it (chmod 600). Nothing was written.\n"
    );
    std::fs::write(folder.path().join("empty"), "\nhunter2\n").unwrap();
    assert!(refused("empty", "ru").contains("первая строка файла F/empty пуста. Запишите"));
    let said = refused("empty", "en");
    assert!(said.contains("the first line of F/empty is empty. Write") && !said.contains("hunter2"), "{said}");
    assert!(refused("/dev/zero", "en").contains("/dev/zero is a device, and a plain file is wanted."));
}

/// However often somebody starts anew, what he wrote by hand is still there.
#[test]
fn every_earlier_config_is_kept() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("config.toml"), "# mine\n").unwrap();
    let mut arguments = vec!["init", "--address", "p@example.org", "--provider", "own", "--yes", "--lang", "en"];
    arguments.extend(["--host-address", "h@example.org", "--password-command", "echo x", "--no-login"]);
    arguments.extend(["--imap-server", "localhost", "--smtp-server", "localhost"]);
    let there = |said: &str| said.replace(&folder.path().display().to_string(), "F");
    let said = folder.say(&arguments, "");
    let told = "omerta: F/config.toml is there already. With --force it is kept as F/config.toml.bak.\n";
    assert_eq!((said.code, there(&said.err).as_str()), (78, told));
    arguments.push("--force");
    for _ in 0..3 {
        assert_eq!(folder.say(&arguments, "").code, 0);
    }
    assert_eq!(
        folder.names(),
        ["config.toml", "config.toml.bak", "config.toml.bak1", "config.toml.bak2", "host.secret"]
    );
    assert_eq!(std::fs::read_to_string(folder.path().join("config.toml.bak")).unwrap(), "# mine\n");
    arguments.pop();
    assert!(folder.say(&arguments, "").err.contains("it is kept as") && folder.names().len() == 5);
}
