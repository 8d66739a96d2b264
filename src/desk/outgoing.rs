//! The queue's side of the desk: what is due, what became of it, and signs of life.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{Desk, DeskError, Room};
use crate::config::OutboxKind;
use crate::journal::{Entry, Quota};
use crate::letters::{Alert, LostLetter, Office};
use crate::mail::bounce;
use crate::mail::link::Outcome;
use crate::mail::pace::{self, Class, Fate, Load};
use crate::rules::PlayerId;
use crate::store::{GameId, OutId, OutRow, OutState, Tx, View};

/// So many lost letters are named in one alert.
const LISTED: usize = 20;
/// The mark that tells until when the provider blocks us.
const BLOCKED: &str = "sending/blocked_until";

impl Desk {
    /// Takes letters that are due out of the queue, at most so many: the attempt and the moment of the next one are
    /// stored before this returns. `may_leave` may hold one back: it stays in the queue.
    ///
    /// # Errors
    /// When the database fails; then no letter may be sent.
    pub fn take_due_letters(
        &mut self,
        now: Timestamp,
        at_most: usize,
        mut may_leave: impl FnMut(&OutRow) -> bool,
    ) -> Result<Vec<OutRow>, DeskError> {
        let (mut due, expired) = self.read(|_, tx| Ok((tx.due_out(now, at_most)?, tx.has_expired(now)?)))?;
        due.retain(|letter| may_leave(letter));
        if due.is_empty() && !expired {
            return Ok(due);
        }
        self.write(|room, tx| {
            tx.expire(now)?;
            let mut taken = Vec::with_capacity(due.len());
            for letter in due {
                let wait = pace::retry_after(letter.attempts.saturating_add(1), letter.id.0).unwrap_or(pace::LAST_WAIT);
                let next = now.saturating_add(wait).unwrap_or(Timestamp::MAX);
                if !tx.attempting(&[letter.id], next)?.is_empty() {
                    taken.extend(room.unsealed_or_put_off(tx, letter, now)?);
                }
            }
            Ok(taken)
        })
    }

    /// Writes down what became of letters that were handed over.
    ///
    /// # Errors
    /// When the database fails: they will be tried again, with the same Message-ID.
    pub fn settle_letters(&mut self, letters: &[OutRow], results: &[Outcome], now: Timestamp) -> Result<(), DeskError> {
        self.write(|room, tx| {
            let sent: Vec<OutId> = letters
                .iter()
                .zip(results)
                .filter(|(_, result)| **result == Outcome::Sent)
                .map(|(letter, _)| letter.id)
                .collect();
            tx.sent(&sent, now)?;
            let mut lost = Vec::new();
            for (letter, result) in letters.iter().zip(results) {
                let (Outcome::Later { why }
                | Outcome::Unable { why }
                | Outcome::Refused { why }
                | Outcome::Unknown { why }
                | Outcome::Blocked { why }) = result
                else {
                    continue;
                };
                let later = |wait: SignedDuration| now.saturating_add(wait).unwrap_or(Timestamp::MAX);
                if matches!(result, Outcome::Unknown { .. }) {
                    tx.may_have_left(letter.id, now)?;
                }
                let was_unknown = letter.state == OutState::Unknown;
                let attempt = letter.attempts.saturating_add(1);
                tracing::warn!(letter = letter.id.0, kind = letter.kind, why, "a letter could not be delivered");
                match pace::fate(result, attempt, was_unknown, letter.id.0) {
                    Fate::Sent => {}
                    Fate::Again { after } if matches!(result, Outcome::Unknown { .. }) || was_unknown => {
                        tx.uncertain(letter.id, why, Some(later(after)))?;
                    }
                    Fate::Again { after } => tx.failed(letter.id, why, Some(later(after)))?,
                    Fate::Blocked => tx.put_off(letter.id, why, later(pace::BLOCK))?,
                    Fate::Unknown => {
                        tx.uncertain(letter.id, why, None)?;
                        lost.push((letter, true));
                    }
                    Fate::Failed => {
                        tx.failed(letter.id, why, None)?;
                        if bounce::is_gone(why) {
                            room.no_such_address(tx, letter, now)?;
                        } else {
                            lost.push((letter, false));
                        }
                    }
                }
            }
            room.lost(tx, &lost, now)
        })
    }

    /// What left in the last 24 hours and what must be kept free for results; counted no further than `daily`.
    ///
    /// # Errors
    /// When the database fails.
    pub fn load(&mut self, now: Timestamp, daily: Option<u32>) -> Result<Load, DeskError> {
        let Some(daily) = daily else { return Ok(Load::default()) };
        let most = usize::try_from(daily).unwrap_or(usize::MAX).saturating_add(1);
        self.read(|_, tx| {
            let (games, seats) = tx.running_seats()?;
            Ok(Load { sent: tx.sent_in_a_day(now, most)?, reserve: pace::reserve(seats, games) })
        })
    }

