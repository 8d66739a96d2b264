//! `omerta check`: every fault of the config at once, or what it means.

use std::fmt::Write as _;

use jiff::Timestamp;
use serde_json::json;

use super::load::{self, Place};
use super::{exit, out};
use crate::config::{Config, Fault, InboxKind, OutboxKind};
use crate::keys::may_be_a_players;
use crate::letters::Lang;
use crate::letters::phrase::Telling;
use crate::letters::render::{TemplateFault, Templates, strays};
use crate::schedule::{LocalTime, local_time_of};
use crate::store::Store;

/// How many deadlines are told.
const DEADLINES: usize = 7;

/// What was found out.
#[derive(Default)]
struct Checked {
    /// None where the file itself has a fault.
    config: Option<Config>,
    faults: Vec<Fault>,
    /// Legal, and hardly meant.
    warnings: Vec<Fault>,
    code: u8,
}

/// Reads the config as every command does and says what is wrong with it, or what it means. The exit code: 0; 78 when
/// the config or what it names is at fault; 69 when the database alone is.
pub fn run(place: &Place, json: bool) -> u8 {
    let now = place.clock().now();
    let checked = look(place);
    let warnings = checked.warnings.iter().map(|warning| format!("warning: {warning}"));
    let said = match (&checked.config, json) {
        (_, true) => out::say(&as_json(&checked, now)),
        (Some(config), false) if checked.faults.is_empty() => {
            let warnings: String = warnings.map(|warning| warning + "\n").collect();
            out::say_bytes((in_words(config, now) + &warnings).as_bytes())
        }
        (_, false) => {
            checked.faults.iter().map(Fault::to_string).chain(warnings).for_each(|line| out::complain(&line));
            exit::OK
        }
    };
    if checked.code == exit::OK { said } else { checked.code }
}

fn look(place: &Place) -> Checked {
    let config = match load::config(place.config.as_deref()) {
        Ok(config) => config,
        Err(faults) => return Checked { faults, code: exit::CONFIG, ..Checked::default() },
    };
    let mut faults = config.faults_of_files(load::variable);
    faults.extend(templates(&config));
    let mut warnings = config.odd_values();
    warnings.extend(stray_templates(&config));
    warnings.extend(config.no_key());
    warnings.extend(config.open_secrets());
    // Whoever checks may not be the one who runs it.
    warnings.extend(config.closed_files());
    let mut code = if faults.is_empty() { exit::OK } else { exit::CONFIG };
    if let Err(error) = Store::look(&config.database) {
        let cure = "See \"When something is wrong\" in docs/ops.md.";
        let told = config.fault("database", error.to_string(), cure.to_owned());
        // As above; and others may be at work on the file.
        if error.is_of_the_file() {
            code = code.max(exit::UNAVAILABLE);
            faults.push(told);
        } else {
            warnings.push(told);
        }
    }
    Checked { config: Some(config), faults, warnings, code }
}

/// The user's own templates, each tried on sample letters.
fn templates(config: &Config) -> Vec<Fault> {
    let Some(folder) = config.templates.as_ref().filter(|folder| folder.is_dir()) else { return Vec::new() };
    let faults = Templates::load(Some(folder)).err().unwrap_or_default();
    let as_fault = |fault: TemplateFault| {
        let variables = match fault.variables.is_empty() {
            true => "Mend it, or take the file away.".to_owned(),
            false => format!("In scope: {}.", fault.variables.join(", ")),
        };
        let excerpt = fault.excerpt.map(|excerpt| format!("\n{excerpt}")).unwrap_or_default();
        Fault {
            file: folder.join(&fault.file),
            line: fault.line.unwrap_or_default(),
            key: String::new(),
            what: fault.what,
            cure: variables + &excerpt,
        }
    };
    faults.into_iter().map(as_fault).collect()
}

/// Files among the user's own templates that replace none.
fn stray_templates(config: &Config) -> Vec<Fault> {
    let Some(folder) = &config.templates else { return Vec::new() };
    let as_fault = |stray: TemplateFault| Fault {
        file: folder.join(&stray.file),
        line: 0,
        key: String::new(),
        what: stray.what,
        cure: "Move it there, or take it away.".to_owned(),
    };
    strays(folder).into_iter().map(as_fault).collect()
}

fn in_words(config: &Config, now: Timestamp) -> String {
    let mut words = format!("ok: {}\n", config.file.display());
    let mut row = |name: &str, value: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(words, "  {name:<11} {value}");
    };
    row("language", if config.language == Lang::Ru { "Russian" } else { "English" }.to_owned());
    row("host", format!("{} <{}>", config.host.name, config.host.addresses.join(">, <")));
    row("host's word", host_word(config));
    row("moderators", listed(&config.moderators.addresses));
    row("mail in", mail_in(config));
    row("mail out", mail_out(config));
    row("database", config.database.display().to_string());
    let rules: Vec<String> = config.game.rules.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    row("toggles", listed(&rules));
    row("deadlines", format!("{} ({}); the next would be", config.game.deadline, config.zone_name()));
    for line in deadlines(config, now) {
        row("", line);
    }
    words
}

