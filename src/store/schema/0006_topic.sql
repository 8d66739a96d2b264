-- What the feed of a game's topic told. Erased after the retention.

-- From when to when every post of the topic was seen.
CREATE TABLE topics (
    game INTEGER NOT NULL PRIMARY KEY REFERENCES games (id),
    feed TEXT NOT NULL,                  -- which feed it was: a hash, for an address may hold a key
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,              -- when the last reading began
    newest INTEGER NOT NULL,             -- of all posts that were ever seen
    newest_id TEXT NOT NULL
) STRICT;

-- Who writes there, by his name on the forum, folded as nicks are.
CREATE TABLE topic_authors (
    game INTEGER NOT NULL REFERENCES games (id),
    author TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (game, author)
) STRICT, WITHOUT ROWID;
