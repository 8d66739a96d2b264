//! The shipped config.toml with values filled in: every key keeps its place and its comment.

use toml::Value;

/// The reference that is filled in.
pub const SHIPPED: &str = include_str!("../../../config.toml");

/// Puts a value behind a key (`outbox.server`; a key at the top has no section). A line that is commented out comes
/// alive. False when the text has no line for that key.
#[must_use]
pub fn fill(text: &mut String, key: &str, value: &Value) -> bool {
    let (wanted, name) = key.rsplit_once('.').unwrap_or(("", key));
    let mut section = String::new();
    let mut done = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            section = head.to_owned();
        }
        if !done && section == wanted && has_key(line, name) {
            done = true;
            lines.push(filled(line, name, value));
        } else {
            lines.push(line.to_owned());
        }
    }
    *text = lines.join("\n") + "\n";
    done
}

fn has_key(line: &str, name: &str) -> bool {
    let bare = line.strip_prefix("# ").unwrap_or(line);
    bare.strip_prefix(name).is_some_and(|rest| rest.starts_with(" = "))
}

/// The comment stays in its column, or two spaces behind a longer value.
fn filled(line: &str, name: &str, value: &Value) -> String {
    let assigned = format!("{name} = {value}");
    let bare = line.strip_prefix("# ").unwrap_or(line);
    match comment_at(bare) {
        None => assigned,
        Some((column, comment)) => {
            // What the # took is given back.
            let column = column.saturating_add(line.len().saturating_sub(bare.len()));
            let width = column.saturating_sub(2).max(assigned.chars().count());
            format!("{assigned:<width$}  {comment}")
        }
    }
}

/// Where a line's comment begins, in characters, and the comment itself.
fn comment_at(line: &str) -> Option<(usize, &str)> {
    let mut in_string = false;
    for (column, (at, c)) in line.char_indices().enumerate() {
        match c {
            '"' => in_string = !in_string,
            '#' if !in_string => return line.get(at..).map(|comment| (column, comment)),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::Config;

    #[test]
    fn every_key_can_be_filled_and_keeps_its_comment() {
        // A line that comes alive loses the # in front of its key, and no other.
        let comments = |text: &str| text.matches('#').count() - text.matches("\n# ").count();
        for key in Config::known_keys() {
            let mut text = SHIPPED.to_owned();
            assert!(fill(&mut text, &key, &Value::from("x")), "{key}");
            assert_eq!(comments(&text), comments(SHIPPED), "{key}");
            assert_eq!(text.lines().count(), SHIPPED.lines().count(), "{key}");
        }
        let mut text = SHIPPED.to_owned();
        assert!(!fill(&mut text, "outbox.nonsense", &Value::from(1)));
        assert_eq!(text, SHIPPED);
    }

    #[test]
    fn the_filled_file_means_what_was_filled_in() {
        let mut text = SHIPPED.to_owned();
        let name = "Кирилл \"Ра\\з\" # 1";
        assert!(fill(&mut text, "host.name", &Value::from(name)));
        assert!(fill(&mut text, "outbox.rate", &Value::from("7/m")));
        assert!(fill(&mut text, "outbox.plus_addressing", &Value::from(false)));
        assert!(fill(&mut text, "game.deadline", &Value::from(vec!["Mon-Thu 21:00", "Sun 20:00"])));
        let config = Config::parse(&text, Path::new("/c/config.toml")).unwrap();
        assert_eq!(config.host.name, name);
        assert!(!config.outbox.plus_addressing && config.outbox.rate.is_some());
        assert!(text.contains("# how letters call the host"), "{text}");
        let column = |text: &str, key: &str| {
            let line = text.lines().find(|line| line.trim_start_matches("# ").starts_with(key)).unwrap();
            line.rfind('#').unwrap()
        };
        assert_eq!(column(&text, "rate ="), column(SHIPPED, "rate ="), "{text}");
    }
}
