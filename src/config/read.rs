//! The file's tables into [`Config`]: a section a function, a key a line, with its default beside it.

use std::ops::Range;
use std::path::Path;

use jiff::SignedDuration;
use jiff::tz::TimeZone;
use toml::Spanned;
use toml::de::DeTable;

use super::clash::{self, Clash};
use super::section::{Finding, Notes, Section};
use super::values::{self, Mailbox, Rate};
use super::{
    Config, Fault, Forum, Game, Host, Inbox, InboxKind, Login, Markup, Moderators, Outbox, OutboxKind, Password,
    Publish, Security, SenderProof, Server, Tls,
};
use crate::feed::address::{FeedAddress, NoFeedAddress};
use crate::letters::Lang;
use crate::rules::rulebook::Rulebook;
use crate::schedule::DeadlineRule;

/// Seconds.
const DAY: i64 = 86_400;
/// More than ten years of anything is a slip.
const LONGEST: i64 = 3_650 * DAY;

/// The config or all its faults, and every key that was asked for.
pub(super) fn config(text: &str, file: &Path) -> (Result<Config, Vec<Fault>>, Vec<String>) {
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return (Err(syntax(text, file, &errors)), Vec::new());
    }
    let folder = file.parent().unwrap_or(Path::new("/"));
    let mut notes = Notes::default();
    let config = top(Section::top(&document), file, folder, &mut notes);
    let Notes { mut findings, known } = notes;
    let clashes: Vec<Finding> =
        clash::clashes(&config).into_iter().filter_map(|clash| blamed(clash, &document, &findings)).collect();
    findings.extend(clashes);
    findings.sort_by_key(|finding| finding.span.start);
    if findings.is_empty() {
        return (Ok(config), known);
    }
    let fault = |Finding { span, key, what, cure }: Finding| {
        let line = if span.is_empty() { 0 } else { line_of(text, span.start) };
        Fault { file: file.to_path_buf(), line, key, what, cure }
    };
    (Err(findings.into_iter().map(fault).collect()), known)
}

/// One fault a line: what follows the first on its line is mostly its echo.
fn syntax(text: &str, file: &Path, errors: &[toml::de::Error]) -> Vec<Fault> {
    let place = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
    let mut faults: Vec<Fault> = Vec::new();
    let mut in_order: Vec<&toml::de::Error> = errors.iter().collect();
    in_order.sort_by_key(|error| place(error));
    for error in in_order {
        let line = line_of(text, place(error));
        if faults.last().is_none_or(|last| last.line != line) {
            let what = format!("is not TOML: {}", error.message().replace('\n', " "));
            let cure = "A line is `key = value`; texts stand in quotes, lists in [ ], and no key twice.";
            faults.push(Fault::of_file(file, line, what, cure));
        }
    }
    faults
}

pub(super) fn line_of_key(text: &str, key: &str) -> usize {
    let (document, _) = DeTable::parse_recoverable(text);
    span_of_key(&document, key).map_or(0, |span| line_of(text, span.start))
}

/// Where a key stands (`inbox.ca_file`).
fn span_of_key(document: &Spanned<DeTable<'_>>, key: &str) -> Option<Range<usize>> {
    let mut table = Some(document.get_ref());
    let mut span = None;
    for part in key.split('.') {
        let found = table.and_then(|table| table.get_key_value(part));
        span = found.map(|(name, _)| name.span());
        table = found.and_then(|(_, raw)| raw.get_ref().as_table());
    }
    span
}

