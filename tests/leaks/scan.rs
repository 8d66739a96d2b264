//! What must stand nowhere, and the search for it.

use omerta::keys::Keys;
use omerta::letters::Lang;

use crate::house::binary::Machine;

/// The hosts' proof word.
pub const HOST_WORD: &str = "сыромятник-38";
/// What players wrote: a note that is handed over, one that is not, a private letter, the clan's talk, and what a
/// stranger wrote.
pub const NOTE: &str = "сокровенное-завещание";
pub const UNDELIVERED: &str = "сокровенное-ненужное";
pub const PM: &str = "сокровенное-личное";
pub const CLAN: &str = "сокровенное-клановое";
pub const STRAY: &str = "сокровенное-чужое";

/// Stems of the roles' names in letters, and their names in the journal.
const ROLES: [&str; 18] = [
    "комиссар",
    "доктор",
    "сержант",
    "подкидыш",
    "мафиоз",
    "босс",
    "камикадзе",
    "маньяк",
    "мирный житель",
    "citizen",
    "commissioner",
    "doctor",
    "sergeant",
    "foundling",
    "mafioso",
    "\"boss\"",
    "kamikaze",
    "maniac",
];

/// Marks by what they are.
pub struct Secrets(Vec<(String, String)>);

impl Secrets {
    /// Texts, words, the hosts' word, every address, every token of a letter of ours, the key and `more`.
    pub fn of(machine: &Machine, tag: &str, players: u16, addresses: &[String], more: &[(&str, &str)]) -> Secrets {
        let mut marks: Vec<(String, String)> =
            [NOTE, UNDELIVERED, PM, CLAN, STRAY].map(|text| ("a player's text".to_owned(), text.to_owned())).to_vec();
        let mut add = |what: &str, mark: &str| marks.push((what.to_owned(), mark.to_lowercase()));
        add("the hosts' word", HOST_WORD);
        add("the hosts' word", &HOST_WORD.replace('-', " "));
        let store = machine.store();
        let keys = Keys::new(store.key());
        for word in keys.proof_words(tag, usize::from(players), &[], Lang::Ru) {
            add("a proof word", &word);
        }
        add("the key", &data_encoding::HEXLOWER.encode(&store.key()));
        for address in addresses {
            add("an address", address);
        }
        for letter in machine.json(&["letters", tag, "--json"]).as_array().unwrap() {
            add("a token", letter["message_id"].as_str().unwrap().split('@').next().unwrap());
        }
        for (what, mark) in more {
            add(what, mark);
        }
        Secrets(marks)
    }

    /// Without those that may stand there.
    pub fn but(&self, allowed: &[&str]) -> Secrets {
        Secrets(self.0.iter().filter(|(what, _)| !allowed.contains(&what.as_str())).cloned().collect())
    }

    pub fn are_not_in(&self, place: &str, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes).to_lowercase();
        for (what, mark) in &self.0 {
            if let Some((before, after)) = text.split_once(mark.as_str()) {
                let before: String = before.chars().rev().take(200).collect::<Vec<_>>().into_iter().rev().collect();
                let after: String = after.chars().take(80).collect();
                panic!("{place} tells {what}:\n{before}[{mark}]{after}");
            }
        }
    }
}

/// No role's name, in letters' words or in the journal's.
pub fn names_no_role(place: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    for role in ROLES {
        assert!(!text.contains(role), "{place} names {role}:\n{text}");
    }
}
