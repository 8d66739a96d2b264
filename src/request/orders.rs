//! The lines of a host's letter: a verb of `omerta game`, a separator, and what it is about. One table of verbs in both
//! languages; reading never fails.

use serde::{Deserialize, Serialize};

use super::own::{Piece, own_pieces};
use super::read::MAX_ITEMS;
use super::subject::Subject;
use super::typography::{clean_argument, is_colon, shown, tidy, without_bullet};
use super::{line, nearly, words};

/// What a host can order or ask. Each is the verb of `omerta game` of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    Open,
    Close,
    Accept,
    Decline,
    Start,
    Deadline,
    Extend,
    Skip,
    Pause,
    Resume,
    Resolve,
    Publish,
    /// The letters of the closed turn before they leave.
    Preview,
    /// The host's own words at the head of the summary.
    Story,
    /// Who is alive after all, by the host's word.
    Rule,
    /// Takes back the resolution of the turn closed last.
    Undo,
    Warn,
    Deprive,
    Forgive,
    Expel,
    /// The seat goes to another person: `Ник: адрес`.
    Replace,
    /// The results stand in the topic: a link. A moderator's word.
    Posted,
    /// Who wrote in the topic after all. A moderator's word.
    Wrote,
    /// Who was silent in the topic. A moderator's word.
    Silent,
    /// Which feed tells of this game's topic: a link, or «нет».
    Feed,
    /// The game ends as the host says.
    Finish,
    Cancel,
    /// The reasons of the turn that was closed last; of one player, if a nick is given.
    Why,
    /// How the game stands: what `omerta game show` tells.
    Status,
    /// The forms.
    Help,
}

/// What may stand behind a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    Nothing,
    /// One line, or nothing.
    Maybe,
    /// One line.
    Line,
    /// The host's words, which may go on in the lines below.
    Text,
    /// A nick, and the host's words: `Ник: слова`, which may go on in the lines below.
    NickAndText,
    /// One line or nothing, and the host's words in the lines below.
    MaybeAndText,
}

struct Row {
    verb: Verb,
    wants: Wants,
    russian: &'static [&'static str],
    english: &'static [&'static str],
}

const fn row(verb: Verb, wants: Wants, russian: &'static [&'static str], english: &'static [&'static str]) -> Row {
    Row { verb, wants, russian, english }
}

/// The first word of each row is the one that our letters teach.
const ROWS: &[Row] = &[
    row(Verb::Open, Wants::MaybeAndText, &["открыть", "открыть запись"], &["open"]),
    row(Verb::Close, Wants::Nothing, &["закрыть", "закрыть запись"], &["close"]),
    row(Verb::Accept, Wants::Line, &["принять"], &["accept"]),
    row(Verb::Decline, Wants::Line, &["отклонить", "отказать"], &["decline"]),
    row(Verb::Start, Wants::Nothing, &["начать", "начать игру"], &["start"]),
    row(Verb::Deadline, Wants::Line, &["дедлайн", "срок"], &["deadline"]),
    row(Verb::Extend, Wants::Line, &["продлить"], &["extend"]),
    row(Verb::Skip, Wants::Line, &["пропустить", "пропустить даты"], &["skip"]),
    row(Verb::Pause, Wants::Nothing, &["пауза", "на паузу"], &["pause"]),
    row(Verb::Resume, Wants::Nothing, &["продолжить", "продолжить игру"], &["resume"]),
    row(Verb::Resolve, Wants::Nothing, &["закрыть ход", "закончить ход", "подвести итоги"], &["resolve"]),
    row(Verb::Publish, Wants::Nothing, &["опубликовать", "опубликовать итоги"], &["publish"]),
    row(Verb::Preview, Wants::Nothing, &["предпросмотр"], &["preview"]),
    row(Verb::Story, Wants::Text, &["сюжет"], &["story"]),
    row(Verb::Rule, Wants::NickAndText, &["решение"], &["rule", "ruling"]),
    row(Verb::Undo, Wants::Nothing, &["отменить ход", "отмена хода"], &["undo"]),
    row(Verb::Warn, Wants::NickAndText, &["предупреждение", "предупредить"], &["warn", "warning"]),
    row(Verb::Deprive, Wants::Line, &["лишить голоса"], &["deprive"]),
    row(Verb::Forgive, Wants::Line, &["простить"], &["forgive"]),
    row(Verb::Expel, Wants::NickAndText, &["исключить"], &["expel"]),
    row(Verb::Replace, Wants::Line, &["замена", "заменить"], &["replace", "replacement"]),
    row(Verb::Posted, Wants::Line, &["опубликовано"], &["posted"]),
    row(Verb::Wrote, Wants::Line, &["писали", "писал", "писала"], &["wrote"]),
    row(Verb::Silent, Wants::Line, &["молчали", "молчал", "молчала"], &["silent"]),
    row(Verb::Feed, Wants::Line, &["лента", "лента темы"], &["feed"]),
    row(Verb::Finish, Wants::Maybe, &["закончить", "закончить игру"], &["finish", "finish game"]),
    row(Verb::Cancel, Wants::Nothing, &["отменить игру", "отмена игры"], &["cancel", "cancel game"]),
    row(Verb::Why, Wants::Maybe, &["почему"], &["why"]),
    row(Verb::Status, Wants::Nothing, &["статус"], &["status"]),
    row(Verb::Help, Wants::Nothing, &["помощь"], &["help"]),
];

