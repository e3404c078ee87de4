-- The last poll of each chain that reached its newest block, so that other processes on this database need not poll it themselves.
create table polls (
  chain text primary key,
  -- The newest block: everything up to it is recorded.
  hash text not null,
  -- By the clock of the database, and not later than the poll truly began.
  began_at timestamptz not null
);
