//! The task that hands letters to an SMTP server: one line, one letter after the other, exactly one answer for each.
//!
//! [`run`] reads top to bottom: a parcel comes, the line is opened unless it stands, the letter is offered up to its
//! final dot, then finished. What went wrong is told apart in [`reply`]: before the final dot a letter can be tried
//! again; from the dot on, a lost answer is `Unknown`. [`health`] says when the server may be dialled at all.

pub(crate) mod bytes;
mod health;
mod line;
mod reply;
pub mod visit;
mod wire;

use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::ClientConfig;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};

use self::health::{Health, Permit};
use self::line::{Fault, Line};
use self::reply::{Meaning, Step};
use crate::config::{Outbox, Secret, SecretFault, Server};
use crate::failpoint::{self, Task};
use crate::mail::link::{Delivered, FromOutbox, Outcome, Parcel, Trouble, TroubleKind};
use crate::mail::tls;

/// Looks up a variable of the environment (`cli::load::variable`).
pub type Variable = fn(&str) -> Option<OsString>;

#[derive(Clone, Debug)]
pub struct SmtpSettings {
    pub server: Server,
    /// The envelope's sender: the address of `outbox.from`.
    pub from: String,
    pub variable: Variable,
    pub patience: Patience,
}

/// How long everything may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For looking up a name, for each connection, for TLS.
    pub connect: Duration,
    /// For a password command.
    pub password: Duration,
    /// For the reply to a command, a whole one. RFC 5321 (4.5.3.2) asks for five minutes, for servers of 1989.
    pub reply: Duration,
    /// For the letter's words to leave.
    pub words: Duration,
    /// For the answer to the final dot: ten minutes by RFC 5321 (4.5.3.2.6), because whoever gives up too early sends
    /// the letter twice.
    pub verdict: Duration,
    /// A line on which nothing happens is closed after that.
    pub idle: Duration,
    /// For the answer to QUIT, for which nobody waits.
    pub farewell: Duration,
    /// After the second fault in a row, doubled with each further one.
    pub rest: Duration,
    /// Shorter than the first step of the schedule by which letters come again, so that no try is wasted on a line
    /// that rests.
    pub longest_rest: Duration,
    /// After a refused login: how often it is looked whether there is another password.
    pub look: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            connect: Duration::from_secs(30),
            password: Duration::from_secs(60),
            reply: Duration::from_secs(120),
            words: Duration::from_secs(180),
            verdict: Duration::from_secs(600),
            idle: Duration::from_secs(30),
            farewell: Duration::from_secs(2),
            rest: Duration::from_secs(2),
            longest_rest: Duration::from_secs(60),
            look: Duration::from_secs(10),
        }
    }
}

impl Patience {
    /// All of it so many times shorter.
    fn shortened(self, by: u32) -> Patience {
        Patience {
            connect: self.connect / by,
            password: self.password / by,
            reply: self.reply / by,
            words: self.words / by,
            verdict: self.verdict / by,
            idle: self.idle / by,
            farewell: self.farewell / by,
            rest: self.rest / by,
            longest_rest: self.longest_rest / by,
            look: self.look / by,
        }
    }
}

impl SmtpSettings {
    /// None when the outbox is not one of SMTP.
    pub fn new(outbox: &Outbox, variable: Variable) -> Option<SmtpSettings> {
        let server = outbox.server.clone()?;
        let patience = Patience::default().shortened(failpoint::hurry());
        Some(SmtpSettings { server, from: outbox.from.address.clone(), variable, patience })
    }
}

/// Sends what comes, until the channel of parcels closes or nobody takes the answers. Exactly one [`Delivered`] for each
/// parcel, in their order. The loop must take from `delivered` and `news` while it gives parcels.
///
/// A letter is never held back here: when the server can't be reached it is answered with [`Outcome::Later`] at once.
/// The parcels that come again by the schedule are what finds out that the server is back.
pub async fn run(
    settings: SmtpSettings,
    mut parcels: mpsc::Receiver<Parcel>,
    delivered: mpsc::Sender<Delivered>,
    news: mpsc::Sender<FromOutbox>,
) {
    let mut postman = Postman::new(settings, news);
    loop {
        let parcel = tokio::select! {
            parcel = parcels.recv() => parcel,
            () = tokio::time::sleep(postman.settings.patience.idle), if postman.line.is_some() => {
                postman.hang_up().await;
                continue;
            }
        };
        let Some(parcel) = parcel else { break };
        failpoint::stumble(Task::Sender);
        let id = parcel.id;
        let outcome = postman.deliver(parcel).await;
        if delivered.send(Delivered { id, outcome }).await.is_err() {
            break;
        }
    }
    postman.hang_up().await;
}

