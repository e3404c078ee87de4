-- What engines tell the processes of their database that run none.

-- Of an engine's lease: how it and its chains fare. Null while no such process lives.
alter table leases add column report json;

-- Who pays the fees of relayed initiations, by curve. Only engines have the private keys.
create table relay_keys (
  curve text primary key,
  public_key text not null
);
