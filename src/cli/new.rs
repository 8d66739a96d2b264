//! `omerta game new`: a game out of config, a roster and what the host says otherwise.

use std::path::{Path, PathBuf};

use super::game::say;
use super::load::{self, Opened};
use super::{exit, fail};
use crate::address::read_address;
use crate::desk::command::{self, NewGame};
use crate::roster::{Roster, RosterRow};
use crate::rules::rulebook::Rulebook;

#[derive(Debug, clap::Args)]
pub struct NewArguments {
    /// A short ASCII name: palermo
    tag: String,
    #[arg(long)]
    title: Option<String>,
    /// Players whom you signed up elsewhere; without it they sign up by letter. CSV with the header address,nick,characteristic,role,gender,forum_name
    #[arg(long, value_name = "FILE.csv")]
    roster: Option<PathBuf>,
    /// A toggle of the rulebook: name=value
    #[arg(long = "rule", value_name = "NAME=VALUE")]
    rules: Vec<String>,
    /// The host's address, instead of config's; again for co-hosts
    #[arg(long = "host", value_name = "ADDRESS")]
    hosts: Vec<String>,
    /// A moderator's address, instead of config's
    #[arg(long = "moderator", value_name = "ADDRESS")]
    moderators: Vec<String>,
    /// The feed of its topic (rule 9.1), instead of config's; `none`: none is read
    #[arg(long, value_name = "URL")]
    feed: Option<String>,
}

pub fn run(opened: &mut Opened, arguments: NewArguments) -> u8 {
    let NewArguments { tag, title, roster, rules, hosts, moderators, feed } = arguments;
    let roster = match roster.as_deref().map(read_roster).transpose() {
        Ok(roster) => roster.unwrap_or_default(),
        Err(code) => return code,
    };
    let config = opened.desk.config();
    let mut rulebook = Rulebook::default();
    let from_config = config.game.rules.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in from_config {
        if let Err(fault) = rulebook.set(name, value) {
            return fail(exit::CONFIG, &fault);
        }
    }
    for rule in &rules {
        let Some((name, value)) = rule.split_once('=') else {
            return fail(exit::USAGE, &format!("--rule {rule}: write name=value; `omerta rules` lists them all"));
        };
        if let Err(fault) = rulebook.set(name.trim(), value.trim()) {
            return fail(exit::USAGE, &format!("--rule {rule}: {fault}; `omerta rules` lists them all"));
        }
    }
    let read_all = |flag: &str, addresses: &[String]| -> Result<Vec<String>, String> {
        let read = |address: &String| {
            read_address(address)
                .map_err(|fault| format!("{flag} {address}: {fault}. Write the address bare, as in anna@example.org"))
        };
        addresses.iter().map(read).collect()
    };
    let (hosts, moderators) = match (read_all("--host", &hosts), read_all("--moderator", &moderators)) {
        (Ok(hosts), Ok(moderators)) => (hosts, moderators),
        (Err(fault), _) | (_, Err(fault)) => return fail(exit::USAGE, &fault),
    };
    let or = |given: Vec<String>, default: &[String]| if given.is_empty() { default.to_vec() } else { given };
    let new = NewGame {
        title: title.unwrap_or_else(|| tag.clone()),
        tag,
        roster,
        rulebook,
        settings: command::settings(config),
        hosts: or(hosts, &config.host.addresses),
        moderators: or(moderators, &config.moderators.addresses),
        forums: config.forum.post_to.clone(),
        feed,
        seed: None,
    };
    let now = opened.clock.now();
    say(opened.desk.new_game(&new, now).map(|()| match new.roster.len() {
        0 => format!("game {0} is made; `omerta game open {0}` lets players sign up by letter", new.tag),
        players => format!("game {} is made, {players} players are seated", new.tag),
    }))
}

/// Says what is wrong with it, all of it.
pub(super) fn read_roster(path: &Path) -> Result<Vec<RosterRow>, u8> {
    let bytes = load::file(path).map_err(|error| fail(exit::DATA, &format!("{}: {error}", path.display())))?;
    Roster::read(&bytes).map_err(|faults| {
        for fault in faults {
            fail(exit::DATA, &format!("{}: {fault}", path.display()));
        }
        exit::DATA
    })
}