/// Every word that begins an order, in both languages.
pub fn forms() -> impl Iterator<Item = &'static str> {
    ROWS.iter().flat_map(|row| row.russian.iter().chain(row.english)).copied()
}

/// Every word that begins an order, with the order.
pub(super) fn forms_of() -> impl Iterator<Item = (Verb, &'static str)> {
    ROWS.iter().flat_map(|row| row.russian.iter().chain(row.english).map(|form| (row.verb, *form)))
}

/// «всем» and `all` may follow without a separator.
pub const EVERYBODY: [&str; 3] = ["всем", "всех", "all"];

/// What may be forgiven; one of these may follow the nick without a separator.
pub const FORGIVEN: [&str; 4] = ["пропуск", "miss", "молчание", "silence"];

impl Verb {
    pub const ALL: &[Verb] = &[
        Verb::Open,
        Verb::Close,
        Verb::Accept,
        Verb::Decline,
        Verb::Start,
        Verb::Deadline,
        Verb::Extend,
        Verb::Skip,
        Verb::Pause,
        Verb::Resume,
        Verb::Resolve,
        Verb::Publish,
        Verb::Preview,
        Verb::Story,
        Verb::Rule,
        Verb::Undo,
        Verb::Warn,
        Verb::Deprive,
        Verb::Forgive,
        Verb::Expel,
        Verb::Replace,
        Verb::Posted,
        Verb::Wrote,
        Verb::Silent,
        Verb::Feed,
        Verb::Finish,
        Verb::Cancel,
        Verb::Why,
        Verb::Status,
        Verb::Help,
    ];

    /// The word that our letters teach.
    pub fn taught(self, lang: crate::letters::Lang) -> &'static str {
        let row = ROWS.iter().find(|row| row.verb == self);
        let forms = row.map_or(&[] as &[&str], |row| match lang {
            crate::letters::Lang::Ru => row.russian,
            crate::letters::Lang::En => row.english,
        });
        forms.first().copied().unwrap_or_default()
    }

    /// Whether it hurts so much that a second word is wanted.
    pub fn wants_confirming(self) -> bool {
        matches!(self, Verb::Replace | Verb::Rule | Verb::Finish | Verb::Cancel)
    }

    /// What a moderator may say; the host may say it too.
    pub fn is_moderators(self) -> bool {
        matches!(self, Verb::Posted | Verb::Wrote | Verb::Silent | Verb::Help)
    }

    pub fn wants(self) -> Wants {
        ROWS.iter().find(|row| row.verb == self).map_or(Wants::Nothing, |row| row.wants)
    }
}

/// One line of a host's letter that orders or asks something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostLine {
    pub verb: Verb,
    /// What stands behind the separator, tidied; for [`Wants::NickAndText`] the nick alone, for [`Wants::Text`] nothing.
    pub argument: String,
    /// The host's own words, their lines joined by `\n`; empty when he wrote none.
    pub text: String,
    /// The line as written, for the answer.
    pub line: String,
    /// It stands under a signature: told, and not done.
    pub below_signature: bool,
    /// It is no order as it stands, and nearly one: told, and not done.
    pub nearly: bool,
}

/// A host's letter, read. The lines stand in their order; others are passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostReading {
    pub lines: Vec<HostLine>,
    /// What is nearly an order, where nothing is one.
    pub attempt: Option<HostLine>,
}