    /// How far each folder of the mailbox was read.
    ///
    /// # Errors
    /// When the database fails.
    pub fn cursors(&mut self) -> Result<BTreeMap<String, String>, DeskError> {
        self.read(|_, tx| Ok(tx.marks("imap/")?.into_iter().collect()))
    }

    /// Until when the provider blocks sending, as a restart must not forget.
    ///
    /// # Errors
    /// When the database fails.
    pub fn blocked_until(&mut self) -> Result<Option<Timestamp>, DeskError> {
        self.read(|_, tx| Ok(tx.mark(BLOCKED)?.and_then(|until| until.parse().ok())))
    }

    /// The provider blocks sending, as it turned out now. The hosts of every game that runs are told with the first letters
    /// that leave again.
    ///
    /// # Errors
    /// When the database fails.
    pub fn set_blocked_until(&mut self, until: Timestamp, now: Timestamp) -> Result<(), DeskError> {
        self.write(|_, tx| Ok(tx.put_mark(BLOCKED, &until.to_string())?))?;
        self.in_each_running_game(now, "the hosts of a game can't be told of the block", |room, tx, game| {
            room.alert_once(tx, game, now, Alert::SendingBlocked { until })
        })?;
        Ok(())
    }

    /// The clock was set back by so much, and shows `now`: nothing waits longer than it did. Gives until when nothing may
    /// leave, by the new clock.
    ///
    /// # Errors
    /// When the database fails.
    pub fn clock_set_back(&mut self, by: SignedDuration, now: Timestamp) -> Result<Option<Timestamp>, DeskError> {
        self.write(|_, tx| {
            tx.clock_set_back(by, now)?;
            let until = tx.mark(BLOCKED)?.and_then(|until| until.parse::<Timestamp>().ok());
            let until = until.filter(|until| *until > now).map(|until| until.saturating_sub(by).unwrap_or(now));
            if let Some(until) = until {
                tx.put_mark(BLOCKED, &until.to_string())?;
            }
            Ok(until)
        })
    }

    /// When the daemon last left a sign of life.
    ///
    /// # Errors
    /// When the database fails.
    pub fn last_beat(&mut self) -> Result<Option<Timestamp>, DeskError> {
        self.read(|_, tx| Ok(tx.daemon_status()?.map(|(at, _)| at)))
    }

    /// Erases what strangers wrote longer ago than `retention`, and takes what was erased off the disk.
    ///
    /// # Errors
    /// When the database fails.
    pub fn tidy(&mut self, now: Timestamp) -> Result<(), DeskError> {
        let before = now.saturating_sub(self.config().retention).unwrap_or(Timestamp::MIN);
        self.write(|_, tx| Ok(tx.erase_strays(before)?))?;
        self.store.settle_erasure()?;
        Ok(())
    }

    /// Leaves a sign of life, how far the inbox is read, and the latest time that was ever believed.
    ///
    /// # Errors
    /// When the database fails.
    pub fn beat(
        &mut self,
        now: Timestamp,
        read_through: Option<Timestamp>,
        believed: Option<Timestamp>,
    ) -> Result<(), DeskError> {
        self.write(|_, tx| {
            tx.daemon_beat(now, std::process::id())?;
            if let Some(read) = read_through {
                tx.set_inbox_read(read, now)?;
            }
            if let Some(believed) = believed {
                super::leap::believe(tx, believed)?;
            }
            Ok(())
        })
    }
}

/// How far everything has come: it changes with every letter in or out and with every event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    letters: u64,
    queued: u64,
    sent: u64,
    events: i64,
}

impl Desk {
    /// # Errors
    /// When the database fails.
    pub fn stamp(&mut self) -> Result<Stamp, DeskError> {
        self.read(|_, tx| {
            let (inbox, outbox) = (tx.inbox_counts()?, tx.outbox_counts()?);
            Ok(Stamp {
                letters: inbox.processed + inbox.quarantined,
                queued: outbox.queued,
                sent: outbox.sent,
                events: tx.games()?.iter().map(|game| game.seq).sum(),
            })
        })
    }
}

