//! What is derived from the database's own key: letter tokens, proof words, and an order that tells nothing. None of
//! it comes from the lots' seed, which is revealed at the end.

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

    /// A player's proof word in the language of the game: `барсук-77`. Who takes the seat over gets another one;
    /// `predecessors` sat there before him.
    pub fn proof_word(&self, game: &str, player: PlayerId, predecessors: u16, lang: Lang) -> String {
        let (seat, heir) = (player.0.to_be_bytes(), predecessors.to_be_bytes());
        let digest = match predecessors {
            0 => self.digest(&[b"proof word", game.as_bytes(), &seat]),
            _ => self.digest(&[b"proof word", game.as_bytes(), &seat, &heir]),
        };
        let number = digest.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        let words = match lang {
            Lang::Ru => WORDS_RU,
            Lang::En => WORDS_EN,
        };
        let count = u64::try_from(words.len()).unwrap_or(1);
        let index = usize::try_from(number % count).unwrap_or_default();
        let word = words.get(index).copied().unwrap_or("word");
        format!("{word}-{}", 10 + (number / count) % 90)
    }

    /// Whether a folded proof word is that player's; in constant time.
    pub fn proves(&self, game: &str, player: PlayerId, predecessors: u16, lang: Lang, folded: &str) -> bool {
        let own = self.proof_word(game, player, predecessors, lang);
        same_word(&crate::request::words::fold_proof_word(&own).unwrap_or_default(), folded)
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

    #[test]
    fn a_proof_word_proves_its_own_player_only() {
        let keys = Keys::new([7; 32]);
        for lang in [Lang::Ru, Lang::En] {
            let word = keys.proof_word("palermo", PlayerId(3), 0, lang);
            let folded = crate::request::words::fold_proof_word(&word).unwrap_or_default();
            assert!(keys.proves("palermo", PlayerId(3), 0, lang, &folded), "{word}");
            assert!(!keys.proves("palermo", PlayerId(4), 0, lang, &folded), "{word}");
            assert!(!keys.proves("palermo", PlayerId(3), 1, lang, &folded), "{word}");
        }
    }
}
