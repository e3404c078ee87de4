-- What each source of prices said, and the price that followed: one row a market and minute, for a week.
create table price_records (
  market text not null,
  at timestamptz not null,
  -- US dollars times 10^8; null: no price was fit for use, and `problem` says why.
  price numeric,
  problem text,
  readings jsonb not null,
  primary key (market, at)
);
create index price_records_by_time on price_records (at);
