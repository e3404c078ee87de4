/**
 * Every schema that landed since 0001 to 0006 are what they are today, as the files that a database of then has on record. The first contents of 0025 are
 * left out: they differ in a function that 0034 replaces.
 */
import type { Migration } from './migrations.ts'

/** The name on record, and the SQL that was applied under it. `seedsOf`: the migration of today whose example rows it takes. */
export type LandedFile = { readonly name: string; readonly content: string; readonly seedsOf: string }
export type LandedSchema = { readonly title: string; readonly files: readonly LandedFile[] }

/** What one landing did: a file is new or edited (perhaps as a variant of today's), has another name than today, or is taken away. */
type Change =
  | { readonly file: string; readonly of?: string; readonly edit?: (content: string) => string }
  | { readonly gone: string }
  | { readonly renamed: string; readonly to: string }

/** The last landing before checksums were recorded. From then on each file is one landing. */
const LAST_FREE = '0041'

const replaced =
  (...pairs: readonly (readonly [string, string])[]) =>
  (content: string): string =>
    pairs.reduce((text, [now, then]) => {
      if (!text.includes(now)) throw new Error(`a landed migration has changed: ${now} is missing`)
      return text.replace(now, then)
    }, content)

const noLimitByDefault = replaced(['sponsored_per_day integer default 200', 'sponsored_per_day integer'])
const withoutTwoIndexes = replaced(
  [
    "create index grants_sponsored on grants (created_at) where kind = 'initiate' and sponsor is not null;",
    'alter table apps alter column sponsored_per_day set default 200;',
  ],
  [
    'create index orders_open_by_seq on orders (seq) where closed_at is null;',
    'update apps set sponsored_per_day = 200 where sponsored_per_day is null;',
  ],
)
const withShards = replaced([
  '  order_id text not null\n) with',
  '  order_id text not null,\n  shard smallint not null generated always as (shard_of(order_id)) stored\n) with',
])
const withoutHashIndex = replaced(['create index cosigned_redeems_by_transaction on cosigned_redeems using hash (transaction);', ''])
const withoutRiskIndex = replaced(['create index order_risks_created on order_risks (created_at);', ''])
const undatedProposals = replaced([
  '  pays numeric(78, 0) not null,\n  at timestamptz not null default now(),',
  '  pays numeric(78, 0) not null,',
])
const factsMark = () => 'create function facts_mark(of_order text) returns bigint language sql stable as $$ select 0::bigint $$;'

