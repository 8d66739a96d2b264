//! What is derived from the database's own key: letter tokens, proof words, and an order that tells nothing. None of
//! it comes from the lots' seed, which is revealed at the end.

use std::collections::{BTreeMap, BTreeSet};

use data_encoding::BASE32_NOPAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::letters::Lang;
use crate::rules::PlayerId;

#[derive(Clone)]
pub struct Keys {
    key: [u8; 32],
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Keys(***)")
    }
}

impl Keys {
    pub fn new(key: [u8; 32]) -> Keys {
        Keys { key }
    }

    /// The token of one letter: 16 letters and digits (80 bits), bound to the game, its reader and the letter's number
    /// among that reader's letters, so that it does not depend on what others were sent.
    pub fn token(&self, game: &str, reader: &str, number: u64) -> String {
        let digest = self.digest(&[b"token", game.as_bytes(), reader.as_bytes(), &number.to_be_bytes()]);
        let head: Vec<u8> = digest.iter().copied().take(10).collect();
        BASE32_NOPAD.encode(&head).to_ascii_lowercase()
    }

    /// The proof words of a game in its language, of whoever sits on each of so many seats now: `барсук-77`. `taken_over`
    /// are the seats that another person took over, in the order in which it happened; he gets another word.
    ///
    /// No word of a game is given twice, not even that of somebody who has gone: of two that the key would make alike the
    /// later one is made anew. Each depends only on those given before it, so that whoever comes later changes nobody's.
    pub fn proof_words(&self, game: &str, seats: usize, taken_over: &[PlayerId], lang: Lang) -> Vec<String> {
        let mut given = BTreeSet::new();
        let mut give = |player: PlayerId, predecessors: u16| {
            let mut word = String::new();
            // Of some 9,000 words a game uses up a few dozen: the first or second try is new.
            for again in 0..MOST_TRIES {
                word = self.proof_word(game, player, predecessors, again, lang);
                if !given.contains(&word) {
                    break;
                }
            }
            given.insert(word.clone());
            word
        };
        let mut words: Vec<String> = (0..=u16::MAX).take(seats).map(|seat| give(PlayerId(seat), 0)).collect();
        let mut predecessors: BTreeMap<PlayerId, u16> = BTreeMap::new();
        for player in taken_over {
            let before = predecessors.entry(*player).or_default();
            *before = before.saturating_add(1);
            let word = give(*player, *before);
            if let Some(own) = words.get_mut(usize::from(player.0)) {
                *own = word;
            }
        }
        words
    }

    /// A proof word for the hosts that no player is ever given: two words of the list, and a number.
    pub fn hosts_word(&self, lang: Lang) -> String {
        let digest = self.digest(&[b"hosts' proof word"]);
        let (first, rest) = pick(lang, number_in(&digest));
        let (second, rest) = pick(lang, rest);
        format!("{first}{second}-{}", 10 + rest % 90)
    }

    /// What the key makes for who sits on a seat after so many others, at that try.
    fn proof_word(&self, game: &str, player: PlayerId, predecessors: u16, again: u16, lang: Lang) -> String {
        let (seat, heir, again) = (player.0.to_be_bytes(), predecessors.to_be_bytes(), again.to_be_bytes());
        let digest = match (predecessors, again) {
            (0, [0, 0]) => self.digest(&[b"proof word", game.as_bytes(), &seat]),
            (_, [0, 0]) => self.digest(&[b"proof word", game.as_bytes(), &seat, &heir]),
            _ => self.digest(&[b"proof word", game.as_bytes(), &seat, &heir, &again]),
        };
        let (word, rest) = pick(lang, number_in(&digest));
        format!("{word}-{}", 10 + rest % 90)
    }

    /// A place in the private wave of a turn that has nothing to do with roles.
    pub fn rank(&self, game: &str, turn: u16, player: PlayerId) -> [u8; 32] {
        self.digest(&[b"rank", game.as_bytes(), &turn.to_be_bytes(), &player.0.to_be_bytes()])
    }

