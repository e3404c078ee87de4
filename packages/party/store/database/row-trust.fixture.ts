/**
 * Says for each column of each table what somebody could do with it in the database of a service or of a solver. A new column needs a
 * verdict here: may anyone who can write it make a party lose money?
 */

/**
 * The `tests` forge the column, and nobody loses. `harmless` gives the reason why nobody can. `told` is the remaining risk, in the words of
 * docs/trust.md.
 */
export type Verdict = { readonly tests: readonly string[] } | { readonly harmless: string } | { readonly told: string }

export type TableTrust = readonly (readonly [columns: string, verdict: Verdict])[]

const tests = (...files: readonly string[]): Verdict => ({ tests: files })
const harmless = (why: string): Verdict => ({ harmless: why })
const told = (words: string): Verdict => ({ told: words })

const EVIDENCE = 'party/engine/evidence/forged-rows.test.ts'
const DEPOSITS = 'party/engine/evidence/forged-rows.fixture.ts'
const FACTS = 'party/engine/evidence/forged-facts.test.ts'
const SPENDS = 'party/engine/evidence/forged-spends.test.ts'
const TERMS = 'party/engine/evidence/forged-terms.test.ts'
const SEALS = 'party/store/orders/sealed-values.test.ts'
const SERVICE = 'service/orders/changed-rows.test.ts'
const SOLVER = 'solver/forged-rows.test.ts'
const REFUNDS = 'solver/instant-refund/forged-rows.test.ts'
const BACKUP = 'solver/instant-refund/restored-backup.test.ts'
const WITHDRAWALS = 'solver/withdrawals/withdrawals.test.ts'

const stops = told('delete or edit rows so that the work stops')
const earnings = told('invent earnings')
const budgets = told('raise the limits of what the service pays in fees')
const risks = told('edit prices, limits, quotes and reservations')
const wishes = told('ask for withdrawals')
const shown = harmless('it is shown or counted, and no money follows from it')
const pace = harmless('it decides when an order is derived; a sweep checks all open orders repeatedly')

