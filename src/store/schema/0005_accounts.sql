-- Forum accounts that a host handed in for a game. Erased after the retention.

CREATE TABLE accounts (
    game INTEGER NOT NULL REFERENCES games (id),
    account INTEGER NOT NULL CHECK (account BETWEEN 0 AND 65535), -- its place in the list of the journal
    password BLOB NOT NULL,              -- sealed with the key of key_file
    PRIMARY KEY (game, account)
) STRICT, WITHOUT ROWID;
