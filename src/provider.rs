//! Mail providers as a host finds them: servers, where an app password is made, what a refusal means, what may be sent in
//! a day. One table; each fact names the page that says so. What no page of the provider says stands as None, and `omerta
//! init` finds it out by a test letter, or leaves the careful default; what is only said elsewhere is [`Fact::unconfirmed`],
//! and is never told as sure.

use crate::config::Tls;
use crate::letters::Lang;

/// What is known of a provider.
#[derive(Debug)]
pub struct Provider {
    /// As `--provider` has it.
    pub name: &'static str,
    pub title: &'static str,
    /// Addresses at these domains are here; lower-cased.
    pub domains: &'static [&'static str],
    /// None: whoever sets up names them.
    pub imap: Option<Place>,
    pub smtp: Option<Place>,
    pub login: LoginWay,
    /// The page with names and ports of both servers.
    pub servers: &'static str,
    /// Letters in 24 hours.
    pub daily: Option<Fact<u32>>,
    /// Letters to `name+tag@` come to `name@`; None: not known.
    pub plus: Option<Fact<bool>>,
    /// What to do before the first login.
    pub prepare: Said,
    /// What a refused login likely means.
    pub refused: Said,
    /// Pages on passwords and on letting mail clients in.
    pub sources: &'static [&'static str],
}

/// Something that a provider does, and where that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact<T> {
    pub is: T,
    pub page: &'static str,
    /// The page is not the provider's own.
    pub unconfirmed: bool,
}

const fn said_at<T: Copy>(is: T, page: &'static str) -> Option<Fact<T>> {
    Some(Fact { is, page, unconfirmed: false })
}

const fn unconfirmed<T: Copy>(is: T, page: &'static str) -> Option<Fact<T>> {
    Some(Fact { is, page, unconfirmed: true })
}

/// Where a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub server: &'static str,
    pub port: u16,
    pub tls: Tls,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginWay {
    /// A password made for this one program, on that page.
    AppPassword(&'static str),
    /// The mailbox's own password, or one that its program shows.
    Password,
    /// No password is taken: an access token (XOAUTH2).
    Token,
}

/// The same in both languages.
#[derive(Clone, Copy, Debug)]
pub struct Said {
    pub ru: &'static str,
    pub en: &'static str,
}

impl Said {
    pub fn in_language(self, lang: Lang) -> &'static str {
        match lang {
            Lang::Ru => self.ru,
            Lang::En => self.en,
        }
    }
}

/// The provider with that name.
pub fn named(name: &str) -> Option<&'static Provider> {
    PROVIDERS.into_iter().find(|provider| provider.name == name)
}

/// The provider of an address; `own` for all others.
pub fn of_address(address: &str) -> &'static Provider {
    let domain = address.rsplit_once('@').map(|(_, domain)| domain.to_lowercase()).unwrap_or_default();
    PROVIDERS.into_iter().find(|provider| provider.domains.contains(&domain.as_str())).unwrap_or(&OWN)
}

/// All names, as `--provider` takes them.
pub fn names() -> impl Iterator<Item = &'static str> {
    PROVIDERS.iter().map(|provider| provider.name)
}

const fn implicit(server: &'static str, port: u16) -> Option<Place> {
    Some(Place { server, port, tls: Tls::Implicit })
}

const fn starttls(server: &'static str, port: u16) -> Option<Place> {
    Some(Place { server, port, tls: Tls::Starttls })
}

static OWN: Provider = Provider {
    name: "own",
    title: "own",
    domains: &[],
    imap: None,
    smtp: None,
    login: LoginWay::Password,
    servers: "",
    daily: None,
    plus: None,
    prepare: Said {
        ru: "Имена серверов есть в справке вашей почты («настройка почтовых программ»).",
        en: "The help pages of your provider name the servers (\"mail client settings\").",
    },
    refused: Said {
        ru: "Проверьте логин и пароль. Многие почты пускают программы только с отдельным «паролем приложения», и доступ по \
             IMAP бывает нужно включить в настройках ящика.",
        en: "Look at user and password. Many providers let programs in only with an app password, and IMAP may have to be \
             switched on in the settings of the mailbox.",
    },
    sources: &[],
};

pub static PROVIDERS: [&Provider; 10] =
    [&GMAIL, &YANDEX, &MAILRU, &RAMBLER, &YAHOO, &ICLOUD, &FASTMAIL, &OUTLOOK, &PROTON, &OWN];

