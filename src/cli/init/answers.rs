//! Everything that a config needs to be told: from the command line, else by asking.

use std::path::{Path, PathBuf};

use toml::Value;

use super::ask::{Dialogue, Question};
use super::fill::{SHIPPED, fill};
use super::mailbox::{self, Login};
use super::{InitArguments, LangWord, PASSWORD_FILE, Stop, refusals, said};
use crate::address::comes_to;
use crate::clock::Clock;
use crate::config::{Config, LONGEST_SECRET, Mailbox, Password, Server, Tls, is_loopback, read_plain};
use crate::letters::Lang;
use crate::mail::tls;
use crate::provider::{self, LoginWay, Place, Provider};

/// What the mail is like.
pub struct Mail {
    pub provider: &'static Provider,
    pub from: Mailbox,
    pub imap: Server,
    pub smtp: Server,
    pub folders: Vec<String>,
    pub done_folder: String,
}

/// Everything.
pub struct Answers {
    mail: Mail,
    pub login: Login,
    plus: bool,
    host_address: String,
    host_name: String,
    zone: String,
    deadline: Value,
    pub language: Lang,
    markup: String,
}

/// The dialogue's own language; asked in both.
pub fn dialogue_language(dialogue: &Dialogue) -> Result<Lang, Stop> {
    let default = dialogue.words("ru", "en");
    let words = "Язык: русский (ru) или английский (en)? / Language: Russian (ru) or English (en)?";
    let question = Question { words, flag: "--lang", given: None, default: Some(default) };
    dialogue.ask(&question, |answer| language(dialogue, answer))
}

impl Answers {
    pub fn gather(dialogue: &Dialogue, arguments: &InitArguments, file: &Path, clock: &Clock) -> Result<Answers, Stop> {
        let mut mail = mail(dialogue, arguments)?;
        let login = mailbox::login(dialogue, arguments, &mut mail, file)?;
        let plus = mailbox::try_out(dialogue, arguments, &mail, &login, clock)?;
        let host_address = host_address(dialogue, arguments, &mail.from.address)?;
        let default = dialogue.words("Ведущая", "Host");
        let words = dialogue.words("Как письма называют ведущего", "How letters call the host");
        let host_name = dialogue.ask(&text(words, "--host-name", &arguments.host_name, default), |answer| {
            let why = dialogue.words("Нужно имя, до 100 знаков", "A name is wanted, of at most 100 characters");
            let fits = answer.chars().count() <= 100 && is_taken("host.name", &Value::from(answer));
            fits.then(|| answer.to_owned()).ok_or_else(|| why.to_owned())
        })?;
        let words = dialogue.words("Часовой пояс (название IANA)", "Time zone (its IANA name)");
        let zone_default = dialogue.words("Europe/Moscow", "UTC");
        let zone = dialogue
            .ask(&text(words, "--zone", &arguments.zone, zone_default), |answer| refusals::zone(dialogue, answer))?;
        let words = dialogue.words(
            "Когда кончаются ходы (21:00, или Mon-Thu 21:00, Sun 20:00, или every 36h)",
            "When turns end (21:00, or Mon-Thu 21:00, Sun 20:00, or every 36h)",
        );
        let deadline = dialogue.ask(&text(words, "--deadline", &arguments.deadline, "21:00"), |answer| {
            refusals::deadline(dialogue, answer)
        })?;
        let words = dialogue.words("Язык писем (ru или en)", "The language of letters (ru or en)");
        let default = dialogue.words("ru", "en");
        let language = dialogue
            .ask(&text(words, "--language", &arguments.language, default), |answer| language(dialogue, answer))?;
        let words = dialogue.words(
            "Разметка итогов для форума (bbcode, markdown, html, text)",
            "Markup of the summary for the forum (bbcode, markdown, html, text)",
        );
        let markup = dialogue.ask(&text(words, "--markup", &arguments.markup, "bbcode"), |answer| {
            refusals::one_of(dialogue, answer, &["bbcode", "markdown", "html", "text"])
        })?;
        Ok(Answers { mail, login, plus, host_address, host_name, zone, deadline, language, markup })
    }

    /// The text of config.toml, and what it means.
    ///
    /// # Errors
    /// When the text would not mean what was answered: a defect, or an answer that fits no config.
    pub fn config(&self, file: &Path) -> Result<(String, Config), String> {
        let mut text = SHIPPED.to_owned();
        for (key, value) in self.values(file) {
            if !fill(&mut text, &key, &value) {
                return Err(format!("config.toml has no line for {key}"));
            }
        }
        let config = Config::parse(&text, file).map_err(|faults| said(&faults))?;
        let meant = config.inbox.server.as_ref() == Some(&self.mail.imap)
            && config.outbox.server.as_ref() == Some(&self.mail.smtp)
            && config.outbox.from == self.mail.from
            && config.host.addresses == [self.host_address.clone()];
        if meant { Ok((text, config)) } else { Err("config.toml would not say what was answered".to_owned()) }
    }

