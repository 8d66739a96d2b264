//! Forum accounts beside the game: their passwords are told to their players and stand nowhere else, in no form.

use std::collections::BTreeMap;
use std::path::PathBuf;

use data_encoding::{BASE64_NOPAD, HEXLOWER};
use omerta::roster::read_accounts;

use crate::house::binary::Machine;
use crate::house::{Got, address};
use crate::scan::Secrets;

/// What it is, among the secrets.
pub const PASSWORD: &str = "a forum password";
/// The password that is changed while the game is on, and whose it is.
pub const CHANGED: (u16, &str) = (5, "ostrog-krynka-vtoroy");
/// How every password begins.
const STEM: &str = "ostrog-krynka-";

fn password(player: u16) -> String {
    format!("{STEM}{player}")
}

/// Every password of these players, as [`Secrets::of`] takes them.
pub fn passwords(players: u16) -> Vec<String> {
    (0..players).map(password).chain([CHANGED.1.to_owned()]).collect()
}

/// An account for each nick, which bears it, before the game begins.
pub fn give(machine: &Machine, tag: &str, nicks: &[&str]) {
    let lines = (0..).zip(nicks).map(|(player, nick)| format!("{nick},{}\n", password(player)));
    let file: String = std::iter::once("forum_name,password\n".to_owned()).chain(lines).collect();
    std::fs::write(machine.folder.join("accounts.csv"), file).unwrap();
    machine.ok(&["game", "accounts", tag, "accounts.csv"]);
}

pub fn change(machine: &Machine, tag: &str, nick: &str) {
    std::fs::write(machine.folder.join("accounts-new.csv"), format!("forum_name,password\n{nick},{}\n", CHANGED.1))
        .unwrap();
    machine.ok(&["game", "accounts", tag, "accounts-new.csv"]);
}

/// Files of accounts with a fault: it is told, the passwords are not. Nor would a panic tell them.
pub fn faults(machine: &Machine, tag: &str, secrets: &Secrets) {
    let (one, other) = (password(0), password(1));
    for file in [
        format!("forum_name,password\nКто-то,{one},{other}\n"),
        format!("forum_name,password\n,{one}\n"),
        format!("forum_name,password\nАнна,{one}\nАнна,{other}\n"),
        format!("forum_name;password\n\"Анна;{one}\n"),
        format!("forum_name,password\nНезнакомка,{one}\n"),
        format!("имя,пароль\nАнна,{one}\n"),
        format!("Анна,{one}\nБорис,{other}\n"),
        format!("forum_name,password\nАнна,{one}\u{7}\n"),
        format!("forum_name,password\n{one}\n"),
    ] {
        std::fs::write(machine.folder.join("accounts-bad.csv"), &file).unwrap();
        let said = machine.say(&["game", "accounts", tag, "accounts-bad.csv"]);
        assert_ne!(said.code, 0, "{file}: {said:?}");
        secrets.are_not_in(&file, format!("{}\n{}", said.out, said.err).as_bytes());
    }
    let accounts = read_accounts(format!("forum_name,password\nАнна,{one}\n").as_bytes()).unwrap();
    secrets.are_not_in("an account as a panic prints it", format!("{accounts:?}").as_bytes());
}

/// Nowhere in these files: as it is, as base64 wherever it begins, in hexadecimal digits.
pub fn are_in_no_file(when: &str, files: &BTreeMap<String, PathBuf>) {
    // What all of them begin with; its neighbours change the letters of base64 at both ends.
    let coded = (0..3).map(|shift| BASE64_NOPAD.encode(format!("{}{STEM}", "x".repeat(shift)).as_bytes()));
    let mut forms: Vec<String> = coded.map(|coded| coded.chars().skip(4).take(coded.len() - 8).collect()).collect();
    forms.extend([STEM.to_owned(), HEXLOWER.encode(STEM.as_bytes())]);
    let mut looked_at = 0;
    for (name, path) in files.iter().filter(|(_, path)| path.is_file()) {
        // The hosts' own files, and what lies with the players.
        if name.starts_with("accounts") || name.starts_with("mail/out/") {
            continue;
        }
        let bytes = std::fs::read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        for form in &forms {
            assert!(!text.contains(form.as_str()), "{when}: {name} holds a forum password as {form}");
        }
        looked_at += usize::from(name.starts_with("omerta.db"));
    }
    assert!(looked_at > 0, "{when}: no database among {:?}", files.keys());
}

/// In a letter: only what its own player may know. How many passwords it tells.
pub fn told_to_their_own(tag: &str, owner: &str, got: &Got, text: &str, players: u16) -> usize {
    let mut told = 0;
    for (player, password) in
        (0..players).map(|player| (player, password(player))).chain([(CHANGED.0, CHANGED.1.to_owned())])
    {
        if text.contains(&password) {
            assert_eq!(owner, address(tag, player), "{} to {owner} tells {password}", got.kind);
            told += 1;
        }
    }
    told
}