/// Whether the hosts have a proof word; never the word itself.
fn host_word(config: &Config) -> String {
    let file = config.host.word_file.display();
    match (config.host.word(), config.host.word_file.exists()) {
        (Some(word), _) if may_be_a_players(&word) => format!(
            "in {file}; it may come to be a player's as well, and then it proves neither of you: take two words and two digits (goldenharbor-42)"
        ),
        (Some(_), _) => format!("in {file}; the running daemon reads it there each time"),
        (None, true) => format!("none: the first line of {file} is no proof word (letters, then two digits)"),
        (None, false) => {
            format!("none; write one (letters and two digits: palermo-42) into {file}, a restart is not needed")
        }
    }
}

fn listed(items: &[String]) -> String {
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

fn mail_in(config: &Config) -> String {
    match (config.inbox.kind, &config.inbox.server) {
        (InboxKind::Imap, Some(server)) => format!("IMAP, {}:{}", server.server, server.port),
        _ => format!("Maildir {}", config.inbox.path.display()),
    }
}

fn mail_out(config: &Config) -> String {
    let way = match (config.outbox.kind, &config.outbox.server) {
        (OutboxKind::Smtp, Some(server)) => format!("SMTP, {}:{}", server.server, server.port),
        (OutboxKind::Sendmail, _) => format!("the command {}", config.outbox.command.join(" ")),
        _ => format!("Maildirs in {}", config.outbox.path.display()),
    };
    format!("{way}, from {}", config.outbox.from)
}

fn next_deadlines(config: &Config, now: Timestamp) -> Vec<Timestamp> {
    config.game.deadline.upcoming(now, &config.timezone, config.game.min_turn, DEADLINES)
}

/// «вторник, 1 декабря, 21:00 (Europe/Moscow)» in the language of the config, and what the clocks do on the way there.
fn deadlines(config: &Config, now: Timestamp) -> Vec<String> {
    let telling = Telling { lang: config.language, zone: config.zone_name().to_owned(), now };
    let mut last = now;
    let said = |when: Timestamp| {
        let mut line = format!("{} ({})", telling.day_and_hour(when), config.zone_name());
        let (before, then) = (config.timezone.to_offset(last), config.timezone.to_offset(when));
        let shift = then.seconds().saturating_sub(before.seconds());
        if shift != 0 {
            line += &clocks_move(config.language, shift);
        }
        if local_time_of(when, &config.timezone) == LocalTime::Twice {
            line += match config.language {
                Lang::Ru => "; этот час часы показывают дважды, берём тот, что раньше",
                Lang::En => "; the clocks show this hour twice, the earlier one is meant",
            };
        }
        last = when;
        line
    };
    next_deadlines(config, now).into_iter().map(said).collect()
}

/// «; перед этим часы переводят на 1 ч вперёд».
fn clocks_move(lang: Lang, shift: i32) -> String {
    let minutes = shift.unsigned_abs() / 60;
    let (hour, minute) = if lang == Lang::Ru { ("ч", "мин") } else { ("h", "min") };
    let by = match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} {minute}"),
        (hours, 0) => format!("{hours} {hour}"),
        (hours, minutes) => format!("{hours} {hour} {minutes} {minute}"),
    };
    match (lang, shift > 0) {
        (Lang::Ru, true) => format!("; перед этим часы переводят на {by} вперёд"),
        (Lang::Ru, false) => format!("; перед этим часы переводят на {by} назад"),
        (Lang::En, true) => format!("; the clocks go forward by {by} before it"),
        (Lang::En, false) => format!("; the clocks go back by {by} before it"),
    }
}

