//! The deal (R3, R6, R48, A1-A5): which roles, and to whom.

use super::rulebook::{BossRule, Roles, Rulebook};
use super::victory::victory;
use super::{Role, Side, Winner};

/// Why a set of roles is none to play with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeckFault {
    #[error("{players} players are too few: `min_players` is {least} (in `[game.rules]`)")]
    TooFewPlayers { players: u32, least: u32 },
    #[error("`roles` lists {roles} roles for {players} players")]
    TooManyRoles { roles: u32, players: u32 },
    #[error("{mafia} of {players} is less mafia than `mafia_share` asks for: {least}")]
    TooLittleMafia { mafia: u32, players: u32, least: u32 },
    #[error("{roles} special roles do not fit among {players} players")]
    NoRoom { roles: u32, players: u32 },
    #[error("`{}` can be dealt once only", .0.name())]
    Twice(Role),
    #[error("`{}` is never dealt: a foundling turns into one", .0.name())]
    NotDealt(Role),
    #[error("a sergeant needs a commissioner to succeed")]
    SergeantWithoutCommissioner,
    #[error("a foundling needs a Boss whose child he is")]
    FoundlingWithoutBoss,
    #[error("`boss = \"always\"`, but no Boss is listed")]
    NoBoss,
    #[error("the game would be over before it begins: {}", winner_said(*.0))]
    AlreadyOver(Winner),
}

fn winner_said(winner: Winner) -> &'static str {
    match winner {
        Winner::Town => "there is no mafia",
        Winner::Mafia => "the mafia is not fewer than the peaceful",
        Winner::Maniac => "there is nobody but the maniac",
        Winner::Draw => "there is nobody",
    }
}

/// The roles for so many players, by `roles` (A3): of its own making, or the listed ones with citizens for the rest.
/// In the order of [`Role::ALL`], so that the same players always draw from the same deck.
///
/// # Errors
/// Too few players (A4), a list that contradicts the rulebook, or a start that is already a victory.
pub fn deck(players: usize, rulebook: &Rulebook) -> Result<Vec<Role>, DeckFault> {
    let players = u32::try_from(players).unwrap_or(u32::MAX);
    let least = u32::from(rulebook.min_players);
    if players < least {
        return Err(DeckFault::TooFewPlayers { players, least });
    }
    let mut deck = match &rulebook.roles {
        Roles::Auto => suggested(players, rulebook)?,
        Roles::List(list) => listed(players, list, rulebook)?,
    };
    deck.sort();
    check_start(&deck, rulebook)?;
    Ok(deck)
}

/// Roles that the roster itself brings are dealt as given: how many are mafia (R48), how many play, whether there is a
/// Boss, is the host's word (A82). Refused is what can only be a slip: a set of roles that contradicts itself, or a game
/// that would be over before it begins.
///
/// # Errors
/// The first such fault.
pub fn check_roster(roles: &[Role], rulebook: &Rulebook) -> Result<(), DeckFault> {
    check_company(roles)?;
    check_start(roles, rulebook)
}

/// Who gets which role: the deck is shuffled (Fisher-Yates, from the last card down), and the first player in roster
/// order gets the first card. `below(n)` draws a number from 0 to n - 1.
pub fn deal(mut deck: Vec<Role>, below: &mut dyn FnMut(usize) -> usize) -> Vec<Role> {
    for last in (1..deck.len()).rev() {
        let other = below(last.saturating_add(1)).min(last);
        deck.swap(last, other);
    }
    deck
}

