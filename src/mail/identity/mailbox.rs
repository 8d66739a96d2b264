//! The one mailbox of a From field. Stricter than the reader of addresses: what mail programs may show differently is no
//! sender at all.

/// Bytes of an address that is read in the simplest way.
const LONGEST_PLAIN: usize = 254;

/// Whether a From field holds this one mailbox and nothing that could be taken for another: no second address outside of
/// quotes and comments, no address that stands only inside an encoded word, no group. `address` has its domain in ASCII.
pub fn is_sole_mailbox(value: &[u8], address: &str) -> bool {
    let text = String::from_utf8_lossy(value);
    let Some(bare) = without_quotes_and_comments(&text) else { return false };
    let angles = (bare.matches('<').count(), bare.matches('>').count());
    match angles {
        (0, 0) => names(bare.trim(), address),
        (1, 1) => {
            let Some((before, rest)) = bare.split_once('<') else { return false };
            let Some((inside, after)) = rest.split_once('>') else { return false };
            // `anna@example.org <anna@example.org>` is common; another address there is a trick.
            let shows_no_other = before
                .split_whitespace()
                .filter(|word| word.contains('@'))
                .all(|word| names(word.trim_matches('\''), address));
            let is_group = before.contains(':') && before.trim_end().ends_with(':');
            names(inside.trim(), address) && after.trim().is_empty() && shows_no_other && !is_group
        }
        _ => false,
    }
}

/// The mailbox of a From field in its commonest form, `Words <local@domain>` or `local@domain` in plain ASCII; None where it
/// has another, which says nothing. As the slow way gives it, at a tenth of its price: thousands of letters may wait.
pub fn plain(value: &[u8]) -> Option<String> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~ ".contains(byte);
    let is_local = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-_".contains(byte);
    let value = value.trim_ascii();
    let mut parts = value.split(|byte| *byte == b'<');
    let address = match (parts.next()?, parts.next(), parts.next()) {
        (address, None, None) => address,
        (words, Some(address), None) if words.iter().all(is_word) => address.strip_suffix(b">")?,
        _ => return None,
    };
    let at = address.iter().position(|byte| *byte == b'@')?;
    let (local, domain) = address.split_at_checked(at)?;
    let domain = domain.strip_prefix(b"@")?;
    let is_dotted = |text: &[u8], holds: &dyn Fn(&u8) -> bool| {
        text.split(|byte| *byte == b'.').all(|part| !part.is_empty() && part.iter().all(holds))
    };
    let is_plain =
        is_dotted(local, &is_local) && is_dotted(domain, &|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    let address = std::str::from_utf8(address).ok().filter(|address| is_plain && address.len() <= LONGEST_PLAIN)?;
    Some(address.to_ascii_lowercase())
}

/// Whether a written address is this one; a domain in other letters is compared in its ASCII form.
fn names(written: &str, address: &str) -> bool {
    if written.eq_ignore_ascii_case(address) {
        return true;
    }
    let (Some((local, domain)), Some((own_local, own_domain))) = (written.rsplit_once('@'), address.rsplit_once('@'))
    else {
        return false;
    };
    local.eq_ignore_ascii_case(own_local) && ascii_domain(domain).is_some_and(|domain| domain == own_domain)
}

/// A domain in the form that servers use (`xn--...`), lower-cased. None when it is no domain name.
pub fn ascii_domain(domain: &str) -> Option<String> {
    if domain.len() > 255 {
        return None;
    }
    idna::domain_to_ascii_strict(domain).ok().filter(|domain| !domain.is_empty())
}

/// The field without its quoted strings and comments; None when one does not end.
fn without_quotes_and_comments(text: &str) -> Option<String> {
    let mut bare = String::new();
    let mut letters = text.chars();
    let (mut depth, mut in_quotes) = (0_usize, false);
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if depth > 0 || in_quotes => _ = letters.next()?,
            '"' if depth == 0 => {
                in_quotes = !in_quotes;
                bare.push(' ');
            }
            _ if in_quotes => {}
            '(' => depth = depth.saturating_add(1),
            ')' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            letter => bare.push(letter),
        }
    }
    (depth == 0 && !in_quotes).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mailbox_is_told_from_tricks() {
        for from in [
            "p@x.test",
            "<p@X.test>",
            "Pedro <p@x.test>",
            "\"Don, Pedro (a@b.test)\" <p@x.test>",
            "=?utf-8?B?0KHRg9C0?= <P@x.test>",
            "p@x.test (a@b.test)",
            "p@x.test <p@x.test>",
            "'p@x.test' <p@x.test>",
            "Дон Педро\r\n <p@x.test>",
            "Re: Pedro <p@x.test>",
        ] {
            assert!(is_sole_mailbox(from.as_bytes(), "p@x.test"), "{from}");
        }
        for from in [
            "",
            "p@x.test, a@b.test",
            "a@b.test, p@x.test",
            "a@b.test <p@x.test>",
            "p@x.test <a@b.test>",
            "<a@b.test> <p@x.test>",
            "<p@x.test> a@b.test",
            "<<p@x.test>",
            "\"p@x.test\" <a@b.test>",
            "=?utf-8?q?p=40x.test?=",
            "<=?utf-8?q?p=40x.test?=>",
            "\"p@x.test\"",
            "(p@x.test)",
            "team: <p@x.test>;",
            "team: p@x.test;",
            "<@relay.test:p@x.test>",
            "p@x.test.",
            "\"p@x.test",
            "p@х.test",
            "p @x.test",
            "<p@x.test",
        ] {
            assert!(!is_sole_mailbox(from.as_bytes(), "p@x.test"), "{from}");
        }
    }

    #[test]
    fn the_commonest_form_is_read_in_the_short_way_and_nothing_else_is() {
        for from in ["p@x.test", " <P@X.test>\r\n", "Don Pedro <p@x.test>", "=?utf-8?B?0KHRg9C0?= <p@x.test>"] {
            assert_eq!(plain(from.as_bytes()).as_deref(), Some("p@x.test"), "{from}");
        }
        for from in [
            "",
            "p",
            "@x.test",
            "p@",
            "p@x..test",
            ".p@x.test",
            "p@q@x.test",
            "\"Pedro\" <p@x.test>",
            "p@x.test <p@x.test>",
            "<p@x.test> a@b.test",
            "<p@x.test",
            "p@x.test>",
            "team: p@x.test;",
            "Дон <p@x.test>",
            "p@пример.рф",
        ] {
            assert_eq!(plain(from.as_bytes()), None, "{from}");
        }
    }

    #[test]
    fn domains_in_other_letters_are_compared_in_ascii() {
        assert!(is_sole_mailbox("<p@пример.рф>".as_bytes(), "p@xn--e1afmkfd.xn--p1ai"));
        assert!(is_sole_mailbox("<p@ПРИМЕР.рф>".as_bytes(), "p@xn--e1afmkfd.xn--p1ai"));
        assert!(!is_sole_mailbox("<p@примeр.рф>".as_bytes(), "p@xn--e1afmkfd.xn--p1ai"), "a Latin e");
        assert_eq!(ascii_domain("пример.рф").as_deref(), Some("xn--e1afmkfd.xn--p1ai"));
        assert_eq!(ascii_domain(&"я.".repeat(40_000)), None);
    }
}
