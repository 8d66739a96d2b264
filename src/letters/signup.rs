//! What somebody who signs up is told.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::photo::PhotoFault;
use crate::request::ProblemKind;
use crate::rules::Gender;
use crate::signup::{Missing, NickFault};

/// Where an applicant stands: the answer to his letter, or news of his place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    /// When the receiving server took his letter; None for news.
    pub arrived: Option<Timestamp>,
    pub place: PlaceSaid,
    pub lines: Vec<JoinLine>,
    pub missing: Vec<Missing>,
    /// Empty: none was taken yet.
    pub nick: String,
    pub characteristic: String,
    pub gender: Option<Gender>,
    pub forum_name: bool,
    pub photograph: bool,
    /// His word for the lots.
    pub lot_word: Option<String>,
    /// He has answered the first letter before the deal.
    pub handshake: bool,
    /// Sign-up goes on, so that all of it can be changed.
    pub open: bool,
    pub until: Option<Timestamp>,
    /// The host's words; where they are told.
    pub text: Option<String>,
    /// The game's deviations from the usual rules; where they are told.
    pub rules: Option<Vec<(String, String)>>,
    /// SHA-256 of the lots' seed, hex.
    pub commitment: String,
}

/// To each player before the deal: any answer will do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handshake {
    /// Empty: the nick comes with the role.
    pub nick: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceSaid {
    /// He has not applied yet.
    None,
    Kept,
    /// The host will say.
    Pending,
    /// So many are before him on the waiting list.
    Waiting {
        before: u16,
    },
    Left,
    Declined,
    /// He had no nick when sign-up closed.
    Dropped,
    /// The game began, and there was no place for him.
    LeftOut,
    /// The game is being played; so many are before him, should somebody be replaced. `begins`: it has just begun.
    Reserve {
        before: u16,
        begins: bool,
    },
    /// A seat is offered to him, and he has not said yet whether he takes it.
    SeatOffered {
        until: Timestamp,
    },
    /// He has said yes: the seat becomes his as soon as the turn allows.
    SeatYours,
    /// The seat that was offered to him is not free any more; he stays on the waiting list.
    OfferGone,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinLine {
    /// As written, shortened to 120 characters.
    pub said: String,
    pub fate: JoinFate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JoinFate {
    Taken,
    Nick { fault: NickFault },
    LeftNow,
    NothingToLeave,
    Word,
    Photograph { fault: Option<PhotoFault> },
    Unread { too_large: bool },
    Answered,
    Problem { problem: ProblemKind },
    TooLate,
    NotNow,
    TookSeat,
    NothingOffered,
}

/// How a sign-up stands, for the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignupStands {
    pub open: bool,
    pub until: Option<Timestamp>,
    /// Who has not answered the first letter.
    pub silent: Vec<String>,
    /// Nicks; «без ника» where there is none is for the template to say.
    pub kept: Vec<ApplicantStands>,
    pub pending: Vec<ApplicantStands>,
    pub waiting: Vec<ApplicantStands>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApplicantStands {
    /// Empty: none was taken yet.
    pub nick: String,
    pub missing: Vec<Missing>,
}
