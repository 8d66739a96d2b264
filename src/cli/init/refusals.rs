//! Why an answer is not taken, in the language of the talk, and what to answer instead.

use std::path::Path;

use toml::Value;

use super::answers::is_taken;
use super::ask::Dialogue;
use crate::address::{AddressFault, read_address};
use crate::config::{PlainFault, nearest, nearest_zone};
use crate::letters::Lang;
use crate::mail::tls::TlsFault;
use crate::schedule::{self, DeadlineRule, RuleFault};

/// A mail address.
pub fn address(dialogue: &Dialogue, answer: &str) -> Result<String, String> {
    read_address(answer).map_err(|fault| match dialogue.lang {
        Lang::Ru => format!("Это не адрес почты: {}. Пример: mafia@example.org", in_russian(&fault)),
        Lang::En => format!("This is no mail address: {fault}. As in: mafia@example.org"),
    })
}

/// The game's own: answers will come to it with a + and more behind the name.
pub fn own_address(dialogue: &Dialogue, answer: &str) -> Result<String, String> {
    let address = address(dialogue, answer)?;
    let why = dialogue.words(
        "Нужен адрес самого ящика, без «+» и того, что за ним",
        "The mailbox's own address is wanted, without + and what follows it",
    );
    if address.split('@').next().is_some_and(|name| name.contains('+')) { Err(why.to_owned()) } else { Ok(address) }
}

fn in_russian(fault: &AddressFault) -> String {
    match fault {
        AddressFault::Empty => "ответ пуст".to_owned(),
        AddressFault::At => "в нём должен быть один знак @".to_owned(),
        AddressFault::Foreign(c) => format!("«{c}» - не латинская буква, переключите раскладку"),
        AddressFault::Character(c) => format!("знаку {c:?} в адресе не место"),
        AddressFault::Local => "часть до @ не такая, какую принимают почтовые серверы".to_owned(),
        AddressFault::Domain => "часть после @ - не имя сервера".to_owned(),
        AddressFault::TooLong => "он слишком длинный".to_owned(),
    }
}

/// The name of a server, or its number.
pub fn server(dialogue: &Dialogue, answer: &str) -> Result<String, String> {
    let is_number = answer.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>().is_ok();
    let is_name = !answer.is_empty() && answer.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c));
    if is_number || is_name {
        return Ok(answer.to_owned());
    }
    let why = match (answer.contains(':'), answer.chars().find(|c| c.is_alphabetic() && !c.is_ascii())) {
        (true, _) => dialogue.words(
            "Нужно только имя сервера, как imap.example.org; о порте спрошу отдельно",
            "Only the server's name is wanted, as imap.example.org; the port is asked for next",
        ),
        (false, Some(_)) => dialogue.words(
            "Нужно имя сервера латиницей, как imap.example.org; переключите раскладку",
            "A server's name in Latin letters is wanted, as imap.example.org",
        ),
        (false, None) => {
            dialogue.words("Нужно имя сервера, как imap.example.org", "A server's name is wanted, as imap.example.org")
        }
    };
    Err(why.to_owned())
}

/// An IANA name.
pub fn zone(dialogue: &Dialogue, answer: &str) -> Result<String, String> {
    if is_taken("timezone", &Value::from(answer)) {
        return Ok(answer.to_owned());
    }
    let (none, example) = match dialogue.lang {
        Lang::Ru => ("Такого пояса нет", "Нужно название IANA, как Asia/Yekaterinburg"),
        Lang::En => ("There is no such zone", "An IANA name is wanted, as Europe/London"),
    };
    Err(format!("{none}. {}{example}", perhaps(dialogue, nearest_zone(answer).as_deref())))
}

/// Why a file that the command line names is not read.
pub fn file(dialogue: &Dialogue, path: &Path, fault: &PlainFault) -> String {
    let path = path.display();
    match (dialogue.lang, fault) {
        (Lang::Ru, _) if fault.is_missing() => format!("файла {path} нет."),
        (Lang::Ru, PlainFault::Unreadable(_)) => format!("файл {path} не прочитать."),
        (Lang::Ru, PlainFault::Kind(_)) => format!("{path} - не обычный файл."),
        (Lang::Ru, PlainFault::Large(_)) => format!("файл {path} слишком велик."),
        (Lang::En, _) if fault.is_missing() => format!("the file {path} is not there."),
        (Lang::En, _) => format!("{path} {fault}."),
    }
}

