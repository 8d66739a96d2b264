-- Who wrote: senders are found by their mailbox, and letters that are not proved wait for their writer's word.

-- The mailbox that an address is, with the providers' aliases folded. The program fills it in for older rows.
ALTER TABLE seats ADD COLUMN mailbox TEXT NOT NULL DEFAULT '';
CREATE INDEX seats_by_mailbox ON seats (mailbox);
ALTER TABLE officers ADD COLUMN mailbox TEXT NOT NULL DEFAULT '';
CREATE INDEX officers_by_mailbox ON officers (mailbox);

-- Letters of which the registered address was asked whether it wrote them. Nothing of what was asked has been done. They
-- keep their first arrival in `letters`; the turn is the one in which they may still be let in.
CREATE TABLE asked (
    letter INTEGER NOT NULL PRIMARY KEY REFERENCES letters (id),
    game INTEGER NOT NULL REFERENCES games (id),
    reader TEXT NOT NULL,                -- who was asked: `player:3`, `host:0`
    turn INTEGER NOT NULL
) STRICT;
CREATE INDEX asked_of_reader ON asked (game, reader, turn);

-- A player's address before the last change: it is told of the change.
CREATE TABLE addresses_before (
    game INTEGER NOT NULL REFERENCES games (id),
    player INTEGER NOT NULL CHECK (player BETWEEN 0 AND 65535),
    address TEXT NOT NULL,
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
