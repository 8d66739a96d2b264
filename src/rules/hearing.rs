//! How letters and the host's acts are taken, in order of arrival, and what they do to the turn's ledger.

use std::collections::BTreeMap;

use super::admit::{Admitted, Refusal, admit};
use super::game::{Game, Life, Note};
use super::ledger::{Act, Ask, Caveat, Fate, Filed, Footing, HostAct, Ledger, Place, Target, VoidWhy};
use super::report::VoidLine;
use super::resume::Resume;
use super::rulebook::HuntSpecialConflict;
use super::{Kind, Order, PlayerId, Role, Side, TextRef};

impl Game {
    /// Judges a letter's lines in their order, or a host's act (then the answer is empty), and files what is admitted.
    /// What arrived earlier than something already heard is put in its place, and what hangs on it is judged again: fates
    /// told before may then no longer be true, and nothing is told of that here.
    pub fn hear(&mut self, order: Order, act: Act) -> Vec<Fate> {
        self.remember_start();
        self.ledger.resume.forget_after(&order, &act);
        let is_latest = self.ledger.acts.last().is_none_or(|(last, _)| *last <= order);
        if is_latest {
            let fates = self.take(&order, &act);
            self.ledger.acts.push((order, act));
            return fates;
        }
        let place = self.ledger.acts.partition_point(|(earlier, _)| *earlier <= order);
        let author = act.author();
        if author.is_some_and(|from| self.is_his_last(from, &order)) {
            let void = self.ledger.void.len();
            let fates = self.take(&order, &act);
            self.ledger.put_in_place(void, &order);
            self.ledger.acts.insert(place, (order, act));
            return fates;
        }
        self.ledger.acts.insert(place, (order, act));
        match author {
            Some(from) => self.hear_between(from, place),
            None => self.judge_again(),
        }
    }

    /// What [`Game::hear`] would answer; nothing is filed.
    pub fn judge(&self, order: &Order, act: &Act) -> Vec<Fate> {
        let is_latest = self.ledger.acts.last().is_none_or(|(last, _)| last <= order);
        if is_latest || act.author().is_some_and(|from| self.is_his_last(from, order)) {
            return self.without_history().take(order, act);
        }
        let Some(from) = act.author() else { return Vec::new() };
        let place = self.ledger.acts.partition_point(|(earlier, _)| earlier <= order);
        let (mut alone, _) = self.alone_before(from, place);
        alone.take(order, act)
    }

    /// Whether nothing that his letters hang on was heard from after this place: then a letter there finds the present
    /// state, and thousands of one player's letters, read after everybody's few, cost one judgement each.
    fn is_his_last(&self, from: PlayerId, order: &Order) -> bool {
        let mut later = self.ledger.acts.iter().rev().take_while(|(heard, _)| heard > order);
        !later.any(|(_, act)| act.concerns(from))
    }

    /// A copy that holds only what the next letter's judgement looks at: its price must not grow with the turn's
    /// letters.
    fn without_history(&self) -> Game {
        let ledger = Ledger {
            acts: Vec::new(),
            resume: Resume::default(),
            start: None,
            standing: self.ledger.standing.clone(),
            hunt_places: self.ledger.hunt_places.clone(),
            void: Vec::new(),
            void_since: Vec::new(),
            expelled: self.ledger.expelled.clone(),
            early_notes: self.ledger.early_notes.clone(),
        };
        Game { rulebook: self.rulebook.clone(), players: self.players.clone(), ledger, pending: None, ..*self }
    }

    /// A second copy of a letter arrived earlier than the one that was heard: the letter moves to the earlier place.
    /// Returns its lines' fates there; None if no such letter was heard in this turn, or not later than `order`.
    pub fn rearrange(&mut self, letter: u64, order: Order) -> Option<Vec<Fate>> {
        let is_it = |act: &Act| matches!(act, Act::Letter { letter: number, .. } if *number == letter);
        let from = self.ledger.acts.iter().position(|(heard, act)| is_it(act) && *heard > order)?;
        self.ledger.resume.forget();
        let (_, act) = self.ledger.acts.remove(from);
        let place = self.ledger.acts.partition_point(|(earlier, _)| *earlier <= order);
        let author = act.author();
        self.ledger.acts.insert(place, (order, act));
        author.map(|from| self.judge_author_again(from, place))
    }

