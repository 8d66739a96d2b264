//! Forum accounts: one for each player, by lot, and nobody else sees its password.

use std::os::unix::fs::PermissionsExt;

use omerta::desk::command::{Command, CommandError, NotDone, Terms};
use omerta::draws;
use omerta::journal::Entry;
use omerta::roster::{Account, read_accounts};
use omerta::rules::Winner;
use omerta::rules::lots::Lots;

use crate::house::House;
use crate::opened;

const PASSWORDS: [&str; 8] =
    ["Xq7-один", "Xq7-два", "Xq7-три", "Xq7-четыре", "Xq7-пять", "Xq7-шесть", "Xq7-семь", "Xq7-восемь"];
const NAMES: [&str; 8] = ["Кот", "Пёс", "Лис", "Ёж", "Волк", "Заяц", "Сова", "Рысь"];

fn csv(range: std::ops::Range<usize>) -> Vec<Account> {
    let rows: String = range.map(|at| format!("{},{}\n", NAMES[at], PASSWORDS[at])).collect();
    read_accounts(format!("forum_name,password\n{rows}").as_bytes()).unwrap()
}

fn signed_up(rules: &[(&str, &str)], named: bool) -> House {
    let rules: Vec<(&str, &str)> = rules.iter().copied().chain([("photo_required", "false")]).collect();
    let mut house = opened("", &rules, Terms { max: Some(7), ..Terms::default() });
    for number in 0..8 {
        let name = if named { format!("Заявка - Игрок {number}") } else { "Заявка".to_owned() };
        house.mail(&format!("p{number}@home.test"), "[palermo]", &format!("{name}\nХарактеристика - моряк"));
    }
    house.mail("p3@home.test", "[palermo]", "Жребий - рябина");
    house
}

fn hand_in(house: &mut House, accounts: Vec<Account>) -> Result<(), NotDone> {
    match house.try_command("palermo", Command::Accounts { accounts }) {
        Ok(()) => Ok(()),
        Err(CommandError::NotDone(why)) => Err(why),
        Err(other) => panic!("{other}"),
    }
}

fn start(house: &mut House) {
    house.wait(1);
    house.command("palermo", Command::Deadline { when: "+6h".to_owned() });
    house.command("palermo", Command::Start);
    house.round();
    house.wait(1);
}

/// The passwords that stand in letters to an address.
fn told(house: &House, address: &str) -> Vec<usize> {
    let texts: String = house.got(address).into_iter().map(|got| got.body).collect();
    (0..PASSWORDS.len()).filter(|at| texts.contains(&format!("{}\n", PASSWORDS[*at]))).collect()
}

