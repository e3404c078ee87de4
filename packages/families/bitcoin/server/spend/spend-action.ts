/** Spends deposits by script path in one transaction, and decides how its fee may be bumped. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { affordableFee, type FeeRate, feeOf, outbiddingFee, type ReplacedFee, replacementFee } from '../../terms/wallet/fees.ts'
import { type LeafInput, totalOf } from '../../terms/wallet/sign.ts'
import { type Action, type BuildRequest, type Inspection, isKeyPath, totalFee, whoSpent } from '../execute.ts'
import type { Draft, Execution, HeldExecution, KnownAttempt } from '../execution.ts'
import type { Outpoint } from '../script/transaction.ts'
import { CHILD_VSIZE } from '../wallet/child-pays.ts'
import { hasWantedDescendant } from '../wallet/own-payments.ts'
import { signSponsoredSpend } from './sign-sponsored.ts'
import { signSpend } from './spend-jobs.ts'
import { inputVsize, spendVsize, witnessLengths } from './spend-size.ts'
import { type SponsorCoins, walletInputs } from './sponsor-coins.ts'
import { chargeSponsor, coinsFor, mayExceedPromise, planSponsoredFee, type SponsoredPlan } from './sponsored-fee.ts'

export type Spend = {
  readonly verb: 'redeem' | 'refund'
  readonly inputs: readonly LeafInput[]
  readonly outputScript: Uint8Array
  /** See `SpendRequest`. A null means that nothing was promised. A spend with a promise shares its transactions with no other action. */
  readonly maxFee: bigint | null
}

export type ReadDeposit = (input: LeafInput) => Promise<DepositState>

export function createSpend(
  execution: Execution,
  { verb, inputs, outputScript, maxFee }: Spend,
  attempts: readonly KnownAttempt[],
  readDeposit: ReadDeposit,
): Action {
  const { network, outbox } = execution
  const deposits = new Set(inputs.map(({ outpoint }) => outpoint))
  let payable: { readonly plan: SponsoredPlan; readonly coins: SponsorCoins } | null = null
  const isOwn = (outpoint: Outpoint) => maxFee !== null || deposits.has(outpoint)

  /** A redeem spends all deposits. A refund leaves dust, which anyone can send, until fees are lower. */
  function choose(feeRate: FeeRate, live: KnownAttempt | null): readonly LeafInput[] {
    const pool = live === null ? inputs : inputs.filter(({ outpoint }) => live.slots.includes(outpoint))
    if (verb === 'redeem') return pool
    const economic = pool.filter((input) => input.amount > feeOf(inputVsize(input), feeRate))
    if (economic.length > 0) return economic
    throw new ChainFailure('uneconomic', `uneconomic: at ${feeRate} per kvB every deposit costs more to spend than it is worth`)
  }

  async function build({ feeRate, replaced, live }: BuildRequest, held: HeldExecution): Promise<Draft> {
    const taken = choose(feeRate, live)
    const total = totalOf(taken)
    const vsize = spendVsize(taken, outputScript)
    const pay = async (fee: bigint): Promise<Draft> => ({
      signed: await signSpend(held.signer, taken, { amount: total - fee, script: outputScript }),
      fee,
    })
    const fee = affordableFee(vsize, feeRate, replaced, total, outputScript, network)
    if (maxFee === null || fee <= maxFee) return pay(fee)

    const sponsored = held.sponsor === undefined || payable === null ? null : await chargeSponsor(held, payable.plan, payable.coins)
    if (sponsored !== null && held.sponsor !== undefined) {
      const outputs = [{ amount: total - maxFee, script: outputScript }, sponsored.change]
      return { signed: await signSponsoredSpend(held.signer, taken, outputs, held.sponsor, sponsored.coin), fee: sponsored.fee }
    }
    if (mayExceedPromise(execution)) return pay(fee)
    const minFee = replaced === null ? feeOf(vsize, network.minFeeRate) : outbiddingFee(vsize, replaced, network)
    const capped = maxFee < minFee ? null : await pay(maxFee)
    if (capped !== null && !attempts.some(({ tx }) => tx === capped.signed.txid)) return capped
    throw new ChainFailure('would-fail', `the promised fee of ${maxFee} is too low now, and no coin of the service can pay the difference`)
  }

  /**
   * If the wanted fee is beyond the promise, the sponsor's key is held, provided that it has coins, which are read before, because nodes
   * may be slow. Without coins its key is held only to replace a transaction that spends a coin of the sponsor, whose change another
   * action may spend.
   */
  function holds(request: BuildRequest): Outbox['withKey'] | null {
    payable = null
    const { sponsor } = outbox
    if (maxFee === null || sponsor === undefined) return null
    const { feeRate, replaced, live } = request
    const taken = choose(feeRate, live)
    if (replacementFee(spendVsize(taken, outputScript), feeRate, replaced, network) <= maxFee) return null
    const total = totalOf(taken)
    const plan = planSponsoredFee(execution, { total, maxFee, witnesses: taken.map(witnessLengths), outputScript }, request)
    const isSponsored = walletInputs(live, sponsor.key.publicKey).length > 0
    return async (work) => {
      const coins = plan === null ? null : await coinsFor(execution, plan, live)
      payable = plan === null || coins === null ? null : { plan, coins }
      return payable === null && !isSponsored ? outbox.withKey(work) : sponsor.withKey(work)
    }
  }

  async function inspect(feeRate: FeeRate): Promise<Inspection> {
    const conflicts = new Map<string, ReplacedFee>()
    for (const input of choose(feeRate, null)) {
      const state = await readDeposit(input)
      if (state.kind === 'unspendable') throw state.failure
      if (state.kind === 'ours') return { kind: 'done', tx: state.tx }
      if (state.kind === 'conflict') conflicts.set(state.tx, state.replaced)
    }
    const replaced = totalFee([...conflicts.values()])
    return replaced === null ? { kind: 'clear' } : { kind: 'conflict', replaced }
  }

  return {
    attempts,
    holds,
    build,
    inspect,
    // Deposits are other people's transactions: we cannot rebroadcast them.
    restoreInputs: async () => false,
    mayReplace: (live, others) => live.slots.every(isOwn) && !hasWantedDescendant({ ...outbox, others }, live),
    // A script path replacement of many key path inputs is larger than a child with one input.
    prefersChild: ({ transaction, slots }) =>
      isKeyPath(transaction) &&
      spendVsize(
        inputs.filter(({ outpoint }) => slots.includes(outpoint)),
        outputScript,
      ) >
        transaction.vsize + CHILD_VSIZE,
    owns: isOwn,
  }
}

