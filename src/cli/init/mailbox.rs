//! The mailbox, tried before anything is written: the password, both logins, a letter to ourselves and back.

use std::path::Path;
use std::time::Duration;

use super::answers::{Mail, given_password, wants_token};
use super::ask::{Dialogue, Question};
use super::{InitArguments, PASSWORD_FILE, Stop, beside};
use crate::cli::exit;
use crate::cli::load::variable;
use crate::cli::trial::{Trial, places, with_tag};
use crate::clock::Clock;
use crate::config::{self, Password, Secret, Server};
use crate::letters::Lang;
use crate::mail::imap::visit::Visit as ImapVisit;
use crate::mail::imap::{ImapSettings, Times};
use crate::mail::link::{Trouble, TroubleKind};
use crate::mail::smtp::visit::Visit as SmtpVisit;
use crate::mail::smtp::{Patience, SmtpSettings};
use crate::provider::LoginWay;

/// After so many refusals the provider might lock the mailbox.
const MOST_TRIES: u32 = 3;
/// The letter to ourselves may take so long.
const LETTER: Duration = Duration::from_secs(120);
/// After the plain letter has come, the one with a tag may take so long.
const TAGGED_LETTER: Duration = Duration::from_secs(20);
/// Nobody sits longer before a silent server.
const STEP: Duration = Duration::from_secs(20);

/// The password that the files will hold.
pub struct Login {
    /// None when the command line says where the password is.
    pub typed: Option<Secret>,
}

/// Asks for what the login needs and tries it, until both servers let us in.
pub fn login(dialogue: &Dialogue, arguments: &InitArguments, mail: &mut Mail, file: &Path) -> Result<Login, Stop> {
    let words = dialogue.words("Логин", "User");
    let default = mail.from.address.clone();
    let asked = arguments.user.is_none() && mail.provider.imap.is_some();
    let given = arguments.user.as_deref().or(asked.then_some(default.as_str()));
    let user = dialogue.ask(&Question { words, flag: "--user", given, default: Some(&default) }, |answer| {
        if answer.is_empty() {
            Err(dialogue
                .words("Логин пуст; обычно это весь адрес", "The user is empty; mostly it is the whole address")
                .to_owned())
        } else {
            Ok(answer.to_owned())
        }
    })?;
    let given = given_password(dialogue, arguments)?;
    if given.is_none() {
        prepare(dialogue, mail)?;
    }
    if wants_token(mail.provider) && !given.as_ref().is_some_and(Password::is_token) {
        return Err(Stop::usage(mail.provider.prepare.in_language(dialogue.lang)));
    }
    let mut set = |password: Password| {
        for server in [&mut mail.imap, &mut mail.smtp] {
            server.login = Some(config::Login { user: user.clone(), password: password.clone() });
        }
    };
    let Some(given) = given else {
        return typed(dialogue, arguments, mail, &user, file);
    };
    set(given);
    if !arguments.no_login {
        doors(dialogue, mail, None).map_err(|trouble| refused(dialogue, mail, &trouble))?;
    }
    Ok(Login { typed: None })
}

/// Tells what must be done at the provider before the first login.
fn prepare(dialogue: &Dialogue, mail: &Mail) -> Result<(), Stop> {
    if dialogue.silent || mail.provider.imap.is_none() {
        return Ok(());
    }
    dialogue.say(&format!("{}. {}", mail.provider.title, mail.provider.prepare.in_language(dialogue.lang)))?;
    if let LoginWay::AppPassword(page) = mail.provider.login {
        dialogue.say(&format!("  {page}"))?;
    }
    Ok(())
}

fn typed(
    dialogue: &Dialogue,
    arguments: &InitArguments,
    mail: &mut Mail,
    user: &str,
    file: &Path,
) -> Result<Login, Stop> {
    let words = match mail.provider.login {
        LoginWay::AppPassword(_) => {
            dialogue.words("Пароль приложения (не виден при вводе)", "App password (not shown)")
        }
        LoginWay::Password | LoginWay::Token => dialogue.words("Пароль (не виден при вводе)", "Password (not shown)"),
    };
    for _ in 0..MOST_TRIES {
        let secret = dialogue.ask_secret(words, "--password-file")?;
        // The config will name the file; until it is written the password is at hand.
        let password = Password::File(beside(file, PASSWORD_FILE));
        for server in [&mut mail.imap, &mut mail.smtp] {
            server.login = Some(config::Login { user: user.to_owned(), password: password.clone() });
        }
        if arguments.no_login {
            return Ok(Login { typed: Some(secret) });
        }
        match doors(dialogue, mail, Some(&secret)) {
            Ok(()) => return Ok(Login { typed: Some(secret) }),
            Err(trouble) if trouble.kind == TroubleKind::LoginRefused => {
                dialogue.say(&refused(dialogue, mail, &trouble).said)?;
            }
            Err(trouble) => return Err(refused(dialogue, mail, &trouble)),
        }
    }
    Err(Stop::new(exit::UNAVAILABLE, dialogue.words(
        "вход не удался; чтобы почта не заблокировала ящик, больше не пробую. Ничего не записано.",
        "the login failed; it is not tried again, so that the provider does not lock the mailbox. Nothing was written.",
    )))
}

/// Both logins.
fn doors(dialogue: &Dialogue, mail: &Mail, secret: Option<&Secret>) -> Result<(), Trouble> {
    let trial = runtime()?;
    let imap = open_imap(&trial, mail, secret)?;
    trial.runtime.block_on(imap.close());
    let smtp = open_smtp(&trial, mail, secret)?;
    trial.runtime.block_on(smtp.close());
    // Nobody is left to tell when the terminal is gone; the next question will say so.
    let _ = dialogue.say(
        dialogue.words("  Вход удался: почта читается и отправляется.", "  Logged in: mail can be read and sent."),
    );
    Ok(())
}

