//! What was heard in the current turn, in order of arrival, and what of it stands. A letter that is read later but
//! arrived earlier is put in its place and the turn is judged again: order of arrival decides, not order of reading.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::admit::{Admitted, Refusal, admit};
use super::game::{Game, Life, Note};
use super::report::VoidLine;
use super::rulebook::HuntSpecialConflict;
use super::{Kind, Order, PlayerId, Role, Side, TextRef};

/// Whom a line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Player(PlayerId),
    /// A nick that fits nobody (A15).
    Unknown,
    /// The line needs none (`Клану`).
    Nobody,
}

/// One request line of a player, its nick already looked up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    Do {
        kind: Kind,
        target: Target,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<TextRef>,
    },
    /// `None`: all of this turn's, but never the pistol order (A14).
    Cancel { kind: Option<Kind> },
}

/// What the host does in mid-turn; it works at once (section 3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostAct {
    Expel {
        who: PlayerId,
        left: bool,
    },
    /// From this turn on, for so many turns (R88, A35).
    Deprive {
        who: PlayerId,
        turns: u16,
    },
    ForgiveMiss {
        who: PlayerId,
    },
    ForgiveSilence {
        who: PlayerId,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    Letter { letter: u64, from: PlayerId, asks: Vec<Ask> },
    Host(HostAct),
}

/// What became of one line at receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    Accepted {
        /// The target of the line of this kind (or of the other kind that shares its slot) that it replaces.
        replaces: Option<(Kind, PlayerId)>,
        caveat: Option<Caveat>,
    },
    /// The same as what stands already (A13).
    Duplicate,
    Withdrawn {
        what: Vec<(Kind, PlayerId)>,
    },
    NothingToWithdraw,
    Refused(Refusal),
}

/// Accepted, but the receipt warns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caveat {
    /// A hunt stands: check or heal will not act unless it is withdrawn (A18).
    HuntBlocksThis,
    /// The hunt was accepted and silences the check or heal that stands (A18).
    HuntSilencesSpecial,
    /// The hunt silences the pistol order in this turn (A20).
    HuntSilencesPistol,
    /// Without a lynch vote this will be void (R107).
    NeedsVote,
}

/// Why an accepted line had no effect at the deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoidWhy {
    Replaced,
    Duplicate,
    Withdrawn,
    Slot,
    StatusWithoutVote,
    HuntWithoutVote,
    NotFirst,
    SenderExpelled,
    Deprived,
    DeadBeforeNight,
}

/// One accepted line and its place: act (in order of arrival) and line within the letter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filed {
    pub order: Order,
    pub letter: u64,
    pub line: u16,
    pub from: PlayerId,
    pub kind: Kind,
    pub target: PlayerId,
    pub text: Option<TextRef>,
}

/// The turn so far: what arrived, and what follows from it by the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Sorted by order of arrival.
    pub acts: Vec<(Order, Act)>,
    /// What the acts of this turn can change, as it was before the first of them.
    start: Option<Vec<Footing>>,
    /// What stands, by player and kind; the pistol orders of earlier turns are with the players.
    standing: BTreeMap<PlayerId, BTreeMap<Kind, Filed>>,
    /// Since when each standing hunt has its place in the queue (R59, A21).
    hunt_places: BTreeMap<PlayerId, Place>,
    /// What lost its force before the deadline.
    void: Vec<VoidLine>,
    /// By the host in this turn; true: he left by himself (A87).
    expelled: BTreeMap<PlayerId, bool>,
    /// Notes that came after the deadline: they belong to the next turn (A12).
    early_notes: BTreeMap<PlayerId, Note>,
}

/// Place in the queue: act, then line in the letter.
type Place = (Order, u16);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Footing {
    life: Life,
    missed: u32,
    warned: u32,
    pistol: Option<PlayerId>,
    note: Option<Note>,
    deprived_until: u16,
}

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
        self.clone().hear(order.clone(), act.clone())
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
        let footing = |player: &super::game::Player| Footing {
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

impl Ledger {
    /// What stands of this player and kind, of this turn's lines.
    pub fn stands(&self, player: PlayerId, kind: Kind) -> Option<&Filed> {
        self.standing.get(&player)?.get(&kind)
    }

    /// The kinds in which something stands.
    pub fn kinds(&self, player: PlayerId) -> impl Iterator<Item = Kind> + '_ {
        self.standing.get(&player).into_iter().flat_map(|lines| lines.keys().copied())
    }

    /// Everything that stands, by player and kind.
    pub fn all_standing(&self) -> impl Iterator<Item = &Filed> {
        self.standing.values().flat_map(BTreeMap::values)
    }

    /// What lost its force before the deadline, in the order in which it did.
    pub fn void(&self) -> &[VoidLine] {
        &self.void
    }

    /// Expelled in this turn by the host, and whether he left by himself.
    pub fn expelled(&self) -> impl Iterator<Item = (PlayerId, bool)> + '_ {
        self.expelled.iter().map(|(who, left)| (*who, *left))
    }

    /// The queue of the hunters whose hunts stand, first come first (R59).
    pub fn hunters(&self) -> Vec<PlayerId> {
        let mut queue: Vec<(&Place, PlayerId)> = self
            .hunt_places
            .iter()
            .filter(|(who, _)| self.stands(**who, Kind::Hunt).is_some())
            .map(|(who, place)| (place, *who))
            .collect();
        queue.sort();
        queue.into_iter().map(|(_, who)| who).collect()
    }

    pub(super) fn has_early_note(&self, player: PlayerId) -> bool {
        self.early_notes.contains_key(&player)
    }

    pub(super) fn take_early_notes(&mut self) -> BTreeMap<PlayerId, Note> {
        std::mem::take(&mut self.early_notes)
    }

    /// Was he in play when the turn began? None if the turn has heard nothing yet.
    pub(super) fn life_at_start(&self, player: PlayerId) -> Option<Life> {
        self.start.as_ref()?.get(usize::from(player.0)).map(|footing| footing.life)
    }

    fn strike(&mut self, player: PlayerId, kind: Kind, why: VoidWhy) -> Option<Filed> {
        let line = self.standing.get_mut(&player)?.remove(&kind)?;
        self.void.push(VoidLine { line: line.clone(), why });
        Some(line)
    }

    fn strike_all(&mut self, player: PlayerId, why: VoidWhy) {
        let lines = self.standing.remove(&player).unwrap_or_default();
        self.void.extend(lines.into_values().map(|line| VoidLine { line, why }));
    }
}

impl VoidWhy {
    /// The word for it in cases.
    pub fn name(self) -> &'static str {
        match self {
            VoidWhy::Replaced => "replaced",
            VoidWhy::Duplicate => "duplicate",
            VoidWhy::Withdrawn => "withdrawn",
            VoidWhy::Slot => "slot",
            VoidWhy::StatusWithoutVote => "status_without_vote",
            VoidWhy::HuntWithoutVote => "hunt_without_vote",
            VoidWhy::NotFirst => "not_first",
            VoidWhy::SenderExpelled => "sender_expelled",
            VoidWhy::Deprived => "deprived",
            VoidWhy::DeadBeforeNight => "dead_before_night",
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
