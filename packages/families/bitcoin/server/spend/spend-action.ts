/** One transaction that spends deposits by script path, and how its fee may be bumped. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { affordableFee, type FeeRate, feeOf, outbiddingFee, type ReplacedFee, replacementFee } from '../../terms/wallet/fees.ts'
import { type LeafInput, signSponsoredSpends } from '../../terms/wallet/sign.ts'
import { type Action, type BuildRequest, type Inspection, isKeyPath, totalFee } from '../execute.ts'
import type { Draft, Execution, HeldExecution, KnownAttempt } from '../execution.ts'
import type { Outpoint } from '../script/transaction.ts'
import { CHILD_VSIZE } from '../wallet/child-pays.ts'
import { walletInputs } from '../wallet/fee-coins.ts'
import { hasWantedDescendant } from '../wallet/own-payments.ts'
import type { DepositState } from './deposit-state.ts'
import { signSpend } from './spend-jobs.ts'
import { inputVsize, spendVsize, witnessLengths } from './spend-size.ts'
import type { SponsorCoins } from './sponsor-coins.ts'
import { chargeSponsor, coinsFor, mayExceedPromise, planSponsoredFee, type SponsoredPlan } from './sponsored-fee.ts'

export type Spend = {
  readonly verb: 'redeem' | 'refund'
  readonly inputs: readonly LeafInput[]
  readonly outputScript: Uint8Array
  /** As in `SpendRequest`; null: nothing was promised. Such a spend shares its transactions with no other action. */
  readonly mostFee: bigint | null
}

export type ReadDeposit = (input: LeafInput) => Promise<DepositState>

export function createSpend(
  execution: Execution,
  { verb, inputs, outputScript, mostFee }: Spend,
  attempts: readonly KnownAttempt[],
  readDeposit: ReadDeposit,
): Action {
  const { network, outbox } = execution
  const deposits = new Set(inputs.map(({ outpoint }) => outpoint))
  /** What the sponsor can pay for the transaction that is built next. */
  let payable: { readonly plan: SponsoredPlan; readonly coins: SponsorCoins } | null = null
  const isOwn = (outpoint: Outpoint) => mostFee !== null || deposits.has(outpoint)

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
    const total = taken.reduce((sum, { amount }) => sum + amount, 0n)
    const vsize = spendVsize(taken, outputScript)
    const pay = async (fee: bigint): Promise<Draft> => ({
      signed: await signSpend(held.signer, taken, { amount: total - fee, script: outputScript }),
      fee,
    })
    const fee = affordableFee(vsize, feeRate, replaced, total, outputScript, network)
    if (mostFee === null || fee <= mostFee) return pay(fee)

    const sponsored = held.sponsor === undefined || payable === null ? null : await chargeSponsor(held, payable.plan, payable.coins)
    if (sponsored !== null && held.sponsor !== undefined) {
      const outputs = [{ amount: total - mostFee, script: outputScript }, sponsored.change]
      return { signed: signSponsoredSpends(held.signer, taken, outputs, held.sponsor, sponsored.coin), fee: sponsored.fee }
    }
    if (mayExceedPromise(execution)) return pay(fee)
    const least = replaced === null ? feeOf(vsize, network.minFeeRate) : outbiddingFee(vsize, replaced, network)
    const capped = mostFee < least ? null : await pay(mostFee)
    if (capped !== null && !attempts.some(({ tx }) => tx === capped.signed.txid)) return capped
    throw new ChainFailure('would-fail', `the promised fee of ${mostFee} is too low now, and no coin of the service can pay the rest`)
  }

  /**
   * The wanted fee is beyond the promise: then the sponsor's key is held, if it has coins. They are read before, because nodes may be slow. Without coins
   * its key is held only to replace a transaction with a coin of it: another action of it may spend the change.
   */
  function holds(request: BuildRequest): Outbox['withKey'] | null {
    payable = null
    const { sponsor } = outbox
    if (mostFee === null || sponsor === undefined) return null
    const { feeRate, replaced, live } = request
    const taken = choose(feeRate, live)
    if (replacementFee(spendVsize(taken, outputScript), feeRate, replaced, network) <= mostFee) return null
    const total = taken.reduce((sum, { amount }) => sum + amount, 0n)
    const plan = planSponsoredFee(execution, { total, mostFee, witnesses: taken.map(witnessLengths), outputScript }, request)
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
