-- The first form of the database. Never edited again: a change is a new file with the next number.
-- Every instant is an INTEGER of microseconds since 1970 (UTC); `second` alone is in seconds.
-- A column whose NULL has a meaning says so; every other column is NOT NULL.

-- The random secret of this database: tokens and proof words come from it, never a lot.
CREATE TABLE database_key (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    value BLOB NOT NULL CHECK (length(value) = 32)
) STRICT;

-- Games ------------------------------------------------------------------------------------------------------------

CREATE TABLE games (
    id INTEGER NOT NULL PRIMARY KEY,
    tag TEXT NOT NULL COLLATE NOCASE UNIQUE,
    title TEXT NOT NULL,
    state TEXT NOT NULL,
    wake INTEGER,                        -- NULL: nothing is to be done by the clock
    seq INTEGER NOT NULL CHECK (seq >= 0), -- number of the last event
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX games_by_wake ON games (wake) WHERE wake IS NOT NULL;
CREATE INDEX games_running ON games (id) WHERE state IN ('signup', 'playing', 'paused');

CREATE TABLE events (
    game INTEGER NOT NULL REFERENCES games (id),
    seq INTEGER NOT NULL CHECK (seq > 0),
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (game, seq)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only: an event is never changed');
END;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only: an event is never deleted');
END;
CREATE TRIGGER events_leave_no_gap BEFORE INSERT ON events
WHEN NEW.seq IS NOT (SELECT seq + 1 FROM games WHERE id = NEW.game) BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only: an event gets the next number');
END;
CREATE TRIGGER events_are_counted AFTER INSERT ON events BEGIN
    UPDATE games SET seq = NEW.seq WHERE id = NEW.game;
END;

CREATE TABLE snapshots (
    game INTEGER NOT NULL PRIMARY KEY REFERENCES games (id),
    seq INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;

-- People: erased after the retention -------------------------------------------------------------------------------

CREATE TABLE seats (
    game INTEGER NOT NULL REFERENCES games (id),
    player INTEGER NOT NULL CHECK (player BETWEEN 0 AND 65535),
    address TEXT NOT NULL,
    forum_name TEXT,                     -- NULL: none was given
    PRIMARY KEY (game, player),
    UNIQUE (game, address)
) STRICT, WITHOUT ROWID;
CREATE INDEX seats_by_address ON seats (address);

-- Who once sat on a seat and gave it up: the last letter of the game goes to them too.
CREATE TABLE former_players (
    game INTEGER NOT NULL REFERENCES games (id),
    player INTEGER NOT NULL CHECK (player BETWEEN 0 AND 65535),
    address TEXT NOT NULL,
    PRIMARY KEY (game, player, address)
) STRICT, WITHOUT ROWID;

CREATE TABLE officers (
    game INTEGER NOT NULL REFERENCES games (id),
    role TEXT NOT NULL CHECK (role IN ('host', 'moderator', 'post_to')),
    position INTEGER NOT NULL CHECK (position BETWEEN 0 AND 65535),
    address TEXT NOT NULL,
    PRIMARY KEY (game, role, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX officers_by_address ON officers (address);

CREATE TABLE secrets (
    game INTEGER NOT NULL REFERENCES games (id),
    name TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (game, name)
) STRICT, WITHOUT ROWID;

-- Notes and private talk. An erased text keeps its number and hash; without the salt the hash says nothing.
CREATE TABLE texts (
    game INTEGER NOT NULL REFERENCES games (id),
    id INTEGER NOT NULL CHECK (id BETWEEN 1 AND 4294967295),
    hash TEXT NOT NULL,
    salt BLOB,                           -- NULL: erased
    body TEXT,                           -- NULL: erased
    PRIMARY KEY (game, id),
    CHECK ((salt IS NULL) = (body IS NULL))
) STRICT, WITHOUT ROWID;

-- Letters in -------------------------------------------------------------------------------------------------------

CREATE TABLE letters (
    id INTEGER NOT NULL PRIMARY KEY,
    place TEXT NOT NULL UNIQUE,          -- folder, UIDVALIDITY and UID; or the file's name; or the pipe's
    second INTEGER NOT NULL,             -- of arrival, since 1970
    within TEXT NOT NULL,                -- order inside that second, sorted as text
    sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
    sender TEXT,                         -- NULL: no usable From, or erased
    message_id TEXT,                     -- NULL: the letter has none
    body_hash TEXT NOT NULL,
    too_large INTEGER NOT NULL CHECK (too_large IN (0, 1)), -- only its head was kept
    game INTEGER REFERENCES games (id),  -- NULL: no game was found for it
    player INTEGER,                      -- NULL: no player of it wrote the letter
    state TEXT NOT NULL CHECK (state IN ('done', 'waiting', 'quarantined', 'ignored')),
    error TEXT,                          -- NULL: nothing went wrong
    received_at INTEGER NOT NULL
) STRICT;
CREATE INDEX letters_by_message_id ON letters (message_id, sender, body_hash) WHERE message_id IS NOT NULL;
CREATE INDEX letters_by_raw ON letters (sha256);
CREATE INDEX letters_of_game ON letters (game) WHERE game IS NOT NULL;
CREATE INDEX letters_strayed ON letters (received_at) WHERE game IS NULL;
CREATE INDEX letters_waiting ON letters (game, second, within, place) WHERE state = 'waiting';
CREATE INDEX letters_quarantined ON letters (id) WHERE state = 'quarantined';

-- Apart from the row, so that a change of state never rewrites ten megabytes.
CREATE TABLE letter_bytes (
    letter INTEGER NOT NULL PRIMARY KEY REFERENCES letters (id),
    raw BLOB NOT NULL
) STRICT;

-- Letters out ------------------------------------------------------------------------------------------------------

CREATE TABLE outbox (
    id INTEGER NOT NULL PRIMARY KEY,
    game INTEGER REFERENCES games (id),  -- NULL: to a stranger or the operator
    reader TEXT NOT NULL,
    address TEXT NOT NULL,
    kind TEXT NOT NULL,
    turn INTEGER NOT NULL,
    subject TEXT NOT NULL,
    message_id TEXT NOT NULL UNIQUE,
    token TEXT,                          -- NULL: an answer to it proves nothing
    priority INTEGER NOT NULL,           -- lower goes first
    result INTEGER NOT NULL CHECK (result IN (0, 1)), -- carries a turn's results
    letter INTEGER REFERENCES letters (id), -- NULL: answers no letter
    state TEXT NOT NULL CHECK (state IN ('held', 'queued', 'sent', 'unknown', 'failed', 'expired', 'cancelled')),
    not_before INTEGER NOT NULL,
    next_attempt INTEGER,                -- NULL: it is not in the queue
    attempts INTEGER NOT NULL,
    expires INTEGER,                     -- NULL: it never becomes useless
    sent_at INTEGER,                     -- NULL: it was never sent
    why TEXT,                            -- NULL: no attempt has failed
    CHECK (CASE state WHEN 'queued' THEN next_attempt IS NOT NULL
                      WHEN 'unknown' THEN TRUE
                      ELSE next_attempt IS NULL END),
    CHECK (state <> 'sent' OR sent_at IS NOT NULL)
) STRICT;
CREATE INDEX outbox_due ON outbox (priority, id, next_attempt) WHERE next_attempt IS NOT NULL;
CREATE INDEX outbox_next ON outbox (next_attempt) WHERE next_attempt IS NOT NULL;
CREATE INDEX outbox_expiry ON outbox (expires) 
    WHERE expires IS NOT NULL AND (state = 'held' OR next_attempt IS NOT NULL);
CREATE INDEX outbox_held ON outbox (game, id) WHERE state = 'held';
CREATE INDEX outbox_results ON outbox (game, turn) WHERE result = 1 AND state IN ('held', 'queued');
CREATE INDEX outbox_of_game ON outbox (game) WHERE game IS NOT NULL;
CREATE INDEX outbox_by_address ON outbox (address, kind, not_before, game);
CREATE INDEX outbox_sent ON outbox (sent_at) WHERE sent_at IS NOT NULL;
CREATE INDEX outbox_by_letter ON outbox (letter, id) WHERE letter IS NOT NULL;
CREATE UNIQUE INDEX outbox_by_token ON outbox (token) WHERE token IS NOT NULL;

CREATE TABLE outbox_bytes (
    out INTEGER NOT NULL PRIMARY KEY REFERENCES outbox (id),
    bytes BLOB NOT NULL
) STRICT;

CREATE TRIGGER outbox_words_are_fixed
BEFORE UPDATE OF bytes ON outbox_bytes BEGIN
    SELECT RAISE(ABORT, 'the words of a letter are fixed when it is written');
END;

-- How many letters were written to a reader: the number makes the next token. Game 0: none.
CREATE TABLE letter_numbers (
    game INTEGER NOT NULL,
    reader TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (game, reader)
) STRICT, WITHOUT ROWID;

-- Caps, such as private letters of one player on one day. Game 0: none.
CREATE TABLE caps (
    game INTEGER NOT NULL,
    name TEXT NOT NULL,
    key TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (game, name, key)
) STRICT, WITHOUT ROWID;

-- The daemon -------------------------------------------------------------------------------------------------------

CREATE TABLE daemon (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    beat_at INTEGER NOT NULL,
    pid INTEGER NOT NULL
) STRICT;

-- Where the daemon stands: how far each folder was read, whether sending is halted.
CREATE TABLE marks (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox_read (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    at INTEGER NOT NULL
) STRICT;

-- Counts, kept by the triggers below, so that none is ever taken over the whole history.
CREATE TABLE counts (
    name TEXT NOT NULL PRIMARY KEY,
    n INTEGER NOT NULL CHECK (n >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO counts (name, n) VALUES
    ('letters_processed', 0), ('letters_quarantined', 0), ('out_queued', 0), ('out_sent', 0), ('out_failed', 0);

CREATE TRIGGER letters_counted_in AFTER INSERT ON letters BEGIN
    UPDATE counts SET n = n + 1 WHERE name = CASE NEW.state
        WHEN 'done' THEN 'letters_processed' WHEN 'ignored' THEN 'letters_processed'
        WHEN 'quarantined' THEN 'letters_quarantined' END;
END;
CREATE TRIGGER letters_counted AFTER UPDATE OF state ON letters WHEN NEW.state IS NOT OLD.state BEGIN
    UPDATE counts SET n = n - 1 WHERE name = CASE OLD.state
        WHEN 'done' THEN 'letters_processed' WHEN 'ignored' THEN 'letters_processed'
        WHEN 'quarantined' THEN 'letters_quarantined' END;
    UPDATE counts SET n = n + 1 WHERE name = CASE NEW.state
        WHEN 'done' THEN 'letters_processed' WHEN 'ignored' THEN 'letters_processed'
        WHEN 'quarantined' THEN 'letters_quarantined' END;
END;
CREATE TRIGGER letters_are_never_deleted BEFORE DELETE ON letters BEGIN
    SELECT RAISE(ABORT, 'the row of a letter is kept: without it the letter would be taken twice');
END;

CREATE TRIGGER outbox_counted_in AFTER INSERT ON outbox BEGIN
    UPDATE counts SET n = n + 1 WHERE name = CASE NEW.state
        WHEN 'held' THEN 'out_queued' WHEN 'queued' THEN 'out_queued'
        WHEN 'sent' THEN 'out_sent' WHEN 'failed' THEN 'out_failed' END;
END;
-- `queued` is now, the others are of all time: a letter sent again counts again.
CREATE TRIGGER outbox_counted AFTER UPDATE OF state ON outbox WHEN NEW.state IS NOT OLD.state BEGIN
    UPDATE counts SET n = n - 1 WHERE name = 'out_queued' AND OLD.state IN ('held', 'queued');
    UPDATE counts SET n = n + 1 WHERE name = CASE NEW.state
        WHEN 'held' THEN 'out_queued' WHEN 'queued' THEN 'out_queued'
        WHEN 'sent' THEN 'out_sent' WHEN 'failed' THEN 'out_failed' END;
END;
CREATE TRIGGER outbox_is_never_deleted BEFORE DELETE ON outbox BEGIN
    SELECT RAISE(ABORT, 'the row of a letter is kept: its Message-ID and its token must not come again');
END;