const landings: readonly (readonly Change[])[] = [
  [{ file: '0001_core.sql' }, { file: '0002_solver.sql' }],
  [{ file: '0003_apps.sql' }],
  [{ file: '0004_order_list.sql' }, { file: '0005_client_secrets.sql' }],
  [{ file: '0006_watch.sql' }],
  [{ file: '0007_fills.sql', edit: undatedProposals }],
  [{ file: '0007_fills.sql' }],
  [{ file: '0008_gasless.sql', edit: noLimitByDefault }],
  [{ file: '0009_finality.sql' }],
  [{ file: '0010_reverts.sql', edit: withoutTwoIndexes }],
  [{ file: '0008_gasless.sql' }, { file: '0010_reverts.sql' }],
  [{ file: '0011_skipped_heights.sql', of: '0012_skipped_heights.sql' }],
  [{ gone: '0011_skipped_heights.sql' }, { file: '0011_consent.sql' }],
  [{ file: '0011_skipped_heights.sql', of: '0012_skipped_heights.sql' }],
  [{ file: '0012_expiry.sql', of: '0013_expiry.sql' }],
  [{ file: '0013_secret_signed.sql', of: '0015_secret_signed.sql' }],
  [{ file: '0013_prefunds.sql', of: '0014_prefunds.sql' }],
  [{ file: '0014_order_key_and_payer.sql', of: '0016_order_key_and_payer.sql' }],
  [
    { renamed: '0011_skipped_heights.sql', to: '0012_skipped_heights.sql' },
    { renamed: '0012_expiry.sql', to: '0013_expiry.sql' },
    { renamed: '0013_prefunds.sql', to: '0014_prefunds.sql' },
    { renamed: '0013_secret_signed.sql', to: '0015_secret_signed.sql' },
    { renamed: '0014_order_key_and_payer.sql', to: '0016_order_key_and_payer.sql' },
  ],
  [{ file: '0017_refused_attempts.sql' }],
  [{ file: '0019_nonces.sql' }],
  [{ file: '0020_touched_orders.sql', edit: withShards }],
  [{ file: '0020_touched_orders.sql' }],
  [{ file: '0022_inventory_marks.sql', of: '0021_inventory_marks.sql' }],
  [{ file: '0018_polls.sql' }],
  [{ file: '0023_considered_deposits.sql', of: '0022_considered_deposits.sql' }],
  [
    { renamed: '0022_inventory_marks.sql', to: '0021_inventory_marks.sql' },
    { renamed: '0023_considered_deposits.sql', to: '0022_considered_deposits.sql' },
  ],
  [{ file: '0025_record_poll.sql' }],
  [{ file: '0026_derive_orders.sql' }],
  [{ file: '0028_open_swaps.sql', of: '0027_open_swaps.sql' }],
  [{ file: '0030_signing_counts.sql', of: '0028_signing_counts.sql' }],
  [{ file: '0023_attempt_numbers.sql' }, { file: '0024_due_actions.sql', edit: withoutHashIndex }],
  [{ file: '0029_facts_marks.sql', of: '0001_core.sql', edit: factsMark }],
  [{ file: '0024_due_actions.sql' }],
  [{ gone: '0029_facts_marks.sql' }],
  [
    { renamed: '0028_open_swaps.sql', to: '0027_open_swaps.sql' },
    { renamed: '0030_signing_counts.sql', to: '0028_signing_counts.sql' },
  ],
  [{ file: '0029_actions_by_chain.sql' }],
  [{ file: '0030_inventory_marks_of_solvers.sql' }],
  [{ file: '0031_orders_with_news.sql' }],
  [{ file: '0031_revert_weights.sql', of: '0032_revert_weights.sql' }],
  [{ renamed: '0031_revert_weights.sql', to: '0032_revert_weights.sql' }],
  [{ file: '0033_risk.sql', edit: withoutRiskIndex }],
  [{ file: '0034_ledger.sql' }],
  [{ file: '0035_price_records.sql' }],
  [{ file: '0033_risk.sql' }],
  [{ file: '0036_paid_refunds.sql' }],
  [{ file: '0037_failed_payouts.sql' }],
  [{ file: '0038_explain.sql' }],
  [{ file: '0039_customers.sql' }],
  [{ file: '0040_order_events.sql' }],
  [{ file: '0041_webhooks.sql' }],
]

/** Oldest first. The last one is that of today. */
export function landedSchemas(migrations: readonly Migration[]): readonly LandedSchema[] {
  const later = migrations.filter(({ name }) => name.slice(0, 4) > LAST_FREE).map(({ name }): readonly Change[] => [{ file: name }])
  const files = new Map<string, LandedFile>()
  return [...landings, ...later].map((changes, index) => {
    for (const change of changes) apply(files, change, migrations)
    const sorted = [...files.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    return { title: `${index + 1}: ${changes.map(titleOf).join(', ')}`, files: sorted }
  })
}

function apply(files: Map<string, LandedFile>, change: Change, migrations: readonly Migration[]): void {
  if ('gone' in change) files.delete(change.gone)
  else if ('renamed' in change) {
    const known = files.get(change.renamed)
    if (known === undefined) throw new Error(`${change.renamed} did not land before`)
    files.delete(change.renamed)
    files.set(change.to, { ...known, name: change.to })
  } else {
    const { file, of = file, edit = (content: string) => content } = change
    const today = migrations.find(({ name }) => name === of)
    if (today === undefined) throw new Error(`there is no migration ${of}`)
    files.set(file, { name: file, content: edit(today.content), seedsOf: of })
  }
}

function titleOf(change: Change): string {
  if ('gone' in change) return `without ${change.gone}`
  if ('renamed' in change) return `${change.renamed} is ${change.to}`
  return change.edit === undefined ? change.file : `${change.file} before its edit`
}
