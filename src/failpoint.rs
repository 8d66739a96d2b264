//! Named instants at which a test lets the daemon die as by a power cut: `omerta run --fail-at NAME:N` ends the process
//! at the N-th passing of the point. Without that hidden flag a passing is one look at an empty cell.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The instants: first those of the desk, in the order in which a letter passes them, then the steps of either line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// A letter is taken in, its transaction is not yet committed.
    WhileReceiving,
    /// Letters are committed, none of them is marked in the mailbox.
    AfterCommitBeforeMark,
    /// One letter of a batch is marked in the mailbox, others may not be.
    WhileMarking,
    /// The waiting letters of a turn are judged, the turn itself is not.
    WhileClosing,
    /// An event is written and one of the letters that it owes; others may not be.
    WhileWritingLetters,
    /// An attempt is stored, no byte has gone out.
    AfterAttemptBeforeDelivery,
    /// A letter lies whole in `tmp/`, nobody can see it yet.
    WhileDelivering,
    /// Letters are delivered, the outbox does not know it yet.
    AfterDeliveryBeforeSettle,
    /// The line to the inbox is there, nothing was said on it.
    ImapConnected,
    /// It is encrypted, the server has not greeted.
    ImapSecured,
    /// The server has greeted, nobody is logged in.
    ImapGreeted,
    /// Logged in, no folder is open.
    ImapLoggedIn,
    /// A folder is open, nothing of it is read.
    ImapSelected,
    /// Letters were asked for, or some of them have come.
    ImapFetching,
    /// A move, a copy or a flag was asked for, or is done.
    ImapFiling,
    /// Our letter lies in the folder where the server's clock is looked at.
    ImapProbing,
    /// The server was asked to tell of news.
    ImapIdling,
    /// The line to the outbox is there, nothing was said on it.
    SmtpConnected,
    /// It is encrypted, the server has not greeted.
    SmtpSecured,
    /// The server has greeted and answered, nobody is logged in.
    SmtpGreeted,
    /// Logged in, no letter is begun.
    SmtpLoggedIn,
    /// The server knows from whom a letter is.
    SmtpSender,
    /// The server knows for whom a letter is.
    SmtpRecipient,
    /// The server waits for a letter's words.
    SmtpData,
    /// The words are out, the final dot is not: the server has no letter.
    SmtpBeforeDot,
    /// The server has taken a letter with 250, nobody else knows it.
    SmtpAccepted,
    /// Any transaction of the store is about to be committed.
    BeforeCommit,
    /// Any transaction of the store has just been committed, nobody has acted on it.
    AfterCommit,
    /// At the start: one of the numbered changes of the database's form is made, or all are, and none is committed.
    WhileMigrating,
}

impl Point {
    pub const ALL: [Point; 29] = [
        Point::WhileReceiving,
        Point::AfterCommitBeforeMark,
        Point::WhileMarking,
        Point::WhileClosing,
        Point::WhileWritingLetters,
        Point::AfterAttemptBeforeDelivery,
        Point::WhileDelivering,
        Point::AfterDeliveryBeforeSettle,
        Point::BeforeCommit,
        Point::AfterCommit,
        Point::ImapConnected,
        Point::ImapSecured,
        Point::ImapGreeted,
        Point::ImapLoggedIn,
        Point::ImapSelected,
        Point::ImapFetching,
        Point::ImapFiling,
        Point::ImapProbing,
        Point::ImapIdling,
        Point::SmtpConnected,
        Point::SmtpSecured,
        Point::SmtpGreeted,
        Point::SmtpLoggedIn,
        Point::SmtpSender,
        Point::SmtpRecipient,
        Point::SmtpData,
        Point::SmtpBeforeDot,
        Point::SmtpAccepted,
        Point::WhileMigrating,
    ];

    /// A step of a line to a server: nothing passes it where mail lies in Maildirs.
    pub fn is_of_a_line(self) -> bool {
        self.name().starts_with("imap-") || self.name().starts_with("smtp-")
    }

