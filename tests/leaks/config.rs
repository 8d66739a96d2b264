//! Config files with a password in them, and a fault: the fault is told, the password is not.

use crate::house::binary::Machine;
use crate::house::config_text;

const PASSWORD: &str = "Пароль-Которого-Никто-Не-Видит";

#[test]
fn a_fault_of_the_config_never_shows_a_password() {
    let imap = |login: &str| {
        config_text("").replace(
            "kind = \"maildir\"\npath = \"mail/in\"\n",
            &format!("kind = \"imap\"\nserver = \"127.0.0.1\"\nport = 1\ntls = \"none\"\n{login}\n"),
        )
    };
    for login in [
        format!("user = \"a\"\npassword = \"{PASSWORD}"),
        format!("user = \"a\"\npassword = {PASSWORD}"),
        format!("user = \"a\"\npasswort = \"{PASSWORD}\""),
        format!("user = \"a\"\npassword = [\"{PASSWORD}\"]"),
        format!("user = \"a\"\npassword = \"{PASSWORD}\"\npassword = \"{PASSWORD}\""),
        format!("password = \"{PASSWORD}\""),
        format!("user = \"a\"\npassword = \"{PASSWORD}\"\npassword_file = \"x\""),
        format!("user = \"a\"\npassword_file = \"{PASSWORD}\0\""),
        format!("user = \"a\" password = \"{PASSWORD}\""),
        format!("user = \"a\"\npassword = \"{PASSWORD}\""),
    ] {
        let mut machine = Machine::new();
        machine.log_level = "trace";
        std::fs::write(machine.folder.join("config.toml"), imap(&login)).unwrap();
        for command in [&["check"][..], &["check", "--json"], &["doctor"], &["status"], &["run"]] {
            // The last config is right: the daemon would run.
            if command == ["run"] && login.ends_with(&format!("\"a\"\npassword = \"{PASSWORD}\"")) {
                continue;
            }
            let said = machine.say(command);
            let all = format!("{}{}", said.out, said.err);
            assert!(!all.contains(PASSWORD) && !all.contains("Которого"), "{command:?} {login}\n{all}");
            assert!(said.code != 0 || login.ends_with('"'), "{command:?} {login}\n{all}");
        }
    }
}
