-- What the run gives again, if it is a recorded case that is given again to be forked: a JSON object.
ALTER TABLE runs ADD COLUMN recorded TEXT;
