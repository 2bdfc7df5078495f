-- Who opened a session, by name or token; NULL without authentication, and for sessions from before.
ALTER TABLE sessions ADD COLUMN owner TEXT;