static GMAIL: Provider = Provider {
    name: "gmail",
    title: "Gmail",
    domains: &["gmail.com", "googlemail.com"],
    imap: implicit("imap.gmail.com", 993),
    smtp: implicit("smtp.gmail.com", 465),
    login: LoginWay::AppPassword("https://myaccount.google.com/apppasswords"),
    servers: "https://support.google.com/mail/answer/7126229",
    daily: said_at(500, "https://support.google.com/mail/answer/22839"),
    plus: said_at(true, "https://support.google.com/mail/answer/22370"),
    prepare: Said {
        ru: "Включите двухэтапную аутентификацию аккаунта Google, затем создайте пароль приложения. Пробелы в нём можно \
             не вводить.",
        en: "Switch on 2-Step Verification of the Google account, then make an app password. Its spaces may be left out.",
    },
    refused: Said {
        ru: "Gmail принимает только пароль приложения (нужна двухэтапная аутентификация) и отменяет такие пароли, когда \
             меняется пароль аккаунта.",
        en: "Gmail takes only an app password (it needs 2-Step Verification), and voids them all when the account's \
             password is changed.",
    },
    sources: &["https://support.google.com/accounts/answer/185833"],
};

static YANDEX: Provider = Provider {
    name: "yandex",
    title: "Яндекс Почта",
    domains: &["yandex.ru", "ya.ru", "yandex.com", "yandex.by", "yandex.kz", "yandex.uz", "yandex.com.tr", "narod.ru"],
    imap: implicit("imap.yandex.ru", 993),
    smtp: implicit("smtp.yandex.ru", 465),
    login: LoginWay::AppPassword("https://id.yandex.ru/security/app-passwords"),
    servers: "https://yandex.ru/support/yandex-360/customers/mail/ru/mail-clients/others",
    daily: said_at(300, "https://yandex.ru/support/yandex-360/customers/mail/ru/web/letter/create/send-many-letters"),
    plus: said_at(true, "https://yandex.com/support/mail/reg.html"),
    prepare: Said {
        ru: "В настройках почты (Почтовые программы) включите «С сервера imap.yandex.ru по протоколу IMAP» и «Пароли \
             приложений», затем создайте пароль приложения для почты.",
        en: "In the mailbox's settings (Email clients) switch on IMAP and app passwords, then make an app password for mail.",
    },
    refused: Said {
        ru: "Яндекс принимает только пароль приложения для почты; в настройках ящика (Почтовые программы) должен быть \
             включён IMAP; при смене пароля аккаунта пароли приложений отменяются.",
        en: "Yandex takes only an app password for mail; IMAP must be switched on in the mailbox's settings (Email \
             clients); app passwords become void when the account's password is changed.",
    },
    sources: &["https://yandex.ru/support/id/ru/authorization/app-passwords"],
};

static MAILRU: Provider = Provider {
    name: "mailru",
    title: "Почта Mail",
    domains: &["mail.ru", "inbox.ru", "list.ru", "bk.ru", "internet.ru", "xmail.ru"],
    imap: implicit("imap.mail.ru", 993),
    smtp: implicit("smtp.mail.ru", 465),
    login: LoginWay::AppPassword("https://account.mail.ru/user/2-step-auth/passwords"),
    servers: "https://help.mail.ru/mail/mailer/popsmtp",
    daily: None,
    plus: None,
    prepare: Said {
        ru: "В настройках безопасности создайте пароль для внешних приложений с полным доступом к почте (IMAP и SMTP).",
        en: "In the security settings make a password for external applications with full access to mail (IMAP and SMTP).",
    },
    refused: Said {
        ru: "Mail.ru принимает только пароль для внешних приложений с полным доступом к почте; при смене пароля аккаунта \
             такие пароли отменяются.",
        en: "Mail.ru takes only a password for external applications with full access to mail; they become void when the \
             account's password is changed.",
    },
    sources: &["https://help.mail.ru/mail/security/protection/external"],
};

static RAMBLER: Provider = Provider {
    name: "rambler",
    title: "Рамблер/почта",
    domains: &["rambler.ru", "lenta.ru", "autorambler.ru", "myrambler.ru", "ro.ru", "r0.ru", "rambler.ua"],
    imap: implicit("imap.rambler.ru", 993),
    smtp: implicit("smtp.rambler.ru", 465),
    login: LoginWay::Password,
    servers: "https://help.rambler.ru/mail/mail-nastrojki-pochtovogo-yashika/2129/",
    daily: None,
    plus: None,
    prepare: Said {
        ru: "В настройках почты включите доступ для почтовых программ (IMAP). Пароль - тот, которым вы входите в ящик, или \
             отдельный, если почта его предлагает.",
        en: "In the settings switch on the access of mail clients (IMAP). The password is the mailbox's own, or a separate \
             one if it is offered.",
    },
    refused: Said {
        ru: "В настройках ящика должен быть включён доступ для почтовых программ; после включения он начинает работать не \
             сразу.",
        en: "The access of mail clients must be switched on in the mailbox's settings; it takes a while to work.",
    },
    sources: &["https://help.rambler.ru/mail/mail-pochtovye-klienty/1275"],
};

