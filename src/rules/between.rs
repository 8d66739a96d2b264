//! A letter that is heard after a later one of the same turn: it takes its place among them, and what its author asked
//! for is judged again from there on, but no further than it makes a difference.

use super::game::{Game, Note};
use super::ledger::{Fate, Filed, Place};
use super::{Order, PlayerId};

impl Game {
    /// Judges the letter at this place among the acts, which is new there. What becomes of a letter hangs on its author's
    /// own letters and on the host's acts, and on nobody else's. So his letters are judged side by side, as they were
    /// heard and as they are with the new one, until both come to the same: the price of a mailbox that is read backwards
    /// grows with its letters, and not with their square.
    pub(super) fn hear_between(&mut self, from: PlayerId, place: usize) -> Vec<Fate> {
        let (mut was, void) = self.alone_before(from, place);
        let mut is = was.clone();
        let mut later = self.ledger.acts.iter().skip(place);
        let Some((order, act)) = later.next().cloned() else { return Vec::new() };
        let answer = is.take(&order, &act);
        self.remember(from, &order, &is, void);
        let later = self.ledger.acts.iter().skip(place.saturating_add(1));
        let mut difference = None;
        for (order, act) in later.filter(|(_, act)| act.concerns(from)) {
            difference = Difference::between(&was, &is, from);
            if difference.is_some() {
                break;
            }
            was.take(order, act);
            is.take(order, act);
        }
        match difference {
            Some(difference) => {
                self.exchange_void_lines(from, &order, void, &was, &is, &difference.lines);
                difference.settle(self, from);
            }
            None => {
                self.exchange_void_lines(from, &order, void, &was, &is, &[]);
                self.take_over(from, is);
            }
        }
        answer
    }

    /// The author's lines that lost their force where he was judged again give way to those that do so now; later ones
    /// stay, but for their names. None before this place changes, where `known` of his lines were void.
    fn exchange_void_lines(
        &mut self,
        from: PlayerId,
        place: &Order,
        known: usize,
        was: &Game,
        is: &Game,
        renamed: &[(Filed, Filed)],
    ) {
        let gone = known..known.saturating_add(was.ledger.void.len());
        let (mut void, mut since) = (Vec::new(), Vec::new());
        if !gone.is_empty() || !renamed.is_empty() {
            let begin = self.ledger.void_since.partition_point(|since| since <= place);
            void = self.ledger.void.split_off(begin.min(self.ledger.void.len()));
            since = self.ledger.void_since.split_off(begin);
        }
        let mut own = known;
        for (mut void, since) in void.into_iter().zip(since) {
            if void.line.from == from {
                own = own.saturating_add(1);
                if gone.contains(&own.saturating_sub(1)) {
                    continue;
                }
                if own > gone.end
                    && let Some((_, new)) = renamed.iter().find(|(old, _)| old.is_line_of(&void.line))
                {
                    void.line.clone_from(new);
                }
            }
            self.ledger.void.push(void);
            self.ledger.void_since.push(since);
        }
        let came = is.ledger.void.iter().zip(&is.ledger.void_since);
        for (void, since) in came {
            let at = self.ledger.void_since.partition_point(|other| other <= since);
            self.ledger.void.insert(at, void.clone());
            self.ledger.void_since.insert(at, since.clone());
        }
    }
}

/// What is left of a difference that makes none for any later letter.
struct Difference {
    /// Equal lines, of which another one stands now: an earlier one, where one and the same was asked for twice.
    lines: Vec<(Filed, Filed)>,
    hunt_place: Option<(Place, Place)>,
    /// The first note is the one that lies with the host, and nothing takes it back.
    note: Option<Note>,
}

impl Difference {
    /// None where the next letter may be judged otherwise.
    fn between(was: &Game, is: &Game, from: PlayerId) -> Option<Difference> {
        let (before, now) = (was.player(from)?, is.player(from)?);
        let same = (before.life, before.missed, before.warned, before.pistol, before.deprived_until)
            == (now.life, now.missed, now.warned, now.pistol, now.deprived_until)
            // A second note is refused whatever the first one says.
            && before.note.is_some() == now.note.is_some();
        let touched = |game: &Game| game.ledger.standing.contains_key(&from);
        if !same || touched(was) != touched(is) || was.ledger.expelled != is.ledger.expelled {
            return None;
        }
        let mut lines = Vec::new();
        let mut kinds = was.ledger.kinds(from);
        for kind in is.ledger.kinds(from) {
            let (old, new) = (was.ledger.stands(from, kind)?, is.ledger.stands(from, kind)?);
            if kinds.next() != Some(kind) || old.target != new.target {
                return None;
            }
            if !old.is_line_of(new) {
                lines.push((old.clone(), new.clone()));
            }
        }
        let (old, new) = (was.ledger.hunt_places.get(&from), is.ledger.hunt_places.get(&from));
        if kinds.next().is_some() || old.is_some() != new.is_some() {
            return None;
        }
        Some(Difference { lines, hunt_place: old.cloned().zip(new.cloned()), note: now.note.clone() })
    }

    /// Whatever of it has lasted until now.
    fn settle(self, game: &mut Game, from: PlayerId) {
        let standing = game.ledger.standing.get_mut(&from);
        for line in standing.into_iter().flat_map(|lines| lines.values_mut()) {
            if let Some((_, new)) = self.lines.iter().find(|(old, _)| old.is_line_of(line)) {
                line.clone_from(new);
            }
        }
        if let (Some(place), Some((old, new))) = (game.ledger.hunt_places.get_mut(&from), self.hunt_place)
            && *place == old
        {
            *place = new;
        }
        if let (Some(player), Some(note)) = (game.players.get_mut(usize::from(from.0)), self.note) {
            player.note = Some(note);
        }
    }
}

