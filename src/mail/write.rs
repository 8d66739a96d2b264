//! (mail room)