    /// A note that arrived after the deadline belongs to the next turn (A12): it is judged by the state before the
    /// close, kept, and with its author's death in the turn being closed it is void without a word.
    pub fn hear_late_note(&mut self, from: PlayerId, target: Target, text: Option<TextRef>) -> Fate {
        let ask = Ask::Do { kind: Kind::Note, target, text: text.clone() };
        match admit(self, from, &ask) {
            Ok(Admitted::Request(to)) => {
                self.ledger.resume.forget();
                self.ledger.early_notes.insert(from, Note { to, text: text.unwrap_or_default() });
                Fate::Accepted { replaces: None, caveat: None }
            }
            Ok(Admitted::Talk | Admitted::Cancel(_)) => Fate::Refused(Refusal::UnknownRequest),
            Err(refusal) => Fate::Refused(refusal),
        }
    }

    fn remember_start(&mut self) {
        if self.ledger.start.is_some() {
            return;
        }
        self.ledger.start = Some(self.players.iter().map(Footing::of).collect());
    }

    /// Back to the turn's start, then every act again: the host has done something earlier.
    fn judge_again(&mut self) -> Vec<Fate> {
        let acts = std::mem::take(&mut self.ledger.acts);
        let mut again = self.at_start();
        for (order, act) in &acts {
            again.take(order, act);
        }
        self.players = again.players;
        self.ledger = Ledger { acts, start: self.ledger.start.take(), ..again.ledger };
        Vec::new()
    }

    /// The same after a letter that was moved: all that its author wrote is judged again, and nobody else's letters, on
    /// which nothing of it hangs. Answers for the act at `wanted`.
    fn judge_author_again(&mut self, from: PlayerId, wanted: usize) -> Vec<Fate> {
        let mut alone = self.at_start();
        let mut answer = Vec::new();
        for (index, (order, act)) in self.ledger.acts.iter().enumerate() {
            if !act.concerns(from) {
                continue;
            }
            let fates = alone.take(order, act);
            if index == wanted {
                answer = fates;
            }
        }
        let ledger = self.take_over(from, alone);
        self.exchange_all_void_lines(from, ledger);
        answer
    }

    /// What stands of one player, as he was judged alone. Gives back the rest.
    pub(super) fn take_over(&mut self, from: PlayerId, mut alone: Game) -> Ledger {
        let place = usize::from(from.0);
        if let (Some(player), Some(again)) = (self.players.get_mut(place), alone.players.get(place)) {
            player.clone_from(again);
        }
        move_entry(from, &mut alone.ledger.standing, &mut self.ledger.standing);
        move_entry(from, &mut alone.ledger.hunt_places, &mut self.ledger.hunt_places);
        alone.ledger
    }

    /// The void lines of one player for others of his, each in the place of the act that made it void.
    fn exchange_all_void_lines(&mut self, from: PlayerId, alone: Ledger) {
        let (void, since) = (std::mem::take(&mut self.ledger.void), std::mem::take(&mut self.ledger.void_since));
        let others = void.into_iter().zip(since).filter(|(void, _)| void.line.from != from);
        let own = alone.void.into_iter().zip(alone.void_since).filter(|(void, _)| void.line.from == from);
        let mut all: Vec<_> = others.chain(own).collect();
        all.sort_by(|(_, earlier), (_, later)| earlier.cmp(later));
        (self.ledger.void, self.ledger.void_since) = all.into_iter().unzip();
    }

    pub(super) fn take(&mut self, order: &Order, act: &Act) -> Vec<Fate> {
        #[cfg(test)]
        tests::TAKEN.with(|taken| taken.set(taken.get() + 1));
        let fates = self.take_act(order, act);
        self.ledger.void_since.resize(self.ledger.void.len(), order.clone());
        fates
    }

    fn take_act(&mut self, order: &Order, act: &Act) -> Vec<Fate> {
        match act {
            Act::Host(act) => {
                self.obey(act);
                Vec::new()
            }
            Act::Letter { letter, from, asks } => {
                let fates = asks.iter().enumerate().map(|(line, ask)| {
                    let line = u16::try_from(line).unwrap_or(u16::MAX);
                    self.answer(&Slip { order, letter: *letter, line, from: *from }, ask)
                });
                fates.collect()
            }
        }
    }