impl HostReading {
    /// What is to be answered.
    pub fn told(self) -> Vec<HostLine> {
        if self.lines.is_empty() { self.attempt.into_iter().collect() } else { self.lines }
    }
}

/// Never fails. A subject is read when the body orders nothing, and not when it answers another letter.
pub fn read(subject: &str, body: &str) -> HostReading {
    let mut reader = Reader::default();
    for piece in own_pieces(body) {
        match piece {
            Piece::Own(line) => reader.take(line),
            Piece::Quote | Piece::Signature => reader.finish_text(),
            Piece::Below(line) => reader.below_signature(line),
        }
        if reader.lines.len() >= MAX_ITEMS {
            break;
        }
    }
    reader.finish_text();
    let subject = Subject::split(subject);
    if reader.lines.is_empty() && !subject.is_reply {
        reader.take(subject.said);
        reader.finish_text();
    }
    let mut lines = reader.lines;
    if !lines.is_empty() {
        for (at, line) in reader.attempts.into_iter().filter(|(_, line)| nearly::is_alone(&line.line)).rev() {
            lines.insert(at.min(lines.len()), line);
        }
        lines.truncate(MAX_ITEMS);
        return HostReading { lines, attempt: None };
    }
    let first = reader.attempts.into_iter().next().map(|(_, line)| line);
    HostReading { lines, attempt: first.filter(|_| !reader.says_yes) }
}

/// Lines of a text beyond this are dropped; the journal's words stay bounded.
const TEXT_LINES: usize = 200;

#[derive(Default)]
struct Reader {
    lines: Vec<HostLine>,
    /// The last line wants a text, which goes on below it.
    open: Option<Vec<String>>,
    /// Lines that are nearly an order, each with how many lines stand above it.
    attempts: Vec<(usize, HostLine)>,
    says_yes: bool,
}

impl Reader {
    fn take(&mut self, raw: &str) {
        let tidied = tidy(raw);
        let line = without_bullet(&tidied);
        let marked = line.starts_with(['│', '|', '>']);
        if let (Some(lines), true) = (&mut self.open, tidied.starts_with('|')) {
            let text = raw.trim_start().strip_prefix('|').unwrap_or(raw);
            lines.push(text.strip_prefix(' ').unwrap_or(text).trim_end().to_owned());
            return;
        }
        if !marked && let Some(found) = find(line, raw, self.open.is_some()) {
            self.finish_text();
            let has_text = matches!(found.verb.wants(), Wants::NickAndText | Wants::MaybeAndText | Wants::Text);
            self.open = has_text.then(Vec::new);
            self.lines.push(found);
            return;
        }
        if !marked && self.open.is_none() {
            if let Some(verb) = nearly::misspelt(line) {
                self.lines.push(told(verb, raw));
                return;
            }
            self.says_yes |= matches!(clean_argument(line).to_lowercase().as_str(), "да" | "yes");
            if self.attempts.len() < MAX_ITEMS
                && let Some(verb) = nearly::begins(line)
            {
                self.attempts.push((self.lines.len(), told(verb, raw)));
            }
        }
        let is_end = words::after_end_form(line).is_some_and(|rest| clean_argument(rest).is_empty());
        match &mut self.open {
            Some(_) if is_end => self.finish_text(),
            Some(lines) if lines.len() < TEXT_LINES => lines.push(raw.trim_end().to_owned()),
            _ => {}
        }
    }

    fn below_signature(&mut self, raw: &str) {
        let tidied = tidy(raw);
        let line = without_bullet(&tidied);
        let marked = line.starts_with(['│', '|', '>']);
        if !marked && let Some(found) = find(line, raw, false) {
            self.lines.push(HostLine { below_signature: true, ..found });
        }
    }

    fn finish_text(&mut self) {
        let (Some(below), Some(last)) = (self.open.take(), self.lines.last_mut()) else { return };
        let text = std::iter::once(std::mem::take(&mut last.text)).chain(below).collect::<Vec<_>>().join("\n");
        last.text = text.trim().to_owned();
    }
}