fn as_json(checked: &Checked, now: Timestamp) -> serde_json::Value {
    let Checked { faults, warnings, .. } = checked;
    match &checked.config {
        Some(config) if faults.is_empty() => json!({
            "ok": true,
            "file": config.file,
            "faults": [],
            "warnings": warnings,
            "deadlines": next_deadlines(config, now).iter().map(Timestamp::to_string).collect::<Vec<_>>(),
            "deadlines_in_words": deadlines(config, now),
        }),
        _ => json!({ "ok": false, "faults": faults, "warnings": warnings }),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use expect_test::expect;

    use super::*;

    const SHIPPED: &str = include_str!("../../config.toml");

    fn parse(text: &str) -> Config {
        Config::parse(text, Path::new("/etc/omerta/config.toml")).unwrap()
    }

    #[test]
    fn a_right_config_is_told_in_words() {
        let config = parse(&SHIPPED.replace("[game.rules]", "[game.rules]\nhunt_on_first_turn = true"));
        expect![[r#"
            ok: /etc/omerta/config.toml
              language    Russian
              host        Ведущая <host@example.org>
              host's word none; write one (letters and two digits: palermo-42) into /etc/omerta/host.secret, a restart is not needed
              moderators  none
              mail in     Maildir /etc/omerta/mail/in
              mail out    Maildirs in /etc/omerta/mail/out, from Омерта <mafia@example.org>
              database    /etc/omerta/omerta.db
              toggles     hunt_on_first_turn = true
              deadlines   21:00 (Europe/Moscow); the next would be
                          среда, 2 декабря, 21:00 (Europe/Moscow)
                          четверг, 3 декабря, 21:00 (Europe/Moscow)
                          пятница, 4 декабря, 21:00 (Europe/Moscow)
                          суббота, 5 декабря, 21:00 (Europe/Moscow)
                          воскресенье, 6 декабря, 21:00 (Europe/Moscow)
                          понедельник, 7 декабря, 21:00 (Europe/Moscow)
                          вторник, 8 декабря, 21:00 (Europe/Moscow)
        "#]]
        .assert_eq(&in_words(&config, "2026-12-01T10:00:00Z".parse().unwrap()));
    }

    #[test]
    fn what_the_clocks_do_is_told_in_the_language_of_the_config() {
        let berlin = SHIPPED.replace("Europe/Moscow", "Europe/Berlin");
        let said = |text: &str, now: &str| deadlines(&parse(text), now.parse().unwrap()).join("\n");
        let autumn = said(&berlin, "2026-10-24T10:00:00Z");
        assert_eq!(autumn.matches("переводят").count(), 1);
        assert!(
            autumn.contains("воскресенье, 25 октября, 21:00 (Europe/Berlin); перед этим часы переводят на 1 ч назад\n"),
            "{autumn}"
        );
        let english = berlin.replace("language = \"ru\"", "language = \"en\"");
        let spring = said(&english, "2027-03-27T21:00:00Z");
        assert!(
            spring.contains("Sunday, 28 March, 21:00 (Europe/Berlin); the clocks go forward by 1 h before it\n"),
            "{spring}"
        );
        let night = english.replace("deadline = \"21:00\"", "deadline = \"02:30\"");
        let twice = said(&night, "2026-10-24T10:00:00Z");
        assert_eq!(
            twice.lines().next().unwrap(),
            "Sunday, 25 October, 02:30 (Europe/Berlin); the clocks show this hour twice, the earlier one is meant"
        );
        // The half hour does not exist that night; the deadline is moved, and the shift is told.
        let gap = said(&night, "2027-03-27T10:00:00Z");
        assert_eq!(
            gap.lines().next().unwrap(),
            "Sunday, 28 March, 03:30 (Europe/Berlin); the clocks go forward by 1 h before it"
        );
        assert!(said(&english, "2026-12-30T21:00:00Z").contains("Friday, 1 January 2027, 21:00 (Europe/Berlin)"));
    }

    #[test]
    fn files_that_are_not_there_are_faults_with_their_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        let text = SHIPPED
            .replace("templates = \"\"", "templates = \"mine\"")
            .replace("\n[outbox]\nkind = \"maildir\" ", "\n[outbox]\nkind = \"smtp\" ")
            .replace("# server = \"smtp", "server = \"smtp")
            .replace(
                "# user = \"mafia@example.org\"\n# password_file = \"smtp.secret\"",
                "user = \"m\"\npassword_file = \"s\"",
            );
        std::fs::write(&path, text).unwrap();
        let line = |key: &str| {
            let lines = std::fs::read_to_string(&path).unwrap();
            1 + lines.lines().position(|line| line.starts_with(key)).unwrap()
        };
        let missing = || Config::load(&path).unwrap().faults_of_files(|_| None);
        let faults = missing();
        let found: Vec<(&str, usize)> = faults.iter().map(|fault| (fault.key.as_str(), fault.line)).collect();
        assert_eq!(found, [("templates", line("templates")), ("outbox.password_file", line("password_file"))]);
        std::fs::create_dir(folder.path().join("mine")).unwrap();
        std::fs::write(folder.path().join("s"), "secret").unwrap();
        assert_eq!(missing(), []);
        assert_eq!(run(&Place { config: Some(path.clone()), clock_file: None }, true), exit::OK);
        std::fs::write(&path, "nonsense = 1").unwrap();
        assert_eq!(run(&Place { config: Some(path.clone()), clock_file: None }, true), exit::CONFIG);
    }
}
