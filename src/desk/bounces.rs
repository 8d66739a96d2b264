//! What becomes of a bounce: the letter of ours failed, the hosts learn which, and an address that does not exist rests.
//! A bounce that names no letter of ours, or another address than its own, does nothing: only who got a letter, and the
//! servers on its way, know its Message-ID.

use jiff::Timestamp;

use super::{DeskError, Room};
use crate::journal::Entry;
use crate::keys::is_token;
use crate::letters::Alert;
use crate::mail::bounce::{self, Weight};
use crate::rules::PlayerId;
use crate::store::{TokenRow, Tx};

/// So many reports that a letter is still under way are kept to ourselves.
const DELAYS_KEPT: u32 = 1;

impl Room {
    pub(super) fn hear_bounce(&mut self, tx: &Tx, raw: &[u8], now: Timestamp) -> Result<(), DeskError> {
        let bounce = bounce::read(raw);
        let mut found = None;
        for id in &bounce.message_ids {
            found = tx.find_message_id(id)?;
            if found.is_some() {
                break;
            }
        }
        // Some servers give a letter another Message-ID on its way; our plus-address they leave alone.
        let plus = bounce.reply_to.iter().filter_map(|address| address.split('@').next()?.split('+').nth(1));
        for token in plus.map(str::to_ascii_lowercase).filter(|token| is_token(token)) {
            if found.is_none() {
                found = tx.find_token(&token)?;
            }
        }
        let Some(row) = found else { return Ok(()) };
        let Some(address) = tx.address_of_out(row.out)? else { return Ok(()) };
        let ours = bounce.failures.iter().find(|failure| failure.addresses.contains(&address.to_lowercase()));
        let Some(failure) = ours else { return Ok(()) };
        if failure.weight == Weight::Delayed {
            let key = row.out.0.to_string();
            let first = tx.bump(row.game, "delays kept", &key, DELAYS_KEPT)?;
            if !first && tx.bump(row.game, "delays told", &key, 1)? {
                self.tell_hosts(tx, &row, now, |kind, nick| Alert::Delayed { kind, nick })?;
            }
            return Ok(());
        }
        let status = failure.status.as_deref().unwrap_or("no code");
        if !tx.bounced(row.out, &format!("it came back: {status}"))? {
            return Ok(());
        }
        tracing::warn!(letter = row.out.0, kind = row.kind, status, "a letter of ours came back");
        let rests = failure.weight == Weight::Hard;
        if rests {
            tx.let_rest(&address, row.out, now)?;
        }
        self.tell_hosts(tx, &row, now, |kind, nick| Alert::Returned { kind, nick, rests })
    }

    /// A letter from the very address that rests: its owner is there, so letters go out again.
    pub(super) fn owner_writes(&self, tx: &Tx, address: Option<&str>) -> Result<(), DeskError> {
        let Some(address) = address else { return Ok(()) };
        if let Some(letters) = tx.wake_address(address)? {
            tracing::info!(letters, "an address that rested writes: its letters go out");
        }
        Ok(())
    }

    /// The hosts learn what happened to a letter of their game. What happened to a letter of their own they can't be
    /// told by letter: it stands in the log and in `omerta letters`.
    fn tell_hosts(
        &mut self,
        tx: &Tx,
        row: &TokenRow,
        now: Timestamp,
        alert: impl FnOnce(String, Option<String>) -> Alert,
    ) -> Result<(), DeskError> {
        let head = row.game.map(|game| tx.game_by_id(game)).transpose()?.flatten();
        let Some(head) = head.filter(|_| !row.reader.starts_with("host:")) else { return Ok(()) };
        let mut game = self.open(tx, &head)?;
        let player = row.reader.strip_prefix("player:").and_then(|number| number.parse().ok()).map(PlayerId);
        let nick = player.map(|player| game.table.nick(player).to_owned());
        let alert = alert(row.kind.clone(), nick);
        self.record(tx, &mut game, now, &Entry::Alerted { alert })?;
        self.put_back(tx, game, now)
    }
}
