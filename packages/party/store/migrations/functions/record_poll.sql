-- Records a poll of a chain in one message: each round trip would lengthen every swap, and the time for which the chain is locked. The function is volatile,
-- so each of its statements has a snapshot of its own, and what follows a lock sees all that was committed before it.
-- Big numbers are sent as text: JSON numbers are floats.
create or replace function record_poll(poll json, out cursor_moved boolean, out changed boolean, out accepted_final bigint) language plpgsql as $$
declare
  of_chain constant text := poll ->> 'chain';
  reported_final constant numeric := (poll ->> 'finalHeight')::numeric;
  remembered constant bigint := (poll ->> 'remembered')::bigint;
  sparse constant bigint := (poll ->> 'sparse')::bigint;
  deepest constant bigint := (poll ->> 'deepest')::bigint;
  last_block blocks;
  newest bigint;
  swap_ids text[];
begin
  perform lock_chain(of_chain);
  select * into last_block from blocks where chain = of_chain order by height desc limit 1;
  cursor_moved := last_block.hash is distinct from poll ->> 'after';
  changed := false;
  if cursor_moved then return; end if;

  -- Removes unconfirmed events that are neither in the mempool nor in a block any more. Triggers fire even if nothing is deleted: ask first.
  if exists (select from events where chain = of_chain and block_height is null) then
    delete from events where chain = of_chain and block_height is null and not exists (
      select from json_to_recordset(poll -> 'events') as seen (tx text, index text) where seen.tx = events.tx and seen.index = events.index
    );
    changed := found;
  end if;

  if json_array_length(poll -> 'events') > 0 then
    -- A mempool may lag behind the blocks: only a rewind unconfirms an event. The transaction id does not cover the witness, which may change.
    with written as (
      insert into events (
        chain, tx, index, swap_id, kind, deposit, amount, secret, expires_at, block_height, block_hash, block_time, block_ordinal
      ) select of_chain, seen.* from json_to_recordset(poll -> 'events') as seen (
        tx text, index text, swap_id text, kind text, deposit text, amount numeric, secret text, expires_at bigint,
        block_height bigint, block_hash text, block_time bigint, block_ordinal bigint
      )
      where seen.block_hash is not null
        or not exists (select from events where events.chain = of_chain and events.tx = seen.tx and events.index = seen.index)
      on conflict (chain, tx, index) do update set
        block_height = excluded.block_height, block_hash = excluded.block_hash, block_time = excluded.block_time,
        block_ordinal = excluded.block_ordinal, kind = excluded.kind, secret = excluded.secret, expires_at = excluded.expires_at
      where excluded.block_hash is not null and events.block_hash is distinct from excluded.block_hash
      returning swap_id
    ) select array_agg(distinct swap_id) into swap_ids from written;
  end if;

  -- A secret is never deleted: the transaction may vanish in a reorg, but the secret stays public. What a chain shows replaces what somebody wrote here.
  if json_array_length(poll -> 'secrets') > 0 then
    update orders set seen_secret = shown.secret, seen_secret_at = now()
    from (
      select distinct on (order_id) order_id, secret
      from (
        select secret ->> 'swapId' as swap_id, secret ->> 'secret' as secret, position
        from json_array_elements(poll -> 'secrets') with ordinality as given (secret, position)
      ) as given
      join swaps on swaps.chain = of_chain and swaps.swap_id = given.swap_id
      order by order_id, position
    ) as shown
    where orders.id = shown.order_id and seen_secret is distinct from shown.secret;
  end if;

  if swap_ids is not null then
    changed := true;
    perform reopen_orders(of_chain, swap_ids);
  end if;

  -- The final height never decreases: a node that reports a lower one lags behind. It is capped at our newest block, because a mistake is hard to undo.
  newest := greatest((select max(height) from json_to_recordset(poll -> 'blocks') as given (height bigint)), last_block.height, 0);
  if reported_final is not null then
    accepted_final := greatest(least(reported_final, newest), (select max(final_height) from blocks where chain = of_chain));
  end if;
  if last_block.hash is not null and last_block.final_height is distinct from accepted_final then
    changed := true;
    update blocks set final_height = accepted_final where chain = of_chain and height = last_block.height;
  end if;
  if json_array_length(poll -> 'blocks') = 0 then return; end if;

  insert into blocks (chain, height, hash, parent_hash, time, ordinal, final_height)
  select of_chain, given.*, accepted_final from json_to_recordset(poll -> 'blocks') as given (
    height bigint, hash text, parent_hash text, time bigint, ordinal bigint
  )
  on conflict do nothing;

  -- Keeps some blocks below the final one too: catching up leaves gaps among the sparse blocks.
  delete from blocks where chain = of_chain and height is distinct from accepted_final
    and height < (select max(height) from blocks as kept where kept.chain = of_chain and kept.height <= newest + 1 - remembered)
    and (height <= coalesce(accepted_final - 8 * sparse, newest) or height <= newest - deepest or exists (
      select from blocks as newer
      where newer.chain = of_chain and newer.height > blocks.height and newer.height / sparse = blocks.height / sparse
    ));
end $$;
