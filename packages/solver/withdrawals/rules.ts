/**
 * Decides whether a withdrawal may be signed now, by the configuration of this process and the release log. The rows are only wishes: whoever can write
 * the database can ask for one, and gets inventory sent to addresses of the operator at most.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
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
import { type WithdrawalSettings, whyNotListed } from './settings.ts'

const MAX_SEEN = 10_000

export function createWithdrawalRules(options: {
  readonly db: Database
  readonly registry: Registry
  readonly keys: Keyring
  readonly prices: Pick<PriceFeed, 'find'>
  readonly guard: Pick<RollbackGuard, 'hasSignedWithdrawal' | 'whyHeld' | 'assertWritable' | 'noteAttempt'>
  readonly inventory: Pick<Inventory, 'free' | 'whileNotGranting'>
  readonly settings: WithdrawalSettings
  readonly log: Pick<Logger, 'error'>
  readonly now: () => bigint
}): WithdrawalRules {
  const { db, registry, keys, prices, guard, inventory, settings, log, now } = options
  /** A row could claim any time, so the delay counts from when this process first saw it. */
  const seenAt = new Map<string, bigint>()
  const refused = new Set<string>()

  function noteSeen(withdrawal: Withdrawal): bigint {
    const { id } = withdrawal
    const first = seenAt.get(id)
    if (first !== undefined) return first
    const [oldest] = seenAt.keys()
    if (seenAt.size >= MAX_SEEN && oldest !== undefined) seenAt.delete(oldest)
    seenAt.set(id, now())
    return now()
  }

  function assertListed(withdrawal: Withdrawal): void {
    const why = whyNotListed(settings, withdrawal)
    if (why === null) return
    const { id, chain, asset, recipient, amount } = withdrawal
    // Each is logged once: the operator must see a row that somebody else wrote.
    if (!refused.has(id)) {
      if (refused.size >= MAX_SEEN) refused.clear()
      refused.add(id)
      log.error(
        { withdrawal: id, chain, asset, recipient, amount: amount.toString(), why },
        'a withdrawal to an address that the configuration does not list is refused: if you did not ask for it, somebody else writes this database',
      )
    }
    throw refusal(why)
  }

  function assertDelayOver(withdrawal: Withdrawal): void {
    const seen = noteSeen(withdrawal) + settings.delaySeconds
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

  /** No order is granted inventory between the check and the count. */
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
    noteSeen,
    async authorize(withdrawal) {
      assertListed(withdrawal)
      if (guard.hasSignedWithdrawal(withdrawal.key)) {
        // It may be sent again as it was recorded.
        if (withdrawal.isSigned) return
        throw refusal('a transfer of it was signed before, and the database has lost it: check the address on the chain, and cancel this')
      }
      const held = await guard.whyHeld()
      if (held !== null) throw refusal(`nothing is sent until \`tandem confirm-restore\`: ${held}`)
      assertDelayOver(withdrawal)
      await grant(withdrawal)
    },
    assertNotable: guard.assertWritable,
    onRecorded: (key, tx) => guard.noteAttempt(key, tx),
  }
}

function refusal(why: string): ChainFailure {
  return new ChainFailure('would-fail', why)
}
