-- Sign-up by letter: who asks to play, before he has a seat.

-- Games that people sign up for; `open` while they may.
CREATE TABLE signups (
    game INTEGER NOT NULL PRIMARY KEY REFERENCES games (id),
    open INTEGER NOT NULL CHECK (open IN (0, 1))
) STRICT;
CREATE INDEX signups_open ON signups (open, game);

-- Erased after the retention, like seats. A number is never given twice in a game, and a mailbox has one number.
CREATE TABLE applicants (
    game INTEGER NOT NULL REFERENCES games (id),
    applicant INTEGER NOT NULL CHECK (applicant BETWEEN 0 AND 65535),
    address TEXT NOT NULL,
    mailbox TEXT NOT NULL,
    forum_name TEXT,                     -- NULL: none was given
    PRIMARY KEY (game, applicant),
    UNIQUE (game, mailbox)
) STRICT, WITHOUT ROWID;
CREATE INDEX applicants_by_mailbox ON applicants (mailbox, game);

-- Photographs of applicants and players, as we encoded them; erased after the retention.
CREATE TABLE photographs (
    game INTEGER NOT NULL,
    applicant INTEGER NOT NULL,
    jpeg BLOB NOT NULL,
    PRIMARY KEY (game, applicant),
    FOREIGN KEY (game, applicant) REFERENCES applicants (game, applicant)
) STRICT;
