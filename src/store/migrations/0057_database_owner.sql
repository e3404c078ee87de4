-- Whose database this is: one row, written by the first party that starts on it. A service also records a code that only its vault key gives.
create table database_owner (
  only_row boolean primary key default true check (only_row),
  party text not null check (party in ('service', 'solver')),
  vault_check text
);