/// A3: commissioner always; doctor from 6; sergeant, maniac from 10; Boss with foundling, and kamikaze, from 12; the
/// clan's specials within its quarter (A2), the rest citizens.
fn suggested(players: u32, rulebook: &Rulebook) -> Result<Vec<Role>, DeckFault> {
    let clan = rulebook.mafia_share.of(players, rulebook.mafia_rounding);
    let mut mafia: Vec<Role> = Vec::new();
    let mut others = vec![Role::Commissioner];
    // A5: exactly one Boss whenever a foundling is dealt; without a Boss a foundling is meaningless.
    let family = players >= 12 && clan > 0 && rulebook.boss != BossRule::Never;
    if family || rulebook.boss == BossRule::Always {
        mafia.push(Role::Boss);
    }
    if family {
        others.push(Role::Foundling);
    }
    if players >= 12 && clan > mafia_count(&mafia) {
        mafia.push(Role::Kamikaze);
    }
    if players >= 6 {
        others.push(Role::Doctor);
    }
    if players >= 10 {
        others.extend([Role::Sergeant, Role::Maniac]);
    }
    while mafia_count(&mafia) < clan {
        mafia.push(Role::Mafioso);
    }
    fill(players, [mafia, others].concat())
}

fn listed(players: u32, list: &[Role], rulebook: &Rulebook) -> Result<Vec<Role>, DeckFault> {
    let roles = u32::try_from(list.len()).unwrap_or(u32::MAX);
    if roles > players {
        return Err(DeckFault::TooManyRoles { roles, players });
    }
    check_company(list)?;
    if rulebook.boss == BossRule::Always && !list.contains(&Role::Boss) {
        return Err(DeckFault::NoBoss);
    }
    let mafia = mafia_count(list);
    let least = rulebook.mafia_share.of(players, rulebook.mafia_rounding);
    if mafia < least {
        return Err(DeckFault::TooLittleMafia { mafia, players, least });
    }
    fill(players, list.to_vec())
}

/// Roles that cannot stand beside, or without, each other.
fn check_company(roles: &[Role]) -> Result<(), DeckFault> {
    let has = |role: Role| roles.contains(&role);
    // R35: he becomes one in the game.
    if has(Role::FoundlingMafioso) {
        return Err(DeckFault::NotDealt(Role::FoundlingMafioso));
    }
    // The rulebook speaks of each of the others in the singular, and so does the order in which a turn is resolved.
    let crowd = |role: &Role| matches!(role, Role::Citizen | Role::Mafioso);
    let twice = |role: &&Role| !crowd(role) && roles.iter().filter(|other| other == role).count() > 1;
    if let Some(role) = roles.iter().find(twice) {
        return Err(DeckFault::Twice(*role));
    }
    // R31, R32.
    if has(Role::Sergeant) && !has(Role::Commissioner) {
        return Err(DeckFault::SergeantWithoutCommissioner);
    }
    // R33, A5.
    if has(Role::Foundling) && !has(Role::Boss) {
        return Err(DeckFault::FoundlingWithoutBoss);
    }
    Ok(())
}

/// The rest are citizens.
fn fill(players: u32, mut deck: Vec<Role>) -> Result<Vec<Role>, DeckFault> {
    let roles = u32::try_from(deck.len()).unwrap_or(u32::MAX);
    if roles > players {
        return Err(DeckFault::NoRoom { roles, players });
    }
    deck.extend((roles..players).map(|_| Role::Citizen));
    Ok(deck)
}

/// A4: in any case the start must not already be a victory.
fn check_start(roles: &[Role], rulebook: &Rulebook) -> Result<(), DeckFault> {
    victory(roles, rulebook).map_or(Ok(()), |winner| Err(DeckFault::AlreadyOver(winner)))
}