/// What is wrong with the file of an authority, and what is wanted.
pub fn ca_file(dialogue: &Dialogue, path: &Path, fault: &TlsFault) -> String {
    let why = match (dialogue.lang, fault) {
        (_, TlsFault::NoFile { error, .. }) => file(dialogue, path, error),
        (Lang::Ru, TlsFault::NoRoots | TlsFault::Protocol(_)) => {
            "система не доверяет ни одному центру сертификации (Debian: apt install ca-certificates).".to_owned()
        }
        (Lang::Ru, _) => format!("в файле {} нет годного сертификата.", path.display()),
        (Lang::En, TlsFault::NoRoots | TlsFault::Protocol(_)) => {
            "this system trusts no authority (Debian: apt install ca-certificates).".to_owned()
        }
        (Lang::En, _) => format!("there is no good certificate in {}.", path.display()),
    };
    let wanted = dialogue.words(
        "Нужен сертификат центра сертификации в виде PEM: -----BEGIN CERTIFICATE-----.",
        "The authority's certificate is wanted, as PEM: -----BEGIN CERTIFICATE-----.",
    );
    format!("{why} {wanted}")
}

/// One time, a list of them, or `every 36h`.
pub fn deadline(dialogue: &Dialogue, answer: &str) -> Result<Value, String> {
    let parts: Vec<&str> = answer.split(',').map(str::trim).collect();
    let value = match parts.as_slice() {
        [one] => Value::from(*one),
        _ => Value::from(parts.clone()),
    };
    let fault = match DeadlineRule::parse_all(&parts) {
        Ok(_) if is_taken("game.deadline", &value) => return Ok(value),
        Ok(_) => RuleFault::Empty,
        Err(fault) => fault,
    };
    let near = match &fault {
        RuleFault::Time(time) => {
            let meant = time.replace(['.', '-'], ":");
            DeadlineRule::parse(&meant).is_ok().then_some(meant)
        }
        RuleFault::Day(day) => nearest(day, schedule::day_names()).map(str::to_owned),
        RuleFault::Empty | RuleFault::Every(_) | RuleFault::Mixed(_) => None,
    };
    let perhaps = perhaps(dialogue, near.as_deref());
    let examples = "21:00; Mon-Thu 21:00, Sun 20:00; every 36h";
    Err(match dialogue.lang {
        Lang::Ru => {
            let why = match fault {
                RuleFault::Empty => "ответ пуст".to_owned(),
                RuleFault::Time(said) => format!("«{said}» - не время суток"),
                RuleFault::Day(said) => format!("«{said}» - не день недели"),
                RuleFault::Every(said) => format!("«{said}» - не промежуток от 1m до 366d"),
                RuleFault::Mixed(said) => format!("«{said}» не сочетается с другими сроками"),
            };
            format!("Это не похоже на время: {why}. {perhaps}Примеры: {examples}")
        }
        Lang::En => format!("This is no time of deadlines: {fault}. {perhaps}As in: {examples}"),
    })
}

/// One of a few words, in any case.
pub fn one_of(dialogue: &Dialogue, answer: &str, words: &[&str]) -> Result<String, String> {
    let word = answer.to_lowercase();
    if words.contains(&word.as_str()) {
        return Ok(word);
    }
    let wanted = dialogue.words("Нужно одно из этих слов", "One of these words is wanted");
    let near = nearest(&word, words.iter().copied());
    Err(format!("{}{wanted}: {}", perhaps(dialogue, near), words.join(", ")))
}

fn perhaps(dialogue: &Dialogue, near: Option<&str>) -> String {
    let perhaps = dialogue.words("Может быть,", "Did you mean");
    near.map(|near| format!("{perhaps} {near}? ")).unwrap_or_default()
}
