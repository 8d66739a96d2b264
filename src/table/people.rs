//! Who may come to which seat: the fold of what happens around the seats, before and during the game.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::journal::{Entry, Writer};
use crate::rules::PlayerId;
use crate::signup::Act;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct People {
    /// Seats for which the waiting list is asked.
    pub offers: BTreeMap<PlayerId, Offer>,
    /// Who got a first letter to answer before the deal, when the last of them went out, and who has answered.
    pub greeted: BTreeSet<Writer>,
    pub greeted_at: Option<Timestamp>,
    pub shaken: BTreeSet<Writer>,
    /// Whom the host was told to be silent when he wanted to begin.
    pub questioned: BTreeSet<Writer>,
    /// Names of the forum accounts that the host handed in.
    pub account_names: Vec<String>,
    /// By player: the place of his account in that list. Empty before the deal, and where there are none.
    pub accounts: Vec<u16>,
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

    /// The account of a seat: its place in the list, and its name.
    pub fn account(&self, player: PlayerId) -> Option<(u16, &str)> {
        let account = *self.accounts.get(usize::from(player.0))?;
        Some((account, self.account_names.get(usize::from(account))?.as_str()))
    }

    /// Whose account that is.
    pub fn holder(&self, account: u16) -> Option<PlayerId> {
        let place = self.accounts.iter().position(|own| *own == account)?;
        u16::try_from(place).ok().map(PlayerId)
    }

    pub(super) fn apply(&mut self, at: Timestamp, entry: &Entry) {
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
            Entry::Greeted { who } => {
                self.greeted.extend(who);
                self.greeted_at = Some(at);
            }
            Entry::HandShaken { who } => {
                self.shaken.insert(*who);
            }
            Entry::StartQuestioned { silent } => self.questioned = silent.iter().copied().collect(),
            Entry::AccountsGiven { names } => self.account_names.clone_from(names),
            Entry::AccountsDealt { accounts } => self.accounts.clone_from(accounts),
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
