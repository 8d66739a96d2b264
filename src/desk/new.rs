//! A new game, and what it is made of.

use std::collections::BTreeSet;

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::command::CommandError;
use super::feeds::read_feed;
use super::{Desk, DeskError, Open, Room};
use crate::address::{fold_address, is_one_mailbox};
use crate::dice;
use crate::journal::{Created, Entry, Publish, Settings};
use crate::roster::RosterRow;
use crate::rules::lots::Lots;
use crate::rules::rulebook::Rulebook;
use crate::rules::{PlayerId, Role, deal};
use crate::table::{State, Table};

/// A new game, as the host ordered it.
pub struct NewGame {
    pub tag: String,
    pub title: String,
    /// Empty: players sign up by letter.
    pub roster: Vec<RosterRow>,
    pub rulebook: Rulebook,
    pub settings: Settings,
    pub hosts: Vec<String>,
    pub moderators: Vec<String>,
    pub forums: Vec<String>,
    /// The feed of its topic, as written, or a word for none; None is config's.
    pub feed: Option<String>,
    /// Only for demos and tests, which play the same game again: the seed of all its lots. None draws one.
    pub seed: Option<[u8; 32]>,
}

fn refused(what: impl Into<String>, cure: impl Into<String>) -> CommandError {
    CommandError::Refused { what: what.into(), cure: cure.into() }
}

/// Where the bound stands that the players break. With roles in the roster the host's own word is the bound (A82).
fn cure(fault: &deal::DeckFault) -> &'static str {
    match fault {
        deal::DeckFault::TooFewPlayers { .. } => {
            "Add players to the roster, or write a lower `min_players` under `[game.rules]` in config.toml; 3 is the least that can be played"
        }
        _ => "Mend the roster, or the rules under `[game.rules]` in config.toml",
    }
}

impl Desk {
    /// Makes a game and seats its roster, if it has one. The seed of all its lots is drawn here and its hash published;
    /// without a roster that waits until sign-up opens.
    ///
    /// # Errors
    /// [`CommandError::Refused`] when the tag is taken or the roster can't be played; nothing is made then.
    pub fn new_game(&mut self, new: &NewGame, now: Timestamp) -> Result<(), CommandError> {
        check_tag(&new.tag)?;
        let feed = new.feed.as_deref().map(read_feed).transpose()?;
        let title = super::bounds::title(Some(&new.title))?.unwrap_or(&new.tag).to_owned();
        self.room.check_addresses(new)?;
        let roles_given = roles_given(&new.roster);
        let signup = new.roster.is_empty();
        match &roles_given {
            None if signup => Ok(()),
            Some(roles) => deal::check_roster(roles, &new.rulebook),
            None => deal::deck(new.roster.len(), &new.rulebook).map(|_| ()),
        }
        .map_err(|fault| refused(format!("these players can't be dealt a game: {fault}"), cure(&fault)))?;
        let seed = match new.seed {
            Some(seed) => seed,
            None => dice::random_32().map_err(DeskError::from)?,
        };
        let salt = dice::random_32().map_err(DeskError::from)?;
        // Without a roster the seed is drawn when sign-up opens.
        let commitment = if signup { String::new() } else { Lots { seed, words: Vec::new() }.commitment() };
        let made = self.write(|room, tx| {
            if tx.game(&new.tag)?.is_some() {
                return Ok(None);
            }
            let created = Created {
                tag: new.tag.clone(),
                title: title.clone(),
                language: room.config.language,
                zone: room.config.zone_name().to_owned(),
                host_name: room.config.host.name.clone(),
                rulebook: new.rulebook.clone(),
                settings: new.settings.clone(),
                commitment,
                roles_given,
                signup,
            };
            let id = tx.create_game(&new.tag, &title, State::Signup.word(), now)?;
            if !signup || new.seed.is_some() {
                tx.put_secret(id, "seed", &seed)?;
            }
            if signup {
                tx.set_signup(id, false)?;
            }
            tx.put_secret(id, "salt", &salt)?;
            let officers = [("host", &new.hosts), ("moderator", &new.moderators), ("post_to", &new.forums)];
            for (role, addresses) in officers {
                for (position, address) in (0u16..).zip(addresses) {
                    tx.put_officer(id, role, position, address)?;
                }
            }
            let mut game =
                Open { id, seq: 0, snapshot: 0, state: String::new(), wake: None, table: Table::new(&created) };
            room.record(tx, &mut game, now, &Entry::Created(Box::new(created)))?;
            for (player, row) in (0u16..).map(PlayerId).zip(&new.roster) {
                tx.put_seat(id, player.0, &row.address, row.forum_name.as_deref())?;
                let registered = Entry::Registered {
                    player,
                    nick: row.nick.clone(),
                    characteristic: row.characteristic.clone(),
                    gender: row.gender,
                    address: salted(&salt, &row.address),
                    applicant: None,
                };
                room.record(tx, &mut game, now, &registered)?;
            }
            room.keep_feed(tx, &mut game, feed.as_ref().map(Option::as_ref), now)?;
            room.send_handshakes(tx, &mut game, now)?;
            room.put_back(tx, game, now)?;
            Ok(Some(()))
        })?;
        match made {
            Some(()) => Ok(()),
            None => {
                Err(refused(format!("the tag {} is taken", new.tag), "Choose another; `omerta game list` shows all"))
            }
        }
    }
}

