-- The feed of a game's own topic; a game without a row goes by config. Erased after the retention: an address may hold a
-- key.
CREATE TABLE feeds (
    game INTEGER NOT NULL PRIMARY KEY REFERENCES games (id),
    address TEXT NOT NULL,               -- empty: the game's topic is not read
    named INTEGER NOT NULL,              -- 1: for this very game; 0: config's, when the game was made
    since INTEGER NOT NULL               -- what was written before belongs to another topic
) STRICT;