    fn digest(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = match Hmac::<Sha256>::new_from_slice(&self.key) {
            Ok(mac) => mac,
            Err(_) => return [0; 32],
        };
        for part in parts {
            mac.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

/// Whether a text has the form of a token; it may be none of ours.
pub fn is_token(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'2'..=b'7'))
}

/// What has the form of a token where ours come back: in the Message-IDs that a letter refers to, and behind the last
/// plus of an address that it was sent to (our own mailbox may have a plus in its name). At most 64.
pub fn tokens_in<'a>(refers_to: &'a [String], recipients: &'a [String]) -> impl Iterator<Item = String> + 'a {
    let ids = refers_to.iter().filter_map(|id| id.split('@').next());
    let plus = recipients.iter().filter_map(|address| Some(address.split('@').next()?.rsplit_once('+')?.1));
    ids.chain(plus).map(str::to_ascii_lowercase).filter(|token| is_token(token)).take(64)
}

/// Whether two folded proof words are one; in constant time.
pub fn same_word(own: &str, folded: &str) -> bool {
    own.as_bytes().ct_eq(folded.as_bytes()).into()
}

/// Whether a folded proof word is one that a player may be given. A host who chose it may one day share it with a player,
/// and then it proves neither.
pub fn may_be_a_players(folded: &str) -> bool {
    let letters = folded.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = folded.strip_prefix(letters).and_then(|digits| digits.parse::<u8>().ok());
    number.is_some_and(|number| (10..100).contains(&number))
        && [WORDS_RU, WORDS_EN].into_iter().any(|words| words.contains(&letters))
}

/// How often a word that somebody has is made anew.
const MOST_TRIES: u16 = 1000;

fn number_in(digest: &[u8; 32]) -> u64 {
    digest.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte))
}

/// A word of the list, and what of the number is left for more.
fn pick(lang: Lang, number: u64) -> (&'static str, u64) {
    let words = match lang {
        Lang::Ru => WORDS_RU,
        Lang::En => WORDS_EN,
    };
    let count = u64::try_from(words.len()).unwrap_or(1);
    let index = usize::try_from(number % count).unwrap_or_default();
    (words.get(index).copied().unwrap_or("word"), number / count)
}

const WORDS_RU: &[&str] = &[
    "акация",
    "барабан",
    "барсук",
    "бинокль",
    "брусника",
    "бубен",
    "валенок",
    "василек",
    "веранда",
    "верблюд",
    "винтик",
    "воробей",
    "гамак",
    "гвоздика",
    "глобус",
    "голубь",
    "горчица",
    "гребень",
    "дельфин",
    "дирижабль",
    "дудочка",
    "ежевика",
    "жаворонок",
    "желудь",
    "журавль",
    "занавес",
    "зеркало",
    "зонтик",
    "изюм",
    "индюк",
    "иволга",
    "кабачок",
    "калоша",
    "камбала",
    "камыш",
    "канарейка",
    "каракатица",
    "карандаш",
    "карусель",
    "кастрюля",
    "каштан",
    "кефир",
    "клубок",
    "клюква",
    "колокол",
    "компас",
    "корабль",
    "корица",
    "костер",
    "крапива",
    "кувшин",
    "лампа",
    "ландыш",
    "лодка",
    "лопата",
    "лукошко",
    "магнит",
    "малина",
    "маяк",
    "мельница",
    "метель",
    "морковь",
    "мотылек",
    "наперсток",
    "одуванчик",
    "окунь",
    "орешник",
    "парус",
    "патефон",
    "пеликан",
    "перец",
    "пингвин",
    "подсолнух",
    "пряник",
    "пуговица",
    "радуга",
    "ракушка",
    "редиска",
    "ромашка",
    "рябина",
    "самовар",
    "сверчок",
    "снегирь",
    "солонка",
    "стрекоза",
    "сундук",
    "телега",
    "тополь",
    "тыква",
    "улитка",
    "утюг",
    "фонарь",
    "хомяк",
    "цапля",
    "чайник",
    "черника",
    "шиповник",
    "шкатулка",
    "щегол",
    "яблоня",
    "якорь",
    "ящерица",
];

