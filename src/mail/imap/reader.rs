//! What the task remembers from line to line, and its course: connect, look, file, wait, and again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{Instant, sleep_until};
use tracing::info;

use super::ImapSettings;
use super::fault::Fault;
use super::fetch::ROOM;
use super::filing::Filing;
use super::grammar::{Listed, Said, quoted};
use super::line::Line;
use super::read::{Hands, pass};
use super::{login, names, probe, wait};
use crate::clock::Clock;
use crate::config::{Login, Secret};
use crate::dice;
use crate::failpoint::{self, Task};
use crate::mail::link::{FromInbox, Heard, ToInbox, TroubleKind};

pub(super) struct Reader {
    hands: Hands,
    heard: Heard,
    orders: Orders,
    /// As in the config; Junk last, when there is one.
    folders: Vec<Folder>,
    /// Marks of folders that were read before, for Junk, whose name is not known yet.
    cursors: BTreeMap<String, String>,
    last_pass: Option<Instant>,
    next_probe: Instant,
    /// When the server's clock was looked at last, and what ours showed.
    probed: Option<(Instant, Timestamp)>,
    /// The line broke over the last look.
    probe_broke: bool,
    /// What was said to be wrong.
    trouble: Option<TroubleKind>,
    /// Failures in a row.
    failures: u32,
    /// Since when the line that is open, or was open last, has read everything through.
    read_through: Option<Instant>,
}

/// What the loop wants.
pub(super) struct Orders {
    pub from_loop: mpsc::UnboundedReceiver<ToInbox>,
    pub filing: Filing,
    /// The inbox is to be read now.
    pub read_now: bool,
}

pub(super) struct Folder {
    pub name: String,
    /// The name in modified UTF-7.
    pub wire: String,
    /// Its place in the order of arrival.
    pub index: usize,
    pub junk: bool,
    pub progress: Option<Progress>,
    /// Letters from before the start have been looked for.
    pub looked_below: bool,
    /// A batch failed: its letters are fetched one by one.
    pub careful: Option<Careful>,
    /// The mark that was handed over last.
    marked: Option<(u32, u32)>,
    /// The server counts from here again, and everything was read again for it.
    counts_from: Option<u32>,
    /// Letters behind `progress` that were handed over before others that are older ([`super::fairly`]).
    pub ahead: BTreeSet<u32>,
    /// Letters came while it was read, and some of them were left for the next look.
    pub is_left: bool,
}

/// How far a folder has been handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Progress {
    pub validity: u32,
    /// The last letter; 0 before the first.
    pub uid: u32,
    /// UIDVALIDITY had changed, and the folder is not through yet. Its mark waits for that: after a crash all of it is
    /// read again.
    pub revalidating: bool,
}

/// Where fetching failed. One letter that no server hands out must not stop the mailbox, but a letter is passed over
/// only after many tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Careful {
    /// The first letter of the batch that failed last, and how often it did.
    pub uid: u32,
    pub times: u32,
    /// Up to here letters are fetched one by one.
    pub until: u32,
}

/// How a letter is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Whole,
    Head,
    /// Not at all: it is handed over empty.
    Nothing,
}

impl Careful {
    pub(super) fn way(self) -> Way {
        match self.times {
            0..=7 => Way::Whole,
            8..=11 => Way::Head,
            _ => Way::Nothing,
        }
    }
}

impl Folder {
    fn new(name: &str, wire: String, index: usize, junk: bool, cursors: &BTreeMap<String, String>) -> Folder {
        let cursor = cursors.get(&format!("imap/{name}")).and_then(|cursor| {
            let (validity, uid) = cursor.split_once(':')?;
            Some((validity.parse().ok()?, uid.parse().ok()?))
        });
        let progress = cursor.map(|(validity, uid)| Progress { validity, uid, revalidating: false });
        Folder {
            name: name.to_owned(),
            wire,
            index,
            junk,
            progress,
            looked_below: false,
            careful: None,
            marked: cursor,
            counts_from: None,
            ahead: BTreeSet::new(),
            is_left: false,
        }
    }

