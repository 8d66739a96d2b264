//! Forum accounts (R83): the host hands them in, each player gets one with his role, and nobody else sees its password.

use jiff::{SignedDuration, Timestamp};

use super::command::{CommandError, NotDone};
use super::vault::{self, Vault};
use super::{Desk, DeskError, Open, Room};
use crate::draws;
use crate::journal::Entry;
use crate::letters::orders::Did;
use crate::request::names::fold;
use crate::roster::{Account, check_nick};
use crate::rules::lots::Lots;
use crate::rules::rulebook::NickSource;
use crate::store::{GameId, OutRow, Tx, View};
use crate::table::{State, Table};

/// What the letters of the outbox are sealed about.
const LETTER: &str = "letter";
/// How long a letter waits for a key that is not there, before it is looked for again.
const KEY_WAIT: SignedDuration = SignedDuration::from_mins(5);

impl Desk {
    /// The words of a letter as it leaves, if they were sealed.
    ///
    /// # Errors
    /// When the key is not there.
    pub fn readable(&self, bytes: Vec<u8>) -> Result<Vec<u8>, DeskError> {
        self.room.unsealed(bytes)
    }
}

impl Room {
    /// Before the deal: takes the accounts, in the place of earlier ones. Afterwards: takes other passwords of accounts
    /// that it has.
    pub(super) fn take_accounts(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        accounts: &[Account],
        now: Timestamp,
    ) -> Result<Did, CommandError> {
        match game.table.state {
            State::Signup => {}
            State::Playing | State::Paused => return self.change_passwords(tx, game, accounts, now),
            State::Finished | State::Cancelled => return Err(NotDone::HasEnded.into()),
        }
        let gives_nicks = gives_nicks(&game.table);
        for account in accounts.iter().filter(|_| gives_nicks) {
            if let Err((what, _)) = check_nick(&account.forum_name) {
                return Err(NotDone::AccountNoNick { line: account.line, what }.into());
            }
        }
        let vault = self.vault_for(tx, game.id)?;
        tx.drop_accounts(game.id)?;
        for (number, account) in (0u16..).zip(accounts) {
            let sealed = vault.seal(&about(&game.table, number), account.password.reveal().as_bytes());
            tx.put_account(game.id, number, &sealed.map_err(no_key)?)?;
        }
        let names = accounts.iter().map(|account| account.forum_name.clone()).collect();
        self.record(tx, game, now, &Entry::AccountsGiven { names })?;
        Ok(Did::AccountsTaken { accounts: u16::try_from(accounts.len()).unwrap_or(u16::MAX) })
    }

    fn change_passwords(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        accounts: &[Account],
        now: Timestamp,
    ) -> Result<Did, CommandError> {
        let names = &game.table.people.account_names;
        let vault = self.vault_for(tx, game.id)?;
        let mut changed = Vec::new();
        for account in accounts {
            let wanted = fold(&account.forum_name);
            let known = (0u16..).zip(names).find(|(_, name)| fold(name) == wanted);
            let Some((number, _)) = known else {
                return Err(NotDone::UnknownAccount { name: account.forum_name.clone() }.into());
            };
            let sealed = vault.seal(&about(&game.table, number), account.password.reveal().as_bytes());
            tx.put_account(game.id, number, &sealed.map_err(no_key)?)?;
            changed.push(number);
        }
        let holders = changed.iter().filter_map(|number| game.table.people.holder(*number));
        let nicks = holders.map(|player| game.table.nick(player).to_owned()).collect();
        self.record(tx, game, now, &Entry::PasswordsChanged { accounts: changed })?;
        Ok(Did::PasswordsChanged { nicks })
    }

    /// Gives each player his account, before the deal; where they give the nicks, before anybody has a seat. Every
    /// password must be there to be told.
    pub(super) fn deal_accounts(&mut self, tx: &Tx, game: &mut Open, now: Timestamp) -> Result<(), CommandError> {
        let names = game.table.people.account_names.clone();
        if names.is_empty() || !game.table.people.accounts.is_empty() {
            return Ok(());
        }
        let (nicks, words) = game.table.for_accounts();
        if names.len() < nicks.len() {
            let count = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
            return Err(NotDone::TooFewAccounts { accounts: count(names.len()), players: count(nicks.len()) }.into());
        }
        let lots = Lots { seed: self.seed(tx, game.id)?, words };
        let accounts = draws::accounts(&names, &nicks, &lots);
        for account in &accounts {
            self.password(tx, game.id, &game.table, *account).map_err(|error| match error {
                DeskError::Vault(fault) => no_key(fault),
                other => other.into(),
            })?;
        }
        Ok(self.record(tx, game, now, &Entry::AccountsDealt { accounts })?)
    }

    /// The password of an account.
    ///
    /// # Errors
    /// When the key is not the right one, or gone.
    pub(super) fn password(&self, tx: &View, game: GameId, table: &Table, account: u16) -> Result<String, DeskError> {
        let sealed = tx.account(game, account)?.ok_or(DeskError::Broken("an account without its password"))?;
        let plain = Vault::open(&self.config.key_file)?.unseal(&about(table, account), &sealed)?;
        String::from_utf8(plain).map_err(|_| DeskError::Broken("a password that is no text"))
    }

    /// The key; made at first use, but not where other games have passwords that it could not open.
    fn vault_for(&self, tx: &View, game: GameId) -> Result<Vault, CommandError> {
        let path = &self.config.key_file;
        let vault = if tx.has_accounts_beside(game)? { Vault::open(path) } else { Vault::open_or_make(path) };
        vault.map_err(no_key)
    }

    /// A letter that tells a password does not lie about in the database.
    pub(super) fn sealed(&self, bytes: Vec<u8>) -> Result<Vec<u8>, DeskError> {
        Ok(Vault::open(&self.config.key_file)?.seal(LETTER, &bytes)?)
    }

    /// A letter that is to leave, with its words as they were. Where the key is not there it is put off, so that it keeps
    /// no other letter waiting.
    pub(super) fn unsealed_or_put_off(
        &self,
        tx: &Tx,
        mut letter: OutRow,
        now: Timestamp,
    ) -> Result<Option<OutRow>, DeskError> {
        match self.unsealed(std::mem::take(&mut letter.bytes)) {
            Ok(bytes) => Ok(Some(OutRow { bytes, ..letter })),
            Err(error) => {
                tracing::error!(letter = letter.id.0, kind = letter.kind, %error, "a letter can't leave");
                let until = now.saturating_add(KEY_WAIT).unwrap_or(Timestamp::MAX);
                tx.put_off(letter.id, "the key of the forum passwords (key_file) can't be used", until)?;
                Ok(None)
            }
        }
    }

    fn unsealed(&self, bytes: Vec<u8>) -> Result<Vec<u8>, DeskError> {
        if !vault::is_sealed(&bytes) {
            return Ok(bytes);
        }
        Ok(Vault::open(&self.config.key_file)?.unseal(LETTER, &bytes)?)
    }
}

/// With `nick_source = "issued"` the account's name is the nick (A9). A roster brings nicks of its own.
pub(super) fn gives_nicks(table: &Table) -> bool {
    table.game.rulebook.nick_source == NickSource::Issued && table.signup.is_some()
}

fn about(table: &Table, account: u16) -> String {
    format!("{}/{account}", table.tag)
}

fn no_key(fault: vault::VaultFault) -> CommandError {
    NotDone::NoKey { what: fault.to_string() }.into()
}
