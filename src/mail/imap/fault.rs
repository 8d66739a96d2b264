//! Why a line to the mailbox is of no use, and what the operator is told.

use std::io;

use crate::config::Server;
use crate::mail::link::{Trouble, TroubleKind};
use crate::mail::tls::TlsFault;

#[derive(Debug)]
pub(super) enum Fault {
    /// The daemon's loop listens no more: the end.
    LoopGone,
    Connect(io::Error),
    /// The line broke.
    Broken(io::Error),
    Closed,
    /// No answer in time; to what.
    Silent(&'static str),
    /// The server closes the line and says why.
    Bye(String),
    /// What came is no IMAP, or more of it than was asked for.
    Garbled,
    Tls(TlsFault),
    Untrusted(String),
    /// There is no password to log in with; names the key and the cure.
    Password(String),
    /// The login was refused; in the server's words.
    LoginRefused(String),
    /// The server does not do what is needed.
    Unable(String),
}

impl Fault {
    /// What the operator is told. None: nobody is left to be told.
    pub(super) fn trouble(&self, server: &Server) -> Option<Trouble> {
        let place = format!("{}:{}", server.server, server.port);
        let down = |why: String| Trouble {
            kind: TroubleKind::Unreachable,
            said: format!("The mailbox at {place} is out of reach: {why}."),
        };
        Some(match self {
            Fault::LoopGone => return None,
            Fault::Connect(error) => down(format!("no connection ({error}); look at server and port")),
            Fault::Broken(error) => down(format!("the line broke ({error})")),
            Fault::Closed => down("the server closed the line".to_owned()),
            Fault::Silent(what) => down(format!("no answer in time to {what}")),
            Fault::Bye(words) => down(format!("the server says: {}", harmless(words, server))),
            Fault::Garbled => down("what answers there speaks no IMAP, or another tls than the config says".to_owned()),
            Fault::Tls(fault) => Trouble { kind: TroubleKind::Unable, said: fault.to_string() },
            Fault::Untrusted(why) => Trouble {
                kind: TroubleKind::Untrusted,
                said: format!("The certificate of {place} is not trusted: {why}."),
            },
            Fault::Password(why) => Trouble { kind: TroubleKind::NoPassword, said: why.clone() },
            Fault::LoginRefused(words) => Trouble {
                kind: TroubleKind::LoginRefused,
                said: format!(
                    "The mailbox at {place} refused the login ({}). {}",
                    harmless(words, server),
                    likely_cause(&server.server, server.login.as_ref().is_some_and(|login| login.password.is_token())),
                ),
            },
            Fault::Unable(why) => Trouble {
                kind: TroubleKind::Unable,
                said: format!("The mailbox at {place} does not do what is needed: {}.", harmless(why, server)),
            },
        })
    }
}

/// Why a login may be refused though the password was right once.
fn likely_cause(server: &str, is_token: bool) -> &'static str {
    let server = server.to_lowercase();
    let is_at = |provider: &str| server == provider || server.ends_with(&format!(".{provider}"));
    if is_token {
        "The access token is not taken: look at oauth2_token_command and at the consent it was given."
    } else if ["gmail.com", "googlemail.com", "google.com"].into_iter().any(is_at) {
        "Gmail wants an app password (it needs 2-Step Verification), and voids all of them when the account's password \
         is changed."
    } else if ["yandex.ru", "yandex.com", "ya.ru"].into_iter().any(is_at) {
        "Yandex wants an app password for mail, IMAP switched on in the settings of the mailbox (Mail clients), and \
         voids app passwords when the account's password is changed."
    } else if ["mail.ru", "bk.ru", "list.ru", "inbox.ru", "internet.ru", "vk.com"].into_iter().any(is_at) {
        "Mail.ru wants a password for external applications, made in the security settings with full access to mail, \
         and voids them when the account's password is changed."
    } else if ["outlook.com", "office365.com", "hotmail.com", "live.com"].into_iter().any(is_at) {
        "Microsoft takes no passwords over IMAP any more: use oauth2_token_command."
    } else {
        "Look at user and password; many providers want an app password, which is void after the account's password is \
         changed, and IMAP must be switched on in the mailbox's settings."
    }
}

/// A server's words may repeat the address that logged in, and may be anything.
pub(super) fn harmless(words: &str, server: &Server) -> String {
    let user = server.login.as_ref().map_or("", |login| login.user.as_str());
    let plain: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect();
    let hides = |word: &str| word.contains('@') || (!user.is_empty() && word.contains(user));
    plain.split_whitespace().map(|word| if hides(word) { "…" } else { word }).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use crate::config::{Login, Password, Secret, Tls};

    use super::*;

    fn server(name: &str) -> Server {
        let password = Password::Plain(Secret::new("hunter2"));
        let login = Some(Login { user: "mafia".to_owned(), password });
        Server { server: name.to_owned(), port: 993, tls: Tls::Implicit, ca_file: None, login }
    }

    #[test]
    fn a_refused_login_names_the_likely_cause_and_nobody() {
        for (name, cause) in [
            ("imap.gmail.com", "app password"),
            ("imap.yandex.ru", "IMAP switched on"),
            ("imap.mail.ru", "external applications"),
            ("outlook.office365.com", "oauth2_token_command"),
            ("mail.example.org", "app password"),
            ("notgmail.com", "Look at user"),
        ] {
            let fault = Fault::LoginRefused("[x] no mafia@example.org or mafia\u{7} here".to_owned());
            let trouble = fault.trouble(&server(name)).unwrap();
            assert_eq!(trouble.kind, TroubleKind::LoginRefused);
            assert!(trouble.said.contains(cause), "{}", trouble.said);
            assert!(!trouble.said.contains("mafia") && !trouble.said.contains('\u{7}'), "{}", trouble.said);
        }
    }
}
