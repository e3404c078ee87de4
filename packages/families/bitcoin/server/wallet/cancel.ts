/**
 * Cancels an initiation: one transaction spends at least one coin of every attempt back to the signer's wallet.
 * An initiation is cancelled when no attempt can be mined: for each, a block has another spend of one of its coins. A reorg may undo
 * that, and then the action must be cancelled again.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { OtherAttempt } from '@tandem/chain-kit/port/outbox.ts'
import { scriptOfAddress, walletAddress } from '../../terms/script/address.ts'
import { estimateVsize, WALLET_WITNESS } from '../../terms/script/weight.ts'
import { affordableFee, type ReplacedFee } from '../../terms/wallet/fees.ts'
import { splitOutpoint, totalOf } from '../../terms/wallet/sign.ts'
import { type BuildRequest, execute, type Inspection, shareSlot, totalFee, whoSpent } from '../execute.ts'
import type { Draft, Execution, HeldExecution, KnownAttempt } from '../execution.ts'
import type { BitcoinBackend } from '../nodes/backend.ts'
import { type Outpoint, parseTransaction } from '../script/transaction.ts'
import { bitcoinSigning } from '../signing.ts'
import { assertReplaces, hasWantedDescendant, splitAttempts, withAmounts } from './own-payments.ts'

/**
 * mined: the attempt is in a block, and it is too late to cancel.
 * dead: a mined transaction spends one of its coins, so it can never be mined.
 * held: an unconfirmed transaction of another action, or of somebody else with the same key, spends one of its coins.
 * open: it could be mined; `coins` can be spent instead, `conflicts` are our own unconfirmed transactions that spend them now.
 */
type AttemptState =
  | { readonly kind: 'mined' | 'dead' }
  | { readonly kind: 'held'; readonly by: string }
  | { readonly kind: 'open'; readonly attempt: KnownAttempt; readonly coins: readonly Outpoint[]; readonly conflicts: readonly string[] }

type Open = Extract<AttemptState, { kind: 'open' }>

export async function cancelInitiation(execution: Execution): Promise<string | null> {
  const { backend, network, outbox } = execution
  const ownScript = scriptOfAddress(walletAddress(outbox.key.publicKey, network), network)
  const { payments, cancels } = splitAttempts(outbox, ownScript)
  const states: AttemptState[] = []
  for (const payment of payments) states.push(await stateOf(execution, payment, [...payments, ...cancels]))
  if (states.some((state) => state.kind === 'mined')) return null
  const open = states.filter((state) => state.kind === 'open')
  const held = states.find((state) => state.kind === 'held')
  if (open.length === 0) return held?.by ?? null

  // Cancelling the parent would strand the child: its coin might come back in a reorg, so the child's action could not safely pay from other coins.
  function assertNoChild(others: readonly OtherAttempt[]): void {
    const parent = open.find(({ attempt }) => hasWantedDescendant({ ...outbox, others }, attempt))
    // An error makes the caller retry, while null would mean that it is cancelled. It is cancelled once no wanted payment spends its change.
    if (parent !== undefined)
      throw new ChainFailure('would-fail', `${parent.attempt.tx} is not cancelled while another payment spends its change`)
  }

  async function inspect(): Promise<Inspection> {
    assertNoChild(execution.others)
    const conflicts = new Set(open.flatMap((state) => state.conflicts))
    if (conflicts.size > 0) assertReplaces(network)
    const replaced = totalFee(await feesOf(backend, conflicts))
    return replaced === null ? { kind: 'clear' } : { kind: 'conflict', replaced }
  }

  async function build({ feeRate, replaced, live }: BuildRequest, held: HeldExecution): Promise<Draft> {
    assertNoChild(held.others)
    const coins = await withAmounts(backend, live === null ? coinsAgainst(open, held.others) : live.slots)
    const total = totalOf(coins)
    const vsize = estimateVsize(Array<readonly number[]>(coins.length).fill(WALLET_WITNESS), [ownScript])
    const fee = affordableFee(vsize, feeRate, replaced, total, ownScript, network)
    const outputs = [{ amount: total - fee, script: ownScript }]
    return { signed: await bitcoinSigning.sign('walletPayment', held.signer, coins, outputs), fee }
  }

  return execute(execution, {
    attempts: cancels.filter((cancel) => open.every(({ attempt }) => shareSlot(cancel, attempt))),
    inspect,
    build,
    restoreInputs: async () => false,
    mayReplace: () => true,
  })
}

async function stateOf(execution: Execution, attempt: KnownAttempt, own: readonly KnownAttempt[]): Promise<AttemptState> {
  const coins: Outpoint[] = []
  const conflicts: string[] = []
  let held: string | null = null
  for (const slot of attempt.slots) {
    if ((await execution.backend.output(slot)).state === 'unspent') {
      coins.push(slot)
      continue
    }
    const spender = await whoSpent(execution, slot, own)
    if (spender === null) {
      const parent = await stateOfParent(execution, slot)
      if (parent?.kind === 'dead') return parent
      if (parent?.kind === 'held') held = parent.by
    } else if (spender.confirmations > 0n) {
      return { kind: spender.txid === attempt.tx ? 'mined' : 'dead' }
    } else if (spender.isOurs) {
      coins.push(slot)
      conflicts.push(spender.txid)
    } else {
      held = spender.txid
    }
  }
  return held === null ? { kind: 'open', attempt, coins, conflicts } : { kind: 'held', by: held }
}

/** A missing coin may be the change of another action that was cancelled itself. */
async function stateOfParent(execution: Execution, coin: Outpoint): Promise<AttemptState | null> {
  const parent = execution.others.find((other) => other.tx === splitOutpoint(coin).txid)
  if (parent === undefined) return null
  const known = { ...parent, transaction: parseTransaction(parent.raw) }
  return stateOf(execution, known, [known])
}

/** Spending these coins conflicts with every open attempt. No wanted action uses one of them. */
function coinsAgainst(open: readonly Open[], others: readonly OtherAttempt[]): ReadonlySet<Outpoint> {
  const claimed = new Set(others.flatMap((other) => (other.wanted ? other.slots : [])))
  const chosen = new Set(open.flatMap(({ coins }) => coins).filter((coin) => !claimed.has(coin)))
  const missed = open.find(({ attempt }) => !attempt.slots.some((slot) => chosen.has(slot)))
  if (missed !== undefined)
    throw new ChainFailure('would-fail', `${missed.attempt.tx} cannot be cancelled now: none of its coins is unspent`)
  return chosen
}

async function feesOf(backend: BitcoinBackend, txids: ReadonlySet<string>): Promise<readonly ReplacedFee[]> {
  const fees: ReplacedFee[] = []
  for (const txid of txids) {
    const fee = await backend.unconfirmedFee(txid)
    if (fee !== null) fees.push(fee)
  }
  return fees
}
