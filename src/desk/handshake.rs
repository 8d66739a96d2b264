//! A first letter to answer, before roles are dealt (`handshake`): whose mail goes both ways, and who is silent.

use jiff::Timestamp;

use super::command::NotDone;
use super::{DeskError, Open, Room};
use crate::journal::{Entry, Writer};
use crate::store::Tx;
use crate::table::{State, Table};

impl Room {
    /// The first letter, to those who will be dealt a role and have had none.
    pub(super) fn send_handshakes(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<(), DeskError> {
        if !game.table.settings.handshake || game.table.state != State::Signup {
            return Ok(());
        }
        let greeted = &game.table.people.greeted;
        let who: Vec<Writer> = game.table.to_be_dealt().into_iter().filter(|who| !greeted.contains(who)).collect();
        if who.is_empty() {
            return Ok(());
        }
        self.record(tx, game, now, &Entry::Greeted { who })
    }

    /// A proved letter of one who was greeted, whatever it says, is an answer. True for the first.
    pub(super) fn shake_hands(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        who: Writer,
        now: Timestamp,
    ) -> Result<bool, DeskError> {
        let people = &game.table.people;
        let waits = game.table.state == State::Signup && people.greeted.contains(&who) && !people.shaken.contains(&who);
        if waits {
            self.record(tx, game, now, &Entry::HandShaken { who })?;
        }
        Ok(waits)
    }

    /// Remembers whom the host was told to be silent: his next word begins without their answer.
    pub(super) fn remember_silent(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        why: &NotDone,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        if !matches!(why, NotDone::SilentPlayers { .. }) {
            return Ok(());
        }
        let silent = game.table.silent_hands();
        self.record(tx, game, now, &Entry::StartQuestioned { silent })
    }
}

/// Whether the game may begin: everybody has answered, or the host was told who has not.
pub(super) fn hands_are_shaken(table: &Table) -> Result<(), NotDone> {
    if table.settings.handshake && table.signup.as_ref().is_some_and(|signup| signup.open) {
        return Err(NotDone::HandshakeFirst);
    }
    let silent = table.silent_hands();
    if silent.iter().all(|who| table.people.questioned.contains(who)) {
        return Ok(());
    }
    Err(NotDone::SilentPlayers { nicks: silent.into_iter().map(|who| table.nick_of(who)).collect() })
}