    /// Where reading goes on in the folder as it was opened now.
    pub(super) fn go_on(&mut self, validity: u32, next_uid: Option<u32>) -> Progress {
        let lower = next_uid.filter(|next| self.progress.is_some_and(|known| *next <= known.uid));
        // A server that always tells a wrong number is believed once.
        let is_new = lower.is_some() && lower != self.counts_from;
        self.counts_from = lower.or(self.counts_from);
        let progress = match self.progress {
            None => Progress { validity, uid: 0, revalidating: false },
            Some(known) if known.validity == validity && !is_new => known,
            // The numbers of the letters mean other letters now.
            Some(_) => Progress { validity, uid: 0, revalidating: true },
        };
        if self.progress != Some(progress) {
            self.careful = None;
            self.ahead.clear();
        }
        self.progress = Some(progress);
        progress
    }

    /// Everything up to this letter was handed over.
    pub(super) fn handed_over_to(&mut self, uid: u32) {
        if let Some(progress) = &mut self.progress {
            progress.uid = progress.uid.max(uid);
            self.ahead = self.ahead.split_off(&progress.uid.saturating_add(1));
        }
    }

    /// The mark to be committed, when it is another than the last.
    pub(super) fn new_mark(&mut self) -> Vec<(String, String)> {
        let Some(progress) = self.progress.filter(|progress| !progress.revalidating) else { return Vec::new() };
        let mark = (progress.validity, progress.uid);
        if self.marked.replace(mark) == Some(mark) {
            return Vec::new();
        }
        vec![(format!("imap/{}", self.name), format!("{}:{}", mark.0, mark.1))]
    }

    /// A batch could not be fetched.
    pub(super) fn stumble(&mut self, first: u32, last: u32) {
        let before = self.careful.unwrap_or(Careful { uid: first, times: 0, until: last });
        let times = if before.uid == first { before.times.saturating_add(1) } else { 1 };
        self.careful = Some(Careful { uid: first, times, until: before.until.max(last) });
    }
}

impl Orders {
    pub(super) fn take_in(&mut self, order: ToInbox) {
        match order {
            ToInbox::Committed { places } => self.filing.add(&places),
            ToInbox::ReadNow => self.read_now = true,
        }
    }

    /// Takes in what has come, without waiting.
    fn take_all(&mut self) {
        while let Ok(order) = self.from_loop.try_recv() {
            self.take_in(order);
        }
    }
}

impl Reader {
    pub(super) fn new(
        settings: ImapSettings,
        clock: Clock,
        cursors: BTreeMap<String, String>,
        heard: Heard,
        to_loop: mpsc::Sender<FromInbox>,
        from_loop: mpsc::UnboundedReceiver<ToInbox>,
    ) -> Reader {
        let folder = |(index, name): (usize, &String)| Folder::new(name, names::to_wire(name), index, false, &cursors);
        let folders = settings.folders.iter().enumerate().map(folder).collect();
        Reader {
            hands: Hands { settings, clock, to_loop, room: Arc::new(Semaphore::new(ROOM as usize)) },
            heard,
            orders: Orders { from_loop, filing: Filing::default(), read_now: false },
            folders,
            cursors,
            last_pass: None,
            next_probe: Instant::now(),
            probed: None,
            probe_broke: false,
            trouble: None,
            failures: 0,
            read_through: None,
        }
    }

    /// Ends only when the loop has gone.
    pub(super) async fn run(mut self) {
        let Some(login) = self.hands.settings.server.login.clone() else { return };
        loop {
            let mut used = None;
            let Err(fault) = self.one_line(&login, &mut used).await;
            // Only a line that held for a while shows that all is well.
            if self.read_through.is_some_and(|since| since.elapsed() > self.hands.settings.times.step / 6) {
                self.failures = 0;
            }
            self.failures = self.failures.saturating_add(1);
            if self.complain(&fault).await.is_err() {
                return;
            }
            let waited = match (fault, used) {
                (Fault::LoginRefused(_), Some(secret)) => self.wait_for_password(&login, &secret).await,
                _ => self.back_off().await,
            };
            if waited.is_err() {
                return;
            }
        }
    }