    pub fn name(self) -> &'static str {
        match self {
            Point::WhileReceiving => "while-receiving",
            Point::AfterCommitBeforeMark => "after-commit-before-mark",
            Point::WhileMarking => "while-marking",
            Point::WhileClosing => "while-closing",
            Point::WhileWritingLetters => "while-writing-letters",
            Point::AfterAttemptBeforeDelivery => "after-attempt-before-delivery",
            Point::WhileDelivering => "while-delivering",
            Point::AfterDeliveryBeforeSettle => "after-delivery-before-settle",
            Point::ImapConnected => "imap-connected",
            Point::ImapSecured => "imap-secured",
            Point::ImapGreeted => "imap-greeted",
            Point::ImapLoggedIn => "imap-logged-in",
            Point::ImapSelected => "imap-selected",
            Point::ImapFetching => "imap-fetching",
            Point::ImapFiling => "imap-filing",
            Point::ImapProbing => "imap-probing",
            Point::ImapIdling => "imap-idling",
            Point::SmtpConnected => "smtp-connected",
            Point::SmtpSecured => "smtp-secured",
            Point::SmtpGreeted => "smtp-greeted",
            Point::SmtpLoggedIn => "smtp-logged-in",
            Point::SmtpSender => "smtp-sender",
            Point::SmtpRecipient => "smtp-recipient",
            Point::SmtpData => "smtp-data",
            Point::SmtpBeforeDot => "smtp-before-dot",
            Point::SmtpAccepted => "smtp-accepted",
            Point::BeforeCommit => "before-commit",
            Point::AfterCommit => "after-commit",
            Point::WhileMigrating => "while-migrating",
        }
    }
}

/// Where and at which passing the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    point: Point,
    passing: u32,
}

impl std::str::FromStr for Plan {
    type Err = String;

    /// `NAME:N`, N from 1.
    fn from_str(text: &str) -> Result<Plan, String> {
        let names = || Point::ALL.map(Point::name).join(", ");
        let (name, number) = text.split_once(':').unwrap_or((text, "1"));
        let point = Point::ALL.into_iter().find(|point| point.name() == name);
        match (point, number.parse()) {
            (Some(point), Ok(passing @ 1..)) => Ok(Plan { point, passing }),
            _ => Err(format!("write NAME:N; the points are {}", names())),
        }
    }
}

static PLAN: OnceLock<Plan> = OnceLock::new();
static PASSED: AtomicU32 = AtomicU32::new(0);

/// Called once, before the daemon starts; a second plan changes nothing.
pub fn plan(plan: Plan) {
    let _ = PLAN.set(plan);
}

/// Nothing, unless this is the instant that was asked for: then the process ends, and no destructor runs.
#[expect(clippy::disallowed_methods, reason = "an orderly end would prove nothing about a power cut")]
pub fn pass(point: Point) {
    let Some(plan) = PLAN.get() else { return };
    if plan.point == point && PASSED.fetch_add(1, Ordering::SeqCst).saturating_add(1) == plan.passing {
        std::process::abort();
    }
}

static HURRY: OnceLock<u32> = OnceLock::new();

/// Called once, before the daemon starts: whatever is waited for on a line to a server is waited for so many times
/// shorter, so that a test need not wait for real time-outs. Game time has a clock of its own.
pub fn be_in_a_hurry(times: u32) {
    let _ = HURRY.set(times.max(1));
}

/// By how much waits are cut short; 1 without the hidden `run --hurry N`.
pub fn hurry() -> u32 {
    HURRY.get().copied().unwrap_or(1)
}

/// A task that a test lets panic: `omerta run --panic-in NAME:N`, its first N passings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Before it reads the mailbox.
    Reader,
    /// With a letter in its hands.
    Sender,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Panics {
    task: Task,
    times: u32,
}

impl std::str::FromStr for Panics {
    type Err = String;

    /// `reader:N` or `sender:N`.
    fn from_str(text: &str) -> Result<Panics, String> {
        match text.split_once(':').map(|(name, times)| (name, times.parse())) {
            Some(("reader", Ok(times))) => Ok(Panics { task: Task::Reader, times }),
            Some(("sender", Ok(times))) => Ok(Panics { task: Task::Sender, times }),
            _ => Err("write reader:N or sender:N".to_owned()),
        }
    }
}

static PANICS: OnceLock<Panics> = OnceLock::new();
static PANICKED: AtomicU32 = AtomicU32::new(0);

/// Called once, before the daemon starts; a second plan changes nothing.
pub fn plan_panics(panics: Panics) {
    let _ = PANICS.set(panics);
}

/// Nothing, unless this task is to panic.
#[expect(clippy::panic, reason = "tests see that a panic of a task ends nothing but the task")]
pub fn stumble(task: Task) {
    let Some(panics) = PANICS.get() else { return };
    if panics.task == task && PANICKED.fetch_add(1, Ordering::SeqCst) < panics.times {
        panic!("the {task:?} panics because a test wants it to");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_names_a_point_and_a_passing() {
        let plan = |point, passing| Ok(Plan { point, passing });
        assert_eq!("while-closing:3".parse(), plan(Point::WhileClosing, 3));
        assert_eq!("while-closing".parse(), plan(Point::WhileClosing, 1));
        for wrong in ["", "while-closing:0", "while-closing:x", "nowhere:1"] {
            let said = wrong.parse::<Plan>().unwrap_err();
            assert!(said.contains("after-commit-before-mark"), "{said}");
        }
    }

    #[test]
    fn without_a_plan_nothing_happens() {
        Point::ALL.into_iter().for_each(pass);
    }
}