/// Sends letters to ourselves and waits for them. True when a letter to `name+tag@` comes, too.
pub fn try_out(
    dialogue: &Dialogue,
    arguments: &InitArguments,
    mail: &Mail,
    login: &Login,
    clock: &Clock,
) -> Result<bool, Stop> {
    // What is not sure is not relied on untried.
    let known = mail.provider.plus.is_some_and(|fact| fact.is && !fact.unconfirmed);
    if arguments.no_test || arguments.no_login {
        return Ok(known);
    }
    dialogue.say(dialogue.words("  Отправляю письмо самой себе…", "  Sending a letter to itself…"))?;
    let returned = round_trip(dialogue, mail, login.typed.as_ref(), clock);
    match returned.map_err(|trouble| refused(dialogue, mail, &trouble))? {
        (false, _) => Err(Stop::new(exit::UNAVAILABLE, dialogue.words(
            "письмо отправлено, но за две минуты не пришло. Посмотрите в ящике, нет ли ошибки отправки; --no-test \
             настраивает без этой проверки. Ничего не записано.",
            "the letter was sent and did not come within two minutes. Look for an error report in the mailbox; --no-test \
             sets up without this test. Nothing was written.",
        ))),
        (true, plus) => {
            dialogue.say(dialogue.words("  Письмо пришло.", "  The letter has come."))?;
            if !plus {
                dialogue.say(dialogue.words(
                    "  Письма на адрес с «+» сюда не приходят: plus_addressing = false.",
                    "  Letters to an address with a + do not come here: plus_addressing = false.",
                ))?;
            }
            Ok(plus)
        }
    }
}

/// Whether the plain letter came, and the one with a tag.
fn round_trip(
    dialogue: &Dialogue,
    mail: &Mail,
    secret: Option<&Secret>,
    clock: &Clock,
) -> Result<(bool, bool), Trouble> {
    let trial = runtime()?;
    let mut imap = open_imap(&trial, mail, secret)?;
    let mut smtp = open_smtp(&trial, mail, secret)?;
    let own = mail.from.address.as_str();
    let plain = trial.send(&mut smtp, &mail.from, own, dialogue.lang, clock)?;
    // A server that takes no such address may say so at once: that is an answer, too.
    let tagged = trial.send(&mut smtp, &mail.from, &with_tag(own), dialogue.lang, clock).ok();
    trial.runtime.block_on(smtp.close());
    let places = places(&trial, &mut imap, &mail.folders, None)?;
    if trial.look_for(&mut imap, &places, &plain, LETTER)?.is_none() {
        return Ok((false, false));
    }
    let plus = match tagged {
        Some(tagged) => trial.look_for(&mut imap, &places, &tagged, TAGGED_LETTER)?.is_some(),
        None => false,
    };
    trial.runtime.block_on(imap.close());
    Ok((true, plus))
}

fn runtime() -> Result<Trial, Trouble> {
    Trial::new().map_err(|error| Trouble { kind: TroubleKind::Unable, said: error.to_string() })
}

fn open_imap(trial: &Trial, mail: &Mail, secret: Option<&Secret>) -> Result<ImapVisit, Trouble> {
    let settings = ImapSettings {
        server: at_hand(&mail.imap, secret),
        folders: mail.folders.clone(),
        done_folder: None,
        max_message: 10 << 20,
        variable,
        times: Times { step: STEP, ..Times::default() },
    };
    trial.imap(settings, None)
}

fn open_smtp(trial: &Trial, mail: &Mail, secret: Option<&Secret>) -> Result<SmtpVisit, Trouble> {
    let patience = Patience { connect: STEP, reply: STEP, ..Patience::default() };
    let server = at_hand(&mail.smtp, secret);
    trial.smtp(SmtpSettings { server, from: mail.from.address.clone(), variable, patience })
}

/// The server with a password that stands in no file yet.
fn at_hand(server: &Server, secret: Option<&Secret>) -> Server {
    let mut server = server.clone();
    if let (Some(login), Some(secret)) = (&mut server.login, secret) {
        login.password = Password::Plain(secret.clone());
    }
    server
}

/// What failed, and what the provider likely means by it.
fn refused(dialogue: &Dialogue, mail: &Mail, trouble: &Trouble) -> Stop {
    let hint = match trouble.kind {
        TroubleKind::LoginRefused => mail.provider.refused.in_language(dialogue.lang),
        TroubleKind::Untrusted => dialogue.words(
            "Сертификату сервера нет доверия: для своего сервера назовите его центр сертификации, --ca-file.",
            "The server's certificate is not trusted: with a server of your own name its authority by --ca-file.",
        ),
        TroubleKind::NoPassword => dialogue.words(
            "Пароль не прочитан: посмотрите, что названо после --password-... или --oauth2-token-command.",
            "The password can't be read: look at what was named by --password-... or --oauth2-token-command.",
        ),
        TroubleKind::Unreachable => dialogue.words(
            "Сервер недоступен: проверьте имя, порт и сеть.",
            "The server is out of reach: look at name, port and network.",
        ),
        TroubleKind::Unable => dialogue.words(
            "Сервер не делает того, что нужно: проверьте его имя, порт и вид защиты (TLS).",
            "The server does not do what is needed: look at its name, port and kind of TLS.",
        ),
    };
    let said = match dialogue.lang {
        Lang::Ru => format!("{hint} Ничего не записано. Ответ: {}", trouble.said),
        Lang::En => format!("{hint} Nothing was written. The answer: {}", trouble.said),
    };
    Stop::new(exit::UNAVAILABLE, said)
}
