-- Authenticates the row under the operator's vault key: whoever can write to the database cannot change where its money goes. Null in a solver's
-- database, whose money goes to its own keys.
alter table swaps add column seal text;