    /// The host's acts work at once (section 3). Against one who is out there is nothing left to do.
    fn obey(&mut self, act: &HostAct) {
        let (HostAct::Expel { who, .. }
        | HostAct::Deprive { who, .. }
        | HostAct::ForgiveMiss { who }
        | HostAct::ForgiveSilence { who }) = act;
        let turn = self.turn;
        let Some(player) = self.players.get_mut(usize::from(who.0)) else { return };
        if player.life != Life::Alive {
            return;
        }
        match act {
            // R86, A36: his vote and his requests fall; the note is no request on the turn.
            HostAct::Expel { who, left } => {
                player.life = Life::Expelled;
                self.ledger.expelled.insert(*who, *left);
                self.ledger.strike_all(*who, VoidWhy::SenderExpelled);
            }
            // R88, A35: struck even if already given.
            HostAct::Deprive { who, turns } => {
                let until = turn.saturating_add(turns.saturating_sub(1));
                player.deprived_until = player.deprived_until.max(until);
                self.ledger.strike(*who, Kind::Lynch, VoidWhy::Deprived);
            }
            // A70, R112.
            HostAct::ForgiveMiss { .. } => player.missed = player.missed.saturating_sub(1),
            HostAct::ForgiveSilence { .. } => player.warned = player.warned.saturating_sub(1),
        }
    }

    fn answer(&mut self, slip: &Slip<'_>, ask: &Ask) -> Fate {
        match (admit(self, slip.from, ask), ask) {
            (Err(refusal), _) => Fate::Refused(refusal),
            (Ok(Admitted::Talk), _) => Fate::Accepted { replaces: None, caveat: None },
            (Ok(Admitted::Cancel(kind)), _) => self.withdraw(slip.from, kind),
            (Ok(Admitted::Request(target)), Ask::Do { kind, text, .. }) => {
                self.file(slip, *kind, target, text.as_ref())
            }
            (Ok(Admitted::Request(_)), Ask::Cancel { .. }) => Fate::Refused(Refusal::UnknownRequest),
        }
    }

    /// A13: the last valid line of a kind stands; the hunt keeps or loses its place by A21.
    fn file(&mut self, slip: &Slip<'_>, kind: Kind, target: PlayerId, text: Option<&TextRef>) -> Fate {
        match kind {
            Kind::Pm | Kind::Clan => return Fate::Accepted { replaces: None, caveat: None },
            Kind::Note => {
                let note = Note { to: target, text: text.cloned().unwrap_or_default() };
                if let Some(player) = self.players.get_mut(usize::from(slip.from.0)) {
                    player.note = Some(note);
                }
                return Fate::Accepted { replaces: None, caveat: None };
            }
            _ => {}
        }
        let filed = slip.filed(kind, target);
        if self.ledger.stands(slip.from, kind).is_some_and(|stands| stands.target == target) {
            self.ledger.void.push(VoidLine { line: filed, why: VoidWhy::Duplicate });
            return Fate::Duplicate;
        }
        let replaces = self.make_room(slip.from, kind, target);
        if kind == Kind::Hunt {
            let changed = replaces.is_some_and(|(replaced, _)| replaced == Kind::Hunt);
            if !(changed && self.rulebook.hunt_change_keeps_place) {
                self.ledger.hunt_places.insert(slip.from, slip.place());
            }
        }
        self.ledger.standing.entry(slip.from).or_default().insert(kind, filed);
        Fate::Accepted { replaces, caveat: self.caveat(slip.from, kind) }
    }

    /// Takes away what the new line replaces: the older line of its kind, or of a kind that shares its slot (A18, A55).
    fn make_room(&mut self, from: PlayerId, kind: Kind, target: PlayerId) -> Option<(Kind, PlayerId)> {
        let role = self.role(from).unwrap_or(Role::Citizen);
        let mut replaces = self.ledger.strike(from, kind, VoidWhy::Replaced).map(|line| (kind, line.target));
        if let Some(rival) = self.rival(role, kind) {
            let slotted = self.ledger.strike(from, rival, VoidWhy::Slot).map(|line| (rival, line.target));
            replaces = replaces.or(slotted);
        }
        if kind == Kind::Pistol
            && let Some(player) = self.players.get_mut(usize::from(from.0))
        {
            let old = player.pistol.replace(target).filter(|old| *old != target);
            replaces = replaces.or(old.map(|old| (Kind::Pistol, old)));
        }
        replaces
    }

    /// The other kind in the same slot, of which the later line alone stands.
    fn rival(&self, role: Role, kind: Kind) -> Option<Kind> {
        let one_slot = self.rulebook.hunt_special_conflict == HuntSpecialConflict::Last;
        match (role, kind) {
            (Role::Commissioner, Kind::Check) | (Role::Doctor, Kind::Heal) if one_slot => Some(Kind::Hunt),
            (Role::Commissioner, Kind::Hunt) if one_slot => Some(Kind::Check),
            (Role::Doctor, Kind::Hunt) if one_slot => Some(Kind::Heal),
            (Role::Kamikaze, Kind::Seek) if !self.rulebook.kamikaze_kills_too => Some(Kind::Kill),
            (Role::Kamikaze, Kind::Kill) if !self.rulebook.kamikaze_kills_too => Some(Kind::Seek),
            _ => None,
        }
    }

