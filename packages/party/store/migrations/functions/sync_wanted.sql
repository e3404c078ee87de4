-- Makes the wanted actions of these orders equal to `wishes`. Newly wanted actions are due now. Returns whether there are any. `confirmed`: initiations that
-- need no cancelling when they are dropped. Locks actions in the order of their keys, as all code does that locks several.
create or replace function sync_wanted(order_ids text[], wishes json, confirmed text[]) returns boolean language plpgsql as $$
declare
  is_any_new boolean;
  dropped text[];
begin
  insert into actions (key, order_id, leg, verb, wanted)
  select key, order_id, leg, verb, true from json_to_recordset(wishes) as wish (key text, order_id text, leg text, verb text)
  where order_id = any(order_ids) and not exists (select from actions where actions.key = wish.key and actions.wanted)
  order by key collate "C"
  on conflict (key) do update set wanted = true, cancelling = false, due_at = now(), failures = 0, last_error = null, refusal = null, updated_at = now();
  is_any_new := found;

  dropped := array(
    select key from actions
    where order_id = any(order_ids) and wanted and not exists (select from json_to_recordset(wishes) as wish (key text) where wish.key = actions.key)
    order by key collate "C" for update
  );
  if cardinality(dropped) > 0 then
    -- Only an initiation does harm when it is mined late. All others pay the rightful owner at any time. The actions are locked, so this sees an
    -- attempt that was recorded concurrently.
    update actions set wanted = false, due_at = now(), updated_at = now(),
      cancelling = verb = 'initiate' and key <> all(confirmed) and exists (select from attempts where action_key = actions.key)
    where key = any(dropped);
  end if;
  return is_any_new;
end $$;
