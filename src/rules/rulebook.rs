//! The toggles: each disputed reading of the rulebook is a switch.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rulebook {}
impl Eq for Rulebook {}