    fn values(&self, file: &Path) -> Vec<(String, Value)> {
        let mut values: Vec<(String, Value)> = Vec::new();
        let mut put = |key: &str, value: Value| values.push((key.to_owned(), value));
        let Mail { provider, from, imap, smtp, folders, done_folder } = &self.mail;
        put("language", Value::from(if self.language == Lang::Ru { "ru" } else { "en" }));
        put("timezone", Value::from(self.zone.as_str()));
        put("host.name", Value::from(self.host_name.as_str()));
        put("host.addresses", Value::from(vec![self.host_address.clone()]));
        put("inbox.kind", Value::from("imap"));
        put("inbox.folders", Value::from(folders.clone()));
        put("inbox.done_folder", Value::from(done_folder.as_str()));
        put("outbox.kind", Value::from("smtp"));
        put("outbox.from", Value::from(from.to_string()));
        put("outbox.plus_addressing", Value::from(self.plus));
        if let Some(daily) = provider.daily {
            put("outbox.daily", Value::from(i64::from(daily.is)));
        }
        put("forum.markup", Value::from(self.markup.as_str()));
        put("game.deadline", self.deadline.clone());
        let folder = file.parent().unwrap_or(Path::new("/"));
        for (section, server) in [("inbox", imap), ("outbox", smtp)] {
            let mut put = |key: &str, value: Value| values.push((format!("{section}.{key}"), value));
            put("server", Value::from(server.server.as_str()));
            put("port", Value::from(i64::from(server.port)));
            put("tls", Value::from(tls_word(server.tls)));
            if let Some(ca_file) = &server.ca_file {
                put("ca_file", Value::from(seen_from(folder, ca_file)));
            }
            let Some(login) = &server.login else { continue };
            put("user", Value::from(login.user.as_str()));
            let value = match &login.password {
                Password::File(path) => Value::from(seen_from(folder, path)),
                Password::Command(command) | Password::Oauth2Command(command) => Value::from(command.clone()),
                Password::Env(name) | Password::Credential(name) => Value::from(name.as_str()),
                // What was typed goes into a file of its own.
                Password::Plain(_) => Value::from(PASSWORD_FILE),
            };
            put(login.password.key(), value);
        }
        values
    }
}

/// A path below the config's folder is written as seen from there, so that the folder can be moved.
fn seen_from(folder: &Path, path: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}

fn tls_word(tls: Tls) -> &'static str {
    match tls {
        Tls::Implicit => "implicit",
        Tls::Starttls => "starttls",
        Tls::None => "none",
    }
}

fn language(dialogue: &Dialogue, answer: &str) -> Result<Lang, String> {
    match answer.to_lowercase().as_str() {
        "ru" | "русский" | "russian" => Ok(Lang::Ru),
        "en" | "английский" | "english" => Ok(Lang::En),
        _ => Err(dialogue.words("Ответьте ru или en", "Answer ru or en").to_owned()),
    }
}

/// Whether the config takes a value.
pub fn is_taken(key: &str, value: &Value) -> bool {
    let mut text = SHIPPED.to_owned();
    fill(&mut text, key, value) && Config::parse(&text, Path::new("/config.toml")).is_ok()
}

/// A path that the command line names.
pub fn absolute(dialogue: &Dialogue, flag: &str, path: &Path) -> Result<PathBuf, Stop> {
    std::path::absolute(path).map_err(|error| {
        Stop::usage(match dialogue.lang {
            Lang::Ru => format!("{flag}: не понять, где это ({error}). Ничего не записано."),
            Lang::En => format!("{flag}: nobody knows where that is ({error}). Nothing was written."),
        })
    })
}

/// The authority that the command line names: whoever named a wrong file need not answer a question.
pub fn check_ca_file(dialogue: &Dialogue, arguments: &InitArguments) -> Result<(), Stop> {
    let Some(path) = &arguments.ca_file else { return Ok(()) };
    let path = absolute(dialogue, "--ca-file", path)?;
    tls::client_config(Some(&path)).map(drop).map_err(|fault| {
        let why = refusals::ca_file(dialogue, &path, &fault);
        let nothing = dialogue.words("Ничего не записано.", "Nothing was written.");
        Stop::usage(format!("--ca-file: {why} {nothing}"))
    })
}

