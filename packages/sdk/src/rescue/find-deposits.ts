/**
 * Finds the user's money on chains where their own key takes part, with the phrase and a node alone: no service, no file. The address of an HTLC follows from
 * the user's key, the secret and the registry's timelock, which the phrase knows, and from the solver's key: all that are known are tried (`solver-keys.ts`).
 */

import type { KeySide, Node, OwnKeys } from '@tandem/chain-kit/browser/family.ts'
import { NotPossibleError } from '@tandem/chain-kit/browser/refusals.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import { requiredConfirmations } from '@tandem/protocol/confirmations.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import { nodeOf, type SwapContext } from '../swap/context.ts'
import { verifyTimeLeft } from '../swap/time-left.ts'
import { chainNamed, pinnedAsset } from '../verify/pinned.ts'
import { verifyAgreed } from './settle-lock.ts'
import { solverKeysOn } from './solver-keys.ts'

const GAP = 20
/** This limit ends the search at a node that shows deposits everywhere. */
const MAX_INDICES = 20_000

export type FindOptions = {
  /**
   * These are public keys of further solvers. In any order with them it is the `redeemer` of the source, or the `initiator` of the
   * destination.
   */
  readonly solvers?: readonly string[]
  /** The search reads at least this many indices: unused ones may have been of swaps on other chains. */
  readonly atLeast?: number
  /** The search ends after this many unused indices in a row. The default is 20. */
  readonly gap?: number
  /** It is called for each chain that cannot be searched. The other chains are searched. By default the first problem is thrown. */
  readonly onProblem?: (on: { readonly chain: string; readonly chainName: string; readonly problem: string }) => void
  readonly signal?: AbortSignal
}

/** `source`: the user's deposit, refunded after the timelock. `destination`: the solver's payment, redeemed with the secret, which then pays the solver. */
export type FoundDeposit = {
  readonly chain: string
  readonly asset: string
  readonly index: number
  readonly leg: Leg
  readonly solver: string
  /**
   * This is the sum of all deposits on the source. On the destination it is the largest deposit: only one is redeemed, and anybody can add
   * more.
   */
  readonly amount: bigint
}

/** Searches all chains of `nodes` that have keys of users. */
export async function findDeposits(
  context: SwapContext,
  { solvers = [], onProblem, ...options }: FindOptions = {},
): Promise<readonly FoundDeposit[]> {
  const found: FoundDeposit[] = []
  const [searched, unknown]: [string[], string[]] = [[], []]
  for (const chain of Object.keys(context.options.nodes ?? {})) {
    const { family, displayName: chainName } = chainNamed(chain, context.options.registry)
    const { ownKeys } = await loadFamily(family)
    if (ownKeys === undefined) continue
    const known = await solverKeysOn(context, chain, ownKeys, solvers)
    ;(known.length === 0 ? unknown : searched).push(chain)
    if (known.length === 0) onProblem?.({ chain, chainName, problem: keysMissing([chain]) })
    try {
      found.push(...(await findOn(context, chain, ownKeys, { ...options, solvers: known })))
    } catch (error) {
      options.signal?.throwIfAborted()
      if (onProblem === undefined) throw error
      onProblem({ chain, chainName, problem: error instanceof Error ? error.message : String(error) })
    }
  }
  if (onProblem === undefined && searched.length === 0 && unknown.length > 0) throw new Error(keysMissing(unknown))
  return found
}

const keysMissing = (chains: readonly string[]) =>
  `no solver's public key is known on ${chains.join(', ')}: name those that you have swapped with in solvers`

