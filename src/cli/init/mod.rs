//! `omerta init`: from nothing to a config that works. Whatever the command line does not say is asked; the logins are
//! tried, a letter is sent round; only then the files are written, all or none.

mod answers;
mod ask;
mod fill;
mod mailbox;
mod refusals;
mod save;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use self::answers::Answers;
use self::ask::Dialogue;
use super::load::{self, Place};
use super::{exit, fail};
use crate::config::{Config, Secret, Tls};
use crate::dice;
use crate::keys::Keys;
use crate::letters::Lang;
use crate::provider;

#[derive(Debug, Default, Args)]
pub struct InitArguments {
    /// The mailbox of the game, and of nobody else
    #[arg(long)]
    address: Option<String>,
    /// gmail, yandex, mailru, rambler, yahoo, icloud, fastmail, outlook, proton-bridge, own; else known by the address
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(provider::names()))]
    provider: Option<String>,
    /// The name to log in with; else the address
    #[arg(long)]
    user: Option<String>,
    /// A file whose first line is the password
    #[arg(long, value_name = "FILE", group = "password")]
    password_file: Option<PathBuf>,
    /// A command line that prints the password
    #[arg(long, value_name = "COMMAND", group = "password")]
    password_command: Option<String>,
    /// An environment variable that holds the password
    #[arg(long, value_name = "NAME", group = "password")]
    password_env: Option<String>,
    /// A command line that prints an access token (XOAUTH2)
    #[arg(long, value_name = "COMMAND", group = "password")]
    oauth2_token_command: Option<String>,
    /// The server of incoming mail; else known by the address, or asked
    #[arg(long, value_name = "NAME")]
    imap_server: Option<String>,
    /// Its port
    #[arg(long, value_name = "PORT")]
    imap_port: Option<String>,
    /// How the line to it is secured
    #[arg(long, value_enum)]
    imap_tls: Option<TlsWord>,
    /// The server of outgoing mail; else known by the address, or asked
    #[arg(long, value_name = "NAME")]
    smtp_server: Option<String>,
    /// Its port
    #[arg(long, value_name = "PORT")]
    smtp_port: Option<String>,
    /// How the line to it is secured
    #[arg(long, value_enum)]
    smtp_tls: Option<TlsWord>,
    /// An extra trust root, PEM
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// A folder to read; again for more [default: INBOX]
    #[arg(long = "folder", value_name = "NAME")]
    folders: Vec<String>,
    /// The host's own address, for digests and alerts
    #[arg(long, value_name = "ADDRESS")]
    host_address: Option<String>,
    /// How letters call the host
    #[arg(long, value_name = "NAME")]
    host_name: Option<String>,
    /// The time zone of deadlines: Europe/Moscow
    #[arg(long)]
    zone: Option<String>,
    /// When turns end: 21:00, or "Mon-Thu 21:00, Sun 20:00", or "every 36h"
    #[arg(long)]
    deadline: Option<String>,
    /// The language of letters: ru or en
    #[arg(long)]
    language: Option<String>,
    /// The form of the summary to paste: bbcode, markdown, html or text
    #[arg(long)]
    markup: Option<String>,
    /// The language of this dialogue
    #[arg(long, value_enum)]
    lang: Option<LangWord>,
    /// Log in, but send no test letter
    #[arg(long)]
    no_test: bool,
    /// Touch no server at all
    #[arg(long)]
    no_login: bool,
    /// Ask nothing: take every default
    #[arg(long)]
    yes: bool,
    /// Replace the files that are there; they are kept as NAME.bak, then NAME.bak1 and so on
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TlsWord {
    Implicit,
    Starttls,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LangWord {
    Ru,
    En,
}

impl TlsWord {
    fn meant(self) -> Tls {
        match self {
            TlsWord::Implicit => Tls::Implicit,
            TlsWord::Starttls => Tls::Starttls,
            TlsWord::None => Tls::None,
        }
    }
}

/// Why nothing was set up.
struct Stop {
    code: u8,
    said: String,
}

impl Stop {
    fn new(code: u8, said: impl Into<String>) -> Stop {
        Stop { code, said: said.into() }
    }

    fn usage(said: impl Into<String>) -> Stop {
        Stop::new(exit::USAGE, said)
    }
}

/// The password that was typed, beside the config.
const PASSWORD_FILE: &str = "mail.secret";
/// The hosts' proof word (`host.word_file`).
const WORD_FILE: &str = "host.secret";

pub fn run(place: &Place, arguments: &InitArguments) -> u8 {
    match set_up(place, arguments) {
        Ok(()) => exit::OK,
        Err(stop) => fail(stop.code, &stop.said),
    }
}

fn set_up(place: &Place, arguments: &InitArguments) -> Result<(), Stop> {
    let named = place.config.clone().or_else(|| load::variable(load::CONFIG_VARIABLE).map(PathBuf::from));
    let config = named.unwrap_or_else(|| PathBuf::from("config.toml"));
    let mut dialogue = Dialogue { lang: first_language(arguments), silent: arguments.yes };
    let file = answers::absolute(&dialogue, "--config", &config)?;
    nothing_in_the_way(&dialogue, &file, arguments)?;
    if arguments.lang.is_none() && !arguments.yes {
        dialogue.lang = answers::dialogue_language(&dialogue)?;
    }
    answers::check_ca_file(&dialogue, arguments)?;
    answers::check_password_file(&dialogue, arguments)?;
    let answers = Answers::gather(&dialogue, arguments, &file, &place.clock())?;
    let (text, _) = answers.config(&file).map_err(|why| {
        let unfit = dialogue.words(
            "из этих ответов настроек не выходит, ничего не записано",
            "these answers make no settings, nothing was written",
        );
        Stop::new(exit::CONFIG, format!("{unfit}: {why}"))
    })?;
    let mut secrets = Vec::new();
    if let Some(password) = &answers.login.typed {
        secrets.push((beside(&file, PASSWORD_FILE), password.clone()));
    }
    let word_file = beside(&file, WORD_FILE);
    if !word_file.exists() {
        secrets.push((word_file, proof_word(&dialogue, answers.language)?));
    }
    let files = save::Files { config: &file, text: &text, secrets, force: arguments.force };
    save::save(&files).map_err(|error| {
        Stop::new(
            exit::UNAVAILABLE,
            match dialogue.lang {
                Lang::Ru => format!("записать не удалось: {error}. Ничего не изменено."),
                Lang::En => format!("the files can't be written: {error}. Nothing was changed."),
            },
        )
    })?;
    Config::load(&file).map_err(|faults| Stop::new(exit::CONFIG, said(&faults)))?;
    farewell(&dialogue, place, &config, &file)
}

/// Before anybody answers ten questions in vain.
fn nothing_in_the_way(dialogue: &Dialogue, file: &Path, arguments: &InitArguments) -> Result<(), Stop> {
    let password = answers::given_password(dialogue, arguments)?.is_none().then(|| beside(file, PASSWORD_FILE));
    let mut wanted = std::iter::once(file.to_path_buf()).chain(password);
    let taken = wanted.find(|path| path.symlink_metadata().is_ok());
    let Some(path) = taken.filter(|_| !arguments.force) else { return Ok(()) };
    Err(Stop::new(
        exit::CONFIG,
        match dialogue.lang {
            Lang::Ru => format!(
                "{} уже есть. С --force он останется под именем {}.",
                path.display(),
                save::backup_of(&path).display()
            ),
            Lang::En => format!(
                "{} is there already. With --force it is kept as {}.",
                path.display(),
                save::backup_of(&path).display()
            ),
        },
    ))
}

/// Until somebody says which: the machine's, else Russian.
fn first_language(arguments: &InitArguments) -> Lang {
    let machine = load::variable("LC_ALL").or_else(|| load::variable("LANG"));
    let machine = machine.and_then(|value| value.into_string().ok()).unwrap_or_default();
    match (arguments.lang, arguments.language.as_deref()) {
        (Some(LangWord::Ru), _) | (None, Some("ru")) => Lang::Ru,
        (Some(LangWord::En), _) | (None, Some("en")) => Lang::En,
        (None, _) if machine.starts_with("en") => Lang::En,
        (None, _) => Lang::Ru,
    }
}

/// A word and two digits, from the system's dice.
fn proof_word(dialogue: &Dialogue, lang: Lang) -> Result<Secret, Stop> {
    let none = dialogue.words(
        "система не даёт случайных чисел. Ничего не записано.",
        "the system gives no random numbers. Nothing was written.",
    );
    let random = dice::random_32().map_err(|_| Stop::new(exit::UNAVAILABLE, none))?;
    Ok(Secret::new(Keys::new(random).hosts_word(lang)))
}

fn beside(file: &Path, name: &str) -> PathBuf {
    file.parent().map(|folder| folder.join(name)).unwrap_or_else(|| PathBuf::from(name))
}

fn said<T: ToString>(faults: &[T]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// What was written, and the next three commands.
fn farewell(dialogue: &Dialogue, place: &Place, config: &Path, file: &Path) -> Result<(), Stop> {
    let usual = place.config.is_none();
    let option = if usual { String::new() } else { format!(" --config {}", quoted(&config.display().to_string())) };
    let folder = file.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let words = match dialogue.lang {
        Lang::Ru => format!(
            "\nГотово: {}. Настройки - в {name}, у каждой своё пояснение; слово ведущей - в {WORD_FILE}.\n\
             Все файлы лежат в {folder}; сохраняйте их вместе.\n\n\
             Запишите игроков в players.csv (UTF-8), строка на игрока, игроков от 7 до 1000:\n\n  address,nick,gender\n  anna@example.org,Анна,f\n  \
             boris@example.org,Сапожник,m\n\nДальше три команды (последняя и есть программа: она работает, пока идёт игра):\n",
            file.display()
        ),
        Lang::En => format!(
            "\nDone: {}. The settings are in {name}, each with its comment; the host's word is in {WORD_FILE}.\n\
             All files lie in {folder}; keep them together.\n\n\
             Write the players into players.csv (UTF-8), a line a player, from 7 to 1,000 players:\n\n  address,nick,gender\n  anna@example.org,Anna,f\n  \
             boris@example.org,Cobbler,m\n\nThen three commands (the last is the program itself: it runs as long as the game):\n",
            file.display()
        ),
    };
    dialogue.say(&words)?;
    dialogue.say(&format!("  omerta{option} game new palermo --roster players.csv"))?;
    dialogue.say(&format!("  omerta{option} game start palermo"))?;
    dialogue.say(&format!("  omerta{option} run"))?;
    dialogue.say(&match dialogue.lang {
        Lang::Ru => format!(
            "\nЕсли что-то не так: omerta{option} doctor - проверит почту, часы, диск и базу и скажет, что делать."
        ),
        Lang::En => format!(
            "\nIf something is wrong: omerta{option} doctor tries mail, clock, disk and database, and says what to do."
        ),
    })
}

/// As a shell wants it.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
    if text.chars().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