fn mafia_count(roles: &[Role]) -> u32 {
    u32::try_from(roles.iter().filter(|role| role.side() == Side::Mafia).count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(players: usize, rulebook: &Rulebook) -> String {
        let deck = deck(players, rulebook).unwrap();
        let count = |role: Role| deck.iter().filter(|other| **other == role).count();
        let rows = Role::ALL.into_iter().filter(|role| count(*role) > 0);
        rows.map(|role| format!("{} {}", count(role), role.name())).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn the_suggestion_grows_with_the_players() {
        let rulebook = Rulebook::default();
        assert_eq!(names(7, &rulebook), "3 citizen, 1 commissioner, 1 doctor, 2 mafioso");
        assert_eq!(names(10, &rulebook), "3 citizen, 1 commissioner, 1 doctor, 1 sergeant, 3 mafioso, 1 maniac");
        assert_eq!(
            names(12, &rulebook),
            "4 citizen, 1 commissioner, 1 doctor, 1 sergeant, 1 foundling, 1 mafioso, 1 boss, 1 kamikaze, 1 maniac"
        );
        let fault = deck(6, &rulebook).unwrap_err();
        assert_eq!(fault, DeckFault::TooFewPlayers { players: 6, least: 7 });
    }

    #[test]
    fn the_boss_follows_his_toggle_and_the_share_its_rounding() {
        let with = |name, value| {
            let mut rulebook = Rulebook::default();
            rulebook.set(name, value).unwrap();
            rulebook
        };
        assert_eq!(names(8, &with("boss", "always")), "4 citizen, 1 commissioner, 1 doctor, 1 mafioso, 1 boss");
        let never = deck(12, &with("boss", "never")).unwrap();
        assert!(!never.contains(&Role::Boss) && !never.contains(&Role::Foundling));
        let mafia = |players, value| mafia_count(&deck(players, &with("mafia_rounding", value)).unwrap());
        assert_eq!((mafia(9, "ceil"), mafia(9, "floor"), mafia(9, "nearest")), (3, 2, 2));
        assert_eq!((mafia(10, "nearest"), mafia(11, "nearest")), (3, 3));
        let fault = deck(8, &with("mafia_share", "0.5")).unwrap_err();
        assert_eq!(fault, DeckFault::AlreadyOver(Winner::Mafia));
        let fault = deck(8, &with("mafia_share", "0")).unwrap_err();
        assert_eq!(fault, DeckFault::AlreadyOver(Winner::Town));
    }

    #[test]
    fn a_list_must_not_contradict_the_rulebook() {
        let fault = |list: &str| {
            let mut rulebook = Rulebook::default();
            rulebook.set("roles", list).unwrap();
            deck(8, &rulebook).unwrap_err()
        };
        assert_eq!(fault("mafioso"), DeckFault::TooLittleMafia { mafia: 1, players: 8, least: 2 });
        assert_eq!(fault("mafioso,mafioso,sergeant"), DeckFault::SergeantWithoutCommissioner);
        assert_eq!(fault("mafioso,mafioso,foundling"), DeckFault::FoundlingWithoutBoss);
        assert_eq!(fault("boss,boss"), DeckFault::Twice(Role::Boss));
        assert_eq!(fault("foundling_mafioso,mafioso"), DeckFault::NotDealt(Role::FoundlingMafioso));
        assert_eq!(fault("mafioso,mafioso,mafioso,mafioso"), DeckFault::AlreadyOver(Winner::Mafia));
        let mut rulebook = Rulebook::default();
        rulebook.set("roles", "boss,mafioso,foundling").unwrap();
        assert_eq!(names(8, &rulebook), "5 citizen, 1 foundling, 1 mafioso, 1 boss");
    }

    /// A1-A5 at every size: the clan is a quarter of all, rounded up, and every special role comes in its time.
    #[test]
    fn the_suggestion_is_legal_at_every_size() {
        for players in 7..=60_usize {
            for (rounding, clan) in
                [("ceil", players.div_ceil(4)), ("floor", players / 4), ("nearest", (players + 2) / 4)]
            {
                let mut rulebook = Rulebook::default();
                rulebook.set("mafia_rounding", rounding).unwrap();
                let deck = deck(players, &rulebook).unwrap();
                assert_eq!(deck.len(), players);
                assert_eq!(mafia_count(&deck) as usize, clan, "{players} {rounding}");
                assert_eq!(check_roster(&deck, &rulebook), Ok(()), "{players} {rounding}");
                let from = |role: Role| match role {
                    Role::Commissioner | Role::Doctor => 7,
                    Role::Sergeant | Role::Maniac => 10,
                    Role::Boss | Role::Foundling | Role::Kamikaze => 12,
                    Role::Citizen | Role::Mafioso | Role::FoundlingMafioso => usize::MAX,
                };
                for role in Role::ALL.into_iter().filter(|role| from(*role) < usize::MAX) {
                    let count = deck.iter().filter(|other| **other == role).count();
                    assert_eq!(count, usize::from(players >= from(role)), "{players} {rounding} {}", role.name());
                }
            }
        }
        // Every size that is refused is refused for its size.
        for players in 0..7 {
            let fault = deck(players, &Rulebook::default()).unwrap_err();
            assert_eq!(fault, DeckFault::TooFewPlayers { players: players as u32, least: 7 });
        }
    }

    /// What the refusal of a new game and the README promise.
    #[test]
    fn three_can_play_if_the_rules_let_them_and_two_cannot() {
        let mut rulebook = Rulebook::default();
        let said = deck(6, &rulebook).unwrap_err().to_string();
        assert_eq!(said, "6 players are too few: `min_players` is 7 (in `[game.rules]`)");
        rulebook.set("min_players", "0").unwrap();
        assert!(deck(3, &rulebook).is_ok());
        assert!(matches!(deck(2, &rulebook), Err(DeckFault::AlreadyOver(_))));
    }

    #[test]
    fn a_roster_is_the_hosts_word_but_for_slips() {
        use Role::{Boss, Citizen, Commissioner, Doctor, Foundling, FoundlingMafioso, Mafioso, Maniac, Sergeant};
        let check = |roles: &[Role]| check_roster(roles, &Rulebook::default());
        // Under a quarter, under `min_players`, without a commissioner: as he likes (A82).
        assert_eq!(check(&[Citizen, Citizen, Citizen, Citizen, Citizen, Mafioso]), Ok(()));
        assert_eq!(check(&[Citizen, Citizen, Mafioso]), Ok(()));
        assert_eq!(check(&[Citizen, Citizen, Doctor, Boss]), Ok(()));
        for (roles, fault) in [
            (vec![Citizen, Sergeant, Mafioso], DeckFault::SergeantWithoutCommissioner),
            (vec![Citizen, Foundling, Mafioso], DeckFault::FoundlingWithoutBoss),
            (vec![Citizen, Citizen, FoundlingMafioso], DeckFault::NotDealt(FoundlingMafioso)),
            (vec![Commissioner, Commissioner, Citizen, Mafioso], DeckFault::Twice(Commissioner)),
            (vec![Citizen, Mafioso], DeckFault::AlreadyOver(Winner::Mafia)),
            (vec![Citizen, Maniac], DeckFault::AlreadyOver(Winner::Town)),
            (vec![Maniac], DeckFault::AlreadyOver(Winner::Maniac)),
            (vec![], DeckFault::AlreadyOver(Winner::Draw)),
        ] {
            assert_eq!(check(&roles), Err(fault.clone()));
            assert!(!fault.to_string().is_empty());
        }
        // What already is a victory depends on the toggles.
        let mut rulebook = Rulebook::default();
        rulebook.set("maniac_counts_as_peaceful", "true").unwrap();
        assert_eq!(check_roster(&[Citizen, Maniac, Mafioso], &rulebook), Ok(()));
        assert!(check(&[Citizen, Maniac, Mafioso]).is_err());
    }

    #[test]
    fn the_deal_is_a_shuffle() {
        let deck = vec![Role::Citizen, Role::Doctor, Role::Mafioso];
        assert_eq!(deal(deck.clone(), &mut |n| n - 1), deck);
        assert_eq!(deal(deck.clone(), &mut |_| 0), [Role::Doctor, Role::Mafioso, Role::Citizen]);
        assert_eq!(deal(deck.clone(), &mut |_| usize::MAX), deck);
    }
}
