//! The task that hands letters to a program of the sendmail kind: one letter, one run, exactly one answer.
//!
//! The program gets the letter on its standard input and the recipient as its last argument, after `--`: an address that
//! begins with a dash is no option. No shell comes between.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

use crate::config::Outbox;
use crate::mail::link::{Delivered, FromOutbox, Outcome, Parcel, Trouble, TroubleKind};
use crate::mail::smtp::bytes::for_a_program;

#[derive(Clone, Debug)]
pub struct SendmailSettings {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The envelope's sender.
    pub from: String,
    /// For one letter; then the program is killed.
    pub patience: Duration,
}

impl SendmailSettings {
    /// None when there is no command.
    pub fn new(outbox: &Outbox) -> Option<SendmailSettings> {
        let command = outbox.command.clone();
        let from = outbox.from.address.clone();
        (!command.is_empty()).then_some(SendmailSettings { command, from, patience: Duration::from_secs(120) })
    }

    /// What is run for a letter to this address.
    pub fn arguments(&self, address: &str) -> Vec<String> {
        let mut arguments = self.command.clone();
        let options = || self.command.iter().skip(1).map(String::as_str);
        let program = self.command.first().and_then(|program| Path::new(program).file_name()?.to_str());
        let is_sendmail = program.is_some_and(|program| SENDMAILS.contains(&program));
        if is_sendmail {
            // Without it a line with a single dot would end the letter.
            if !options().any(|word| ["-i", "-oi", "-ti", "-it"].contains(&word)) {
                arguments.push("-i".to_owned());
            }
            // Without it bounces go to the user who runs omerta.
            if !options().any(|word| ["-f", "-r", "--from"].iter().any(|option| word.starts_with(option))) {
                arguments.extend(["-f".to_owned(), self.from.clone()]);
            }
        }
        // With -t the recipient is read from the letter, and to Exim an address beside it means "all but this one".
        let reads_it = is_sendmail && options().any(|word| ["-t", "-ti", "-it", "--read-recipients"].contains(&word));
        if !reads_it {
            arguments.extend(["--".to_owned(), address.to_owned()]);
        }
        arguments
    }
}

/// Programs that take the options of sendmail.
const SENDMAILS: [&str; 5] = ["sendmail", "exim", "exim4", "msmtp", "ssmtp"];

/// Sends what comes, one after the other, until the channel of parcels closes or nobody takes the answers. Exactly one
/// [`Delivered`] for each parcel, in their order. The loop must take from `delivered` and `news` while it gives parcels.
pub async fn run(
    settings: SendmailSettings,
    mut parcels: mpsc::Receiver<Parcel>,
    delivered: mpsc::Sender<Delivered>,
    news: mpsc::Sender<FromOutbox>,
) {
    let mut in_trouble = false;
    while let Some(parcel) = parcels.recv().await {
        let (outcome, trouble) = match start(&settings, &parcel.address) {
            Ok(child) => (hand_over(&settings, child, &for_a_program(&parcel.bytes)).await, None),
            Err(error) => (Outcome::Later { why: format!("outbox.command can't be run: {error}") }, Some(error)),
        };
        match trouble {
            Some(error) if !std::mem::replace(&mut in_trouble, true) => {
                let said = format!("outbox.command can't be run: {error}. Try it as the user who runs omerta.");
                drop(news.send(FromOutbox::Trouble(Trouble { kind: TroubleKind::Unable, said })).await);
            }
            None if std::mem::take(&mut in_trouble) => drop(news.send(FromOutbox::Recovered).await),
            _ => {}
        }
        if delivered.send(Delivered { id: parcel.id, outcome }).await.is_err() {
            return;
        }
    }
}

fn start(settings: &SendmailSettings, address: &str) -> std::io::Result<Child> {
    let mut arguments = settings.arguments(address).into_iter();
    let program = arguments.next().unwrap_or_default();
    // What it says may name addresses: it goes nowhere.
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
}

async fn hand_over(settings: &SendmailSettings, mut child: Child, letter: &[u8]) -> Outcome {
    let mut read_whole = false;
    let running = async {
        if let Some(mut input) = child.stdin.take() {
            read_whole = input.write_all(letter).await.is_ok() && input.shutdown().await.is_ok();
        }
        child.wait().await
    };
    let ended = tokio::time::timeout(settings.patience, running).await;
    match ended {
        Ok(Ok(status)) => judge(status, read_whole),
        Ok(Err(_)) => Outcome::Unknown { why: "the end of outbox.command could not be awaited".to_owned() },
        Err(_) => {
            drop(child.kill().await);
            let why = "outbox.command took too long".to_owned();
            if read_whole { Outcome::Unknown { why } } else { Outcome::Later { why } }
        }
    }
}

/// By sysexits(3).
fn judge(status: ExitStatus, read_whole: bool) -> Outcome {
    match status.code() {
        Some(0) if read_whole => Outcome::Sent,
        Some(0) => Outcome::Unknown { why: "outbox.command did not read the whole letter".to_owned() },
        // The letter or its address is at fault. All other codes are of this machine or of the moment: msmtp gives 68
        // when a name can't be looked up, 77 and 78 for its own login and settings.
        Some(code @ (65 | 67)) => Outcome::Refused { why: format!("outbox.command ended with {code}") },
        Some(code) => Outcome::Later { why: format!("outbox.command ended with {code}") },
        None => Outcome::Later { why: "outbox.command was killed by a signal".to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(command: &[&str], address: &str) -> Vec<String> {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        let settings = SendmailSettings { command, from: "mafia@x.test".to_owned(), patience: Duration::from_secs(1) };
        settings.arguments(address)
    }

    #[test]
    fn an_address_is_never_an_option() {
        let address = "-oQ/tmp@x.test";
        assert_eq!(
            arguments(&["/usr/sbin/sendmail"], address),
            ["/usr/sbin/sendmail", "-i", "-f", "mafia@x.test", "--", address]
        );
        assert_eq!(
            arguments(&["sendmail", "-oi", "-fother@x.test"], address),
            ["sendmail", "-oi", "-fother@x.test", "--", address]
        );
        assert_eq!(arguments(&["/opt/send", "--fast"], "a@x.test"), ["/opt/send", "--fast", "--", "a@x.test"]);
    }

    #[test]
    fn a_program_that_reads_the_recipient_itself_gets_none() {
        assert_eq!(arguments(&["msmtp", "-t"], "a@x.test"), ["msmtp", "-t", "-i", "-f", "mafia@x.test"]);
        assert_eq!(arguments(&["/opt/send", "-t", "5"], "a@x.test"), ["/opt/send", "-t", "5", "--", "a@x.test"]);
        assert_eq!(arguments(&["sendmail", "-ti"], "a@x.test"), ["sendmail", "-ti", "-f", "mafia@x.test"]);
    }
}
