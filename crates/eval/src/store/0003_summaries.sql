-- Results without their ledgers, which are long.
CREATE TABLE summaries (
    run INTEGER NOT NULL REFERENCES runs (number),
    suite TEXT NOT NULL,
    name TEXT NOT NULL,
    repeat INTEGER NOT NULL,
    status TEXT NOT NULL,
    duration_ms INTEGER NOT NULL,
    -- Of the models of the agent.
    tokens INTEGER NOT NULL,
    -- JSON.
    summary TEXT NOT NULL,
    PRIMARY KEY (run, suite, name, repeat)
);

INSERT INTO summaries
SELECT run, suite, name, repeat,
    json_extract(result, '$.status'),
    json_extract(result, '$.duration_ms'),
    json_extract(result, '$.token_usage.input') + json_extract(result, '$.token_usage.output'),
    json_remove(result, '$.events', '$.names', '$.notes')
FROM results;