/**
 * free: the deposit can be spent now.
 * ours: a transaction of ours spent it.
 * conflict: an unconfirmed transaction of somebody else spends it, and may be outbid.
 * unspendable: its timelock has not passed, or somebody else has spent it.
 */
export type DepositState =
  | { readonly kind: 'free' }
  | { readonly kind: 'ours'; readonly tx: string }
  | { readonly kind: 'conflict'; readonly tx: string; readonly replaced: ReplacedFee }
  | { readonly kind: 'unspendable'; readonly failure: ChainFailure }

/** A redeem outbids an unconfirmed refund: the deposit is ours until the refund is mined. A refund never outbids a redeem. */
export async function depositState(
  execution: Execution,
  verb: 'redeem' | 'refund',
  { outpoint, timelock }: Pick<LeafInput, 'outpoint' | 'timelock'>,
  attempts: readonly KnownAttempt[],
): Promise<DepositState> {
  const { backend, network } = execution
  const output = await backend.output(outpoint)
  if (output.state === 'unspent') {
    // BIP68: the timelock ends N blocks after the block of the deposit, which counts as the first confirmation.
    if (timelock === null || output.confirmations >= timelock) return { kind: 'free' }
    return unspendable('would-fail', `the timelock of ${outpoint} is ${timelock} blocks, and only ${output.confirmations} have passed`)
  }
  const spender = await whoSpent(execution, outpoint, attempts)
  if (spender === null) return unspendable('superseded', `the deposit ${outpoint} is not on the chain now, or was spent long ago`)
  if (spender.isOurs) return { kind: 'ours', tx: spender.txid }
  const mayOutbid = verb === 'redeem' && network.replaces && spender.confirmations === 0n
  const replaced = mayOutbid ? await backend.unconfirmedFee(spender.txid) : null
  if (replaced !== null) return { kind: 'conflict', tx: spender.txid, replaced }
  return unspendable('superseded', `the deposit ${outpoint} was spent by ${spender.txid}`)
}

function unspendable(kind: 'would-fail' | 'superseded', message: string): DepositState {
  return { kind: 'unspendable', failure: new ChainFailure(kind, message) }
}
