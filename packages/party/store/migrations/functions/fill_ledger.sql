-- Adds what the ledger lacks, after the order list was rebuilt.
create or replace function fill_ledger() returns void language plpgsql as $$
begin
  perform add_to_ledger(array(
    select seq from order_list where is_completed(status) and not exists (select from ledger where ledger.seq = order_list.seq)
  ));
  perform settle_ledger(array(
    select order_id from ledger join orders on orders.id = order_id where not final and closed_at is not null
  ));
end $$;
