//! `omerta deliver`: one letter by pipe, from Postfix, procmail or sieve. It is in the database when this returns 0; else
//! the caller keeps it and tries again.

use std::io::Read;

use sha2::{Digest, Sha256};

use super::load::{Opened, Place};
use super::{exit, fail};
use crate::mail::link::Arrived;
use crate::rules::Order;

pub fn run(place: &Place) -> u8 {
    // Whatever is wrong here may be mended, and the letter must not be lost meanwhile: try again.
    let Ok(mut opened) = Opened::desk(place) else { return exit::TRY_AGAIN };
    let max = opened.desk.config().security.max_message;
    let mut raw = Vec::new();
    if let Err(error) = std::io::stdin().lock().take(max.saturating_add(1)).read_to_end(&mut raw) {
        return fail(exit::TRY_AGAIN, &format!("the letter can't be read: {error}"));
    }
    if raw.is_empty() {
        return fail(
            exit::DATA,
            &"there is no letter on the standard input. Hand one in: `omerta deliver < letter.eml`",
        );
    }
    let too_large = u64::try_from(raw.len()).unwrap_or(u64::MAX) > max;
    if too_large {
        raw = head(raw);
        // The rest is taken from the pipe, so that the caller does not fail on a closed one.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
    }
    let now = opened.clock.now();
    let sha256 = data_encoding::HEXLOWER.encode(&Sha256::digest(&raw));
    let letter = Arrived {
        place: format!("pipe/{}/{sha256}", now.as_microsecond()),
        order: Order { second: now.as_second(), within: format!("{:06}/pipe", now.subsec_microsecond()) },
        raw,
        too_large,
        junk: false,
        revalidated: false,
    };
    match opened.desk.receive(&[letter], &[], now) {
        Ok(_) => exit::OK,
        Err(error) => fail(exit::TRY_AGAIN, &error),
    }
}

/// A letter's header.
fn head(raw: Vec<u8>) -> Vec<u8> {
    let ends = |needle: &[u8]| raw.windows(needle.len()).position(|part| part == needle).map(|at| at + needle.len());
    let end = [ends(b"\r\n\r\n"), ends(b"\n\n")].into_iter().flatten().min().unwrap_or(raw.len());
    raw.into_iter().take(end).collect()
}
