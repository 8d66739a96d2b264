-- Addresses at which nothing arrives: letters to them are held until the address is released or its owner writes.
CREATE TABLE resting (
    address TEXT NOT NULL PRIMARY KEY,
    out INTEGER NOT NULL REFERENCES outbox (id), -- the letter that did not arrive
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- A new row of the outbox asks whether one refers to it.
CREATE INDEX resting_by_out ON resting (out);
