-- What a session is searched by, in lower case. SQLite folds ASCII alone, so that the host writes it;
-- NULL until it has.
ALTER TABLE sessions ADD COLUMN folded TEXT;

-- Whose turns a session has, in the order in which they first asked.
CREATE TABLE agents (
    number INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    agent_name TEXT NOT NULL,
    folded TEXT,
    UNIQUE (session_id, agent_name)
);

INSERT INTO agents (session_id, agent_name)
SELECT session_id, agent_name FROM events WHERE payload_type = 'request'
GROUP BY session_id, agent_name ORDER BY session_id, min(sequence);