impl Room {
    /// The game's own mailbox is nobody's, a host or moderator does not play, and nobody gets a letter twice.
    fn check_addresses(&self, new: &NewGame) -> Result<(), CommandError> {
        for officers in [&new.hosts, &new.moderators] {
            let mut mailboxes = BTreeSet::new();
            if let Some(twice) = officers.iter().find(|address| !mailboxes.insert(fold_address(address))) {
                return Err(refused(format!("\"{twice}\" stands twice"), "Name it once"));
            }
        }
        let lead: Vec<&String> = new.hosts.iter().chain(&new.moderators).collect();
        let play = new.roster.iter().map(|row| &row.address);
        if let Some(ours) = lead.iter().copied().chain(play).find(|address| self.is_our_own(address)) {
            let what = format!("\"{ours}\" is the game's own mailbox");
            return Err(refused(what, "A letter from it counts as ours: name another address"));
        }
        let leads = |row: &&RosterRow| lead.iter().any(|address| is_one_mailbox(address, &row.address));
        match new.roster.iter().find(leads) {
            None => Ok(()),
            Some(row) => {
                let what = format!("line {}: \"{}\" is the address of a host or moderator", row.line, row.address);
                Err(refused(what, "Who leads the game does not play in it: name another address"))
            }
        }
    }
}

/// A short ASCII slug: it stands in subjects and file names.
fn check_tag(tag: &str) -> Result<(), CommandError> {
    let fits = tag.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && tag.starts_with(|c: char| c.is_ascii_lowercase())
        && (2..=32).contains(&tag.len());
    if fits {
        return Ok(());
    }
    Err(refused(
        format!("`{tag}` is no tag"),
        "A tag has 2 to 32 of a-z, 0-9 and -, and begins with a letter: `palermo`",
    ))
}

/// The settings of a new game from config.
pub fn settings(config: &crate::config::Config) -> Settings {
    let game = &config.game;
    Settings {
        deadline: game.deadline.clone(),
        min_turn: game.min_turn,
        settle: game.settle,
        reminders: game.reminders.clone(),
        publish: match game.publish {
            crate::config::Publish::Auto => Publish::Auto,
            crate::config::Publish::Approve => Publish::Approve { after: None },
            crate::config::Publish::ApproveFor(after) => Publish::Approve { after: Some(after) },
        },
        relay_per_day: config.security.relay_per_day,
        pistol_window: game.pistol_window,
        approve_applicants: game.approve_applicants,
        handshake: game.handshake,
        early_close: game.early_close,
    }
}

/// Roles stand in all rows or none; the roster's reader has seen to that.
fn roles_given(roster: &[RosterRow]) -> Option<Vec<Role>> {
    roster.iter().map(|row| row.role).collect::<Option<Vec<Role>>>().filter(|roles| !roles.is_empty())
}

/// The journal tells an address only so: whoever has the salt and the address can check it.
pub(super) fn salted(salt: &[u8], address: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(salt);
    hash.update(address.as_bytes());
    data_encoding::HEXLOWER.encode(&hash.finalize())
}
