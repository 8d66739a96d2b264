//! Who plays, for the forum: nick, tagline and photograph, in the markup of the forum.

use serde::{Deserialize, Serialize};

use super::markup::Markup;
use crate::table::Table;

/// To the hosts: the roster, ready to paste, and the photographs as files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RosterPost {
    pub players: Vec<RosterEntry>,
    /// How many of them have a photograph.
    pub photographs: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RosterEntry {
    pub nick: String,
    pub characteristic: String,
    /// The file of the photograph, `01-anna.jpg`; None where there is none.
    pub picture: Option<String>,
    /// Whose photograph it is: his number among those who signed up.
    pub applicant: Option<u16>,
}

impl RosterPost {
    /// Those who have a place, or play.
    pub fn of(table: &Table) -> RosterPost {
        let mut players = Vec::new();
        for (place, row) in (1..).zip(table.roster_rows()) {
            let picture = row.photograph.map(|_| format!("{place:02}-{}.jpg", file_word(&row.nick)));
            let (nick, characteristic, applicant) = (row.nick, row.characteristic, row.photograph);
            players.push(RosterEntry { nick, characteristic, picture, applicant });
        }
        let with_picture = players.iter().filter(|one| one.picture.is_some()).count();
        RosterPost { players, photographs: u16::try_from(with_picture).unwrap_or(u16::MAX) }
    }

    /// The post in a markup. In the place of a photograph's address stands the name of its file.
    pub fn paste(&self, markup: Markup) -> String {
        let mut post = String::new();
        for one in &self.players {
            let nick = markup.bold(&markup.harmless(&one.nick));
            let said = match one.characteristic.as_str() {
                "" => nick,
                characteristic => format!("{nick} — {}", markup.harmless(characteristic)),
            };
            post.push_str(&markup.paragraph(&said));
            post.push('\n');
            if let Some(picture) = &one.picture {
                // In Markdown a line of its own wants a blank one before it.
                if markup == Markup::Markdown {
                    post.push('\n');
                }
                post.push_str(&markup.paragraph(&markup.picture(picture)));
                post.push('\n');
            }
            post.push('\n');
        }
        post.trim_end().to_owned() + "\n"
    }
}

/// A nick as a part of a file's name: small ASCII letters, digits and hyphens, at most 40; `player` where nothing is left.
fn file_word(nick: &str) -> String {
    let mut word = String::new();
    for c in nick.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' => word.push(c),
            _ => match RUSSIAN.iter().find(|(letter, _)| *letter == c) {
                Some((_, latin)) => word.push_str(latin),
                None if !word.is_empty() && !word.ends_with('-') => word.push('-'),
                None => {}
            },
        }
    }
    let short: String = word.chars().take(40).collect();
    match short.trim_end_matches('-') {
        "" => "player".to_owned(),
        word => word.to_owned(),
    }
}

const RUSSIAN: &[(char, &str)] = &[
    ('а', "a"),
    ('б', "b"),
    ('в', "v"),
    ('г', "g"),
    ('д', "d"),
    ('е', "e"),
    ('ё', "yo"),
    ('ж', "zh"),
    ('з', "z"),
    ('и', "i"),
    ('й', "y"),
    ('к', "k"),
    ('л', "l"),
    ('м', "m"),
    ('н', "n"),
    ('о', "o"),
    ('п', "p"),
    ('р', "r"),
    ('с', "s"),
    ('т', "t"),
    ('у', "u"),
    ('ф', "f"),
    ('х', "kh"),
    ('ц', "ts"),
    ('ч', "ch"),
    ('ш', "sh"),
    ('щ', "shch"),
    ('ъ', ""),
    ('ы', "y"),
    ('ь', ""),
    ('э', "e"),
    ('ю', "yu"),
    ('я', "ya"),
    ('і', "i"),
    ('ї', "yi"),
    ('є', "ye"),
    ('ґ', "g"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nick_makes_an_ascii_name() {
        for (nick, word) in [
            ("Дядя Стёпа", "dyadya-styopa"),
            ("Щегол’ь", "shchegol"),
            ("Nika_7", "nika-7"),
            ("東京", "player"),
            ("-Ы-", "y"),
            ("Ж".repeat(40).as_str(), "zh".repeat(20).as_str()),
        ] {
            assert_eq!(file_word(nick), word);
        }
    }

    #[test]
    fn nothing_that_a_player_wrote_acts_in_any_markup() {
        let entry = |nick: &str, characteristic: &str, picture: Option<&str>| RosterEntry {
            nick: nick.to_owned(),
            characteristic: characteristic.to_owned(),
            picture: picture.map(str::to_owned),
            applicant: None,
        };
        let evil = "[img]x[/img] <script> **z** @all http://evil.ru";
        let post = RosterPost {
            players: vec![entry("Анна", evil, Some("01-anna.jpg")), entry("Пёс", "", None)],
            photographs: 1,
        };
        for (markup, bold, picture) in [
            (Markup::Bbcode, "[b]Анна[/b] — ", "\n[img]01-anna.jpg[/img]\n\n[b]Пёс[/b]\n"),
            (Markup::Markdown, "**Анна** — ", "\n\n![](01-anna.jpg)\n\n**Пёс**\n"),
            (Markup::Html, "<p><b>Анна</b> — ", "\n<p><img src=\"01-anna.jpg\" alt=\"\"></p>\n\n<p><b>Пёс</b></p>\n"),
            (Markup::Text, "Анна — ", "\n01-anna.jpg\n\nПёс\n"),
        ] {
            let text = post.paste(markup);
            assert!(text.starts_with(bold) && text.ends_with(picture), "{markup:?}: {text}");
            for bad in ["@all", "http://", "evil.ru"] {
                assert!(!text.contains(bad), "{markup:?}: {text}");
            }
        }
        assert!(!post.paste(Markup::Bbcode).contains("[img]x"));
        assert!(!post.paste(Markup::Html).contains("<script"));
        assert!(!post.paste(Markup::Markdown).contains("**z"));
    }
}