static YAHOO: Provider = Provider {
    name: "yahoo",
    title: "Yahoo Mail",
    domains: &["yahoo.com", "ymail.com", "rocketmail.com", "myyahoo.com", "yahoo.co.uk", "yahoo.de", "yahoo.fr"],
    imap: implicit("imap.mail.yahoo.com", 993),
    smtp: implicit("smtp.mail.yahoo.com", 465),
    login: LoginWay::AppPassword("https://login.yahoo.com/account/security"),
    servers: "https://help.yahoo.com/kb/SLN4075.html",
    daily: None,
    plus: None,
    prepare: Said {
        ru: "В настройках безопасности аккаунта создайте пароль приложения (Generate app password).",
        en: "In the account's security settings generate an app password.",
    },
    refused: Said {
        ru: "Yahoo принимает только пароль приложения; при смене пароля аккаунта он отменяется.",
        en: "Yahoo takes only an app password; it becomes void when the account's password is changed.",
    },
    sources: &["https://help.yahoo.com/kb/SLN15241.html"],
};

static ICLOUD: Provider = Provider {
    name: "icloud",
    title: "iCloud Mail",
    domains: &["icloud.com", "me.com", "mac.com"],
    imap: implicit("imap.mail.me.com", 993),
    smtp: starttls("smtp.mail.me.com", 587),
    login: LoginWay::AppPassword("https://account.apple.com/account/manage"),
    servers: "https://support.apple.com/102525",
    daily: said_at(1000, "https://support.apple.com/102198"),
    plus: None,
    prepare: Said {
        ru: "Нужна двухфакторная аутентификация. В разделе «Вход и безопасность» создайте пароль приложения.",
        en: "Two-factor authentication is needed. Under Sign-In and Security make an app-specific password.",
    },
    refused: Said {
        ru: "iCloud принимает только пароль приложения; при смене пароля аккаунта Apple он отменяется.",
        en: "iCloud takes only an app-specific password; it becomes void when the Apple account's password is changed.",
    },
    sources: &["https://support.apple.com/102654"],
};

static FASTMAIL: Provider = Provider {
    name: "fastmail",
    title: "Fastmail",
    domains: &["fastmail.com", "fastmail.fm", "sent.com"],
    imap: implicit("imap.fastmail.com", 993),
    smtp: implicit("smtp.fastmail.com", 465),
    login: LoginWay::AppPassword("https://app.fastmail.com/settings/security/apps"),
    servers: "https://www.fastmail.com/help/technical/servernamesandports.html",
    daily: None,
    plus: said_at(true, "https://www.fastmail.help/hc/en-us/articles/360060591053"),
    prepare: Said {
        ru: "В настройках (Privacy & Security) создайте пароль приложения с доступом к почте (IMAP и SMTP).",
        en: "In the settings (Privacy & Security) make an app password with access to mail (IMAP and SMTP).",
    },
    refused: Said {
        ru: "Fastmail принимает только пароль приложения; на тарифе Basic доступа для почтовых программ нет.",
        en: "Fastmail takes only an app password; the Basic plan has no access for mail clients.",
    },
    sources: &["https://fastmail.help/hc/en-us/articles/1500000279921"],
};

static OUTLOOK: Provider = Provider {
    name: "outlook",
    title: "Outlook.com, Microsoft 365",
    domains: &["outlook.com", "hotmail.com", "live.com", "live.ru", "msn.com"],
    imap: implicit("outlook.office365.com", 993),
    smtp: starttls("smtp-mail.outlook.com", 587),
    login: LoginWay::Token,
    servers: "https://support.microsoft.com/office/d088b986-291d-42b8-9564-9c414e2aa040",
    daily: None,
    plus: unconfirmed(true, "https://en.wikipedia.org/wiki/Email_address#Subaddressing"),
    prepare: Said {
        ru: "Microsoft больше не принимает паролей по IMAP и SMTP, даже паролей приложений: нужен токен OAuth 2.0. Его \
             выдаёт отдельная программа, которую вы настроите сами (--oauth2-token-command). Проще взять для игры ящик \
             другой почты. Для Microsoft 365 сервер отправки - smtp.office365.com (--smtp-server).",
        en: "Microsoft takes no passwords over IMAP and SMTP any more, not even app passwords: an OAuth 2.0 token is \
             needed, which a program gives that you set up yourself (--oauth2-token-command). A mailbox elsewhere is the \
             easier way. With Microsoft 365 the sending server is smtp.office365.com (--smtp-server).",
    },
    refused: Said {
        ru: "Токен не принят: проверьте команду, которая его выдаёт, и выданные разрешения (IMAP.AccessAsUser.All, \
             SMTP.Send).",
        en: "The token is not taken: look at the command that gives it and at its permissions (IMAP.AccessAsUser.All, \
             SMTP.Send).",
    },
    sources: &[
        "https://learn.microsoft.com/exchange/client-developer/legacy-protocols/how-to-authenticate-an-imap-pop-smtp-application-by-using-oauth",
    ],
};

