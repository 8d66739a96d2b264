//! Is it a person? Automatic mail changes nothing and gets no answer.

use super::Automatic;
use super::headers::{Headers, MediaType};

/// More `Received` than this is a loop.
const MAX_RECEIVED: usize = 50;
/// The value of our `X-Loop`.
const LOOP_MARK: &str = "omerta";

/// Why a letter is no person's letter. `X-Auto-Response-Suppress` is no sign: people behind Exchange bear it.
pub fn recognise(headers: &Headers<'_>, media: &MediaType, from: Option<&str>, own: Option<&str>) -> Option<Automatic> {
    if is_bounce(headers, media, from) {
        return Some(Automatic::Bounce);
    }
    if is_own(headers, from, own) {
        return Some(Automatic::Own);
    }
    if headers.has("list-id") {
        return Some(Automatic::List);
    }
    let robot = media.is("multipart", "report")
        || null_return_path(headers)
        || auto_submitted(headers)
        || headers
            .plain("precedence")
            .is_some_and(|value| matches!(value.as_str(), "bulk" | "junk" | "list" | "auto_reply" | "auto-reply"))
        || headers.has("x-autoreply")
        || headers.has("x-autorespond")
        || headers.plain("x-apple-action").is_some_and(|action| action == "vacation")
        || headers.all("received").count() > MAX_RECEIVED;
    robot.then_some(Automatic::AutoReply)
}

/// RFC 3464, and the older ways of saying that a letter did not arrive. A receipt for reading is a report, but no bounce.
fn is_bounce(headers: &Headers<'_>, media: &MediaType, from: Option<&str>) -> bool {
    let report = media.parameter("report-type").unwrap_or("delivery-status").to_ascii_lowercase();
    let local = from.and_then(|from| from.split('@').next()).unwrap_or_default();
    media.is("multipart", "report") && report == "delivery-status"
        || headers.has("x-failed-recipients")
        || local == "mailer-daemon"
        || local == "postmaster"
            && (null_return_path(headers) || auto_submitted(headers) || says_undeliverable(headers))
}

/// Exchange, and gateways behind it, leave every mark of a robot out.
fn says_undeliverable(headers: &Headers<'_>) -> bool {
    headers.plain("subject").is_some_and(|subject| {
        ["undeliverable", "undelivered", "delivery status notification", "mail delivery fail", "failure notice"]
            .iter()
            .any(|beginning| subject.starts_with(beginning))
    })
}

fn is_own(headers: &Headers<'_>, from: Option<&str>, own: Option<&str>) -> bool {
    headers.has("x-omerta-letter")
        || headers.all("x-loop").any(|value| value.trim_ascii().eq_ignore_ascii_case(LOOP_MARK.as_bytes()))
        || from.is_some() && from == own.map(str::to_lowercase).as_deref()
}

fn null_return_path(headers: &Headers<'_>) -> bool {
    headers.plain("return-path").is_some_and(|path| path.split_whitespace().collect::<String>() == "<>")
}

/// `Auto-Submitted` other than `no`, which means a person (RFC 3834).
fn auto_submitted(headers: &Headers<'_>) -> bool {
    headers.plain("auto-submitted").is_some_and(|value| {
        let keyword = value.split([';', '(', ' ']).next().unwrap_or_default();
        !keyword.is_empty() && keyword != "no"
    })
}