    /// A13, A14: the slot is emptied, nothing replaced comes back; without a kind everything but the pistol order.
    fn withdraw(&mut self, from: PlayerId, kind: Option<Kind>) -> Fate {
        let mut what = Vec::new();
        match kind {
            None => {
                let kinds: Vec<Kind> = self.ledger.kinds(from).filter(|kind| *kind != Kind::Pistol).collect();
                for kind in kinds {
                    what.extend(self.ledger.strike(from, kind, VoidWhy::Withdrawn).map(|line| (kind, line.target)));
                }
            }
            Some(Kind::Pistol) => {
                self.ledger.strike(from, Kind::Pistol, VoidWhy::Withdrawn);
                let order = self.players.get_mut(usize::from(from.0)).and_then(|player| player.pistol.take());
                what.extend(order.map(|target| (Kind::Pistol, target)));
            }
            Some(kind) => {
                what.extend(self.ledger.strike(from, kind, VoidWhy::Withdrawn).map(|line| (kind, line.target)));
            }
        }
        if what.is_empty() { Fate::NothingToWithdraw } else { Fate::Withdrawn { what } }
    }

    /// What the receipt should warn of; the hunt's quarrel with the special ability before the missing vote.
    fn caveat(&self, from: PlayerId, kind: Kind) -> Option<Caveat> {
        let stands = |kind| self.ledger.stands(from, kind).is_some();
        let hunt_wins =
            self.rulebook.hunt_special_conflict == HuntSpecialConflict::Hunt && self.side(from) == Some(Side::Town);
        let has_pistol = self.player(from).is_some_and(|player| player.pistol.is_some());
        let needs_vote = self.turn > 1 && !stands(Kind::Lynch) && !self.is_deprived(from);
        match kind {
            Kind::Check | Kind::Heal if hunt_wins && stands(Kind::Hunt) => Some(Caveat::HuntBlocksThis),
            Kind::Hunt if hunt_wins && (stands(Kind::Check) || stands(Kind::Heal)) => Some(Caveat::HuntSilencesSpecial),
            Kind::Hunt if self.rulebook.hunt_blocks_pistol && has_pistol => Some(Caveat::HuntSilencesPistol),
            Kind::Pistol if self.rulebook.hunt_blocks_pistol && stands(Kind::Hunt) => Some(Caveat::HuntSilencesPistol),
            Kind::Hunt if needs_vote && self.rulebook.hunt_needs_vote => Some(Caveat::NeedsVote),
            kind if kind.is_status_request() && needs_vote && self.rulebook.status_needs_vote => {
                Some(Caveat::NeedsVote)
            }
            _ => None,
        }
    }
}

impl Act {
    /// Who wrote it; the host's acts have no author here.
    fn author(&self) -> Option<PlayerId> {
        match self {
            Act::Letter { from, .. } => Some(*from),
            Act::Host(_) => None,
        }
    }

    /// Whether what becomes of this player's letters hangs on it.
    pub(super) fn concerns(&self, who: PlayerId) -> bool {
        self.author().is_none_or(|from| from == who)
    }
}

fn move_entry<T>(who: PlayerId, from: &mut BTreeMap<PlayerId, T>, to: &mut BTreeMap<PlayerId, T>) {
    match from.remove(&who) {
        Some(entry) => to.insert(who, entry),
        None => to.remove(&who),
    };
}

/// Where a line stood.
struct Slip<'a> {
    order: &'a Order,
    letter: u64,
    line: u16,
    from: PlayerId,
}

