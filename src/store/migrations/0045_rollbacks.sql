-- A log outside of the database tells whether the database was restored from an older backup: it names what was released after that.

-- The logs that processes of this database keep.
create table release_logs (
  id text primary key,
  created_at timestamptz not null default now()
);

create table rollbacks (
  id text primary key,
  reason text not null,
  detected_at timestamptz not null default now(),
  -- The newest order of then: nothing is committed for it and older ones before the operator confirms.
  newest_order bigint not null,
  confirmed_at timestamptz
);
create index rollbacks_unconfirmed on rollbacks (detected_at) where confirmed_at is null;
