//! Where the rules' questions meet the lots: the deal and the ties of a game, drawn from its seed. Daemon and
//! `omerta verify` draw by these very functions.

use crate::request::names::fold;
use crate::rules::PlayerId;
use crate::rules::deal::{self, DeckFault};
use crate::rules::game::Game;
use crate::rules::lots::Lots;
use crate::rules::report::Report;
use crate::rules::turn::{self, Circumstances, LotQuestion};
use crate::rules::{Role, rulebook::Rulebook};

/// Purpose of the draw that deals the roles.
const DEAL: &str = "deal";
/// Of the draw that gives each player his forum account.
const ACCOUNT: &str = "account";

/// Roles in roster order (R6, A3).
///
/// # Errors
/// When no legal deck fits so many players.
pub fn deal(players: usize, rulebook: &Rulebook, lots: &Lots) -> Result<Vec<Role>, DeckFault> {
    let deck = deal::deck(players, rulebook)?;
    let mut stream = lots.stream(DEAL, 0, &[]);
    Ok(deal::deal(deck, &mut |choices| below(&mut stream, choices)))
}

/// Which forum account each player gets, by its place in the list (R83): the one that bears his nick, else by lot. There
/// must be at least as many as players.
pub fn accounts(names: &[String], nicks: &[String], lots: &Lots) -> Vec<u16> {
    let mut free: Vec<(u16, String)> = (0..).zip(names.iter().map(|name| fold(name))).collect();
    let mut own = Vec::new();
    for nick in nicks {
        let place = free.iter().position(|(_, name)| !nick.is_empty() && *name == fold(nick));
        own.push(place.map(|place| free.remove(place).0));
    }
    lots.stream(ACCOUNT, 0, &[]).shuffle(&mut free);
    let mut free = free.into_iter().map(|(account, _)| account);
    own.into_iter().filter_map(|own| own.or_else(|| free.next())).collect()
}

/// Closes a turn; a tie is drawn from the seed.
pub fn close(game: &Game, circumstances: &Circumstances, lots: &Lots) -> Report {
    turn::close(game, circumstances, &mut |question| draw(game, question, lots))
}

/// Closes a turn when the seed is not known: a tie falls as the journal tells.
pub fn close_as_told(game: &Game, circumstances: &Circumstances, chosen: Option<PlayerId>) -> Report {
    turn::close(game, circumstances, &mut |question| {
        question.among.iter().position(|who| Some(*who) == chosen).unwrap_or_default()
    })
}

fn draw(game: &Game, question: &LotQuestion<'_>, lots: &Lots) -> usize {
    let nick = |who: PlayerId| game.player(who).map(|player| player.nick.clone()).unwrap_or_default();
    let ballots: Vec<(String, String)> =
        question.ballots.iter().map(|(voter, candidate)| (nick(*voter), nick(*candidate))).collect();
    let mut stream = lots.stream(question.purpose, question.turn, &ballots);
    below(&mut stream, question.among.len())
}

fn below(stream: &mut crate::rules::lots::Stream, choices: usize) -> usize {
    let bound = u64::try_from(choices).unwrap_or(u64::MAX).max(1);
    usize::try_from(stream.below(bound)).unwrap_or_default()
}
