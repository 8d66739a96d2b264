//! Step 15: who has won (R16, R17, R56, A76-A81).

use super::grounds::{Ending, Verdict};
use super::rulebook::Rulebook;
use super::turn::Closing;
use super::{Role, Side, Winner};

impl Closing<'_> {
    pub fn judge_victory(&mut self) {
        let living: Vec<Role> = self.in_play.iter().map(|who| self.role_after(*who)).collect();
        let mut ending = ending(&living, &self.game.rulebook);
        if ending.verdict.winner().is_none() && self.is_stalemate() {
            ending.verdict = Verdict::Stalemate;
        }
        self.winner = ending.verdict.winner();
        self.grounds.ending = ending;
    }

    /// A81: nobody died for so many turns running; expulsions are no deaths.
    fn is_stalemate(&self) -> bool {
        let limit = self.game.rulebook.stalemate_turns;
        let quiet = self.game.quiet_turns.saturating_add(1);
        limit > 0 && self.deaths.is_empty() && quiet >= limit
    }
}

/// Among those who are left. None: the game goes on.
pub fn victory(living: &[Role], rulebook: &Rulebook) -> Option<Winner> {
    ending(living, rulebook).verdict.winner()
}

impl Verdict {
    pub fn winner(self) -> Option<Winner> {
        match self {
            Verdict::GoesOn | Verdict::ManiacBlocks => None,
            Verdict::NoMafia => Some(Winner::Town),
            Verdict::MafiaNotFewer => Some(Winner::Mafia),
            Verdict::ManiacAlone => Some(Winner::Maniac),
            Verdict::NobodyLeft | Verdict::Stalemate => Some(Winner::Draw),
        }
    }
}

fn ending(living: &[Role], rulebook: &Rulebook) -> Ending {
    let count = |side: Side| {
        let heads = living.iter().filter(|role| role.side() == side).count();
        u32::try_from(heads).unwrap_or(u32::MAX)
    };
    let (town, mafia, maniacs) = (count(Side::Town), count(Side::Mafia), count(Side::Maniac));
    Ending { town, mafia, maniacs, verdict: verdict(town, mafia, maniacs, rulebook) }
}

fn verdict(town: u32, mafia: u32, maniacs: u32, rulebook: &Rulebook) -> Verdict {
    // A76.
    let counted_as_peaceful = if rulebook.maniac_counts_as_peaceful { maniacs } else { 0 };
    let peaceful = town.saturating_add(counted_as_peaceful);
    // R16, A78; R17.
    let sides = match mafia {
        0 => Verdict::NoMafia,
        _ if mafia >= peaceful => Verdict::MafiaNotFewer,
        _ => Verdict::GoesOn,
    };
    match (town, mafia, maniacs) {
        // A79.
        (0, 0, 0) => Verdict::NobodyLeft,
        // R56, A81.
        (0, 0, _) => Verdict::ManiacAlone,
        // A77: while he lives neither side has won.
        (_, _, 1..) if rulebook.maniac_blocks_victory && sides != Verdict::GoesOn => Verdict::ManiacBlocks,
        _ => sides,
    }
}