    /// From the login until something breaks.
    async fn one_line(&mut self, login: &Login, used: &mut Option<Secret>) -> Result<std::convert::Infallible, Fault> {
        self.read_through = None;
        let secret = login::secret(&self.hands.settings, login).await?;
        let secret = used.insert(secret);
        let mut line = login::open(&self.hands.settings, login, secret).await?;
        line.heard = self.heard.clone();
        self.find_junk(&mut line).await?;
        loop {
            let complete = self.look(&mut line).await?;
            if self.file(&mut line).await? || (self.probe_broke && self.probe(&mut line).await?) {
                // Another folder is open now, and something may have come.
                continue;
            }
            let is_left = self.folders.iter().any(|folder| folder.is_left);
            if !self.orders.read_now && !is_left {
                let until = Instant::now() + self.hands.settings.times.poll.min(self.hands.settings.times.idle);
                wait::wait(&self.hands, &mut line, &mut self.orders, until, complete).await?;
            }
        }
    }

    /// Reads all folders through. False when some could not be read.
    async fn look(&mut self, line: &mut Line) -> Result<bool, Fault> {
        failpoint::stumble(Task::Reader);
        if let Some(last) = self.last_pass {
            sleep_until(last + self.hands.settings.times.gap).await;
        }
        // Before the folders: what is read through is judged by both clocks. A line that broke over it reads first.
        if !self.probe_broke {
            self.probe(line).await?;
        }
        self.orders.take_all();
        self.orders.read_now = false;
        self.last_pass = Some(Instant::now());
        let began = self.hands.clock.now();
        let unread = pass(&self.hands, line, &mut self.folders).await?;
        if let Some(why) = unread.into_iter().next() {
            self.complain(&Fault::Unable(why)).await?;
            return Ok(false);
        }
        self.read_through.get_or_insert_with(Instant::now);
        if self.trouble.take().is_some() {
            self.hands.tell(FromInbox::Recovered).await?;
        }
        self.hands.tell(FromInbox::ReadThrough { began }).await?;
        Ok(true)
    }

    /// Files what is committed, until the loop wants something else. True when another folder was opened for it.
    async fn file(&mut self, line: &mut Line) -> Result<bool, Fault> {
        let mut filed = false;
        loop {
            self.orders.take_all();
            if self.orders.read_now || !self.orders.filing.is_due() {
                return Ok(filed);
            }
            self.orders.filing.file_some(&self.hands, line).await?;
            filed = true;
        }
    }

    /// Looks at the server's clock, when it is time for that. True when it did: another folder is open now.
    async fn probe(&mut self, line: &mut Line) -> Result<bool, Fault> {
        let (now, showed) = (Instant::now(), self.hands.clock.now());
        let has_leapt = self.probed.is_some_and(|(then, showed_then)| {
            let passed = showed.duration_since(showed_then).as_millis();
            let went_by = i128::try_from(now.duration_since(then).as_millis()).unwrap_or(i128::MAX);
            passed.abs_diff(went_by) > self.hands.settings.times.leap.as_millis()
        });
        if now < self.next_probe && !has_leapt {
            return Ok(false);
        }
        let looked = probe::probe(&self.hands, line).await;
        // After a sleep the line is dead and the next one tells; a server that breaks each is left alone for a day.
        let broke_before = std::mem::replace(&mut self.probe_broke, looked.is_err());
        if looked.is_ok() || broke_before {
            self.next_probe = now + self.hands.settings.times.probe;
            self.probed = Some((now, showed));
        }
        looked.map(|()| true)
    }

    /// Junk is read last, and under its own name.
    async fn find_junk(&mut self, line: &mut Line) -> Result<(), Fault> {
        let mut found = None;
        for (capability, words) in
            [("SPECIAL-USE", "LIST (SPECIAL-USE) \"\" \"*\""), ("XLIST", "XLIST \"\" \"*\""), ("", "LIST \"\" \"*\"")]
        {
            if found.is_some() || !(capability.is_empty() || line.can(capability)) {
                continue;
            }
            let folders = list_folders(line, words).await?;
            let named = if capability.is_empty() { names::named_junk(&folders) } else { None };
            found = names::marked_junk(&folders).or(named).cloned();
        }
        let wire = found.map(|folder| folder.name);
        let is_known = |folder: &Folder| wire.as_ref().is_some_and(|wire| names::is_same(&folder.wire, wire));
        if self.folders.iter().any(is_known) {
            return Ok(());
        }
        self.folders.retain(|folder| !folder.junk);
        if let Some(wire) = wire {
            let name = names::from_wire(&wire);
            info!(folder = name, "letters of players are looked for in the junk folder too");
            self.folders.push(Folder::new(&name, wire, JUNK_INDEX, true, &self.cursors));
        }
        Ok(())
    }

