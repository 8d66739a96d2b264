//! Cases: one file, one small game, what must come of it.