fn verified(house: &mut House) -> String {
    house.command("palermo", Command::Finish { winner: Winner::Town });
    let mut out = Vec::new();
    omerta::export::export(&house.daemon().desk().store, "palermo", &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    omerta::export::verify(&text).unwrap();
    text
}

/// How a text may look inside a letter, wherever it stands in it.
fn in_base64(text: &str) -> Vec<String> {
    let inside = |before: usize| {
        let coded = data_encoding::BASE64.encode(&[&vec![0; before], text.as_bytes()].concat());
        coded.chars().skip(4 * before.min(1)).take(16).collect()
    };
    (0..3).map(inside).collect()
}

#[test]
fn each_player_gets_one_with_his_role_and_it_can_be_drawn_again() {
    let mut house = signed_up(&[], true);
    hand_in(&mut house, csv(0..8)).unwrap();
    let key = house.folder.join("omerta.key");
    assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    start(&mut house);
    let mut seen = Vec::new();
    for number in 0..7 {
        let address = format!("p{number}@home.test");
        let own = told(&house, &address);
        assert_eq!(own.len(), 1, "{address}: {own:?}");
        let role = house.newest(&address);
        assert_eq!(role.kind, "role");
        assert!(role.body.contains(&format!("под ником {}, пароль: {}", NAMES[own[0]], PASSWORDS[own[0]])));
        seen.extend(own);
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 7, "to each his own");
    for other in ["p7@home.test", "host@example.org", "moderator@example.org"] {
        assert_eq!(told(&house, other), Vec::<usize>::new(), "{other}");
    }
    // Again on request; nowhere else, and nowhere in clear.
    house.mail("p3@home.test", "[palermo]", "Роль\nСтатус");
    assert!(house.newest("p3@home.test").body.contains(PASSWORDS[told(&house, "p3@home.test")[0]]));
    let text = verified(&mut house);
    house.shut();
    let mut places = vec![text.into_bytes()];
    for name in ["omerta.db", "omerta.db-wal"] {
        places.extend(std::fs::read(house.folder.join(name)));
    }
    for place in &places {
        assert!(!place.windows(6).any(|part| part == "Xq7-о".as_bytes() || part == "Xq7-д".as_bytes()));
        for coded in in_base64("пароль: Xq7-") {
            assert!(!place.windows(coded.len()).any(|part| part == coded.as_bytes()), "a letter lies open");
        }
        assert!(!place.windows(8).any(|part| part == b"Xq7-=D0=" || part == b"Xq7-=D1="));
    }
}

/// As docs/lots.md says it, for anybody who draws again.
#[test]
fn the_words_of_players_go_into_the_draw_without_their_nicks() {
    let mut house = signed_up(&[], true);
    hand_in(&mut house, csv(0..8)).unwrap();
    start(&mut house);
    let dealt = house.journal("palermo").into_iter().find_map(|entry| match entry {
        Entry::AccountsDealt { accounts } => Some(accounts),
        _ => None,
    });
    let table = house.table("palermo");
    let nicks: Vec<String> = table.game.players.iter().map(|player| player.nick.clone()).collect();
    let seed = house.daemon().desk().store.read(|tx| tx.secret(tx.game("palermo")?.unwrap().id, "seed")).unwrap();
    let lots =
        Lots { seed: seed.unwrap().try_into().unwrap(), words: vec![(String::new(), "рябина".to_owned())] };
    let names = NAMES.map(str::to_owned);
    assert_eq!(Some(draws::accounts(&names, &nicks, &lots)), dealt);
}

#[test]
fn a_letter_that_cannot_be_unsealed_keeps_no_other_waiting_and_leaves_when_the_key_is_back() {
    let mut house = signed_up(&[], true);
    hand_in(&mut house, csv(0..7)).unwrap();
    house.wait(1);
    house.command("palermo", Command::Deadline { when: "+6h".to_owned() });
    house.command("palermo", Command::Start);
    let key = house.folder.join("omerta.key");
    let kept = std::fs::read(&key).unwrap();
    std::fs::remove_file(&key).unwrap();
    house.round();
    house.mail("p1@home.test", "[palermo]", "Статус");
    for number in 0..7 {
        assert_eq!(told(&house, &format!("p{number}@home.test")), Vec::<usize>::new());
    }
    assert_eq!(house.newest("p1@home.test").kind, "answer");
    std::fs::write(&key, kept).unwrap();
    house.wait(400);
    house.round();
    for number in 0..7 {
        assert_eq!(told(&house, &format!("p{number}@home.test")).len(), 1);
    }
}

#[test]
fn a_moved_account_is_found_by_verify() {
    let mut house = signed_up(&[], true);
    hand_in(&mut house, csv(0..8)).unwrap();
    start(&mut house);
    let text = verified(&mut house);
    let line = text.lines().find(|line| line.contains("\"accounts_dealt\"")).unwrap();
    let at = line.find("\"accounts\":[").unwrap() + "\"accounts\":[".len();
    let (head, tail) = line.split_at_checked(at).unwrap();
    let numbers: Vec<&str> = tail.split(']').next().unwrap().split(',').collect();
    let swapped = format!("{},{}", numbers[1], numbers[0]);
    let bent = format!("{head}{}", tail.replacen(&format!("{},{}", numbers[0], numbers[1]), &swapped, 1));
    let difference = omerta::export::verify(&text.replace(line, &bent)).unwrap_err();
    assert!(difference.what.contains("the forum accounts"), "{difference}");
}

#[test]
fn an_account_that_bears_a_nick_goes_to_its_player() {
    let mut house = signed_up(&[], true);
    let rows: String = (0..7).rev().map(|number| format!("ИГРОК {number};secret-{number}\n")).collect();
    hand_in(&mut house, read_accounts(format!("forum_name;password\n{rows}").as_bytes()).unwrap()).unwrap();
    start(&mut house);
    for number in 0..7 {
        let role = house.newest(&format!("p{number}@home.test"));
        assert!(role.body.contains(&format!("пароль: secret-{number}\n")), "{number}: {}", role.body);
    }
    verified(&mut house);
}

#[test]
fn with_issued_nicks_the_account_gives_the_nick() {
    let mut house = signed_up(&[("nick_source", "issued")], false);
    let dotted = read_accounts("forum_name,password\nмафия.рф,x\n".as_bytes()).unwrap();
    assert!(matches!(hand_in(&mut house, dotted), Err(NotDone::AccountNoNick { line: 2, .. })));
    hand_in(&mut house, csv(0..7)).unwrap();
    start(&mut house);
    let table = house.table("palermo");
    let mut nicks: Vec<String> = table.game.players.iter().map(|player| player.nick.clone()).collect();
    for (number, nick) in nicks.iter().enumerate() {
        let role = house.newest(&format!("p{number}@home.test"));
        assert!(role.body.contains(&format!("под ником {nick}, пароль: ")), "{nick}: {}", role.body);
    }
    assert_eq!(table.lot_words, [(nicks[3].clone(), "рябина".to_owned())]);
    nicks.sort();
    let mut names = NAMES[..7].to_vec();
    names.sort_unstable();
    assert_eq!(nicks, names);
    verified(&mut house);
}

#[test]
fn too_few_accounts_and_a_lost_or_wrong_key_stop_the_start_and_nothing_is_half_done() {
    let mut house = signed_up(&[], true);
    hand_in(&mut house, csv(0..6)).unwrap();
    let before = house.journal("palermo").len();
    let refusal = |house: &mut House| match house.try_command("palermo", Command::Start).unwrap_err() {
        CommandError::NotDone(why) => why,
        other => panic!("{other}"),
    };
    assert_eq!(refusal(&mut house), NotDone::TooFewAccounts { accounts: 6, players: 7 });
    hand_in(&mut house, csv(0..7)).unwrap();
    let key = house.folder.join("omerta.key");
    let kept = std::fs::read(&key).unwrap();
    std::fs::remove_file(&key).unwrap();
    for other in [None, Some("no key"), Some("00".repeat(32).as_str())] {
        if let Some(text) = other {
            std::fs::write(&key, text).unwrap();
        }
        let NotDone::NoKey { what } = refusal(&mut house) else { panic!("{other:?}") };
        assert!(what.contains("omerta.key") && !what.contains("Xq7"), "{what}");
    }
    assert_eq!(house.journal("palermo").len(), before + 2, "nothing but the second list");
    assert!(house.table("palermo").game.players.is_empty());
    std::fs::write(&key, kept).unwrap();
    start(&mut house);
    assert_eq!(house.newest("p0@home.test").kind, "role");
}

#[test]
fn a_key_that_is_lost_in_mid_game_leaves_the_player_an_answer() {
    let mut house = signed_up(&[], true);
    hand_in(&mut house, csv(0..7)).unwrap();
    start(&mut house);
    let key = house.folder.join("omerta.key");
    std::fs::remove_file(&key).unwrap();
    house.mail("p1@home.test", "[palermo]", "Роль");
    let role = house.newest("p1@home.test");
    assert!(role.body.contains("Пароль сейчас не прочесть"), "{}", role.body);
}

#[test]
fn the_successor_gets_the_account_and_the_host_changes_its_password() {
    let mut house = signed_up(&[], true);
    hand_in(&mut house, csv(0..7)).unwrap();
    start(&mut house);
    let own = told(&house, "p2@home.test");
    let replace = Command::Replace { nick: "Игрок 2".to_owned(), address: "new@home.test".to_owned() };
    house.command("palermo", replace);
    house.round();
    assert_eq!(told(&house, "new@home.test"), own);
    let alert = house.newest("host@example.org");
    assert!(alert.body.contains(NAMES[own[0]]) && alert.body.contains("Смените"), "{}", alert.body);
    assert_eq!(told(&house, "host@example.org"), Vec::<usize>::new());
    let unknown = read_accounts("forum_name,password\nЧужак,x\n".as_bytes()).unwrap();
    assert_eq!(hand_in(&mut house, unknown), Err(NotDone::UnknownAccount { name: "Чужак".to_owned() }));
    let fresh = format!("forum_name,password\n{},Новый-пароль-9\n", NAMES[own[0]].to_uppercase());
    hand_in(&mut house, read_accounts(fresh.as_bytes()).unwrap()).unwrap();
    house.round();
    let role = house.newest("new@home.test");
    assert_eq!(role.kind, "role");
    assert!(role.body.contains("пароль: Новый-пароль-9\n"), "{}", role.body);
    assert_eq!(house.newest("p2@home.test").kind, "replacement", "who left learns nothing");
    let changed = |entry: &Entry| matches!(entry, Entry::PasswordsChanged { accounts } if accounts.len() == 1);
    assert!(house.journal("palermo").iter().any(changed));
}