impl Room {
    /// What the provider's limit of a day leaves room for once the letters that wait already have left.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) fn quota(&self, tx: &View, now: Timestamp) -> Result<Quota, DeskError> {
        let outbox = &self.config.outbox;
        let Some(daily) = outbox.daily.filter(|_| outbox.kind != OutboxKind::Maildir) else { return Ok(Quota::Open) };
        let counts = tx.outbox_counts()?;
        let (games, seats) = tx.running_seats()?;
        let reserve = pace::reserve(seats, games);
        let room = |sent| {
            let load = Load { sent, reserve };
            match (pace::has_room(daily, Class::Receipt, load), pace::has_room(daily, Class::Relay, load)) {
                (false, _) => Quota::NoReceipts,
                (true, false) => Quota::NoRelays,
                (true, true) => Quota::Open,
            }
        };
        let most = usize::try_from(daily).unwrap_or(usize::MAX);
        Ok(room(tx.sent_in_a_day(now, most)?.saturating_add(counts.queued)))
    }

    /// The server itself says that there is no such address: it rests, as after a bounce, and for a player's letter the
    /// hosts learn so.
    fn no_such_address(&mut self, tx: &Tx, letter: &OutRow, now: Timestamp) -> Result<(), DeskError> {
        tx.let_rest(&letter.address, letter.id, now)?;
        let player = letter.reader.strip_prefix("player:").and_then(|number| number.parse().ok()).map(PlayerId);
        let head = letter.game.map(|game| tx.game_by_id(game)).transpose()?.flatten();
        let (Some(player), Some(head)) = (player, head) else { return self.undelivered(tx, letter, false, now) };
        let mut game = self.open(tx, &head)?;
        let nick = Some(game.table.nick(player).to_owned());
        let alert = Alert::Returned { kind: letter.kind.clone(), nick, rests: true };
        self.record(tx, &mut game, now, &Entry::Alerted { alert })?;
        self.put_back(tx, game, now)
    }

    /// Letters that will never arrive, or of which nobody knows whether they have (true). Players' letters of one game
    /// that are lost together are told in one alert: a server that breaks loses many.
    fn lost(&mut self, tx: &Tx, lost: &[(&OutRow, bool)], now: Timestamp) -> Result<(), DeskError> {
        let mut of_games: BTreeMap<(GameId, bool), Vec<&OutRow>> = BTreeMap::new();
        for (letter, unknown) in lost {
            match letter.game.filter(|_| letter.reader.starts_with("player:")) {
                Some(game) => of_games.entry((game, *unknown)).or_default().push(letter),
                None => self.undelivered(tx, letter, *unknown, now)?,
            }
        }
        for ((game, unknown), letters) in of_games {
            if let [letter] = letters.as_slice() {
                self.undelivered(tx, letter, unknown, now)?;
                continue;
            }
            let Some(head) = tx.game_by_id(game)? else { continue };
            let mut game = self.open(tx, &head)?;
            let listed = letters.iter().take(LISTED).filter_map(|letter| {
                let player = letter.reader.strip_prefix("player:")?.parse().ok().map(PlayerId)?;
                Some(LostLetter { kind: letter.kind.clone(), nick: game.table.nick(player).to_owned() })
            });
            let listed: Vec<LostLetter> = listed.collect();
            let more = u32::try_from(letters.len().saturating_sub(listed.len())).unwrap_or(u32::MAX);
            let alert = Alert::ManyUndelivered { letters: listed, more, unknown };
            self.record(tx, &mut game, now, &Entry::Alerted { alert })?;
            self.put_back(tx, game, now)?;
        }
        Ok(())
    }

    /// A letter of a game will never arrive, or nobody knows whether it has: the hosts learn which (its kind and its
    /// reader). Of an officer they learn it once a turn, and of a failed alert never by another alert: two hosts out of
    /// reach would write each other for ever.
    fn undelivered(&mut self, tx: &Tx, letter: &OutRow, unknown: bool, now: Timestamp) -> Result<(), DeskError> {
        let Some((reader, number)) = letter.reader.split_once(':') else { return Ok(()) };
        let (Ok(number), Some(id)) = (number.parse::<u16>(), letter.game) else { return Ok(()) };
        let Some(head) = tx.game_by_id(id)? else { return Ok(()) };
        let kind = letter.kind.clone();
        let mut game = self.open(tx, &head)?;
        let alert = match reader {
            "player" => {
                let nick = game.table.nick(PlayerId(number)).to_owned();
                Alert::Undelivered { kind, nick, unknown }
            }
            // Who left is no more the host's care.
            "before" | "former" => return self.put_back(tx, game, now),
            "host" => Alert::OfficerUndelivered { kind, office: Office::Host, number, unknown },
            "moderator" => Alert::OfficerUndelivered { kind, office: Office::Moderator, number, unknown },
            _ => Alert::OfficerUndelivered { kind, office: Office::Forum, number, unknown },
        };
        if reader == "host" {
            tracing::error!(
                game = head.tag,
                host = number,
                kind = letter.kind,
                "a host can't be reached by mail; see to the address in [host] `addresses`, then `omerta letters TAG resend ID`"
            );
        }
        let is_told = letter.kind == "alert" || (reader != "player" && game.table.alerted.contains(&alert.key()));
        if !is_told {
            self.record(tx, &mut game, now, &Entry::Alerted { alert })?;
        }
        self.put_back(tx, game, now)
    }
}
