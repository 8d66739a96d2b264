//! The signals that lead the daemon: SIGTERM and SIGINT end it, SIGHUP lets it read its settings again.

use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::ends::Inbox;
use super::{Daemon, DaemonError};
use crate::config::Config;
use crate::letters::render::Templates;

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    Stop,
    Reload,
}

/// Config and templates as they stand in their files now, or every fault of them in a line of its own.
pub type Reread<'a> = &'a dyn Fn() -> Result<(Arc<Config>, Arc<Templates>), Vec<String>>;

/// Signals that are listened to. They are from the start: one that comes while the daemon opens is not lost.
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    /// Within a tokio runtime.
    ///
    /// # Errors
    /// When the system does not let us listen.
    pub fn listen() -> Result<Signals, DaemonError> {
        let listen =
            |kind| signal(kind).map_err(|_| DaemonError::Unable("signals can't be listened to on this system"));
        Ok(Signals {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }

    pub(super) async fn next(&mut self) -> Wish {
        tokio::select! {
            _ = self.terminate.recv() => Wish::Stop,
            _ = self.interrupt.recv() => Wish::Stop,
            _ = self.hangup.recv() => Wish::Reload,
        }
    }
}

impl Daemon {
    /// Takes over new settings. What they have wrong is said, and the old ones stay.
    pub(super) async fn reload(&mut self, reread: Reread<'_>) {
        self.notify.reloading();
        match reread() {
            Ok((config, templates)) => {
                self.take_settings(&config, templates).await;
                tracing::info!("the settings and templates were read again");
                self.notify.ready("reading the mail");
            }
            Err(faults) => {
                for fault in &faults {
                    tracing::error!("{fault}");
                }
                tracing::error!(faults = faults.len(), "the new settings are refused; the old ones stay");
                self.notify.ready("the new settings were refused; the old ones stay");
            }
        }
    }

    async fn take_settings(&mut self, config: &Config, templates: Arc<Templates>) {
        let old = self.desk.config().clone();
        let mut new = config.clone();
        if new.database != old.database {
            tracing::warn!("`database` can't change while the daemon runs; the old one stays until a restart");
            new.database.clone_from(&old.database);
        }
        if new.inbox.kind != old.inbox.kind {
            tracing::warn!("[inbox] `kind` can't change while the daemon runs; the old [inbox] stays until a restart");
            new.inbox.clone_from(&old.inbox);
        }
        if (&new.inbox, new.security.max_message) != (&old.inbox, old.security.max_message)
            && let Err(error) = self.open_inbox_again(&new)
        {
            tracing::error!(%error, "the new [inbox] can't be used; the old one stays");
            new.inbox = old.inbox;
        }
        if new.outbox != old.outbox
            && let Err(error) = self.open_outbox_again(&new).await
        {
            tracing::error!(%error, "the new [outbox] can't be used; the old one stays");
            new.outbox = old.outbox;
        }
        if let Inbox::Line(line) = &self.inbox {
            line.own_is(&new.outbox.from.address);
        }
        self.desk.set_settings(Arc::new(new), templates);
    }
}
