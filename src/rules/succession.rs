//! Step 13: the sergeant is promoted (R32, A53, A54), the foundling turns (R35, A57-A60). Both act from the next turn.

use super::turn::Closing;
use super::{PlayerId, Role, Side};

impl Closing<'_> {
    pub fn succeed(&mut self) {
        if self.left(Role::Boss) && self.foundling_may_turn() {
            self.converted = self.living(Role::Foundling);
        }
        if self.left(Role::Commissioner) {
            self.promoted = self.living(Role::Sergeant);
        }
    }

    /// The role once the turn is over.
    pub fn role_after(&self, who: PlayerId) -> Role {
        if self.converted == Some(who) {
            Role::FoundlingMafioso
        } else if self.promoted == Some(who) {
            Role::Commissioner
        } else {
            self.role(who)
        }
    }

    /// Did the bearer of this role leave in this turn? Expulsion is an exit too, unless A53, A60 say otherwise.
    fn left(&self, role: Role) -> bool {
        let died = self.deaths.iter().any(|death| death.role == role);
        let expelled = self.expelled.iter().any(|expulsion| expulsion.role == role);
        died || expelled && self.game.rulebook.expulsion_triggers_succession
    }

    fn living(&self, role: Role) -> Option<PlayerId> {
        self.in_play.iter().copied().find(|who| self.role(*who) == role)
    }

    /// A58: with the toggle off, where no mafioso is left the town has won before he could turn.
    fn foundling_may_turn(&self) -> bool {
        let mafia_left = self.in_play.iter().any(|who| self.side(*who) == Side::Mafia);
        self.game.rulebook.foundling_before_win_check || mafia_left
    }
}
