//! Names of folders: modified UTF-7 (RFC 3501, 5.1.3), and which folder is for junk.

use data_encoding::BASE64_NOPAD;

use super::grammar::Listed;

/// A name as a server writes it.
pub(super) fn to_wire(name: &str) -> String {
    let mut wire = String::new();
    let mut foreign: Vec<u16> = Vec::new();
    for c in name.chars() {
        if matches!(c, ' '..='~') {
            flush(&mut foreign, &mut wire);
            wire.push(c);
            if c == '&' {
                wire.push('-');
            }
        } else {
            foreign.extend(c.encode_utf16(&mut [0; 2]).iter());
        }
    }
    flush(&mut foreign, &mut wire);
    wire
}

fn flush(foreign: &mut Vec<u16>, wire: &mut String) {
    if foreign.is_empty() {
        return;
    }
    let bytes: Vec<u8> = foreign.drain(..).flat_map(u16::to_be_bytes).collect();
    wire.push('&');
    wire.push_str(&BASE64_NOPAD.encode(&bytes).replace('/', ","));
    wire.push('-');
}

/// A name as people read it; one that is not well written stays as it is.
pub(super) fn from_wire(wire: &str) -> String {
    decode(wire).unwrap_or_else(|| wire.to_owned())
}

fn decode(wire: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = wire;
    while let Some((plain, after)) = rest.split_once('&') {
        name.push_str(plain);
        let (code, after) = after.split_once('-')?;
        if code.is_empty() {
            name.push('&');
        } else {
            let bytes = BASE64_NOPAD.decode(code.replace(',', "/").as_bytes()).ok()?;
            let (units, odd) = bytes.as_chunks::<2>();
            if !odd.is_empty() {
                return None;
            }
            let units: Vec<u16> = units.iter().map(|unit| u16::from_be_bytes(*unit)).collect();
            name.push_str(&String::from_utf16(&units).ok()?);
        }
        rest = after;
    }
    name.push_str(rest);
    Some(name)
}

/// The folder that the server itself marks as the one for junk (RFC 6154; XLIST calls it spam).
pub(super) fn marked_junk(folders: &[Listed]) -> Option<&Listed> {
    let is_marked = |word: &String| word == "\\junk" || word == "\\spam";
    folders.iter().filter(|folder| is_selectable(folder)).find(|folder| folder.attributes.iter().any(is_marked))
}

/// The folder whose name says that it is for junk.
pub(super) fn named_junk(folders: &[Listed]) -> Option<&Listed> {
    const NAMES: [&str; 7] = ["junk", "spam", "спам", "junk e-mail", "junk email", "нежелательная почта", "bulk mail"];
    let is_named = |folder: &&Listed| {
        let name = from_wire(&folder.name).to_lowercase();
        let separator = folder.separator.as_deref().filter(|separator| !separator.is_empty());
        let last = separator.and_then(|separator| name.rsplit(separator).next()).unwrap_or(&name);
        NAMES.contains(&last)
    };
    folders.iter().filter(|folder| is_selectable(folder)).find(is_named)
}

fn is_selectable(folder: &Listed) -> bool {
    !folder.attributes.iter().any(|word| word == "\\noselect" || word == "\\nonexistent")
}

/// INBOX is the same in any case.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    one == other || (one.eq_ignore_ascii_case("INBOX") && other.eq_ignore_ascii_case("INBOX"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_go_to_the_wire_and_back() {
        for (name, wire) in [
            ("INBOX", "INBOX"),
            ("Спам", "&BCEEPwQwBDw-"),
            ("A&B", "A&-B"),
            ("~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"),
            ("😀", "&2D3eAA-"),
        ] {
            assert_eq!(to_wire(name), wire);
            assert_eq!(from_wire(wire), name);
        }
        for broken in ["&", "&BCE", "&!-", "&AA-"] {
            assert_eq!(from_wire(broken), broken);
        }
    }

    #[test]
    fn junk_is_found_by_its_mark_before_its_name() {
        let folder = |attributes: &[&str], name: &str| Listed {
            attributes: attributes.iter().map(|word| (*word).to_owned()).collect(),
            separator: Some("/".to_owned()),
            name: name.to_owned(),
        };
        let folders = [
            folder(&["\\noselect"], "Junk"),
            folder(&[], "INBOX"),
            folder(&[], "[Gmail]/&BCEEPwQwBDw-"),
            folder(&["\\hasnochildren", "\\junk"], "Trash&-Co"),
        ];
        assert_eq!(marked_junk(&folders).map(|found| found.name.as_str()), Some("Trash&-Co"));
        assert_eq!(named_junk(&folders).map(|found| found.name.as_str()), Some("[Gmail]/&BCEEPwQwBDw-"));
        assert_eq!(named_junk(&folders[..2]), None);
    }

    proptest! {
        #[test]
        fn any_name_comes_back(name in ".*") {
            prop_assert_eq!(from_wire(&to_wire(&name)), name);
        }

        #[test]
        fn any_wire_is_read_without_a_panic(wire in "[&\\-A-Za-z0-9,+/ я]*") {
            from_wire(&wire);
        }
    }
}
