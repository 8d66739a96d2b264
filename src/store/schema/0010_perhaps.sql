-- When the next server may have taken a letter of which nobody knows whether it has left: it counts against the limit of a
-- day, as one that was sent does by sent_at.
ALTER TABLE outbox ADD COLUMN perhaps_at INTEGER; -- NULL: no attempt was left without its answer
CREATE INDEX outbox_perhaps ON outbox (perhaps_at) WHERE perhaps_at IS NOT NULL AND sent_at IS NULL;
