CREATE TABLE runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Milliseconds since 1970.
    created_at INTEGER NOT NULL,
    -- The suites: a JSON list.
    suites TEXT NOT NULL
);

CREATE TABLE results (
    run INTEGER NOT NULL REFERENCES runs (number),
    suite TEXT NOT NULL,
    name TEXT NOT NULL,
    repeat INTEGER NOT NULL,
    -- What the case was made from: a line for the case, then one for each file.
    hashes TEXT NOT NULL,
    -- The result with its ledger: JSON.
    result TEXT NOT NULL,
    PRIMARY KEY (run, suite, name, repeat)
);
