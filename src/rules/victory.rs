//! Step 15: who has won (R16, R17, R56, A76-A81).

use super::rulebook::Rulebook;
use super::turn::Closing;
use super::{Role, Side, Winner};

impl Closing<'_> {
    pub fn judge_victory(&mut self) {
        let living: Vec<Role> = self.in_play.iter().map(|who| self.role_after(*who)).collect();
        self.winner = victory(&living, &self.game.rulebook).or_else(|| self.stalemate());
    }

    /// A81: nobody died for so many turns running; expulsions are no deaths.
    fn stalemate(&self) -> Option<Winner> {
        let limit = self.game.rulebook.stalemate_turns;
        let quiet = self.game.quiet_turns.saturating_add(1);
        (limit > 0 && self.deaths.is_empty() && quiet >= limit).then_some(Winner::Draw)
    }
}

/// Among those who are left. None: the game goes on.
pub fn victory(living: &[Role], rulebook: &Rulebook) -> Option<Winner> {
    let count = |side: Side| living.iter().filter(|role| role.side() == side).count();
    let (mafia, maniacs) = (count(Side::Mafia), count(Side::Maniac));
    // A76.
    let counted_as_peaceful = if rulebook.maniac_counts_as_peaceful { maniacs } else { 0 };
    let peaceful = count(Side::Town) + counted_as_peaceful;
    // A79.
    if living.is_empty() {
        return Some(Winner::Draw);
    }
    // R56, A81.
    if maniacs == living.len() {
        return Some(Winner::Maniac);
    }
    // A77: while he lives neither side has won.
    if maniacs > 0 && rulebook.maniac_blocks_victory {
        return None;
    }
    // R16, A78.
    if mafia == 0 {
        return Some(Winner::Town);
    }
    // R17.
    (mafia >= peaceful).then_some(Winner::Mafia)
}
