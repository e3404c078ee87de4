-- How many signatures were asked for in the current window, for all processes of a party together.
create table signing_counts (
  name text primary key,
  signings bigint not null,
  ends_at timestamptz not null
);
create index signing_counts_ended on signing_counts (ends_at);
