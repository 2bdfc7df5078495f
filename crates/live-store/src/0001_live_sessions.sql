-- Sessions, in the order in which they were opened.
CREATE TABLE sessions (
    -- Cursors of the list count by this: times may tie, numbers do not.
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL, -- milliseconds
    description TEXT,
    -- What a session is searched by, in lower case. SQLite folds ASCII alone, so that the host writes it.
    folded TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'completed')),
    -- Those of the last event; 0 before the first.
    last_sequence INTEGER NOT NULL DEFAULT 0,
    last_timestamp INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE events (
    event_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    timestamp INTEGER NOT NULL, -- milliseconds
    turn_id TEXT NOT NULL,
    agent_name TEXT NOT NULL,
    invocation_id TEXT NOT NULL,
    payload_type TEXT NOT NULL,
    -- 1, 2, 3 and so on within the session: breaks the ties of the timestamps.
    sequence INTEGER NOT NULL,
    -- Who sent a request, by name or token; NULL for other events, and without authentication.
    caller TEXT,
    -- Of what was sent, by which the same message sent again is known; none for what the host said.
    fingerprint BLOB,
    -- A rehearsal.v1.SessionEvent.
    proto_blob BLOB NOT NULL
);

CREATE UNIQUE INDEX events_by_place ON events (session_id, sequence);
CREATE INDEX events_by_time ON events (session_id, timestamp);
CREATE INDEX events_by_turn ON events (turn_id);

-- A turn has one request, and is answered or cancelled once.
CREATE UNIQUE INDEX events_one_request ON events (turn_id) WHERE payload_type = 'request';
CREATE UNIQUE INDEX events_one_closing ON events (turn_id)
WHERE payload_type IN ('response', 'cancelled');

-- The turns without an answer: what a host reads when it starts. Changes with the events, in the
-- same transaction.
CREATE TABLE pending (
    turn_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    sequence INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX pending_by_session ON pending (session_id, sequence);

-- Whose turns a session has, in the order in which they first asked.
CREATE TABLE agents (
    number INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    agent_name TEXT NOT NULL,
    folded TEXT NOT NULL,
    UNIQUE (session_id, agent_name)
);

-- The turns of the model endpoints with a response that has not reached its client, or that is still
-- to come, in the order in which they were first requested. A repeated request is recognized by the
-- fingerprint.
CREATE TABLE undelivered (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    turn_id TEXT NOT NULL UNIQUE,
    fingerprint BLOB NOT NULL
);