async function findOn(
  context: SwapContext,
  chain: string,
  ownKeys: OwnKeys,
  { solvers, gap = GAP, atLeast = 0, signal }: FindOptions & { readonly solvers: readonly string[] },
) {
  const found: FoundDeposit[] = []
  const node = nodeOf(context, chainNamed(chain, context.options.registry), signal)
  if (node === null || solvers.length === 0) return found
  for (let [index, unused] = [0, 0]; unused < gap || index < atLeast; index += 1) {
    if (index >= MAX_INDICES) throw new Error(`the node of ${chain} shows payments for ${MAX_INDICES} indices: it does not tell the truth`)
    unused += 1
    for (const solver of solvers) {
      for (const leg of ['source', 'destination'] as const) {
        const { side } = await sideOf(context, { chain, index, leg, solver, amount: 1n })
        const { isUsed, amount: all, largest } = await ownKeys.addressUse(side, node)
        if (isUsed) unused = 0
        const amount = leg === 'source' ? all : largest
        if (amount > 0n) found.push({ chain, asset: side.asset.id, index, leg, solver, amount })
      }
    }
  }
  return found
}

export type TakeOptions = {
  /** The least that the user agreed to get, in the smallest unit. A `destination` needs it. */
  readonly minToAmount?: bigint
  /** Raises the fee of a transaction that an earlier call has sent and no block has taken, where nodes allow it. The default is false. */
  readonly bump?: boolean
  readonly signal?: AbortSignal
}

/** Refunds a deposit, or redeems a payment of at least what was found. `to`: an address of the user. Resolves to the hash. A repeat sends nothing twice. */
export async function takeDeposit(
  context: SwapContext,
  deposit: FoundDeposit,
  to: string,
  { minToAmount, bump = false, signal }: TakeOptions = {},
) {
  if (deposit.leg === 'destination') verifyAgreed(deposit.amount, minToAmount)
  const found = await sideOf(context, deposit)
  const { side, ownKeys } = found
  const node = nodeOf(context, side.chain, signal)
  if (node === null) throw new NotPossibleError('no_node', deposit.chain, `name a node of ${deposit.chain} in the option nodes`)
  const by = { privateKey: await context.keys.keyFor(deposit.index, deposit.leg), to, node, bump }
  if (deposit.leg === 'source') return ownKeys.refund(side, by)
  const secret = await context.keys.secretFor(deposit.index)
  // Once the secret is out, only a redeem in a block helps: the solver can refund after the timelock.
  const outpoint = (await ownKeys.sentRedeem(side, secret, node)) ?? (await verifiedDeposit(found, node))
  return ownKeys.redeem(side, secret, outpoint, by)
}

/** Returns the deposit of the user's payout for which the secret may be shown. */
async function verifiedDeposit({ side, ownKeys }: Found, node: Node): Promise<string> {
  const { chain, asset, terms } = side
  const lock = await ownKeys.readLock(side, node)
  if (lock === null || lock.confirmations < requiredConfirmations(chain, asset, terms.amount, 'destination'))
    throw new NotPossibleError(
      'unconfirmed',
      chain.id,
      `the payment on ${chain.id} is not confirmed yet, is in several parts, or was taken: nothing was revealed now`,
    )
  verifyTimeLeft(chain, lock.unitsLeft)
  return lock.deposit
}

type Found = { readonly side: KeySide; readonly ownKeys: OwnKeys }

async function sideOf(
  { keys, options }: SwapContext,
  { chain: id, index, leg, solver, amount }: Omit<FoundDeposit, 'asset'>,
): Promise<Found> {
  const { chain, asset } = await pinnedAsset(chainNamed(id, options.registry).nativeAsset, options.deployments ?? {}, options.registry)
  const family = await loadFamily(chain.family)
  if (family.ownKeys === undefined) throw new Error(`${id} has no keys of users`)
  const owner = family.ownKeys.publicKeyOf(await keys.keyFor(index, leg))
  const [initiator, redeemer] = leg === 'source' ? [owner, solver] : [solver, owner]
  const secretHash = hashSecret(await keys.secretFor(index))
  const terms = { asset: asset.id, initiator, redeemer, amount, secretHash, timelock: chain.timelocks[leg] }
  return { side: { chain, asset, terms, owner }, ownKeys: family.ownKeys }
}