static PROTON: Provider = Provider {
    name: "proton-bridge",
    title: "Proton Mail Bridge",
    domains: &["proton.me", "protonmail.com", "pm.me"],
    imap: starttls("127.0.0.1", 1143),
    smtp: starttls("127.0.0.1", 1025),
    login: LoginWay::Password,
    servers: "https://proton.me/support/imap-smtp-and-pop3-setup",
    daily: None,
    plus: said_at(true, "https://proton.me/support/addresses-and-aliases"),
    prepare: Said {
        ru: "Proton Mail Bridge должен работать на этой же машине. Логин и пароль показывает Bridge (Mailbox details), а \
             сертификат экспортируется в его настройках (Export TLS certificates): назовите его в --ca-file.",
        en: "Proton Mail Bridge must run on this machine. It shows user and password (Mailbox details), and exports its \
             certificate in its settings (Export TLS certificates): name that file by --ca-file.",
    },
    refused: Said {
        ru: "Нужен пароль, который показывает Bridge (Mailbox details), а не пароль Proton.",
        en: "The password that Bridge shows is wanted (Mailbox details), not that of Proton.",
    },
    sources: &["https://proton.me/support/imap-smtp-and-pop3-setup"],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_provider_is_found_and_has_its_sources() {
        for provider in PROVIDERS {
            assert_eq!(named(provider.name).map(|found| found.name), Some(provider.name));
            let known = provider.imap.is_some();
            assert_eq!(provider.smtp.is_some(), known, "{}", provider.name);
            assert_eq!(!provider.sources.is_empty(), known, "{}: every fact has its page", provider.name);
            let pages =
                [Some(provider.servers), provider.daily.map(|fact| fact.page), provider.plus.map(|fact| fact.page)];
            let pages = pages.into_iter().flatten().chain(provider.sources.iter().copied());
            assert!(pages.filter(|_| known).all(|page| page.starts_with("https://")), "{}", provider.name);
            for domain in provider.domains {
                assert_eq!(of_address(&format!("mafia@{}", domain.to_uppercase())).name, provider.name);
            }
            for said in [provider.prepare, provider.refused] {
                assert!(said.ru.chars().any(|c| matches!(c, 'а'..='я')) && said.en.is_ascii(), "{}", provider.name);
            }
        }
        assert_eq!(of_address("mafia@example.org").name, "own");
        assert_eq!(names().count(), 10);
    }

    /// What is sure by the provider's own pages stands at one of its own addresses; what is not says so.
    #[test]
    fn a_fact_is_the_providers_own_or_is_marked() {
        let own = |provider: &Provider| -> &[&str] {
            match provider.name {
                "gmail" => &["support.google.com"],
                "yandex" => &["yandex.ru", "yandex.com"],
                "icloud" => &["support.apple.com"],
                "fastmail" => &["www.fastmail.help"],
                "proton-bridge" => &["proton.me"],
                _ => &[],
            }
        };
        for provider in PROVIDERS {
            let facts = [
                provider.daily.map(|fact| (fact.page, fact.unconfirmed)),
                provider.plus.map(|fact| (fact.page, fact.unconfirmed)),
            ];
            for (page, is_unconfirmed) in facts.into_iter().flatten() {
                let host = page.trim_start_matches("https://").split('/').next().unwrap();
                assert_eq!(own(provider).contains(&host), !is_unconfirmed, "{}: {page}", provider.name);
            }
        }
    }

    #[test]
    fn only_a_server_on_this_machine_is_named_by_number() {
        for place in PROVIDERS.iter().flat_map(|provider| [provider.imap, provider.smtp]).flatten() {
            assert_eq!(place.server.starts_with("127."), place.tls == Tls::Starttls && place.port > 1000, "{place:?}");
        }
    }
}
