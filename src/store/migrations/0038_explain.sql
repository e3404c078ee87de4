-- Apps of the operator may see the parts of quotes.
alter table apps
  drop constraint apps_permissions,
  add constraint apps_permissions check (permissions <@ array['read', 'trade', 'explain'] and cardinality(permissions) > 0);
