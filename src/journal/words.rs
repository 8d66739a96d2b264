//! The words for what the journal holds: request words of kinds and back, and who won.

use crate::request::Word;
use crate::rules::{Kind, Winner};

/// The request word of a kind.
pub fn word_of(kind: Kind) -> Word {
    match kind {
        Kind::Lynch => Word::Lynch,
        Kind::Hunt => Word::Hunt,
        Kind::Kill => Word::Kill,
        Kind::Check => Word::Check,
        Kind::Heal => Word::Heal,
        Kind::Seek => Word::Seek,
        Kind::Pistol => Word::Pistol,
        Kind::Note => Word::Note,
        Kind::Pm => Word::Pm,
        Kind::Clan => Word::Clan,
    }
}

/// The kind of a request word, if the rules judge it.
pub fn kind_of(word: Word) -> Option<Kind> {
    Some(match word {
        Word::Lynch => Kind::Lynch,
        Word::Hunt => Kind::Hunt,
        Word::Kill => Kind::Kill,
        Word::Check => Kind::Check,
        Word::Heal => Kind::Heal,
        Word::Seek => Kind::Seek,
        Word::Pistol => Kind::Pistol,
        Word::Note => Kind::Note,
        Word::Pm => Kind::Pm,
        Word::Clan => Kind::Clan,
        _ => return None,
    })
}

/// Who won, for a game that has ended.
pub fn winner_word(winner: Option<Winner>) -> &'static str {
    match winner {
        None => "none",
        Some(Winner::Town) => "town",
        Some(Winner::Mafia) => "mafia",
        Some(Winner::Maniac) => "maniac",
        Some(Winner::Draw) => "draw",
    }
}
