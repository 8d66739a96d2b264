//! Step 13: the sergeant is promoted (R32, A53, A54), the foundling turns (R35, A57-A60). Both act from the next turn.

use super::grounds::{Heirless, HeirlessWhy};
use super::turn::Closing;
use super::{PlayerId, Role, Side};

impl Closing<'_> {
    pub fn succeed(&mut self) {
        self.converted = self.heir(Role::Boss, Role::Foundling);
        self.promoted = self.heir(Role::Commissioner, Role::Sergeant);
    }

    /// Who follows the bearer of a role who left in this turn. Expulsion is an exit too, unless A53, A60 say otherwise.
    fn heir(&mut self, role: Role, heir: Role) -> Option<PlayerId> {
        let died = self.deaths.iter().any(|death| death.role == role);
        let expelled = self.expelled.iter().any(|expulsion| expulsion.role == role);
        if !died && !expelled {
            return None;
        }
        let living = self.in_play.iter().copied().find(|who| self.role(*who) == heir);
        let why = if !died && !self.game.rulebook.expulsion_triggers_succession {
            HeirlessWhy::Expulsion
        } else if role == Role::Boss && !self.foundling_may_turn() {
            HeirlessWhy::NoClan
        } else if living.is_some() {
            return living;
        } else {
            HeirlessWhy::NoHeir
        };
        self.grounds.heirless.push(Heirless { role, why });
        None
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

    /// A58: with the toggle off, where no mafioso is left the town has won before he could turn.
    fn foundling_may_turn(&self) -> bool {
        let mafia_left = self.in_play.iter().any(|who| self.side(*who) == Side::Mafia);
        self.game.rulebook.foundling_before_win_check || mafia_left
    }
}