impl Slip<'_> {
    fn filed(&self, kind: Kind, target: PlayerId) -> Filed {
        let Slip { order, letter, line, from } = self;
        Filed { order: (*order).clone(), letter: *letter, line: *line, from: *from, kind, target, text: None }
    }

    fn place(&self) -> Place {
        (self.order.clone(), self.line)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::rules::game::Player;
    use crate::rules::rulebook::Rulebook;

    thread_local! {
        /// Acts taken in this thread.
        pub(in crate::rules) static TAKEN: Cell<usize> = const { Cell::new(0) };
    }

    const PLAYERS: u16 = 20;

    fn game() -> Game {
        let players = (0..PLAYERS).map(|number| Player::new(&format!("Игрок {number}"))).collect();
        let mut game = Game::new(Rulebook::default(), players);
        game.start(&[Role::Citizen; PLAYERS as usize]);
        game.turn = 2;
        game
    }

    fn order(second: u16) -> Order {
        Order { second: i64::from(second), within: String::new() }
    }

    /// The n-th act of a turn: letters of all players in turn, and now and then the host.
    fn act(number: u16) -> Act {
        let (from, target) = (PlayerId(number % PLAYERS), PlayerId((number * 7 + 3) % PLAYERS));
        let ask = |kind| Ask::Do { kind, target: Target::Player(target), text: None };
        match number % 50 {
            17 => Act::Host(HostAct::Expel { who: target, left: false }),
            33 => Act::Host(HostAct::Deprive { who: target, turns: 1 }),
            41 => Act::Letter { letter: number.into(), from, asks: vec![Ask::Cancel { kind: None }] },
            _ => Act::Letter { letter: number.into(), from, asks: vec![ask(Kind::Lynch), ask(Kind::Hunt)] },
        }
    }

    #[test]
    fn a_turn_is_the_same_in_whatever_order_it_is_read() {
        const ACTS: u16 = 200;
        let mut forwards = game();
        (0..ACTS).for_each(|number| {
            forwards.hear(order(number), act(number));
        });
        let backwards = (0..ACTS).rev().collect::<Vec<_>>();
        let mixed = (0..ACTS).map(|number| number * 71 % ACTS).collect::<Vec<_>>();
        for reading in [backwards, mixed] {
            let mut other = game();
            for number in reading {
                let foretold = other.judge(&order(number), &act(number));
                assert_eq!(other.hear(order(number), act(number)), foretold, "{number}");
            }
            assert_eq!(other, forwards);
        }
    }

    /// Not a look at a clock: a count of judgements.
    #[test]
    fn a_mailbox_read_backwards_costs_what_one_player_wrote_and_not_what_all_did() {
        const LETTERS: u16 = 2_000;
        let letter = |number: u16| {
            let from = PlayerId(number % PLAYERS);
            let kind = Ask::Do { kind: Kind::Lynch, target: Target::Player(PlayerId(number % 7)), text: None };
            Act::Letter { letter: number.into(), from, asks: vec![kind] }
        };
        let mut game = game();
        TAKEN.set(0);
        for number in (0..LETTERS).rev() {
            game.judge(&order(number), &letter(number));
            game.hear(order(number), letter(number));
        }
        let of_one = usize::from(LETTERS / PLAYERS);
        let most = usize::from(LETTERS) * (of_one + 2);
        assert!(TAKEN.get() <= most, "{} judgements of {LETTERS} letters, {of_one} of each player", TAKEN.get());
    }

    #[test]
    fn a_flood_that_is_read_after_everybody_elses_letters_costs_a_judgement_a_letter() {
        const LETTERS: u16 = 2_000;
        let letter = |number: u16, from: u16| {
            let lynch = Ask::Do { kind: Kind::Lynch, target: Target::Player(PlayerId(2 + number % 7)), text: None };
            let hunt = Ask::Do { kind: Kind::Hunt, target: Target::Player(PlayerId(2 + number % 5)), text: None };
            Act::Letter { letter: number.into(), from: PlayerId(from), asks: vec![lynch, hunt] }
        };
        let (mut forwards, mut fairly) = (game(), game());
        // Others write before, amid and after the flood of player 0.
        let others = [(3, 1), (LETTERS / 2, 2), (LETTERS + 5, 3), (LETTERS + 6, 1)];
        let is_others = |number: u16| others.iter().any(|(at, _)| *at == number);
        for number in 0..LETTERS + 10 {
            let from = others.iter().find(|(at, _)| *at == number).map_or(0, |(_, from)| *from);
            forwards.hear(order(number), letter(number, from));
        }
        for (number, from) in others {
            fairly.hear(order(number), letter(number, from));
        }
        TAKEN.set(0);
        for number in (0..LETTERS + 10).filter(|number| !is_others(*number)) {
            let foretold = fairly.judge(&order(number), &letter(number, 0));
            assert_eq!(fairly.hear(order(number), letter(number, 0)), foretold);
        }
        assert_eq!(fairly, forwards);
        assert!(TAKEN.get() <= 2 * usize::from(LETTERS + 10), "{} judgements", TAKEN.get());
    }
}