/// A line that begins with a verb: the longest one that fits. `in_text`: it may go on with a text above it.
fn find(line: &str, raw: &str, in_text: bool) -> Option<HostLine> {
    let forms = ROWS.iter().flat_map(|row| {
        let forms = row.russian.iter().chain(row.english);
        forms.map(move |form| (row, *form))
    });
    let (row, rest) = forms
        .filter_map(|(row, form)| words::strip_form(line, form).map(|rest| (form.len(), row, rest)))
        .max_by_key(|(length, _, _)| *length)
        .map(|(_, row, rest)| (row, rest))?;
    let (argument, text) = behind(row, rest, in_text)?;
    let nearly = argument.is_empty() && line::split_separator(rest).is_none() && !clean_argument(rest).is_empty();
    Some(HostLine { argument, text, nearly, ..told(row.verb, raw) })
}

fn told(verb: Verb, raw: &str) -> HostLine {
    let (argument, text) = (String::new(), String::new());
    HostLine { verb, argument, text, line: shown(raw), below_signature: false, nearly: true }
}

/// The argument and the text behind a verb; None when the line is prose.
fn behind(row: &Row, rest: &str, in_text: bool) -> Option<(String, String)> {
    let (nothing, wants) = ((String::new(), String::new()), row.wants);
    let Some((after, tight)) = line::split_separator(rest) else {
        let bare = clean_argument(rest);
        let everybody = EVERYBODY.contains(&bare.to_lowercase().as_str());
        return match wants {
            _ if bare.is_empty() => Some(nothing),
            Wants::Line if everybody => Some((bare, String::new())),
            // «Продлить +2ч»: without its dash it is no order, and is not passed over either: something is missing.
            Wants::Line | Wants::NickAndText if nearly::is_meant(row.verb, rest, in_text) => Some(nothing),
            _ => None,
        };
    };
    // «Почему-то», and our own examples, whose argument stands in ‹ ›.
    if (tight && !nearly::begins_argument(after)) || after.starts_with('‹') {
        return None;
    }
    match wants {
        Wants::Nothing => clean_argument(after).is_empty().then_some(nothing),
        Wants::Maybe | Wants::Line | Wants::MaybeAndText => Some((clean_line(after), String::new())),
        Wants::Text => Some((String::new(), after.trim().to_owned())),
        Wants::NickAndText => {
            let (nick, text) = after.split_once(is_colon).unwrap_or((after, ""));
            Some((clean_argument(nick), text.trim().to_owned()))
        }
    }
}