/// A file that is to hold the password must hold one by now; it may be closed to whoever sets up.
pub fn check_password_file(dialogue: &Dialogue, arguments: &InitArguments) -> Result<(), Stop> {
    let Some(path) = &arguments.password_file else { return Ok(()) };
    let path = absolute(dialogue, "--password-file", path)?;
    let why = match read_plain(&path, LONGEST_SECRET) {
        Err(fault) if fault.is_closed() => return Ok(()),
        Err(fault) => refusals::file(dialogue, &path, &fault),
        Ok(bytes) if matches!(bytes.first(), None | Some(b'\n' | b'\r')) => match dialogue.lang {
            Lang::Ru => format!("первая строка файла {} пуста.", path.display()),
            Lang::En => format!("the first line of {} is empty.", path.display()),
        },
        Ok(_) => return Ok(()),
    };
    let cure = dialogue.words(
        "Запишите в него пароль одной строкой и закройте от других (chmod 600). Ничего не записано.",
        "Write the password into it, on one line, and let nobody else read it (chmod 600). Nothing was written.",
    );
    Err(Stop::usage(format!("--password-file: {why} {cure}")))
}

fn mail(dialogue: &Dialogue, arguments: &InitArguments) -> Result<Mail, Stop> {
    let words = dialogue.words(
        "Адрес ящика, с которого пойдёт игра (отдельный, не ваш личный)",
        "The mailbox of the game (its own, not your private one)",
    );
    let given = arguments.address.as_deref();
    let address = dialogue.ask(&Question { words, flag: "--address", given, default: None }, |answer| {
        refusals::own_address(dialogue, answer)
    })?;
    let known = provider::of_address(&address);
    let provider = match arguments.provider.as_deref().and_then(provider::named) {
        Some(named) => named,
        None if known.imap.is_some() => known,
        None => {
            let names = provider::names().collect::<Vec<_>>().join(", ");
            let words = format!("{} ({names})", dialogue.words("У кого этот ящик", "Whose mailbox is it"));
            let question = Question { words: &words, flag: "--provider", given: None, default: Some(known.name) };
            dialogue.ask(&question, |answer| {
                let known: Vec<&str> = provider::names().collect();
                let word = refusals::one_of(dialogue, answer, &known)?;
                provider::named(&word).ok_or(word)
            })?
        }
    };
    let domain = address.rsplit_once('@').map(|(_, domain)| domain.to_owned()).unwrap_or_default();
    let ca_file = match &arguments.ca_file {
        Some(path) => Some(absolute(dialogue, "--ca-file", path)?),
        None => None,
    };
    let imap = Ends {
        server: ("--imap-server", arguments.imap_server.as_deref()),
        port: ("--imap-port", arguments.imap_port.as_deref()),
        tls: (arguments.imap_tls.map(super::TlsWord::meant), "--imap-tls"),
        known: provider.imap,
        guess: format!("imap.{domain}"),
        implicit: 993,
        words: ("Сервер входящей почты (IMAP)", "The server of incoming mail (IMAP)"),
    };
    let smtp = Ends {
        server: ("--smtp-server", arguments.smtp_server.as_deref()),
        port: ("--smtp-port", arguments.smtp_port.as_deref()),
        tls: (arguments.smtp_tls.map(super::TlsWord::meant), "--smtp-tls"),
        known: provider.smtp,
        guess: format!("smtp.{domain}"),
        implicit: 465,
        words: ("Сервер исходящей почты (SMTP)", "The server of outgoing mail (SMTP)"),
    };
    if provider.imap.is_none() && arguments.imap_server.is_none() && !dialogue.silent {
        dialogue.say(provider.prepare.in_language(dialogue.lang))?;
    }
    let imap = server(dialogue, &imap, ca_file.as_deref())?;
    let smtp = server(dialogue, &smtp, ca_file.as_deref())?;
    let folders = if arguments.folders.is_empty() { vec!["INBOX".to_owned()] } else { arguments.folders.clone() };
    let name = dialogue.words("Омерта", "Omerta").to_owned();
    Ok(Mail { provider, from: Mailbox { name, address }, imap, smtp, folders, done_folder: "Omerta".to_owned() })
}

/// What is known of one of the two servers.
struct Ends<'a> {
    server: (&'a str, Option<&'a str>),
    port: (&'a str, Option<&'a str>),
    tls: (Option<Tls>, &'a str),
    known: Option<Place>,
    guess: String,
    /// The port with TLS from the first byte.
    implicit: u16,
    words: (&'static str, &'static str),
}

