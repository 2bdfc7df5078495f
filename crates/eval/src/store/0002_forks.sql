-- What a run is a fork of: a JSON object; null for a run that is none.
ALTER TABLE runs ADD COLUMN fork_of TEXT;