export const rowTrust: Readonly<Record<string, TableTrust>> = {
  actions: [
    ['key order_id leg verb chain', harmless('the step is derived from the order and the chains, not from its action')],
    ['wanted cancelling due_at lease_holder lease_until failures', stops],
    ['fence', told('two processes sign for one action')],
    ['last_error last_tx reverted_tx refusal updated_at', shown],
  ],
  affiliate_totals: [['app affiliate asset orders amount usd paid_in', earnings]],
  apps: [
    ['name id_hash allowed_origins permissions approval disabled created_at', harmless('app ids are public, and give no right to money')],
    ['default_slippage_bips', harmless('the destination amount of an order is in its request')],
    ['gas_sponsorship rate_limit_per_minute sponsored_per_day', budgets],
  ],
  attempts: [
    ['action_key number chain sender tx raw slots fee_rate holds_secret', tests(EVIDENCE, REFUNDS, BACKUP)],
    ['nonce', tests('families/evm/server/send/forged-attempts.test.ts', 'families/starknet/server/send/forged-attempts.test.ts')],
    ['at reverted_at reverted_weight refused_at', stops],
    ['offers_gas', shown],
  ],
  blocks: [
    ['chain height hash parent_hash time final_height', tests(FACTS, SOLVER)],
    ['ordinal', harmless('confirmations are counted up to the newest block of the nodes, which has its own')],
  ],
  commitments: [
    ['order_id way', tests(FACTS, REFUNDS, BACKUP)],
    ['at', shown],
  ],
  database_owner: [['only_row party vault_check', harmless('a party that does not find itself here does not start')]],
  cosigned_redeems: [
    ['transaction', tests('families/bitcoin/server/spend/batch-redeem.test.ts')],
    ['order_id at', harmless('a transaction that spends other deposits is not sent for these')],
  ],
  events: [
    ['chain tx index swap_id kind deposit amount block_height block_hash block_time', tests(EVIDENCE, DEPOSITS, SPENDS)],
    ['expires_at', tests(EVIDENCE)],
    ['secret', tests(SPENDS, FACTS)],
    ['block_ordinal', harmless('the event is read from its block again, with its ordinal')],
    ['seen_at', shown],
  ],
  failed_payouts: [['order_id chain recipient owner app weight at', budgets]],
  fills: [
    ['order_id deposits destination_amount signature', tests(TERMS, DEPOSITS, REFUNDS, 'service/batch-redeem/offer-cosign.test.ts')],
    ['block_hash at', harmless('it only names the moment of the proposal')],
  ],
  grants: [
    ['order_id kind leg consent signature refunds', tests(FACTS)],
    ['deadline transaction', harmless('a contract or both keys have signed over it: another one fails on the chain')],
    ['sponsor created_at', budgets],
  ],
  halts: [['scope cause reason since until', told('forge a decline or a halt')]],
  inventory_marks: [
    ['order_id', tests(SOLVER)],
    ['id', pace],
  ],
  leases: [['name holder until report', stops]],
  ledger: [['order_id seq app solver_id from_chain to_chain created_at volume fees final paid_in', earnings]],
  ledger_changes: [['from_chain to_chain period orders volume fees', shown]],
  ledger_shares: [['order_id position affiliate asset amount usd', earnings]],
  migrations: [['name applied_at checksum', harmless('a program that finds others than its own does not start')]],
  operator_sessions: [['hash token_id until', told('let themselves in as an operator')]],
  operator_tokens: [['id name secret_hash may_write created_at', told('let themselves in as an operator')]],
  order_clocks: [['order_id clock since until shard', pace]],
  order_count_changes: [['app status from_chain to_chain solver_id bucket orders', shown]],
  order_counts: [['app status from_chain to_chain solver_id bucket orders', shown]],
  order_events: [['id app order_id status at', shown]],
  order_list: [
    ['seq order_id app solver_id from_chain to_chain from_owner to_owner status deadline created_at volume fee', shown],
    ['takes_deposits', stops],
  ],
  order_risks: [
    ['usd_micros reserved admitted outcome closed', tests(SOLVER)],
    ['order_id app owner pair created_at deadline service judged_at gained_usd_micros', risks],
  ],
  order_volumes: [['from_chain to_chain period orders volume fees', shown]],
  orders: [
    ['seen_secret seen_secret_at', tests(SPENDS, FACTS)],
    ['secret_signed_at deadline', tests(EVIDENCE)],
    ['client_secret', tests(FACTS)],
    ['token_hash request_hash', tests(SEALS)],
    ['idempotency_key', tests(SERVICE)],
    ['price_expires_at', tests(SOLVER)],
    ['declined', told('forge a decline or a halt')],
    ['affiliate_fees', earnings],
    ['id solver_id closed_at seq', stops],
    ['secret_hash app nonce source_owner destination_owner', harmless('the terms of its swaps have what the money follows')],
    ['created_at slippage_bips', shown],
  ],
  paid_refunds: [['order_id chain owner app usd_micros created_at', budgets]],
  polls: [['chain hash began_at', tests(FACTS)]],
  prefunds: [['order_id amount seen_at', harmless('it is read from the chain again before it is reclaimed, and goes to its payer')]],
  price_records: [
    ['market at price', tests(SOLVER)],
    ['problem readings', shown],
  ],
  projections: [['name version built_at', shown]],
  quote_counts: [['app hour quotes usd_micros', risks]],
  quotes: [
    ['id source_asset destination_asset source_amount destination_amount extra_fee_bips expires_at', tests(SOLVER)],
    ['app taken_by client_secret', risks],
  ],
  refund_proposals: [
    ['order_id deposit amount pays_to pays', harmless('the owner of the key recomputes what it signs: a refund to its own address')],
    ['at', shown],
  ],
  relay_keys: [['curve public_key', harmless('it names the payer of fees; only its own key pays them')]],
  release_logs: [['id created_at', stops]],
  reservations: [
    ['order_id asset amount', tests(SOLVER)],
    ['at', risks],
  ],
  rollbacks: [['id reason detected_at newest_order confirmed_at', tests(BACKUP)]],
  sealed_values: [['order_id purpose sealed', tests('party/store/orders/sealed-values.test.ts')]],
  signed_claims: [['chain contract asset affiliate total paid', earnings]],
  signing_counts: [['name signings ends_at', harmless('it limits how much work of signing others can cause')]],
  solver_keys: [
    ['solver_id chain public_key first_seen', harmless('it helps to find a deposit by a rescue phrase: a wrong key finds none')],
  ],
  solver_payments: [['solver_id reference usd at', earnings]],
  status_changes: [['id app order_id status at', shown]],
  swaps: [
    [
      'chain asset initiator redeemer secret_hash timelock user_address order_key payer agreed_amount max_fee client_key deposit_address gas seal',
      tests(SEALS),
    ],
    ['amount swap_id', tests(TERMS, REFUNDS)],
    ['order_id leg', tests(SEALS)],
    ['required_confirmations', tests(EVIDENCE)],
    ['asset_price', tests(SOLVER)],
    ['watched_in open funded', stops],
  ],
  touched_orders: [['id order_id', pace]],
  webhook_deliveries: [['id webhook_id message_id order_id status at attempts tried_since due_at last_error dead_at', shown]],
  webhooks: [['id app url secret old_secret old_secret_until failures resume_at created_at', shown]],
  withdrawals: [
    ['id action_key asset recipient amount requested_at not_before', tests(WITHDRAWALS)],
    ['counted_at usd_micros', wishes],
    ['settled_height paid_tx failure cancelled_at', stops],
  ],
}
