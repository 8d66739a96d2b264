//! (letters room)
