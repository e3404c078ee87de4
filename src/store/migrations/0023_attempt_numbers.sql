-- The number of attempts of an action. Volatile, so that it counts those that were committed while the statement waited for the lock of the action.
create function last_attempt_of(action text) returns integer language sql volatile as $$
  select coalesce(max(number), 0) from attempts where action_key = action
$$;
