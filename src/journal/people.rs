//! Who comes to a seat, before and during the game.

use serde::{Deserialize, Serialize};

/// What came of an offer of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferEnd {
    /// Who was asked: his number among those who signed up.
    pub applicant: u16,
    pub how: HowEnded,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HowEnded {
    Declined,
    /// No answer came in time.
    Silent,
    /// He said yes, but cannot sit there any more: his address has come to another use in this game.
    Unfit,
    /// The seat is not free any more: its player is out, or the host named somebody.
    SeatGone,
}
