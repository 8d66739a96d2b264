//! What the service manager is told (sd_notify(3)): ready, reloading, stopping, how things stand, and that all goes on.

use std::ffi::OsString;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::{Duration, Instant};

use sd_notify::NotifyState;

/// The manager's side of things: where it listens, and within what time it wants a sign of life.
#[derive(Clone, Debug, Default)]
pub struct Manager {
    /// `NOTIFY_SOCKET`: a path, or a name in the abstract space after `@`.
    pub socket: Option<OsString>,
    /// `WATCHDOG_USEC`.
    pub watchdog: Option<Duration>,
}

/// Speaks to the manager; to nobody when there is none.
#[derive(Debug, Default)]
pub struct Notify {
    socket: Option<UnixDatagram>,
    watchdog: Option<Duration>,
    fed: Option<Instant>,
    /// Since it was fed: the mail was read through, or is in a trouble that was said and is tried again.
    mail_moved: bool,
    /// Since it was fed: every game got what was due, or the same.
    schedule_moved: bool,
    status: String,
}

impl Notify {
    /// Connects to the manager. One that does not listen is no reason not to run.
    pub fn to(manager: &Manager) -> Notify {
        let socket = manager.socket.as_ref().and_then(|socket| {
            connect(socket)
                .map_err(|error| tracing::warn!(%error, "the service manager does not listen at NOTIFY_SOCKET"))
                .ok()
        });
        Notify { socket, watchdog: manager.watchdog, ..Notify::default() }
    }

    /// Everything is open, or the settings were read again.
    pub fn ready(&mut self, status: &str) {
        status.clone_into(&mut self.status);
        self.send(&[NotifyState::Ready, NotifyState::Status(status)]);
    }

    pub fn reloading(&self) {
        // Without the time the manager could not tell this reload from an earlier one.
        match NotifyState::monotonic_usec_now() {
            Ok(now) => self.send(&[NotifyState::Reloading, now]),
            Err(error) => tracing::warn!(%error, "the service manager can't be told of the reload"),
        }
    }

    pub fn stopping(&self, status: &str) {
        self.send(&[NotifyState::Stopping, NotifyState::Status(status)]);
    }

    /// One line for `systemctl status`; said when it changes.
    pub fn status(&mut self, status: &str) {
        if self.status != status {
            status.clone_into(&mut self.status);
            self.send(&[NotifyState::Status(status)]);
        }
    }

    pub fn mail_moved(&mut self) {
        self.mail_moved = true;
    }

    pub fn schedule_moved(&mut self) {
        self.schedule_moved = true;
    }

    /// It is time for a sign of life, and only the mail has not moved yet.
    pub fn waits_for_mail(&self) -> bool {
        self.is_hungry() && !self.mail_moved
    }

    /// A sign of life, when it is time for one and both halves of the work have moved since the last.
    pub fn feed(&mut self) {
        if self.is_hungry() && self.mail_moved && self.schedule_moved {
            self.fed = Some(Instant::now());
            self.mail_moved = false;
            self.schedule_moved = false;
            self.send(&[NotifyState::Watchdog]);
        }
    }

    /// The loop may rest no longer than this: three signs of life fit into the time within which one is wanted.
    pub fn longest_rest(&self) -> Duration {
        self.watchdog.map_or(Duration::MAX, |within| within / 3)
    }

    fn is_hungry(&self) -> bool {
        self.watchdog.is_some() && self.fed.is_none_or(|fed| fed.elapsed() >= self.longest_rest())
    }

    fn send(&self, states: &[NotifyState<'_>]) {
        let Some(socket) = &self.socket else { return };
        let lines: Vec<String> = states.iter().map(|state| state.to_string().replace('\n', " ")).collect();
        if let Err(error) = socket.send(lines.join("\n").as_bytes()) {
            tracing::debug!(%error, "the service manager was not told");
        }
    }
}

fn connect(name: &OsString) -> io::Result<UnixDatagram> {
    let address = match name.as_bytes().strip_prefix(b"@") {
        Some(abstract_name) => SocketAddr::from_abstract_name(abstract_name)?,
        None => SocketAddr::from_pathname(name)?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.connect_addr(&address)?;
    // A manager that does not read must not stop the game.
    socket.set_write_timeout(Some(Duration::from_millis(500)))?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_of_life_needs_both_mail_and_schedule() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manager");
        let manager = UnixDatagram::bind(&path).unwrap();
        manager.set_nonblocking(true).unwrap();
        let heard = || {
            let mut bytes = [0; 256];
            let read = manager.recv(&mut bytes).ok()?;
            Some(String::from_utf8_lossy(&bytes[..read]).into_owned())
        };
        let mut notify = Notify::to(&Manager { socket: Some(path.into()), watchdog: Some(Duration::ZERO) });
        notify.feed();
        notify.mail_moved();
        notify.feed();
        assert_eq!(heard(), None, "the schedule stands still");
        notify.schedule_moved();
        notify.feed();
        assert_eq!(heard().as_deref(), Some("WATCHDOG=1"));
        notify.schedule_moved();
        notify.feed();
        assert_eq!(heard(), None, "the mail stands still");
    }
}
