//! Who may come to which seat: the fold of what happens around the seats, before and during the game.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::journal::Entry;
use crate::rules::PlayerId;
use crate::signup::Act;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct People {
    /// Seats for which the waiting list is asked.
    pub offers: BTreeMap<PlayerId, Offer>,
}

/// A seat, offered to one of the waiting list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// His number among those who signed up.
    pub applicant: u16,
    /// An answer that arrives at this second is too late.
    pub until: Timestamp,
    /// What he has said; None: nothing yet.
    pub answer: Option<bool>,
    /// Everybody who was asked for this seat, he too.
    pub asked: Vec<u16>,
}

impl People {
    /// The seat that is offered to somebody.
    pub fn offer_to(&self, applicant: u16) -> Option<(PlayerId, &Offer)> {
        self.offers.iter().find(|(_, offer)| offer.applicant == applicant).map(|(player, offer)| (*player, offer))
    }

    pub(super) fn apply(&mut self, entry: &Entry) {
        match entry {
            Entry::SeatOffered { player, applicant, until, after } => {
                let before = self.offers.remove(player).filter(|_| after.is_some());
                let mut asked = before.map(|offer| offer.asked).unwrap_or_default();
                asked.push(*applicant);
                let offer = Offer { applicant: *applicant, until: *until, answer: None, asked };
                self.offers.insert(*player, offer);
            }
            Entry::OffersOver { player, .. } | Entry::Replaced { player, .. } => {
                self.offers.remove(player);
            }
            Entry::SignupHeard(heard) => {
                let offers = self.offers.values_mut();
                if let Some(offer) = offers.into_iter().find(|offer| offer.applicant == heard.applicant) {
                    for act in &heard.acts {
                        match act {
                            Act::TakesSeat => offer.answer = Some(true),
                            Act::Left => offer.answer = Some(false),
                            _ => {}
                        }
                    }
                }
            }
            _ => {}
        }
    }
}