struct Postman {
    settings: Arc<SmtpSettings>,
    news: mpsc::Sender<FromOutbox>,
    line: Option<Line>,
    health: Health,
    /// What the loop was told last, unless the line recovered since.
    told: Option<TroubleKind>,
    /// Why the line rests.
    last_why: String,
    /// Read once; read again after a certificate was not trusted.
    trust: Option<Arc<ClientConfig>>,
    /// A password command that has not come back: no second one is started beside it.
    reading: Option<JoinHandle<Result<Secret, SecretFault>>>,
    /// The password of the login that is being tried.
    secret: Option<Secret>,
}

/// What a try tells about the line.
enum State {
    Well,
    Down(TroubleKind),
    LoginRefused,
    Blocked,
}

impl Postman {
    fn new(settings: SmtpSettings, news: mpsc::Sender<FromOutbox>) -> Postman {
        Postman {
            health: Health::new(settings.patience),
            settings: Arc::new(settings),
            news,
            line: None,
            told: None,
            last_why: String::new(),
            trust: None,
            reading: None,
            secret: None,
        }
    }

    async fn deliver(&mut self, parcel: Parcel) -> Outcome {
        let parcel = Arc::new(parcel);
        let tried = match self.health.permit(Instant::now()) {
            Permit::Go => self.try_once(&parcel, false).await,
            Permit::WithAnotherPassword => self.try_once(&parcel, true).await,
            Permit::Rest => None,
            Permit::Blocked => return Outcome::Blocked { why: self.last_why.clone() },
        };
        let Some(tried) = tried else {
            let why = self.last_why.trim_start_matches(NOT_SO_SOON);
            let why = format!("{NOT_SO_SOON}{why}");
            // For what the line rests this letter has to wait, too.
            return match self.told {
                None | Some(TroubleKind::Unreachable) => Outcome::Later { why },
                Some(_) => Outcome::Unable { why },
            };
        };
        let (outcome, state) = match tried {
            Ok(()) => (Outcome::Sent, State::Well),
            Err(fault) => judge(&fault),
        };
        self.note(&outcome, state).await;
        outcome
    }

    /// None when there is no password but the one that was refused.
    async fn try_once(&mut self, parcel: &Arc<Parcel>, only_new_password: bool) -> Option<Result<(), Fault>> {
        if self.line.as_ref().is_some_and(|line| !line.is_usable()) {
            self.line = None;
        }
        let was_open = self.line.is_some();
        match self.open(only_new_password).await {
            Ok(true) => {}
            Ok(false) => return None,
            Err(fault) => return Some(Err(fault)),
        }
        let mut offered = self.offer(parcel).await;
        // The server may have hung up on a line at rest just when MAIL FROM was on its way. It has no letter.
        let is_stale = |offered: &Result<(), Fault>| match offered {
            Err(Fault::Lost { step: Step::Mail, how }) => *how != line::TOO_LONG,
            Err(Fault::Said { step: Step::Mail, reply }) => reply.meaning(Step::Mail) == Meaning::Busy,
            _ => false,
        };
        if was_open && is_stale(&offered) {
            self.line = None;
            if let Err(fault) = self.open(false).await {
                return Some(Err(fault));
            }
            offered = self.offer(parcel).await;
        }
        if offered.is_err() {
            return Some(offered);
        }
        Some(self.finish().await)
    }