    /// Tells the loop what is wrong, once. A line that broke and comes back at the next try is nobody's trouble.
    async fn complain(&mut self, fault: &Fault) -> Result<(), Fault> {
        let Some(trouble) = fault.trouble(&self.hands.settings.server) else { return Err(Fault::LoopGone) };
        let is_passing = trouble.kind == TroubleKind::Unreachable && (self.failures < 2 || self.read_through.is_some());
        if is_passing || self.trouble == Some(trouble.kind) {
            return Ok(());
        }
        self.trouble = Some(trouble.kind);
        self.hands.tell(FromInbox::Trouble(trouble)).await
    }

    /// Waits before the next try: longer each time, and not at the same moment as everybody else. An order to read now
    /// makes the wait as short as the first.
    async fn back_off(&mut self) -> Result<(), Fault> {
        let times = self.hands.settings.times;
        let doubled = times.backoff.saturating_mul(1 << self.failures.saturating_sub(1).min(20));
        let now = Instant::now();
        let mut until = now + jittered(doubled.min(times.longest_backoff));
        loop {
            tokio::select! {
                () = sleep_until(until) => return Ok(()),
                order = self.orders.from_loop.recv() => {
                    self.orders.take_in(order.ok_or(Fault::LoopGone)?);
                    if self.orders.read_now {
                        until = until.min(now + jittered(times.backoff));
                    }
                }
            }
        }
    }

    /// After a refused login every further try brings the provider nearer to locking the mailbox.
    async fn wait_for_password(&mut self, login: &Login, refused: &Secret) -> Result<(), Fault> {
        let times = self.hands.settings.times;
        let until = Instant::now() + times.refused;
        let mut look = Instant::now() + times.password;
        // An access token may be another one each time: that is no sign that somebody mended something.
        let is_token = login.password.is_token();
        loop {
            tokio::select! {
                () = sleep_until(until) => return Ok(()),
                () = sleep_until(look), if !is_token => {
                    if login::secret(&self.hands.settings, login).await.is_ok_and(|secret| secret != *refused) {
                        return Ok(());
                    }
                    look = Instant::now() + times.password;
                }
                order = self.orders.from_loop.recv() => self.orders.take_in(order.ok_or(Fault::LoopGone)?),
            }
        }
    }
}

/// Behind every folder of the config.
const JUNK_INDEX: usize = 999;

/// A folder's name as a command has it.
pub(super) fn quoted_name(wire: &str) -> Result<String, Fault> {
    quoted(wire).ok_or_else(|| Fault::Unable("a folder's name holds a line end".to_owned()))
}

pub(super) async fn list_folders(line: &mut Line, words: &str) -> Result<Vec<Listed>, Fault> {
    const MOST: usize = 10_000;
    let mut folders = Vec::new();
    line.command(line.simple("LIST"), words, Vec::new(), |said| {
        if let Said::Folder(folder) = said
            && folders.len() < MOST
        {
            folders.push(folder);
        }
    })
    .await?;
    Ok(folders)
}

/// Between three quarters and five quarters of it.
fn jittered(wait: Duration) -> Duration {
    let chance = dice::random_32().map_or(128, |bytes| u32::from(bytes.first().copied().unwrap_or(128)));
    wait / 4 * 3 + wait / 512 * chance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_readers_do_not_come_again_at_the_same_moment() {
        let wait = Duration::from_secs(4);
        let waits: BTreeSet<Duration> = (0..100).map(|_| jittered(wait)).collect();
        assert!(waits.len() > 10, "{waits:?}");
        assert!(waits.iter().all(|some| (wait * 3 / 4..=wait * 5 / 4).contains(some)), "{waits:?}");
    }
}
