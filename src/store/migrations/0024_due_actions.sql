-- Engines lease the most overdue redeems and the most overdue other actions: each list is read from its own index, however long it is.
drop index actions_due;
create index actions_due_redeems on actions (due_at) where (wanted or cancelling) and verb = 'redeem';
create index actions_due_others on actions (due_at) where (wanted or cancelling) and verb <> 'redeem';

-- Actions that share a transaction are leased together.
create index attempts_by_tx on attempts (tx);
create index cosigned_redeems_by_transaction on cosigned_redeems using hash (transaction);
