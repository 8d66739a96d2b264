//! What a judged letter changes on the table.

use super::{Phase, Table};
use crate::journal::{Heard, Item, Standing};
use crate::rules::Kind;
use crate::rules::ledger::{Act, Ask, Fate};

impl Table {
    /// Files what the letter asked for in the ledger, in its place by arrival. The rules judge again there, so a line
    /// that was refused is heard too and refused again.
    pub(super) fn hear(&mut self, heard: &Heard) {
        let asks = |wanted: &dyn Fn(&Ask, &Fate) -> bool| -> Vec<Ask> {
            let mut asks = Vec::new();
            for item in &heard.items {
                if let Item::Ask { ask, fate, .. } = item
                    && wanted(ask, fate)
                {
                    asks.push(ask.clone());
                }
            }
            asks
        };
        match heard.standing {
            Standing::OnTime => {
                let asks = asks(&|ask, _| !is_talk(ask));
                if !asks.is_empty() {
                    let act = Act::Letter { letter: heard.letter, from: heard.from, asks };
                    self.game.hear(heard.order.clone(), act);
                }
            }
            // Of a late letter only a note lives on: it belongs to the turn after the one whose deadline it missed.
            Standing::Late { deadline } => {
                self.undo.keep(heard, deadline, false);
                let next_turn_is_open = self.phase == Phase::Open && self.deadline != Some(deadline);
                for ask in asks(&|ask, fate| is_note(ask) && matches!(fate, Fate::Accepted { .. })) {
                    let Ask::Do { target, text, .. } = &ask else { continue };
                    if next_turn_is_open {
                        let act = Act::Letter { letter: heard.letter, from: heard.from, asks: vec![ask] };
                        self.game.hear(heard.order.clone(), act);
                    } else {
                        self.game.hear_late_note(heard.from, *target, text.clone());
                    }
                }
            }
            Standing::Window { .. } => self.hear_in_window(heard, asks(&|ask, fate| is_answered(ask, fate))),
            // It changes nothing by itself, unless the turn is to be judged again anyway.
            Standing::FoundLate { .. } if self.is_taken_back() => {
                let act = Act::Letter { letter: heard.letter, from: heard.from, asks: asks(&|ask, _| !is_talk(ask)) };
                self.game.hear(heard.order.clone(), act);
            }
            Standing::FoundLate { deadline } => self.undo.keep(heard, deadline, true),
            Standing::NotPlaying => {}
        }
    }

    /// The shot counts by arrival; a note goes to the next turn.
    fn hear_in_window(&mut self, heard: &Heard, asks: Vec<Ask>) {
        let (notes, shots): (Vec<Ask>, Vec<Ask>) = asks.into_iter().partition(is_note);
        for note in notes {
            if let Ask::Do { target, text, .. } = note {
                self.game.hear_late_note(heard.from, target, text);
            }
        }
        if let (Some(window), false) = (&mut self.window, shots.is_empty()) {
            window.letters.push((heard.order.clone(), shots));
            window.letters.sort_by(|(earlier, _), (later, _)| earlier.cmp(later));
        }
    }
}

pub(super) fn is_talk(ask: &Ask) -> bool {
    matches!(ask, Ask::Do { kind: Kind::Pm | Kind::Clan, .. })
}

/// An accepted shot, its withdrawal, or an accepted note.
fn is_answered(ask: &Ask, fate: &Fate) -> bool {
    match ask {
        Ask::Do { kind: Kind::Pistol | Kind::Note, .. } => matches!(fate, Fate::Accepted { .. } | Fate::Duplicate),
        Ask::Cancel { kind } => *kind == Some(Kind::Pistol),
        Ask::Do { .. } => false,
    }
}

fn is_note(ask: &Ask) -> bool {
    matches!(ask, Ask::Do { kind: Kind::Note, .. })
}