    /// Opens the line unless it stands. False when there is no other password than the one that was refused.
    async fn open(&mut self, only_new_password: bool) -> Result<bool, Fault> {
        if self.line.is_some() {
            return Ok(true);
        }
        self.secret = self.read_password().await?;
        if only_new_password && self.secret.as_ref().is_none_or(|secret| self.health.was_refused(secret)) {
            return Ok(false);
        }
        let (settings, trust, secret) = (Arc::clone(&self.settings), self.trust().await?, self.secret.clone());
        let opening = async move { Line::open(&settings, trust, secret.as_ref()).await };
        let opened = contained(opening).await.unwrap_or(Err(Fault::Lost { step: Step::Greeting, how: PANICKED }));
        self.line = Some(opened?);
        Ok(true)
    }

    async fn offer(&mut self, parcel: &Arc<Parcel>) -> Result<(), Fault> {
        let Some(mut line) = self.line.take() else { return Err(Fault::Lost { step: Step::Mail, how: PANICKED }) };
        let (settings, parcel) = (Arc::clone(&self.settings), Arc::clone(parcel));
        let offering = async move { (line.offer(&settings.from, &parcel).await, line) };
        let Some((offered, line)) = contained(offering).await else {
            return Err(Fault::Lost { step: Step::Words, how: PANICKED });
        };
        self.line = Some(line);
        offered
    }

    async fn finish(&mut self) -> Result<(), Fault> {
        let Some(mut line) = self.line.take() else { return Err(Fault::Lost { step: Step::Words, how: PANICKED }) };
        let Some((finished, line)) = contained(async move { (line.finish().await, line) }).await else {
            return Err(Fault::Lost { step: Step::Verdict, how: PANICKED });
        };
        self.line = Some(line);
        finished
    }

    async fn note(&mut self, outcome: &Outcome, state: State) {
        let now = Instant::now();
        if let Outcome::Later { why } | Outcome::Unable { why } | Outcome::Unknown { why } | Outcome::Blocked { why } =
            outcome
        {
            self.last_why.clone_from(why);
        }
        match state {
            State::Well => {
                self.health.well();
                if self.told.take().is_some() {
                    self.tell(FromOutbox::Recovered).await;
                }
            }
            State::Down(kind) => {
                self.health.fault(now);
                self.line = None;
                if kind == TroubleKind::Untrusted {
                    self.trust = None;
                }
                self.trouble(kind).await;
            }
            State::LoginRefused => {
                let is_token = self.settings.server.login.as_ref().is_some_and(|login| login.password.is_token());
                self.health.login_refused(now, self.secret.take().filter(|_| !is_token));
                self.line = None;
                self.trouble(TroubleKind::LoginRefused).await;
            }
            State::Blocked => {
                self.health.blocked(now);
                self.hang_up().await;
            }
        }
    }

    /// Each kind of trouble is told once, until another comes or the line recovers.
    async fn trouble(&mut self, kind: TroubleKind) {
        if self.told.replace(kind) == Some(kind) {
            return;
        }
        let Server { server, port, .. } = &self.settings.server;
        let said = format!("outbox: {server}:{port}: {}. {}", self.last_why.trim_end_matches('.'), cure(kind));
        self.tell(FromOutbox::Trouble(Trouble { kind, said })).await;
    }

    async fn tell(&self, news: FromOutbox) {
        // Whoever does not listen any more will soon close the channel of parcels, too.
        drop(self.news.send(news).await);
    }

    async fn hang_up(&mut self) {
        if let Some(line) = self.line.take() {
            contained(line.close()).await;
        }
    }

    async fn trust(&mut self) -> Result<Arc<ClientConfig>, Fault> {
        if let Some(trust) = &self.trust {
            return Ok(Arc::clone(trust));
        }
        let ca_file = self.settings.server.ca_file.clone();
        let reading = tokio::task::spawn_blocking(move || tls::client_config(ca_file.as_deref()));
        let no_tls = |why: String| Fault::NoTls { why };
        let read = reading.await.map_err(|_| no_tls(PANICKED.to_owned()))?;
        let trust = read.map_err(|fault| no_tls(fault.to_string()))?;
        self.trust = Some(Arc::clone(&trust));
        Ok(trust)
    }

