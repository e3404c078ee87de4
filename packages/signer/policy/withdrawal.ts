/**
 * A withdrawal goes to a listed address, after a delay that begins when the signer first sees it, and within a limit for each day. Above a size it needs the
 * signature of a second operator, which is used once.
 */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { PriceFeed } from '@tandem/party/prices/feed.ts'
import { usdMicros } from '@tandem/protocol/amount.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { Entry, WithdrawalEntry } from '../journal/entries.ts'
import { type History, paysOf } from '../journal/history.ts'
import type { AskedPurpose } from '../wire/question.ts'
import { type Decision, Refusal, type Request } from './request.ts'

export type WithdrawalRules = {
  /** The canonical addresses of each chain. */
  readonly addresses: ReadonlyMap<ChainId, readonly string[]>
  readonly delaySeconds: number
  readonly maxPerDay: bigint | null
  /** Above this worth a second signature is needed. Null means that none is. */
  readonly approvedAbove: bigint | null
}

export type WithdrawalContext = {
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly prices: Pick<PriceFeed, 'find'>
  readonly history: Pick<History, 'withdrawalSeenAt' | 'replacesWithdrawal' | 'isUsedApproval'>
  readonly withdrawals: WithdrawalRules
  /** Returns the ids of all approvals of a second operator for exactly this, used or not. */
  findApprovals(pays: string): Promise<readonly string[]>
  /** What was seen is written at once, although it is not granted. */
  noteSeen(entry: Entry): Promise<void>
}

type Withdrawal = Extract<AskedPurpose, { readonly kind: 'withdraw' }>

export async function readWithdrawal(context: WithdrawalContext, purpose: Withdrawal, request: Request): Promise<Decision> {
  const { history, withdrawals } = context
  const { asked, fee, usedUp } = request
  const { asset, amount } = purpose
  const { chain } = asked
  const recipient = canonical(context, chain, purpose.recipient)
  if (withdrawals.addresses.get(chain)?.includes(recipient) !== true)
    throw new Refusal(`${recipient} is not in withdrawals.addresses.${chain} of the signer`)
  if (amount <= 0n || !context.registry.assetsOf(chain).some(({ id }) => id === asset))
    throw new Refusal(`${amount} of ${asset} cannot be sent`)
  const about = { asset, recipient, amount: amount.toString() }
  const pays = paysOf({ chain, ...about })
  const worth = worthOf(context, purpose)
  const isReplacement = history.replacesWithdrawal(pays, usedUp)
  if (!isReplacement) await assertSeenLongAgo(context, { kind: 'withdrawal-seen', ...asked, ...about }, pays)
  const isLarge = withdrawals.approvedAbove !== null && (worth === null || worth > withdrawals.approvedAbove)
  const approvals = isLarge && !isReplacement ? await context.findApprovals(pays) : []
  const approval = approvals.find((id) => !history.isUsedApproval(id)) ?? null
  if (isLarge && !isReplacement && approval === null)
    throw new Refusal(
      `${pays} is worth more than withdrawals.approved_above_usd: a second operator must approve it with \`tandem signer approve\``,
    )
  const entry: WithdrawalEntry = {
    kind: 'withdrawal',
    ...asked,
    fee,
    ...about,
    worth: (worth ?? 0n).toString(),
    used_up: [...usedUp],
    approval,
  }
  return (now) => {
    const why = now.whyNotWithdraw(entry, withdrawals.maxPerDay)
    if (why !== null) throw new Refusal(why)
    // One like it may have been granted meanwhile. It used up the wait.
    if (withdrawals.delaySeconds > 0 && now.withdrawalSeenAt(pays) === null && !now.replacesWithdrawal(pays, usedUp))
      throw new Refusal(`${pays}: one like it was signed at this moment, and the next one waits again`)
    return entry
  }
}

/** A repeat of what was granted waits as long as the first time: it pays again. */
async function assertSeenLongAgo(
  { history, withdrawals, noteSeen }: WithdrawalContext,
  seen: Extract<Entry, { kind: 'withdrawal-seen' }>,
  pays: string,
) {
  const { delaySeconds } = withdrawals
  if (delaySeconds === 0) return
  const first = history.withdrawalSeenAt(pays)
  if (first === null) await noteSeen(seen)
  const from = (first ?? seen.at) + delaySeconds
  if (seen.at < from) throw new Refusal(`${pays}: it is signed from ${new Date(from * 1000).toISOString()} on`)
}

/** Null means that there is no price, and that no limit needs one. */
function worthOf({ registry, prices, withdrawals }: WithdrawalContext, { asset, amount }: Withdrawal): bigint | null {
  const price = prices.find(asset)
  if (price !== null) return usdMicros(amount, registry.asset(asset).decimals, price)
  if (withdrawals.maxPerDay === null) return null
  throw new Refusal(`the signer has no price of ${asset}, so withdrawals.max_usd_per_day cannot be kept`)
}

function canonical({ clients }: WithdrawalContext, chain: ChainId, text: string): string {
  try {
    return clients.get(chain)?.text.parseAddress(text) ?? text
  } catch (error) {
    if (error instanceof TandemError) throw new Refusal(error.message)
    throw error
  }
}
