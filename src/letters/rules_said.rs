//! What a toggle of the rulebook changes, in a sentence for players.

use super::Lang;

/// The sentence for one deviation from the default; «имя = значение» where we have none.
pub fn sentence(lang: Lang, name: &str, value: &str) -> String {
    let _ = lang;
    format!("{name} = {value}")
}
