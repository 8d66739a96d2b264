//! For how many turns: the end of a host's line that takes a vote away.

use super::typography::is_colon;

/// What stands before the number, and how many turns it means; an error is what is no number of turns. Without one it is
/// one turn. `Ник, Ник: 2`, `Ник: на два хода`, `Ник на 2 хода`.
pub fn split(argument: &str) -> (&str, Result<u16, &str>) {
    if let Some((nicks, said)) = argument.rsplit_once(is_colon) {
        let said = said.trim();
        return (nicks, if said.is_empty() { Ok(1) } else { turns_said(said).ok_or(said) });
    }
    // Without a colon only what can hardly be the end of a nick: a number and «ход».
    let starts = argument.char_indices().filter(|(_, letter)| letter.is_whitespace()).map(|(at, _)| at);
    for (nicks, said) in starts.filter_map(|at| argument.split_at_checked(at)) {
        let names_turns = said.split_whitespace().last().is_some_and(|last| is_unit(&folded(last)));
        let with_number = said.split_whitespace().count() > 1;
        if names_turns
            && with_number
            && !nicks.trim().is_empty()
            && let Some(turns) = turns_said(said)
        {
            return (nicks, Ok(turns));
        }
    }
    (argument, Ok(1))
}

/// `2`, `2 хода`, `на два хода`, `for two turns`, «на один день» (R88); what follows a comma is passed over.
fn turns_said(said: &str) -> Option<u16> {
    let said = said.split([',', ';', '.', '!', '(']).next().unwrap_or(said);
    let words: Vec<String> = said.split_whitespace().map(folded).collect();
    let mut words: &[String] = &words;
    if let [first, rest @ ..] = words
        && ["на", "for"].contains(&first.as_str())
    {
        words = rest;
    }
    match words {
        [unit] if is_unit(unit) => Some(1),
        [number] => number_said(number),
        [number, unit] if is_unit(unit) => number_said(number),
        _ => None,
    }
    .filter(|turns| *turns > 0)
}

/// More than a number holds is more than any game has turns.
fn number_said(word: &str) -> Option<u16> {
    if !word.is_empty() && word.chars().all(|c| c.is_ascii_digit()) {
        return Some(word.parse().unwrap_or(u16::MAX));
    }
    let place = NUMBERS.iter().position(|forms| forms.contains(&word))?;
    u16::try_from(place + 1).ok()
}

fn is_unit(word: &str) -> bool {
    ["ход", "хода", "ходов", "turn", "turns", "день", "day"].contains(&word)
}

fn folded(word: &str) -> String {
    word.to_lowercase().replace('ё', "е")
}

const NUMBERS: [&[&str]; 10] = [
    &["один", "одна", "одно", "одну", "one"],
    &["два", "две", "two"],
    &["три", "three"],
    &["четыре", "four"],
    &["пять", "five"],
    &["шесть", "six"],
    &["семь", "seven"],
    &["восемь", "eight"],
    &["девять", "nine"],
    &["десять", "ten"],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_read_as_hosts_write_them() {
        for (argument, nicks, turns) in [
            ("Глеб", "Глеб", Ok(1)),
            ("Глеб, Анна: 2", "Глеб, Анна", Ok(2)),
            ("Глеб:", "Глеб", Ok(1)),
            ("Глеб: два", "Глеб", Ok(2)),
            ("Глеб: На Два  хода", "Глеб", Ok(2)),
            ("Глеб: на 2 хода, спасибо", "Глеб", Ok(2)),
            ("Глеб: один ход", "Глеб", Ok(1)),
            ("Глеб: на один день", "Глеб", Ok(1)),
            ("Глеб: десять ходов", "Глеб", Ok(10)),
            ("Глеб：3", "Глеб", Ok(3)),
            ("Gleb: for two turns", "Gleb", Ok(2)),
            ("Gleb: ten", "Gleb", Ok(10)),
            ("Глеб на 2 хода", "Глеб", Ok(2)),
            ("Глеб на два хода", "Глеб", Ok(2)),
            ("Глеб и Анна 3 хода", "Глеб и Анна", Ok(3)),
            ("Глеб на ход", "Глеб", Ok(1)),
            // More than any number: the bound says so.
            ("Глеб: 99999999", "Глеб", Ok(u16::MAX)),
            // A nick may end in such words.
            ("Глеб 2", "Глеб 2", Ok(1)),
            ("Глеб два", "Глеб два", Ok(1)),
            ("Два хода", "Два хода", Ok(1)),
            ("Конь, твой ход", "Конь, твой ход", Ok(1)),
            ("Глеб: 0", "Глеб", Err("0")),
            ("Глеб: ноль", "Глеб", Err("ноль")),
            ("Глеб: до конца игры", "Глеб", Err("до конца игры")),
            ("Глеб: 2-3", "Глеб", Err("2-3")),
            ("Глеб: за грубость", "Глеб", Err("за грубость")),
            ("", "", Ok(1)),
        ] {
            assert_eq!(split(argument), (nicks, turns), "{argument}");
        }
    }
}