impl Filed {
    fn is_line_of(&self, other: &Filed) -> bool {
        (self.letter, self.line, self.kind) == (other.letter, other.line, other.kind)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::hearing::tests::TAKEN;
    use super::super::ledger::{Act, Ask, HostAct, Target};
    use super::super::rulebook::{HuntSpecialConflict, Rulebook};
    use super::super::{Kind, Order, Role, TextRef};
    use super::*;

    const ROLES: [Role; 6] =
        [Role::Commissioner, Role::Doctor, Role::Kamikaze, Role::Boss, Role::Maniac, Role::Citizen];
    const KINDS: [Kind; 8] =
        [Kind::Lynch, Kind::Hunt, Kind::Check, Kind::Heal, Kind::Seek, Kind::Kill, Kind::Pistol, Kind::Note];

    fn game(rulebook: Rulebook) -> Game {
        let players = (0..ROLES.len()).map(|number| super::super::game::Player::new(&format!("Игрок {number}")));
        let mut game = Game::new(rulebook, players.collect());
        game.start(&ROLES);
        game.turn = 2;
        game
    }

    fn order(second: usize) -> Order {
        Order { second: i64::try_from(second).unwrap(), within: String::new() }
    }

    fn ask() -> impl Strategy<Value = Ask> {
        let kind = || prop::sample::select(&KINDS[..]);
        prop_oneof![
            6 => (kind(), 0..4_u16, 0..3_u32).prop_map(|(kind, target, id)| {
                let text = (kind == Kind::Note).then(|| TextRef { id, hash: String::new() });
                Ask::Do { kind, target: Target::Player(PlayerId(target)), text }
            }),
            1 => prop::option::of(kind()).prop_map(|kind| Ask::Cancel { kind }),
        ]
    }

    /// The letter's number is given later: it is that of the act.
    fn act() -> impl Strategy<Value = Act> {
        let who = || (0..6_u16).prop_map(PlayerId);
        prop_oneof![
            20 => (who(), prop::collection::vec(ask(), 1..4))
                .prop_map(|(from, asks)| Act::Letter { letter: 0, from, asks }),
            1 => who().prop_map(|who| Act::Host(HostAct::Expel { who, left: false })),
            1 => who().prop_map(|who| Act::Host(HostAct::Deprive { who, turns: 1 })),
            1 => who().prop_map(|who| Act::Host(HostAct::ForgiveMiss { who })),
        ]
    }

    fn rulebook() -> impl Strategy<Value = Rulebook> {
        let conflict = prop::sample::select(vec![HuntSpecialConflict::Last, HuntSpecialConflict::Hunt]);
        (conflict, any::<bool>(), any::<bool>()).prop_map(|(conflict, keeps, kills)| Rulebook {
            hunt_special_conflict: conflict,
            hunt_change_keeps_place: keeps,
            kamikaze_kills_too: kills,
            ..Rulebook::default()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn a_turn_is_the_same_in_whatever_order_it_is_read(
            rulebook in rulebook(),
            reading in prop::collection::vec(act(), 1..40).prop_flat_map(|acts| {
                Just(acts.into_iter().enumerate().collect::<Vec<_>>()).prop_shuffle()
            }),
        ) {
            let numbered: Vec<(usize, Act)> = reading
                .into_iter()
                .map(|(number, act)| match act {
                    Act::Letter { from, asks, .. } => {
                        (number, Act::Letter { letter: u64::try_from(number).unwrap(), from, asks })
                    }
                    host => (number, host),
                })
                .collect();
            let mut mixed = game(rulebook.clone());
            for (number, act) in &numbered {
                let foretold = mixed.judge(&order(*number), act);
                prop_assert_eq!(mixed.hear(order(*number), act.clone()), foretold);
            }
            let mut in_order = numbered;
            in_order.sort_by_key(|(number, _)| *number);
            let mut forwards = game(rulebook);
            for (number, act) in in_order {
                forwards.hear(order(number), act);
            }
            prop_assert_eq!(mixed, forwards);
        }
    }

    /// Not a look at a clock: a count of judgements.
    #[test]
    fn the_letters_of_one_player_read_backwards_cost_what_they_are_and_not_their_square() {
        const LETTERS: usize = 2_000;
        let ask = |kind, number: usize| Ask::Do {
            kind,
            target: Target::Player(PlayerId(u16::try_from(number).unwrap())),
            text: None,
        };
        let changing = |number: usize| vec![ask(Kind::Lynch, 1 + number % 4)];
        let repeated = |_| vec![ask(Kind::Lynch, 1), ask(Kind::Hunt, 2)];
        let notes = |number: usize| vec![ask(Kind::Note, 1 + number % 4)];
        for asks in [&changing as &dyn Fn(usize) -> Vec<Ask>, &repeated, &notes] {
            let mut game = game(Rulebook::default());
            TAKEN.set(0);
            for number in (0..LETTERS).rev() {
                let letter = u64::try_from(number).unwrap();
                let act = Act::Letter { letter, from: PlayerId(0), asks: asks(number) };
                game.judge(&order(number), &act);
                game.hear(order(number), act);
            }
            assert!(TAKEN.get() <= LETTERS * 5, "{} judgements of {LETTERS} letters", TAKEN.get());
        }
    }
}
