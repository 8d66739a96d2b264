//! A letter's bytes as SMTP wants them. What goes out is checked here once more, whatever wrote it: every line ends in
//! CRLF, no CR or LF stands alone, and no line begins with a single dot, so that no letter can end itself and begin a
//! command (RUSTSEC-2026-0561; "SMTP smuggling").

/// Every line in CRLF, lines that begin with a dot doubled (RFC 5321, 4.5.2). The last line's end is left out: it is
/// sent with the final dot.
pub(super) fn on_the_wire(letter: &[u8]) -> Vec<u8> {
    let mut wire = Vec::with_capacity(letter.len() + letter.len() / 32 + 2);
    for (index, line) in lines(letter).enumerate() {
        if index > 0 {
            wire.extend_from_slice(b"\r\n");
        }
        if line.first() == Some(&b'.') {
            wire.push(b'.');
        }
        wire.extend_from_slice(line);
    }
    wire
}

/// Every line in LF alone: how programs of the sendmail kind take a letter.
pub(crate) fn for_a_program(letter: &[u8]) -> Vec<u8> {
    let mut local = Vec::with_capacity(letter.len() + 1);
    for line in lines(letter) {
        local.extend_from_slice(line);
        local.push(b'\n');
    }
    local
}

/// Lines without their ends; CRLF, a bare CR and a bare LF each end one. A last line without its end is a line, too.
fn lines(letter: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(letter).filter(|letter| !letter.is_empty());
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.iter().position(|byte| matches!(byte, b'\r' | b'\n')) else {
            rest = None;
            return Some(text);
        };
        let (line, after) = text.split_at_checked(end)?;
        let after = after.strip_prefix(b"\r\n").or_else(|| after.split_first().map(|(_, after)| after));
        rest = after.filter(|after| !after.is_empty());
        Some(line)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_are_ended_and_dots_doubled() {
        for (letter, wire) in [
            (b"a: b\r\n\r\ntext\r\n".as_slice(), b"a: b\r\n\r\ntext".as_slice()),
            (b"one\ntwo\rthree\r\nfour", b"one\r\ntwo\r\nthree\r\nfour"),
            (b".\r\n..\n.x\r.\n", b"..\r\n...\r\n..x\r\n.."),
            (b"a\r\r\n\nb\r\n", b"a\r\n\r\n\r\nb"),
            (b"a\r\n\r\n", b"a\r\n"),
            (b"\n", b""),
            (b"", b""),
        ] {
            assert_eq!(on_the_wire(letter), wire, "{}", letter.escape_ascii());
        }
        assert_eq!(for_a_program(b"a\r\n.\rb\n\r\nc"), b"a\n.\nb\n\nc\n");
    }

    proptest! {
        /// Whatever was stored, nothing on the wire ends the letter but its end, and taking the dots away again gives
        /// the stored lines.
        #[test]
        fn no_letter_ends_itself(letter in proptest::collection::vec(prop_oneof![Just(b'\r'), Just(b'\n'), Just(b'.'), any::<u8>()], 0..200)) {
            let mut wire = on_the_wire(&letter);
            wire.extend_from_slice(b"\r\n");
            for (at, byte) in wire.iter().enumerate() {
                prop_assert!(*byte != b'\n' || at > 0 && wire[at - 1] == b'\r', "a bare LF");
                prop_assert!(*byte != b'\r' || wire.get(at + 1) == Some(&b'\n'), "a bare CR");
            }
            let sent: Vec<&[u8]> = wire.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect();
            prop_assert!(!sent.contains(&b".".as_slice()), "a lone dot");
            let undotted: Vec<&[u8]> = sent.iter().map(|line| line.strip_prefix(b".").unwrap_or(line)).collect();
            let mut stored: Vec<&[u8]> = lines(&letter).collect();
            if stored.is_empty() {
                stored.push(b"");
            }
            prop_assert_eq!(&undotted[..undotted.len() - 1], &stored[..]);
        }
    }
}