    /// None when the settings name no login.
    async fn read_password(&mut self) -> Result<Option<Secret>, Fault> {
        let Some(login) = self.settings.server.login.clone() else { return Ok(None) };
        let variable = self.settings.variable;
        let read = move || login.password.read(variable);
        let reading = self.reading.get_or_insert_with(|| tokio::task::spawn_blocking(read));
        let no_password = |why: String| Fault::NoPassword { why };
        let Ok(read) = tokio::time::timeout(self.settings.patience.password, reading).await else {
            return Err(no_password("the password command does not come to an end".to_owned()));
        };
        self.reading = None;
        match read {
            Ok(Ok(secret)) => Ok(Some(secret)),
            Ok(Err(fault)) => Err(no_password(fault.to_string())),
            Err(_) => Err(no_password(PANICKED.to_owned())),
        }
    }
}

const NOT_SO_SOON: &str = "not tried again so soon: ";
const PANICKED: &str = "a fault within omerta";

/// Runs on its own, so that a panic in a library is the end of a line and not of the task (RUSTSEC-2026-0562); None
/// then. It ends with the task that waits for it.
async fn contained<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Option<T> {
    let mut alone = JoinSet::new();
    alone.spawn(work);
    alone.join_next().await?.ok()
}

fn judge(fault: &Fault) -> (Outcome, State) {
    match fault {
        Fault::Said { step, reply } => {
            let why = format!("{step}: {reply}");
            match reply.meaning(*step) {
                Meaning::Later => (Outcome::Later { why }, State::Well),
                Meaning::Refused => (Outcome::Refused { why }, State::Well),
                Meaning::Blocked => (Outcome::Blocked { why }, State::Blocked),
                Meaning::LoginRefused => (Outcome::Unable { why }, State::LoginRefused),
                Meaning::Busy => (Outcome::Later { why }, State::Down(TroubleKind::Unreachable)),
                Meaning::Unable => unable(why, TroubleKind::Unable),
            }
        }
        Fault::Lost { step, how } => {
            let why = format!("{step}: {how}");
            let outcome = if *step == Step::Verdict { Outcome::Unknown { why } } else { Outcome::Later { why } };
            (outcome, State::Down(TroubleKind::Unreachable))
        }
        Fault::Untrusted { why } => unable(format!("its certificate is not trusted: {why}"), TroubleKind::Untrusted),
        Fault::NoTls { why } => unable(why.clone(), TroubleKind::Untrusted),
        Fault::NoPassword { why } => unable(why.clone(), TroubleKind::NoPassword),
        Fault::Unable { why } => unable((*why).to_owned(), TroubleKind::Unable),
        Fault::Unfit { why } => (Outcome::Refused { why: (*why).to_owned() }, State::Well),
    }
}

fn unable(why: String, kind: TroubleKind) -> (Outcome, State) {
    (Outcome::Unable { why }, State::Down(kind))
}

fn cure(kind: TroubleKind) -> &'static str {
    match kind {
        TroubleKind::Unreachable => "If it lasts, look at outbox.server, port and tls, and at the network.",
        TroubleKind::LoginRefused => {
            "Look at outbox.user and the password. Gmail, Yandex and Mail.ru want an app password, and a change of the \
             account's password makes it void."
        }
        TroubleKind::Untrusted => "Until then nothing is sent, and no password is told.",
        TroubleKind::NoPassword => "Until then nothing can be sent.",
        TroubleKind::Unable => {
            "Look at outbox.from (it must be an address of the mailbox that logs in), user, port and tls."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_the_end_of_a_line_and_not_of_the_task() {
        async fn panics(really: bool) -> u8 {
            assert!(!really, "as in a library");
            7
        }
        assert_eq!(contained(panics(true)).await, None);
        assert_eq!(contained(panics(false)).await, Some(7));
        let (news, _listening) = mpsc::channel(1);
        let server = Server {
            server: "127.0.0.1".to_owned(),
            port: 1,
            tls: crate::config::Tls::None,
            ca_file: None,
            login: None,
        };
        let from = "mafia@game.test".to_owned();
        let settings = SmtpSettings { server, from, variable: |_| None, patience: Patience::default() };
        let mut postman = Postman::new(settings, news);
        // What a panic leaves behind: no line. Nothing that was begun on it can be finished.
        let parcel = Arc::new(Parcel { id: 1, address: String::new(), bytes: Vec::new() });
        for lost in [postman.offer(&parcel).await, postman.finish().await] {
            assert!(matches!(judge(&lost.unwrap_err()).0, Outcome::Later { .. }));
        }
    }
}
