/** One transaction that spends deposits by script path, and how its fee may be bumped. */
import { ChainFailure } from '../../port/failure.ts'
import { type Action, type BuildRequest, type Inspection, isKeyPath, totalFee } from '../execute.ts'
import type { Draft, Execution, HeldExecution, KnownAttempt } from '../execution.ts'
import { CHILD_VSIZE } from '../wallet/child-pays.ts'
import { affordableFee, type FeeRate, feeOf, type ReplacedFee } from '../wallet/fees.ts'
import { hasWantedDescendant } from '../wallet/own-payments.ts'
import type { LeafInput } from '../wallet/sign.ts'
import type { DepositState } from './deposit-state.ts'
import { signSpend } from './spend-jobs.ts'
import { inputVsize, spendVsize } from './spend-size.ts'

export type Spend = {
  readonly verb: 'redeem' | 'refund'
  readonly inputs: readonly LeafInput[]
  readonly outputScript: Uint8Array
}

export type ReadDeposit = (input: LeafInput) => Promise<DepositState>

export function createSpend(
  { network, outbox }: Execution,
  { verb, inputs, outputScript }: Spend,
  attempts: readonly KnownAttempt[],
  readDeposit: ReadDeposit,
): Action {
  const own = new Set(inputs.map(({ outpoint }) => outpoint))

  /** A redeem spends all deposits. A refund leaves dust, which anyone can send, until fees are lower. */
  function choose(feeRate: FeeRate, live: KnownAttempt | null): readonly LeafInput[] {
    const pool = live === null ? inputs : inputs.filter(({ outpoint }) => live.slots.includes(outpoint))
    if (verb === 'redeem') return pool
    const economic = pool.filter((input) => input.amount > feeOf(inputVsize(input), feeRate))
    if (economic.length > 0) return economic
    throw new ChainFailure('uneconomic', `uneconomic: at ${feeRate} per kvB every deposit costs more to spend than it is worth`)
  }

  async function build({ feeRate, replaced, live }: BuildRequest, { signer }: HeldExecution): Promise<Draft> {
    const taken = choose(feeRate, live)
    const total = taken.reduce((sum, { amount }) => sum + amount, 0n)
    const fee = affordableFee(spendVsize(taken, outputScript), feeRate, replaced, total, outputScript, network)
    return { signed: await signSpend(signer, taken, { amount: total - fee, script: outputScript }), fee }
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
    build,
    inspect,
    // Deposits are other people's transactions: we cannot rebroadcast them.
    restoreInputs: async () => false,
    mayReplace: (live, others) => live.slots.every((slot) => own.has(slot)) && !hasWantedDescendant({ ...outbox, others }, live),
    // A script path replacement of many key path inputs is larger than a child with one input.
    prefersChild: ({ transaction, slots }) =>
      isKeyPath(transaction) &&
      spendVsize(
        inputs.filter(({ outpoint }) => slots.includes(outpoint)),
        outputScript,
      ) >
        transaction.vsize + CHILD_VSIZE,
    owns: (outpoint) => own.has(outpoint),
  }
}