const WORDS_EN: &[&str] = &[
    "acorn",
    "almond",
    "anchor",
    "apricot",
    "arrow",
    "badger",
    "balloon",
    "banjo",
    "barrel",
    "basket",
    "beaver",
    "blanket",
    "bobbin",
    "bottle",
    "bramble",
    "bucket",
    "button",
    "cabbage",
    "camel",
    "candle",
    "canoe",
    "carrot",
    "castle",
    "cedar",
    "cherry",
    "chimney",
    "cinnamon",
    "clover",
    "compass",
    "copper",
    "cricket",
    "curtain",
    "daisy",
    "dolphin",
    "donkey",
    "dragonfly",
    "eagle",
    "falcon",
    "feather",
    "fiddle",
    "garden",
    "ginger",
    "goose",
    "hammock",
    "harbor",
    "hazel",
    "hedgehog",
    "helmet",
    "heron",
    "island",
    "jacket",
    "juniper",
    "kettle",
    "ladder",
    "lantern",
    "lemon",
    "lobster",
    "magnet",
    "maple",
    "marble",
    "meadow",
    "mitten",
    "mustard",
    "needle",
    "nettle",
    "onion",
    "orchard",
    "otter",
    "paddle",
    "parsley",
    "pebble",
    "pelican",
    "pepper",
    "pigeon",
    "pillow",
    "piston",
    "plum",
    "pumpkin",
    "rabbit",
    "radish",
    "raven",
    "ribbon",
    "saddle",
    "saucer",
    "shovel",
    "sparrow",
    "spoon",
    "squirrel",
    "teapot",
    "thimble",
    "thistle",
    "tulip",
    "turnip",
    "turtle",
    "umbrella",
    "violet",
    "walnut",
    "whistle",
    "willow",
    "window",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_by_every_part_and_are_the_same_again() {
        let keys = Keys::new([7; 32]);
        let token = keys.token("palermo", "player:1", 3);
        assert_eq!(token.len(), 16);
        assert!(is_token(&token) && !is_token("letter-1") && !is_token(&token.to_uppercase()));
        let own = |text: String| vec![text];
        for (refers_to, recipients) in [
            (own(format!("{token}@example.org")), Vec::new()),
            (own(format!("{}@EXAMPLE.ORG", token.to_uppercase())), Vec::new()),
            (Vec::new(), own(format!("mafia+{token}@example.org"))),
            (Vec::new(), own(format!("mafia+games+{token}@example.org"))),
        ] {
            let found: Vec<String> = tokens_in(&refers_to, &recipients).collect();
            assert_eq!(found, [token.as_str()], "{refers_to:?} {recipients:?}");
        }
        assert_eq!(tokens_in(&own("letter-1@example.org".to_owned()), &own(format!("{token}@example.org"))).count(), 0);
        assert_eq!(token, keys.token("palermo", "player:1", 3));
        for other in [
            keys.token("palermo", "player:1", 4),
            keys.token("palermo", "player:2", 3),
            keys.token("corleone", "player:1", 3),
        ] {
            assert_ne!(token, other);
        }
    }

    /// What the key alone makes of each seat, as it was given before words had to differ.
    fn made_alone(keys: &Keys, seats: u16) -> Vec<String> {
        (0..seats).map(|seat| keys.proof_word("palermo", PlayerId(seat), 0, 0, Lang::Ru)).collect()
    }

    #[test]
    fn no_two_of_a_game_have_the_same_proof_word_and_only_the_later_of_a_clash_gets_another() {
        let mut clashes = 0;
        for key in 0..32 {
            let keys = Keys::new([key; 32]);
            for lang in [Lang::Ru, Lang::En] {
                let words = keys.proof_words("palermo", 60, &[], lang);
                let different: BTreeSet<&String> = words.iter().collect();
                assert_eq!(different.len(), 60, "key {key}");
            }
            let words = keys.proof_words("palermo", 60, &[], Lang::Ru);
            let alone = made_alone(&keys, 60);
            for (seat, (word, alone_word)) in words.iter().zip(&alone).enumerate() {
                let clashes_here = words[..seat].contains(alone_word);
                assert_eq!(word != alone_word, clashes_here, "key {key}, seat {seat}");
                clashes += usize::from(clashes_here);
            }
        }
        assert!(clashes > 2, "{clashes} clashes are too few to show anything");
    }

    #[test]
    fn who_takes_a_seat_over_changes_nobody_elses_word_and_shares_none() {
        let mut clashes = 0;
        for key in 0..32 {
            let keys = Keys::new([key; 32]);
            let taken_over: Vec<PlayerId> = (0..60).map(|number| PlayerId(number * 7 % 20)).collect();
            let mut given: BTreeSet<String> = keys.proof_words("palermo", 20, &[], Lang::Ru).into_iter().collect();
            let mut before = keys.proof_words("palermo", 20, &[], Lang::Ru);
            for (now, player) in (1..).zip(&taken_over) {
                let words = keys.proof_words("palermo", 20, &taken_over[..now], Lang::Ru);
                let seat = usize::from(player.0);
                for other in (0..20).filter(|other| *other != seat) {
                    assert_eq!(words[other], before[other], "key {key}: {now} seats taken over");
                }
                assert!(given.insert(words[seat].clone()), "key {key}: {} was somebody's", words[seat]);
                let predecessors = taken_over[..now].iter().filter(|other| *other == player).count() as u16;
                let alone = keys.proof_word("palermo", *player, predecessors, 0, Lang::Ru);
                clashes += usize::from(alone != words[seat]);
                before = words;
            }
        }
        assert!(clashes > 2, "{clashes} clashes are too few to show anything");
    }

    #[test]
    fn the_hosts_word_is_none_that_a_player_may_get() {
        let fold = |word: &str| crate::request::words::fold_proof_word(word).expect("the form of a proof word");
        for lang in [Lang::Ru, Lang::En] {
            for key in 0..64 {
                let keys = Keys::new([key; 32]);
                assert!(!may_be_a_players(&fold(&keys.hosts_word(lang))), "{}", keys.hosts_word(lang));
            }
            for word in Keys::new([7; 32]).proof_words("palermo", 60, &[], lang) {
                assert!(may_be_a_players(&fold(&word)), "{word}");
            }
        }
        for other in ["palermo42", "барсук09", "барсук", "77", ""] {
            assert!(!may_be_a_players(other), "{other}");
        }
    }
}