/// A clash at the first of its keys that the file has. None where one of them is at fault already: what stands for it
/// then is nothing that anybody wrote.
fn blamed(clash: Clash, document: &Spanned<DeTable<'_>>, findings: &[Finding]) -> Option<Finding> {
    let Clash { keys, what, cure } = clash;
    if findings.iter().any(|finding| keys.contains(&finding.key.as_str())) {
        return None;
    }
    let written = keys.iter().find_map(|key| span_of_key(document, key).map(|span| (span, *key)));
    let (span, key) = written.or_else(|| keys.first().map(|key| (0..0, *key)))?;
    Some(Finding { span, key: key.to_owned(), what, cure })
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

fn top(mut top: Section<'_>, file: &Path, folder: &Path, notes: &mut Notes) -> Config {
    let language = top.get("language", notes, |raw| values::choice(raw, &[("ru", Lang::Ru), ("en", Lang::En)]));
    let timezone = top.get("timezone", notes, values::zone).or_else(|| TimeZone::get("Europe/Moscow").ok());
    let database = top.get("database", notes, |raw| values::database(raw, folder));
    let key_file = top.get("key_file", notes, |raw| values::path(raw, folder));
    let templates = top.get("templates", notes, |raw| values::optional_path(raw, folder)).flatten();
    let retention = top.get("retention", notes, |raw| values::duration(raw, 0, LONGEST));
    let host = host(top.section("host", notes), folder, notes);
    let moderators = moderators(top.section("moderators", notes), notes);
    let inbox = inbox(top.section("inbox", notes), folder, notes);
    let outbox = outbox(top.section("outbox", notes), folder, notes);
    let security = security(top.section("security", notes), notes);
    let forum = forum(top.section("forum", notes), notes);
    let game = game(top.section("game", notes), notes);
    top.finish(notes);
    Config {
        file: file.to_path_buf(),
        language: language.unwrap_or_default(),
        timezone: timezone.unwrap_or(TimeZone::UTC),
        database: database.unwrap_or_else(|| values::under(folder, "omerta.db")),
        key_file: key_file.unwrap_or_else(|| values::under(folder, "omerta.key")),
        templates,
        retention: retention.unwrap_or(SignedDuration::from_hours(90 * 24)),
        host,
        moderators,
        inbox,
        outbox,
        security,
        forum,
        game,
    }
}

fn host(mut section: Section<'_>, folder: &Path, notes: &mut Notes) -> Host {
    let name = section.get("name", notes, values::non_empty);
    let addresses = section.get("addresses", notes, values::people);
    let word_file = section.get("word_file", notes, |raw| values::path(raw, folder));
    if !section.has("addresses") || addresses.as_ref().is_some_and(Vec::is_empty) {
        let cure = "Name at least one: addresses = [\"you@example.org\"] under [host].";
        section.blame("addresses", notes, "the host has no address", cure);
    }
    section.finish(notes);
    Host {
        name: name.unwrap_or_else(|| "Ведущая".to_owned()),
        addresses: addresses.unwrap_or_default(),
        word_file: word_file.unwrap_or_else(|| values::under(folder, "host.secret")),
    }
}

fn moderators(mut section: Section<'_>, notes: &mut Notes) -> Moderators {
    let addresses = section.get("addresses", notes, values::people);
    section.finish(notes);
    Moderators { addresses: addresses.unwrap_or_default() }
}

fn inbox(mut section: Section<'_>, folder: &Path, notes: &mut Notes) -> Inbox {
    let kinds = [("maildir", InboxKind::Maildir), ("imap", InboxKind::Imap)];
    let kind = section.get("kind", notes, |raw| values::choice(raw, &kinds)).unwrap_or(InboxKind::Maildir);
    let path = section.get("path", notes, |raw| values::path(raw, folder));
    let is_imap = kind == InboxKind::Imap;
    let what_for = Use { used: is_imap, wants_login: is_imap, implicit: 993, otherwise: 143 };
    let server = server(&mut section, folder, &what_for, notes);
    let folders = section.get("folders", notes, |raw| values::list(raw, values::non_empty));
    if folders.as_ref().is_some_and(Vec::is_empty) {
        section.blame("folders", notes, "names no folder", "Write at least [\"INBOX\"].");
    }
    // Of the names of folders INBOX alone may be written in any case (RFC 9051, section 5.1).
    let is_one =
        |one: &str, other: &str| one == other || [one, other].iter().all(|name| name.eq_ignore_ascii_case("INBOX"));
    let read_before = |(at, name): (usize, &String)| {
        folders.iter().flatten().take(at).any(|earlier| is_one(earlier, name)).then(|| name.clone())
    };
    if let Some(twice) = folders.iter().flatten().enumerate().find_map(read_before) {
        section.blame("folders", notes, format!("\"{twice}\" stands twice"), "Take one of them out.");
    }
    let done_folder = section.get("done_folder", notes, values::optional).flatten();
    let is_read = |done: &String| is_one(done, "INBOX") || folders.iter().flatten().any(|folder| is_one(folder, done));
    if done_folder.as_ref().is_some_and(is_read) {
        let cure = "Name a folder that is not read, as in done_folder = \"Omerta\".";
        section.blame("done_folder", notes, "is one of the folders that are read", cure);
    }
    let poll = section.get("poll", notes, |raw| values::duration(raw, 1, DAY));
    section.finish(notes);
    Inbox {
        kind,
        path: path.unwrap_or_else(|| values::under(folder, "mail/in")),
        server,
        folders: folders.unwrap_or_else(|| vec!["INBOX".to_owned()]),
        done_folder,
        poll: poll.unwrap_or(SignedDuration::from_mins(1)),
    }
}

fn outbox(mut section: Section<'_>, folder: &Path, notes: &mut Notes) -> Outbox {
    let kinds = [("maildir", OutboxKind::Maildir), ("smtp", OutboxKind::Smtp), ("sendmail", OutboxKind::Sendmail)];
    let kind = section.get("kind", notes, |raw| values::choice(raw, &kinds)).unwrap_or(OutboxKind::Maildir);
    let path = section.get("path", notes, |raw| values::path(raw, folder));
    let from = section.get("from", notes, values::mailbox);
    if kind != OutboxKind::Maildir && !section.has("from") {
        let cure = "Write from = \"Омерта <mafia@example.org>\" with the mailbox that sends.";
        section.blame("from", notes, "is missing", cure);
    }
    let is_smtp = kind == OutboxKind::Smtp;
    let what_for = Use { used: is_smtp, wants_login: false, implicit: 465, otherwise: 587 };
    let server = server(&mut section, folder, &what_for, notes);
    let command = section.get("command", notes, values::command);
    if kind == OutboxKind::Sendmail && !section.has("command") {
        let cure = "Write command = [\"/usr/sbin/sendmail\", \"-i\"]; the recipient is put behind it.";
        section.blame("command", notes, "is missing", cure);
    }
    let rate = section.get("rate", notes, values::rate);
    let daily = section.get("daily", notes, |raw| values::number(raw, 1, 1_000_000));
    let plus_addressing = section.get("plus_addressing", notes, values::boolean);
    let debug_headers = section.get("debug_headers", notes, values::boolean);
    section.finish(notes);
    Outbox {
        kind,
        path: path.unwrap_or_else(|| values::under(folder, "mail/out")),
        from: from.unwrap_or(Mailbox { name: "Омерта".to_owned(), address: "mafia@example.org".to_owned() }),
        server,
        command: command.unwrap_or_default(),
        rate: rate.or(is_smtp.then_some(Rate { letters: 60, per: SignedDuration::from_mins(1) })),
        daily: daily.or(is_smtp.then_some(500)),
        plus_addressing: plus_addressing.unwrap_or(true),
        debug_headers: debug_headers.unwrap_or(false),
    }
}

/// What the keys of a server are for.
struct Use {
    /// The section's kind is one that talks to a server.
    used: bool,
    wants_login: bool,
    /// Ports where none is given: with implicit TLS, and otherwise.
    implicit: u16,
    otherwise: u16,
}

/// The keys of a mail server. They are read, and held to their form, even where the kind does not use them.
fn server(section: &mut Section<'_>, folder: &Path, what_for: &Use, notes: &mut Notes) -> Option<Server> {
    let kinds = [("implicit", Tls::Implicit), ("starttls", Tls::Starttls), ("none", Tls::None)];
    let server = section.get("server", notes, values::server_name);
    let port = section.get("port", notes, |raw| values::number(raw, 1, u16::MAX));
    let tls = section.get("tls", notes, |raw| values::choice(raw, &kinds)).unwrap_or(Tls::Implicit);
    let ca_file = section.get("ca_file", notes, |raw| values::path(raw, folder));
    let login = login(section, folder, what_for, notes);
    if what_for.used && !section.has("server") {
        section.blame(
            "server",
            notes,
            "is missing",
            "Write the name of the mail server: server = \"imap.example.org\".",
        );
    }
    let server = server.filter(|_| what_for.used)?;
    if tls == Tls::None && !is_loopback(&server) {
        let cure = "Write \"implicit\" or \"starttls\"; without TLS only a server on this machine is taken.";
        section.blame("tls", notes, format!("\"none\" would send the password to {server} in the clear"), cure);
    }
    let port = port.unwrap_or(if tls == Tls::Implicit { what_for.implicit } else { what_for.otherwise });
    Some(Server { server, port, tls, ca_file, login })
}

/// Whether a server is this machine by its name alone.
pub fn is_loopback(server: &str) -> bool {
    let address = server.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    server == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn login(section: &mut Section<'_>, folder: &Path, what_for: &Use, notes: &mut Notes) -> Option<Login> {
    const KEYS: [&str; 6] = [
        "password_file",
        "password_command",
        "password_env",
        "password_credential",
        "password",
        "oauth2_token_command",
    ];
    let user = section.get("user", notes, values::non_empty);
    let ways = [
        section.get("password_file", notes, |raw| values::path(raw, folder)).map(Password::File),
        section.get("password_command", notes, values::command).map(Password::Command),
        section.get("password_env", notes, values::non_empty).map(Password::Env),
        section.get("password_credential", notes, values::non_empty).map(Password::Credential),
        section.get("password", notes, values::secret).map(Password::Plain),
        section.get("oauth2_token_command", notes, values::command).map(Password::Oauth2Command),
    ];
    let given: Vec<&str> = KEYS.into_iter().filter(|key| section.has(key)).collect();
    match (section.has("user"), given.as_slice()) {
        (_, [_, second, ..]) => {
            let what = format!("says a second time where the password is ({})", given.join(", "));
            section.blame(second, notes, what, "Keep one of them.");
        }
        (true, []) => {
            let cure = "Add password_file = \"imap.secret\" and write the password into that file.";
            section.blame("user", notes, "has no password", cure);
        }
        (false, []) if what_for.used && what_for.wants_login => {
            let cure = "Write user = \"mafia@example.org\" and password_file = \"imap.secret\".";
            section.blame("user", notes, "is missing", cure);
        }
        (false, [first]) => section.blame(first, notes, "has no user", "Add user = \"mafia@example.org\"."),
        _ => {}
    }
    let password = ways.into_iter().flatten().next()?;
    Some(Login { user: user?, password })
}

fn security(mut section: Section<'_>, notes: &mut Notes) -> Security {
    let proofs = [("address", SenderProof::Address), ("verified", SenderProof::Verified)];
    let sender = section.get("sender", notes, |raw| values::choice(raw, &proofs));
    let authserv_ids = section.get("authserv_ids", notes, |raw| values::list(raw, values::non_empty));
    let max_message = section.get("max_message", notes, |raw| values::size(raw, 1 << 10));
    let replies_per_hour = section.get("replies_per_hour", notes, |raw| values::number(raw, 1, 1_000_000));
    let relay_per_day = section.get("relay_per_day", notes, |raw| values::number(raw, 0, 1_000_000));
    section.finish(notes);
    let lower_case = |ids: Vec<String>| ids.iter().map(|id| id.to_lowercase()).collect();
    Security {
        sender: sender.unwrap_or(SenderProof::Address),
        authserv_ids: authserv_ids.map(lower_case).unwrap_or_default(),
        max_message: max_message.unwrap_or(10 << 20),
        replies_per_hour: replies_per_hour.unwrap_or(20),
        relay_per_day: relay_per_day.unwrap_or(10),
    }
}

fn forum(mut section: Section<'_>, notes: &mut Notes) -> Forum {
    let markups =
        [("bbcode", Markup::Bbcode), ("markdown", Markup::Markdown), ("html", Markup::Html), ("text", Markup::Text)];
    let markup = section.get("markup", notes, |raw| values::choice(raw, &markups));
    let post_to = section.get("post_to", notes, values::addresses);
    let activity_feed = section.get("activity_feed", notes, values::feed_link).flatten();
    let activity_feed = activity_feed.and_then(|feed: String| match FeedAddress::new(&feed) {
        Ok(address) => Some(address),
        Err(why) => {
            let (what, cure) = match why {
                NoFeedAddress::InTheClear => (
                    "would be read in the clear, and anybody on the way could say who wrote",
                    "Write https://. Plain http:// is for this machine alone.",
                ),
                NoFeedAddress::NoLink | NoFeedAddress::HoldsPassword | NoFeedAddress::Inside => {
                    ("is no link to a feed", "Write the whole address, from https://, or \"\" for none.")
                }
            };
            section.blame("activity_feed", notes, what, cure);
            None
        }
    });
    section.finish(notes);
    Forum { markup: markup.unwrap_or(Markup::Bbcode), post_to: post_to.unwrap_or_default(), activity_feed }
}

fn game(mut section: Section<'_>, notes: &mut Notes) -> Game {
    let deadline = section.get("deadline", notes, values::deadline);
    let min_turn = section.get("min_turn", notes, |raw| values::duration(raw, 0, LONGEST));
    let settle = section.get("settle", notes, |raw| values::duration(raw, 0, DAY));
    let each = |raw| values::list(raw, |element| values::duration(element, 1, LONGEST));
    let mut reminders = section
        .get("reminders", notes, each)
        .unwrap_or_else(|| vec![SignedDuration::from_hours(24), SignedDuration::from_hours(3)]);
    reminders.sort_by(|left, right| right.cmp(left));
    reminders.dedup();
    let publish = section.get("publish", notes, values::publish);
    let approve_applicants = section.get("approve_applicants", notes, values::boolean);
    let handshake = section.get("handshake", notes, values::boolean);
    let early_close = section.get("early_close", notes, values::boolean);
    let pistol_window = section.get("pistol_window", notes, |raw| values::duration(raw, 60, LONGEST));
    let rules = rules(section.section("rules", notes), notes);
    section.finish(notes);
    Game {
        deadline: deadline.unwrap_or_else(DeadlineRule::every_evening),
        min_turn: min_turn.unwrap_or(SignedDuration::from_hours(12)),
        settle: settle.unwrap_or(SignedDuration::from_mins(2)),
        reminders,
        publish: publish.unwrap_or(Publish::Auto),
        approve_applicants: approve_applicants.unwrap_or(false),
        handshake: handshake.unwrap_or(false),
        early_close: early_close.unwrap_or(false),
        pistol_window: pistol_window.unwrap_or(SignedDuration::from_hours(3)),
        rules,
    }
}

/// The toggles, in alphabetical order, each tried on a rulebook.
fn rules(section: Section<'_>, notes: &mut Notes) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    let mut rulebook = Rulebook::default();
    for (name, raw) in section.entries() {
        match values::rule_value(raw) {
            Ok(value) => {
                if let Err(what) = check_rule(&mut rulebook, name, &value) {
                    let cure = "The toggles and their values stand in docs/rulebook.ru.md.";
                    notes.findings.push(section.finding(name, raw.span(), what, cure));
                }
                settings.push((name.to_owned(), value));
            }
            Err(bads) => {
                notes.findings.extend(bads.into_iter().map(|bad| section.finding(name, bad.span, bad.what, bad.cure)));
            }
        }
    }
    settings
}

/// What is wrong with a toggle.
fn check_rule(rulebook: &mut Rulebook, name: &str, value: &str) -> Result<(), String> {
    rulebook.set(name, value).map_err(|fault| fault.to_string())
}
