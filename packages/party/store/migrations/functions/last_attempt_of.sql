-- The number of the last attempt of an action; 0 if there is none. The function is volatile, so that it counts attempts that were committed while the
-- statement waited for the lock of the action.
create or replace function last_attempt_of(action text) returns integer language sql volatile as $$
  select coalesce(max(number), 0) from attempts where action_key = action
$$;