fn server(dialogue: &Dialogue, ends: &Ends<'_>, ca_file: Option<&Path>) -> Result<Server, Stop> {
    let (flag, given) = ends.server;
    let known = ends.known.map(|place| place.server);
    let given = given.or(known);
    let words = dialogue.words(ends.words.0, ends.words.1);
    let server = dialogue.ask(&Question { words, flag, given, default: Some(&ends.guess) }, |answer| {
        refusals::server(dialogue, answer)
    })?;
    let known = ends.known.filter(|place| place.server == server);
    let default = known.map_or(ends.implicit, |place| place.port).to_string();
    let (flag, given) = ends.port;
    let given = given.or(known.map(|_| default.as_str()));
    let words = dialogue.words("Порт", "Port");
    let port = dialogue.ask(&Question { words, flag, given, default: Some(&default) }, |answer| {
        let why = dialogue.words("Нужно число от 1 до 65535", "A number from 1 to 65535 is wanted");
        answer.parse::<u16>().ok().filter(|port| *port > 0).ok_or_else(|| why.to_owned())
    })?;
    let by_port = match port {
        993 | 465 => Some(Tls::Implicit),
        143 | 25 | 587 => Some(Tls::Starttls),
        _ => None,
    };
    let known = known.filter(|place| place.port == port).map(|place| place.tls);
    let tls = match ends.tls.0.or(known).or(by_port) {
        Some(tls) => tls,
        None => how_secured(dialogue, ends.tls.1, is_loopback(&server))?,
    };
    Ok(Server { server, port, tls, ca_file: ca_file.map(Path::to_path_buf), login: None })
}

/// Asked only where neither the provider nor the port tells.
fn how_secured(dialogue: &Dialogue, flag: &str, may_be_open: bool) -> Result<Tls, Stop> {
    let words = dialogue.words(
        "Защита линии (implicit - TLS сразу, starttls - после приветствия)",
        "How the line is secured (implicit: TLS at once, starttls: after the greeting)",
    );
    let known: &[&str] = if may_be_open { &["implicit", "starttls", "none"] } else { &["implicit", "starttls"] };
    let default = tls_word(Tls::Starttls);
    dialogue.ask(&Question { words, flag, given: None, default: Some(default) }, |answer| {
        Ok(match refusals::one_of(dialogue, &answer.to_lowercase(), known)?.as_str() {
            "implicit" => Tls::Implicit,
            "none" => Tls::None,
            _ => Tls::Starttls,
        })
    })
}

fn host_address(dialogue: &Dialogue, arguments: &InitArguments, own: &str) -> Result<String, Stop> {
    let words =
        dialogue.words("Ваш личный адрес (ведущего): сюда пойдут сводки", "Your own address (the host's), for digests");
    let given = arguments.host_address.as_deref();
    dialogue.ask(&Question { words, flag: "--host-address", given, default: None }, |answer| {
        let address = refusals::address(dialogue, answer)?;
        let why = dialogue.words(
            "Это ящик самой игры; нужен другой: письма с него программа считает своими",
            "This is the game's own mailbox; another one is wanted, for letters from it count as the program's",
        );
        if comes_to(&address, own, true) { Err(why.to_owned()) } else { Ok(address) }
    })
}

/// The way to a password, as the command line has it.
pub fn given_password(dialogue: &Dialogue, arguments: &InitArguments) -> Result<Option<Password>, Stop> {
    let shell = |command: &String| vec!["sh".to_owned(), "-c".to_owned(), command.clone()];
    if let Some(path) = &arguments.password_file {
        return Ok(Some(Password::File(absolute(dialogue, "--password-file", path)?)));
    }
    Ok(arguments
        .password_command
        .as_ref()
        .map(|command| Password::Command(shell(command)))
        .or_else(|| arguments.password_env.clone().map(Password::Env))
        .or_else(|| arguments.oauth2_token_command.as_ref().map(|command| Password::Oauth2Command(shell(command)))))
}

fn text<'a>(words: &'a str, flag: &'a str, given: &'a Option<String>, default: &'a str) -> Question<'a> {
    Question { words, flag, given: given.as_deref(), default: Some(default) }
}

/// Whether this provider takes no password at all.
pub fn wants_token(provider: &Provider) -> bool {
    provider.login == LoginWay::Token
}

impl From<LangWord> for Lang {
    fn from(word: LangWord) -> Lang {
        match word {
            LangWord::Ru => Lang::Ru,
            LangWord::En => Lang::En,
        }
    }
}
