//! The lots: every chance of a game from one seed that is published as a hash beforehand (docs/lots.md).
