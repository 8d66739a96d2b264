//! How letters and the host's acts are taken, in order of arrival, and what they do to the turn's ledger.

use super::admit::{Admitted, Refusal, admit};
use super::game::{Game, Life, Note, Player};
use super::ledger::{Act, Ask, Caveat, Fate, Filed, Footing, HostAct, Ledger, Place, Target, VoidWhy};
use super::report::VoidLine;
use super::rulebook::HuntSpecialConflict;
use super::{Kind, Order, PlayerId, Role, Side, TextRef};

impl Game {
    /// Judges a letter's lines in their order, or a host's act (then the answer is empty), and files what is admitted.
    /// What arrived earlier than something already heard is put in its place, and the whole turn is judged again:
    /// fates told before may then no longer be true, and nothing is told of that here.
    pub fn hear(&mut self, order: Order, act: Act) -> Vec<Fate> {
        self.remember_start();
        let is_latest = self.ledger.acts.last().is_none_or(|(last, _)| *last <= order);
        if is_latest {
            let fates = self.take(&order, &act);
            self.ledger.acts.push((order, act));
            return fates;
        }
        let place = self.ledger.acts.partition_point(|(earlier, _)| *earlier <= order);
        self.ledger.acts.insert(place, (order, act));
        self.judge_again(place)
    }

    /// What [`Game::hear`] would answer; nothing is filed.
    pub fn judge(&self, order: &Order, act: &Act) -> Vec<Fate> {
        let is_latest = self.ledger.acts.last().is_none_or(|(last, _)| last <= order);
        if is_latest {
            return self.without_history().take(order, act);
        }
        self.clone().hear(order.clone(), act.clone())
    }

    /// A copy that holds only what the next letter's judgement looks at: its price must not grow with the turn's
    /// letters.
    fn without_history(&self) -> Game {
        let ledger = Ledger {
            acts: Vec::new(),
            start: None,
            standing: self.ledger.standing.clone(),
            hunt_places: self.ledger.hunt_places.clone(),
            void: Vec::new(),
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
        let (_, act) = self.ledger.acts.remove(from);
        let place = self.ledger.acts.partition_point(|(earlier, _)| *earlier <= order);
        self.ledger.acts.insert(place, (order, act));
        Some(self.judge_again(place))
    }

    /// A note that arrived after the deadline belongs to the next turn (A12): it is judged by the state before the
    /// close, kept, and with its author's death in the turn being closed it is void without a word.
    pub fn hear_late_note(&mut self, from: PlayerId, target: Target, text: Option<TextRef>) -> Fate {
        let ask = Ask::Do { kind: Kind::Note, target, text: text.clone() };
        match admit(self, from, &ask) {
            Ok(Admitted::Request(to)) => {
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
        let footing = |player: &Player| Footing {
            life: player.life,
            missed: player.missed,
            warned: player.warned,
            pistol: player.pistol,
            note: player.note.clone(),
            deprived_until: player.deprived_until,
        };
        self.ledger.start = Some(self.players.iter().map(footing).collect());
    }

    /// Back to the turn's start, then every act again; answers for the one at `wanted`.
    fn judge_again(&mut self, wanted: usize) -> Vec<Fate> {
        self.ledger.standing.clear();
        self.ledger.hunt_places.clear();
        self.ledger.void.clear();
        self.ledger.expelled.clear();
        for (player, was) in self.players.iter_mut().zip(self.ledger.start.iter().flatten()) {
            player.life = was.life;
            player.missed = was.missed;
            player.warned = was.warned;
            player.pistol = was.pistol;
            player.note = was.note.clone();
            player.deprived_until = was.deprived_until;
        }
        let acts = std::mem::take(&mut self.ledger.acts);
        let mut answer = Vec::new();
        for (index, (order, act)) in acts.iter().enumerate() {
            let fates = self.take(order, act);
            if index == wanted {
                answer = fates;
            }
        }
        self.ledger.acts = acts;
        answer
    }

    fn take(&mut self, order: &Order, act: &Act) -> Vec<Fate> {
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
