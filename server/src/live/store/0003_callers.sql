-- Who sent a request, by name or token; NULL for other events, and without authentication.
ALTER TABLE events ADD COLUMN caller TEXT;
