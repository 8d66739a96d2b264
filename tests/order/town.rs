//! A running game in its second turn, whose commissioner has learned something.

use omerta::desk::command::Command;
use omerta::rules::{Kind, PlayerId};

use crate::house::{Got, House, SEVEN, raw_letter};

pub const TAG: &str = "palermo";
pub const HOST: &str = "host@example.org";
pub const MODERATOR: &str = "moderator@example.org";
/// The commissioner.
pub const VERA: u16 = 2;

/// Vera checked Boris in the first turn; the second ends in six hours.
pub fn town_with(more: &str) -> House {
    let mut house = House::with(more);
    house.new_game(TAG, &SEVEN, &[]);
    house.start(TAG);
    house.write(TAG, VERA, "Проверка - Борис");
    house.round();
    house.close(TAG);
    house.command(TAG, Command::Deadline { when: "+6h".to_owned() });
    house.round();
    house.wait(1);
    house
}

pub fn town() -> House {
    town_with("")
}

/// A letter from any address, with header lines of its own, now.
pub fn mail(house: &mut House, from: &str, header: &str, id: &str, text: &str) {
    let raw = [header.as_bytes(), &raw_letter(from, TAG, id, text)].concat();
    let now = house.now();
    house.drop_in(&raw, now, 1);
    house.round();
    house.round();
    house.wait(1);
}

/// An answer to the last letter that an address got.
pub fn answer_last(house: &mut House, from: &str, id: &str, text: &str) -> Got {
    let last = house.got(from).pop().unwrap().message_id;
    mail(house, from, &format!("In-Reply-To: <{last}>\r\n"), id, text);
    house.got(from).pop().unwrap()
}

/// The nick for which a player's vote stands.
pub fn vote(house: &mut House, player: u16) -> Option<String> {
    let table = house.table(TAG);
    let standing = table.game.standing(PlayerId(player));
    let vote = standing.into_iter().find(|(kind, _)| *kind == Kind::Lynch);
    vote.map(|(_, whom)| table.nick(whom).to_owned())
}

/// Every address that has a Maildir of letters of ours.
pub fn mailboxes(house: &House) -> Vec<String> {
    let folders = std::fs::read_dir(house.folder.join("mail/out")).unwrap();
    let mut names: Vec<String> = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
