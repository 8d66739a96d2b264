//! A card a role: its side, its name and what it may ask for.

use super::{Kind, Role, Side, rulebook::Rulebook};

impl Role {
    pub const ALL: [Role; 10] = [
        Role::Citizen,
        Role::Commissioner,
        Role::Doctor,
        Role::Sergeant,
        Role::Foundling,
        Role::FoundlingMafioso,
        Role::Mafioso,
        Role::Boss,
        Role::Kamikaze,
        Role::Maniac,
    ];

    /// The name in rosters, cases and the journal.
    pub fn name(self) -> &'static str {
        match self {
            Role::Citizen => "citizen",
            Role::Commissioner => "commissioner",
            Role::Doctor => "doctor",
            Role::Sergeant => "sergeant",
            Role::Foundling => "foundling",
            Role::FoundlingMafioso => "foundling_mafioso",
            Role::Mafioso => "mafioso",
            Role::Boss => "boss",
            Role::Kamikaze => "kamikaze",
            Role::Maniac => "maniac",
        }
    }

    pub fn named(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }

    /// R1-R4, R54. The unturned foundling is one of the honest (R33), the turned one is mafia (R35).
    pub fn side(self) -> Side {
        match self {
            Role::Citizen | Role::Commissioner | Role::Doctor | Role::Sergeant | Role::Foundling => Side::Town,
            Role::FoundlingMafioso | Role::Mafioso | Role::Boss | Role::Kamikaze => Side::Mafia,
            Role::Maniac => Side::Maniac,
        }
    }

    /// May this role send this kind at all? An unturned foundling may what a citizen may (A15).
    pub fn may(self, kind: Kind, rulebook: &Rulebook) -> bool {
        match kind {
            // R19, R22, R38, R52, R57, R64; R73; R13, A83.
            Kind::Lynch | Kind::Note | Kind::Pm => true,
            // R20, R40, R53, R95, A25.
            Kind::Hunt => match self.side() {
                Side::Town => true,
                Side::Mafia => false,
                Side::Maniac => rulebook.maniac_may_hunt,
            },
            // R41, R43, R55.
            Kind::Kill => self.side() != Side::Town,
            // R23, R25, R32.
            Kind::Check | Kind::Pistol => self == Role::Commissioner,
            // R26.
            Kind::Heal => self == Role::Doctor,
            // R49, A55.
            Kind::Seek => self == Role::Kamikaze,
            // A83.
            Kind::Clan => self.side() == Side::Mafia,
        }
    }
}

impl Kind {
    /// A "статусный голос" in the sense of R107: what falls without a lynch vote (section 3, step 3).
    pub fn is_status_request(self) -> bool {
        matches!(self, Kind::Kill | Kind::Check | Kind::Heal | Kind::Seek)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_journal() {
        for role in Role::ALL {
            assert_eq!(serde_json::to_string(&role).unwrap(), format!("\"{}\"", role.name()));
            assert_eq!(Role::named(role.name()), Some(role));
        }
        assert_eq!(Role::named("Citizen"), None);
    }

    #[test]
    fn an_unturned_foundling_may_what_a_citizen_may() {
        let rulebook = Rulebook::default();
        for kind in [Kind::Lynch, Kind::Hunt, Kind::Kill, Kind::Check, Kind::Heal, Kind::Seek, Kind::Pistol, Kind::Clan]
        {
            assert_eq!(Role::Foundling.may(kind, &rulebook), Role::Citizen.may(kind, &rulebook));
        }
        assert!(Role::FoundlingMafioso.may(Kind::Kill, &rulebook));
    }
}
