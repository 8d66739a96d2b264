//! Mail addresses: which are usable here, and which are one and the same mailbox.

/// Why a text is no address for us.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressFault {
    #[error("it is empty")]
    Empty,
    #[error("there is no single @ in it")]
    At,
    #[error("«{0}» is not a Latin letter")]
    Foreign(char),
    #[error("{0:?} does not belong in an address")]
    Character(char),
    #[error("the part before @ is not one that mail servers take")]
    Local,
    #[error("the part after @ is no domain name")]
    Domain,
    #[error("it is too long")]
    TooLong,
}

/// A bare address (`anna@example.org`), lower-cased. Only what every mail server takes and what is safe as the name of
/// a folder: ASCII, no quotes, no slash (RFC 5321, section 4.1.2, without its quoted strings and address literals).
///
/// # Errors
/// Says what is wrong with it.
pub fn read_address(text: &str) -> Result<String, AddressFault> {
    let text = text.trim();
    if text.is_empty() {
        return Err(AddressFault::Empty);
    }
    if text.len() > 254 {
        return Err(AddressFault::TooLong);
    }
    let (local, domain) = text.split_once('@').ok_or(AddressFault::At)?;
    if domain.contains('@') {
        return Err(AddressFault::At);
    }
    let in_local = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-=?^_`{|}~.".contains(c);
    let in_domain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    let stranger = local.chars().find(|c| !in_local(*c)).or_else(|| domain.chars().find(|c| !in_domain(*c)));
    if let Some(stranger) = stranger {
        let fault = if stranger.is_alphabetic() { AddressFault::Foreign } else { AddressFault::Character };
        return Err(fault(stranger));
    }
    if local.len() > 64 || local.split('.').any(str::is_empty) {
        return Err(AddressFault::Local);
    }
    let label_is_bad =
        |label: &str| label.is_empty() || label.len() > 63 || label.starts_with('-') || label.ends_with('-');
    if domain.split('.').any(label_is_bad) {
        return Err(AddressFault::Domain);
    }
    Ok(text.to_ascii_lowercase())
}

/// What two addresses of one mailbox have in common: lower case, and the aliases of the great providers (dots and
/// plus-tags of Gmail, the domains of Yandex, ...). Only for comparing: letters go to the address as it was given.
pub fn fold_address(address: &str) -> String {
    let address = address.trim().to_lowercase();
    let Some((local, domain)) = address.rsplit_once('@') else { return address };
    let domain = domain.trim_end_matches('.');
    let Some(provider) = PROVIDERS.iter().find(|provider| provider.domains.contains(&domain)) else {
        return format!("{local}@{domain}");
    };
    let name = local.split_once('+').map_or(local, |(name, _)| name);
    let name: String = match provider.separators {
        Separators::Matter => name.to_owned(),
        Separators::Ignored(ignored) => name.chars().filter(|c| !ignored.contains(*c)).collect(),
        Separators::DotIsDash => name.replace('.', "-"),
    };
    let home = provider.domains.first().filter(|_| provider.one_mailbox).unwrap_or(&domain);
    format!("{name}@{home}")
}

/// Whether two addresses are one mailbox.
pub fn is_one_mailbox(one: &str, other: &str) -> bool {
    fold_address(one) == fold_address(other)
}

/// Whether letters to `address` come to the mailbox `own`: they are one, or, where it takes `name+tag@`, one is the other
/// with a tag.
pub fn comes_to(address: &str, own: &str, takes_tags: bool) -> bool {
    let without_tag = |address: &str| {
        let folded = fold_address(address);
        match folded.split_once('@') {
            Some((local, domain)) => format!("{}@{domain}", local.split('+').next().unwrap_or_default()),
            None => folded,
        }
    };
    is_one_mailbox(address, own) || (takes_tags && without_tag(address) == without_tag(own))
}

struct Provider {
    domains: &'static [&'static str],
    /// The same name at each of the domains is the same mailbox.
    one_mailbox: bool,
    separators: Separators,
}

enum Separators {
    Matter,
    Ignored(&'static str),
    DotIsDash,
}

/// Each of them also delivers `name+tag` to `name`.
const PROVIDERS: &[Provider] = &[
    Provider { domains: &["gmail.com", "googlemail.com"], one_mailbox: true, separators: Separators::Ignored(".") },
    Provider {
        domains: &[
            "yandex.ru",
            "ya.ru",
            "yandex.com",
            "yandex.by",
            "yandex.kz",
            "yandex.ua",
            "yandex.uz",
            "yandex.com.tr",
            "narod.ru",
        ],
        one_mailbox: true,
        separators: Separators::DotIsDash,
    },
    Provider {
        domains: &["mail.ru", "inbox.ru", "list.ru", "bk.ru", "internet.ru", "xmail.ru"],
        one_mailbox: false,
        separators: Separators::Matter,
    },
    Provider {
        domains: &["outlook.com", "hotmail.com", "live.com", "live.ru", "msn.com"],
        one_mailbox: false,
        separators: Separators::Matter,
    },
    Provider { domains: &["icloud.com", "me.com", "mac.com"], one_mailbox: true, separators: Separators::Matter },
    Provider {
        domains: &["proton.me", "protonmail.com", "pm.me"],
        one_mailbox: true,
        separators: Separators::Ignored(".-_"),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_lower_cased() {
        assert_eq!(read_address(" Anna.K+x@Example.ORG "), Ok("anna.k+x@example.org".to_owned()));
        assert_eq!(read_address("root@localhost"), Ok("root@localhost".to_owned()));
        for (text, fault) in [
            ("", AddressFault::Empty),
            ("anna", AddressFault::At),
            ("a@b@c.org", AddressFault::At),
            ("аnna@example.org", AddressFault::Foreign('а')),
            ("anna@пример.рф", AddressFault::Foreign('п')),
            ("../anna@example.org", AddressFault::Character('/')),
            ("an na@example.org", AddressFault::Character(' ')),
            ("\"anna\"@example.org", AddressFault::Character('"')),
            ("anna\r\nBcc@example.org", AddressFault::Character('\r')),
            ("..@example.org", AddressFault::Local),
            ("@example.org", AddressFault::Local),
            ("anna@", AddressFault::Domain),
            ("anna@example..org", AddressFault::Domain),
            ("anna@-example.org", AddressFault::Domain),
        ] {
            assert_eq!(read_address(text), Err(fault), "{text:?}");
        }
        assert_eq!(read_address(&format!("{}@example.org", "a".repeat(65))), Err(AddressFault::Local));
        assert_eq!(read_address(&format!("a@{}org", "b.".repeat(200))), Err(AddressFault::TooLong));
    }

    #[test]
    fn one_mailbox_has_one_fold() {
        for (left, right) in [
            ("Anna@Example.org", "anna@example.org"),
            ("a.n.n.a+mafia@gmail.com", "anna@googlemail.com"),
            ("anna.k@ya.ru", "anna-k@yandex.ru"),
            ("anna+1@yandex.com", "anna@narod.ru"),
            ("anna+1@bk.ru", "anna@bk.ru"),
            ("anna@me.com", "anna@icloud.com"),
            ("an.na@proton.me", "anna@protonmail.com"),
        ] {
            assert_eq!(fold_address(left), fold_address(right), "{left} {right}");
        }
        for (left, right) in [
            ("anna@mail.ru", "anna@bk.ru"),
            ("an.na@mail.ru", "anna@mail.ru"),
            ("anna+1@example.org", "anna@example.org"),
            ("anna@hotmail.com", "anna@outlook.com"),
        ] {
            assert_ne!(fold_address(left), fold_address(right), "{left} {right}");
        }
    }
}
