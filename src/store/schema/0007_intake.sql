-- What a letter costs that is taken in: thousands may wait.

-- A row is never deleted and numbers have no gap, so the last number says how many letters there are, and what is not done
-- with stands in an index of its own: nothing is counted along. A trigger makes SQLite keep a copy of each page that an
-- INSERT touches.
DROP TRIGGER letters_counted_in;
DROP TRIGGER letters_counted;
DELETE FROM counts WHERE name IN ('letters_processed', 'letters_quarantined');

-- Only a letter that was heard, or waits to be, has second copies.
DROP INDEX letters_by_message_id;
CREATE INDEX letters_by_message_id ON letters (message_id, sender, body_hash)
    WHERE message_id IS NOT NULL AND state IN ('done', 'waiting');

-- Bytes are compared where a letter has no sender or no Message-ID, and these stay so.
DROP INDEX letters_by_raw;
CREATE INDEX letters_by_raw ON letters (sha256) WHERE sender IS NULL OR message_id IS NULL;