/// What does not matter round an argument that may hold commas, colons and dots inside.
fn clean_line(written: &str) -> String {
    let mut line = written.trim().trim_end_matches(['.', '!', ';', '*']).trim_end();
    // The whole line stands in quotes, as our letters quote a form.
    for (opening, closing) in [('«', '»'), ('“', '”'), ('„', '“')] {
        if !line.contains(opening) {
            line = line.strip_suffix(closing).unwrap_or(line);
        }
    }
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(verb: Verb, argument: &str, text: &str) -> Vec<(Verb, String, String)> {
        vec![(verb, argument.to_owned(), text.to_owned())]
    }

    fn of(subject: &str, body: &str) -> Vec<(Verb, String, String)> {
        read(subject, body).lines.into_iter().map(|line| (line.verb, line.argument, line.text)).collect()
    }

    #[test]
    fn every_verb_has_words_and_is_read_by_each() {
        for row in ROWS {
            for form in row.russian.iter().chain(row.english) {
                let (line, argument, text) = match row.wants {
                    Wants::Nothing => ((*form).to_owned(), "", ""),
                    Wants::Text => (format!("{form} - Глеб"), "", "Глеб"),
                    Wants::Maybe | Wants::Line | Wants::NickAndText | Wants::MaybeAndText => {
                        (format!("{form} - Глеб"), "Глеб", "")
                    }
                };
                assert_eq!(of("Re: [palermo]", &line), one(row.verb, argument, text), "{line}");
            }
        }
        assert_eq!(Verb::ALL.len(), ROWS.len());
        assert!(Verb::ALL.iter().all(|verb| ROWS.iter().any(|row| row.verb == *verb)));
    }

    #[test]
    fn lines_are_read_however_they_are_written() {
        for (line, read) in [
            ("Почему - Глеб", one(Verb::Why, "Глеб", "")),
            ("почему: «Дон Педро».", one(Verb::Why, "«Дон Педро»", "")),
            ("• Why – Boatswain", one(Verb::Why, "Boatswain", "")),
            ("Почему", one(Verb::Why, "", "")),
            ("Почему?", one(Verb::Why, "", "")),
            ("Почему так вышло", vec![]),
            ("> Почему - Глеб", vec![]),
            ("Почему-то все молчат, и это странно.", vec![]),
            ("Продлить - +2ч", one(Verb::Extend, "+2ч", "")),
            ("ДЕДЛАЙН — 2026-12-05 21:00", one(Verb::Deadline, "2026-12-05 21:00", "")),
            ("Срок: завтра 21:00.", one(Verb::Deadline, "завтра 21:00", "")),
            ("Лишить голоса - Глеб, Аня: 2", one(Verb::Deprive, "Глеб, Аня: 2", "")),
            ("Простить всем", one(Verb::Forgive, "всем", "")),
            ("Простить - всем", one(Verb::Forgive, "всем", "")),
            ("Forgive all", one(Verb::Forgive, "all", "")),
            ("Простить", one(Verb::Forgive, "", "")),
            ("Простить Глеба надо бы", vec![]),
            ("Пауза", one(Verb::Pause, "", "")),
            ("Пауза - дело хорошее", vec![]),
            ("Исключить - Глеб: за грубость", one(Verb::Expel, "Глеб", "за грубость")),
            ("Отменить игру", one(Verb::Cancel, "", "")),
            ("Замена - Глеб: new.gleb@example.org", one(Verb::Replace, "Глеб: new.gleb@example.org", "")),
            ("Замена нужна была вчера", vec![]),
            ("Закончить - город", one(Verb::Finish, "город", "")),
            ("Закончить", one(Verb::Finish, "", "")),
            ("Продлить - ‹+2ч›", vec![]),
            ("Продлить-+2ч", one(Verb::Extend, "+2ч", "")),
            ("Дедлайн-21:30", one(Verb::Deadline, "21:30", "")),
            ("исключить-Лиса: спам", one(Verb::Expel, "Лиса", "спам")),
            ("Почему-Глеб", one(Verb::Why, "Глеб", "")),
            ("Лента-нет", one(Verb::Feed, "нет", "")),
            ("Замена-то нужна", vec![]),
            // Without a dash it is answered that something is missing.
            ("Продлить +2ч", one(Verb::Extend, "", "")),
            ("Дедлайн 21:00", one(Verb::Deadline, "", "")),
            ("Исключить Лиса: спам", one(Verb::Expel, "", "")),
            ("Лишить голоса Анна", one(Verb::Deprive, "", "")),
            ("Простить Глеб", one(Verb::Forgive, "", "")),
            ("Пауза Глеба утомила", vec![]),
        ] {
            assert_eq!(of("Re: [palermo]", line), read, "{line}");
        }
    }

    #[test]
    fn words_to_a_player_go_on_below_until_they_end() {
        let body = "Предупреждение - Глеб: первое\nвторое\n\n| Пауза\nКонец\nПродлить - +2ч\n-- \nВедущая";
        let text = "первое\nвторое\n\nПауза";
        let mut read = one(Verb::Warn, "Глеб", text);
        read.extend(one(Verb::Extend, "+2ч", ""));
        assert_eq!(of("", body), read);
        assert_eq!(of("", "Исключить - Глеб: слова\n> Глеб писал"), one(Verb::Expel, "Глеб", "слова"));
        let below = super::read("", "Отправлено с iPhone\n\n> Статус\nПауза\n-- \nПродолжить\nВедущая").lines;
        let told: Vec<_> = below.iter().map(|line| (line.verb, line.below_signature)).collect();
        assert_eq!(told, [(Verb::Pause, false), (Verb::Resume, true)], "what a signature holds is told");
    }

    /// What would be nearly an order elsewhere is a line of the tale.
    #[test]
    fn prose_that_begins_like_an_order_does_not_cut_off_a_text() {
        for line in ["Срок на исходе, друзья.", "Дедлайн завтра", "Срок Дона - двадцать лет тюрьмы."]
        {
            let text = format!("Ночь была тиха.\n{line}\nНикто не спал.");
            assert_eq!(of("", &format!("Сюжет - {text}")), one(Verb::Story, "", &text));
            assert!(read("", line).lines[0].nearly, "{line}");
        }
    }

    #[test]
    fn a_subject_counts_where_the_body_orders_nothing() {
        assert_eq!(of("[palermo] Пауза", ""), one(Verb::Pause, "", ""));
        assert_eq!(of("Re: Пауза", ""), vec![]);
        assert_eq!(of("Пауза", "Продолжить"), one(Verb::Resume, "", ""));
    }
}
