//! (rules room)
