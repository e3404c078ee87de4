/**
 * Decides whether a withdrawal may be signed now, by the configuration of this process and the release log. The rows are only wishes: whoever can write
 * the database can ask for one, and gets inventory sent to addresses of the operator at most.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import type { Keyring } from '@tandem/keys/keyring.ts'
import type { RollbackGuard } from '@tandem/party/engine/rollback/rollback-guard.ts'
import type { WithdrawalRules } from '@tandem/party/engine/withdrawals/withdrawals.ts'
import type { PriceFeed } from '@tandem/party/prices/feed.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { countWithdrawal, type Withdrawal } from '@tandem/party/store/solver/withdrawals.ts'
import { formatUsd, usdMicros } from '@tandem/protocol/amount.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { Inventory } from '../inventory.ts'
import { type WithdrawalSettings, whyNotAllowed } from './settings.ts'

const MAX_SEEN = 10_000

export function createWithdrawalRules(options: {
  readonly db: Database
  readonly registry: Registry
  readonly keys: Keyring
  readonly prices: Pick<PriceFeed, 'find'>
  readonly guard: Pick<RollbackGuard, 'transfersOf' | 'whyHeld' | 'assertWritable' | 'noteTransfer'>
  readonly inventory: Pick<Inventory, 'free' | 'whileNotGranting'>
  readonly settings: WithdrawalSettings
  readonly log: Pick<Logger, 'error'>
  readonly now: () => bigint
}): WithdrawalRules {
  const { db, registry, keys, prices, guard, inventory, settings, log, now } = options
  /** A row could claim any time, so the delay counts from when this process first saw what it says. */
  const seenAt = new Map<string, bigint>()
  const refused = new Set<string>()

  function firstSeen(withdrawal: Withdrawal): bigint {
    const name = `${withdrawal.id} ${paysOf(withdrawal)}`
    const first = seenAt.get(name)
    if (first !== undefined) return first
    const [oldest] = seenAt.keys()
    if (seenAt.size >= MAX_SEEN && oldest !== undefined) seenAt.delete(oldest)
    seenAt.set(name, now())
    return now()
  }

  function assertAllowed(withdrawal: Withdrawal): void {
    const why = whyNotAllowed(settings, withdrawal)
    if (why === null) return
    const { id, chain, asset, recipient, amount } = withdrawal
    // Each is logged once: the operator must see a row that somebody else wrote.
    if (!refused.has(id)) {
      if (refused.size >= MAX_SEEN) refused.clear()
      refused.add(id)
      log.error(
        { withdrawal: id, chain, asset, recipient, amount: amount.toString(), why },
        'a withdrawal that the configuration does not allow is refused: if you did not ask for it, somebody else writes this database',
      )
    }
    throw refusal(why)
  }

  function assertDelayOver(withdrawal: Withdrawal): void {
    const seen = firstSeen(withdrawal) + settings.delaySeconds
    const asked = BigInt(Math.ceil(withdrawal.notBefore.getTime() / 1000))
    const from = seen > asked ? seen : asked
    if (now() < from) throw refusal(`it is sent from ${new Date(Number(from) * 1000).toISOString()} on`)
  }

  function worthOf({ asset, amount }: Withdrawal): bigint | null {
    const price = prices.find(asset)
    if (price !== null) return usdMicros(amount, registry.asset(asset).decimals, price)
    if (settings.maxUsdMicros === null) return null
    throw refusal(`there is no price of ${asset}, so withdrawals.max_usd_per_day cannot be kept: it is sent when there is one`)
  }

  function assertNoneLost({ key }: Withdrawal, attempts: readonly Attempt[]): void {
    const lost = guard.transfersOf(key).find(({ tx }) => !attempts.some((attempt) => attempt.tx === tx))
    if (lost === undefined) return
    throw refusal(
      `the transfer ${lost.tx} of it was signed before, and the database has lost it: check the address on the chain, and do not ask again before`,
    )
  }

  /** No order is granted inventory between the check and the count, and of wishes that exceed what there is together the first one is sent. */
  async function grant(withdrawal: Withdrawal): Promise<void> {
    const { id, asset, amount } = withdrawal
    const worth = worthOf(withdrawal)
    await inventory.whileNotGranting(asset, async () => {
      const { free, balance, orders, fees } = await inventory.free(asset, id)
      if (amount > free)
        throw refusal(
          `${free} of ${asset} can be sent, not ${amount}: the balance is ${balance}, orders need ${orders}, and network fees of orders in flight ${fees}`,
        )
      const over = await countWithdrawal(db, id, { usdMicros: worth, limit: settings.maxUsdMicros })
      if (over !== null)
        throw refusal(
          `it is worth ${formatUsd(worth ?? 0n)} dollars, and ${formatUsd(over.left)} are left of withdrawals.max_usd_per_day for these 24 hours`,
        )
    })
  }

  return {
    keyOf: (client) => keys.of(client),
    noteSeen(withdrawal) {
      // What is refused needs no delay, and must not evict what was seen before.
      if (whyNotAllowed(settings, withdrawal) === null) firstSeen(withdrawal)
    },
    async authorize(withdrawal, attempts) {
      assertAllowed(withdrawal)
      // Where transactions expire, nothing would exclude another one beside the lost one.
      assertNoneLost(withdrawal, attempts)
      const signed = guard.transfersOf(withdrawal.key)
      if (signed.some(({ pays }) => pays !== paysOf(withdrawal)))
        throw refusal('it was changed after it was signed: somebody else writes this database')
      // It may be sent again as it was recorded.
      if (signed.length > 0) return
      const held = await guard.whyHeld()
      if (held !== null) throw refusal(`nothing is sent until \`tandem confirm-restore\`: ${held}`)
      assertDelayOver(withdrawal)
      await grant(withdrawal)
    },
    assertNoneLost,
    assertNotable: guard.assertWritable,
    onRecorded: (withdrawal, tx) => guard.noteTransfer(withdrawal.key, tx, paysOf(withdrawal)),
  }
}

const paysOf = ({ chain, asset, recipient, amount }: Withdrawal) => `${amount} ${asset} on ${chain} to ${recipient}`

function refusal(why: string): ChainFailure {
  return new ChainFailure('would-fail', why)
}
