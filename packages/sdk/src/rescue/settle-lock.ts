/** Refunds or redeems a lock that `findLocks` found, by a wallet or by a call that anybody can send. Everything is read again before a secret is shown. */

import { verifySame, verifyThat } from '@tandem/chain-kit/browser/check.ts'
import type { Node, RedeemCall, SdkFamily, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { NotPossibleError } from '@tandem/chain-kit/browser/refusals.ts'
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import { requiredConfirmations } from '@tandem/protocol/confirmations.ts'
import { type Hex32, hashSecret } from '@tandem/protocol/secret.ts'
import { addressOn } from '../families/parse-address.ts'
import { nodeOf, type SwapContext } from '../swap/context.ts'
import { verifyTimeLeft } from '../swap/time-left.ts'
import { chainNamed, pinnedAsset } from '../verify/pinned.ts'
import { type FoundLock, sideOf } from './find-locks.ts'

/** A `destination` needs both: anybody can make a lock with the hash of the user's secret that pays somebody else, or too little. */
export type SettleTerms = {
  /** The user's own address on this chain. */
  readonly recipient?: string
  /** The minimum that the user agreed to get. */
  readonly minToAmount?: bigint
  readonly signal?: AbortSignal
}

/** Resolves to the hash of the transaction. `wallet`: pays the fee. A redeem takes anybody's of the chain, a refund that of the account that paid. */
export async function settleLock(
  context: SwapContext,
  found: FoundLock,
  { wallet, ...given }: SettleTerms & { readonly wallet: Wallet },
): Promise<string> {
  const { side, family, node } = await openLock(context, found, given)
  if (!wallet.families.includes(side.chain.family))
    throw new NotPossibleError('wrong_wallet', side.chain.id, `the wallet does not work on ${side.chain.id}`)
  const { refund, redeem } = family
  if (refund === undefined || redeem === undefined) throw new Error(`on ${side.chain.id} the user's own key settles: use takeDeposit`)
  await family.verifyWallet?.(side, { wallet, node }, 'settle')
  return side.leg === 'source' ? refund(side, { wallet, node }) : redeem(side, await secretOf(context, found), { wallet, node })
}

/** The same as a call for anybody to send: EVM chains, Tron and HyperCore. With a `destination` it holds the secret: send it at once, or show it to nobody. */
export async function lockCall(context: SwapContext, found: FoundLock, given: SettleTerms = {}): Promise<RedeemCall> {
  const { side, family } = await openLock(context, found, given)
  const { refundCall, redeemCall } = family
  if (refundCall === undefined || redeemCall === undefined) throw new Error(`on ${side.chain.id} a wallet sends it: use settleLock`)
  return side.leg === 'source' ? refundCall(side) : redeemCall(side, await secretOf(context, found))
}

type Opened = { readonly side: SwapSide; readonly family: SdkFamily; readonly node: Node }

/** The contract is the pinned one, whatever `found` says: it may have been kept for a while, or come from elsewhere. */
async function openLock(
  context: SwapContext,
  { chain: id, asset: assetId, leg, terms, tx }: FoundLock,
  given: SettleTerms,
): Promise<Opened> {
  const { asset, deployment } = await pinnedAsset(assetId, context.options.deployments ?? {}, context.options.registry)
  const chain = chainNamed(id, context.options.registry)
  verifySame('lock.chain', chain.id, asset.chain)
  const family = await loadFamily(chain.family)
  const node = nodeOf(context, chain, given.signal)
  if (node === null) throw new NotPossibleError('no_node', chain.id, `name a node of ${chain.id} in the option nodes`)
  const side = sideOf(chain, { asset, deployment, leg, terms, tx })
  if (side.leg === 'destination') verifyPayout(side, family, given)
  const lock = await family.readLock(side, node)
  if (lock === null)
    throw new NotPossibleError(
      'nothing_there',
      chain.id,
      `the node shows no open lock with these terms on ${chain.id}: it is settled, or was never made`,
    )
  if (side.leg === 'source' && lock.unitsLeft > 0n)
    throw new NotPossibleError(
      'timelock',
      chain.id,
      `the timelock of this payment on ${chain.id} has not ended yet: ${lock.unitsLeft} ${chain.clock.unit} are left`,
    )
  if (side.leg === 'destination') {
    if (lock.confirmations < requiredConfirmations(chain, asset, terms.amount, 'destination'))
      throw new NotPossibleError('unconfirmed', chain.id, `the payment on ${chain.id} is not confirmed yet: nothing was revealed`)
    verifyTimeLeft(chain, lock.unitsLeft)
  }
  return { side, family, node }
}

function verifyPayout({ chain, terms }: SwapSide, family: SdkFamily, { recipient, minToAmount }: SettleTerms): void {
  if (recipient === undefined) throw new Error('name your own address in recipient: only then the secret is shown')
  verifySame('lock.redeemer', addressOn(family, chain, recipient), terms.redeemer)
  verifyAgreed(terms.amount, minToAmount)
}

/**
 * What the user agreed to get, from the user's own notes: neither the phrase nor a chain knows it. The hash of a secret is public, so anybody can lock a
 * little for it, the solver first of all. A redeem of that would reveal the secret, and the solver would take the user's whole payment.
 */
export function verifyAgreed(amount: bigint, minToAmount: bigint | undefined): void {
  if (minToAmount === undefined || minToAmount <= 0n)
    throw new Error('say in minToAmount what you agreed to get, in the smallest unit and more than 0: only then the secret is shown')
  verifyThat(amount >= minToAmount, 'lock.amount', `at least ${minToAmount}`, amount.toString())
}

/** Throws if the lock is for another secret: this one would be revealed for nothing. */
async function secretOf({ keys }: SwapContext, { index, terms }: FoundLock): Promise<Hex32> {
  const secret = await keys.secretFor(index)
  verifySame('lock.secretHash', hashSecret(secret), terms.secretHash)
  return secret
}
