//! A role letter that is asked for, and what becomes of one that is passed on (A71).

use crate::house::address;
use crate::town::{HOST, TAG, Town};

fn held(town: &mut Town) -> Vec<(String, String)> {
    let held = town.house.daemon().desk().store.read(|tx| {
        let game = tx.game(TAG)?.unwrap();
        tx.held(game.id)
    });
    held.unwrap().into_iter().map(|letter| (letter.kind, letter.to)).collect()
}

#[test]
fn the_role_letter_names_the_turn_whose_deadline_it_tells() {
    let mut town = Town::new("address");
    town.write(4, "", "Роль");
    let role = town.house.last(TAG, 4, "role").body;
    assert!(role.contains("Ход 2 идёт до срока"), "{role}");
}

#[test]
fn talk_that_shows_a_role_letter_waits_for_the_host() {
    let mut town = Town::new("address");
    let role = town.house.last(TAG, 3, "role").body;
    let rewrapped: Vec<&str> = role.split_whitespace().collect();
    for (shown, text) in [role.lines().collect::<Vec<_>>().join("\n| "), rewrapped.join(" ")].iter().enumerate() {
        town.write(3, "", &format!("ЛС - Анна: смотри\n| {text}\nКонец"));
        let to = address(TAG, 0);
        assert_eq!(town.count(&to, "pm"), 0, "it does not leave");
        assert_eq!(held(&mut town), vec![("pm".to_owned(), to); shown + 1]);
        let alerts: Vec<_> = town.house.got(HOST).into_iter().filter(|got| got.kind == "alert").collect();
        assert_eq!(alerts.len(), shown + 1);
        assert!(alerts.iter().all(|alert| alert.body.contains("Глеб") && !alert.body.contains("омиссар")));
        let receipt = town.house.last(TAG, 3, "receipt").body;
        assert!(receipt.contains("увидит ведущий") && !receipt.contains("Передано"), "{receipt}");
    }
    for (left, talk) in [
        "правило 3 никому не показывать, а слово у меня есть",
        "Не показывайте это письмо никому, я вам верю",
        "в первом письме сказано: за это исключают (правило 3)",
    ]
    .iter()
    .enumerate()
    {
        town.write(3, "", &format!("ЛС - Анна: {talk}"));
        assert_eq!(town.count(&address(TAG, 0), "pm"), left + 1, "{talk}");
    }
}
