-- The turns of the model endpoints with a response that has not reached its client, or that is still
-- to come, in the order in which they were first requested. A repeated request is recognized by the
-- fingerprint.
CREATE TABLE undelivered (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    turn_id TEXT NOT NULL UNIQUE,
    fingerprint BLOB NOT NULL
);

INSERT INTO undelivered (turn_id, fingerprint)
SELECT e.turn_id, e.fingerprint FROM pending p
JOIN events e ON e.session_id = p.session_id AND e.sequence = p.sequence
ORDER BY e.timestamp;
