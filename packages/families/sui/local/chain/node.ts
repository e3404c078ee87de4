// Checks and executes transactions at once, puts them into checkpoints by a policy, changes epochs, and misbehaves on demand.
import { effectsOf } from '../execution/effects.ts'
import { execute } from '../execution/execute.ts'
import { DEFAULT_GAS_PRICE } from '../execution/gas.ts'
import { GrpcError, invalidArgument } from '../grpc/status.ts'
import { finishObject } from '../objects/object.ts'
import { createObjectStore, type ObjectReader, type ObjectStore } from '../objects/store.ts'
import { readTransaction, type Transaction } from '../transactions/transaction.ts'
import { isTransactionSignedBy } from '../transactions/user-signature.ts'
import { type AdmissionState, assertGas, assertInputs, assertNotExpired } from './admission.ts'
import type { ExecutedTransaction } from './checkpoint.ts'
import { createCheckpointClock } from './clock.ts'
import { createEpochs, type Epochs } from './epochs.ts'
import { CLOCK_ID, clockDraft, GENESIS_DIGEST, genesisObjects } from './genesis.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { createLocks } from './locks.ts'

/**
 * instant   a transaction gets a checkpoint when it is executed; else every second has a checkpoint
 * timed     every second has a checkpoint
 * manual    only `mine` makes a checkpoint
 */
export type SuiMining = 'instant' | 'timed' | 'manual'

export type ReorgOptions = {
  /** By default, the transactions of the replaced checkpoints are executed again and in no checkpoint. */
  readonly transactions?: 'return' | 'drop'
  /** By default, as many checkpoints replace the old ones. */
  readonly checkpoints?: number
}

export interface SuiNode {
  /** The id is the digest of the first checkpoint, in base58. */
  readonly chainId: string
  readonly store: ObjectStore
  readonly ledger: Ledger
  readonly epochs: Epochs
  /** Contracts read this time, in milliseconds. */
  now(): number
  admission(objects?: ObjectReader): AdmissionState
  setMining(mining: SuiMining): void
  setGasPrice(price: bigint): void
  catchUp(): void
  mine(checkpoints?: number): void
  passTime(ms: number): void
  /** The locks of the epoch are gone, and so are transactions that expire with it. */
  nextEpoch(): void
  /** Rejects with a GrpcError if the transaction is refused. One that was executed before is answered again. */
  submit(bytes: Uint8Array, signatures: readonly Uint8Array[]): Promise<ExecutedTransaction>
  rehearse(objects: ObjectReader, transaction: Transaction): ExecutedTransaction
  reorg(depth: number, options?: ReorgOptions): void
  readonly faults: NodeFaults
}

export interface NodeFaults {
  /** The next `count` transactions reach no validator, and the sender gets a timeout. */
  drop(count: number): void
  /** The next `count` transactions reach too few validators: their objects are locked, and nothing is executed. They can be sent again. */
  hold(count: number): void
  /** The next `count` transactions are executed, but the sender gets a timeout. */
  loseAnswers(count: number): void
}

export type SuiNodeOptions = {
  readonly mining: SuiMining
  readonly owners: readonly string[]
  /** The time is in milliseconds. */
  readonly now?: () => number
}

export function createSuiNode({ mining: initialMining, owners, now }: SuiNodeOptions): SuiNode {
  const clock = createCheckpointClock(now)
  const store = createObjectStore()
  const startMs = clock.now()
  store.apply(new Map(genesisObjects(owners, startMs).map((object) => [object.id, object])))
  const ledger = createLedger(store)
  const chainId = ledger.tip().digest
  ledger.close({ epoch: 0n, timestampMs: startMs, isEndOfEpoch: false })
  const epochs = createEpochs(startMs, DEFAULT_GAS_PRICE)
  const locks = createLocks()
  const left = { drop: 0, hold: 0, loseAnswers: 0 }
  let mining = initialMining

  const admission = (objects: ObjectReader = store): AdmissionState => ({
    objects,
    chainId,
    epoch: epochs.current().epoch,
    gasPrice: epochs.current().gasPrice,
  })

  /** Every commit of the consensus writes its time into the clock, and so gives it a new version. */
  function tick(): void {
    const before = store.get(CLOCK_ID)
    if (before === null) throw new Error('the clock is an object of genesis')
    store.apply(new Map([[CLOCK_ID, finishObject(clockDraft(clock.now()), before.version + 1n, GENESIS_DIGEST)]]))
  }

  function makeCheckpoint(timestampMs = clock.now(), endsEpoch = false): void {
    const { epoch } = epochs.current()
    const isEndOfEpoch = endsEpoch || epochs.isOver(timestampMs)
    const checkpoint = ledger.close({ epoch, timestampMs, isEndOfEpoch })
    if (!isEndOfEpoch) return
    epochs.change(checkpoint)
    locks.clear()
  }

  function rehearse(objects: ObjectReader, transaction: Transaction): ExecutedTransaction {
    const { epoch } = epochs.current()
    const execution = execute(objects, transaction)
    return { transaction, signatures: [], execution, effects: effectsOf(execution, transaction.digest, epoch), epoch }
  }

  function run(transaction: Transaction, signatures: readonly Uint8Array[]): ExecutedTransaction {
    tick()
    const executed = { ...rehearse(store, transaction), signatures }
    ledger.add(executed)
    locks.release(transaction.digest)
    return executed
  }

  function assertAdmissible({ data }: Transaction): void {
    const state = admission()
    assertNotExpired(state, data)
    assertGas(state, data)
    assertInputs(state, data)
  }

  function accept(transaction: Transaction, signatures: readonly Uint8Array[]): ExecutedTransaction {
    const known = ledger.transaction(transaction.digest)
    if (known !== null) return known.executed
    if (takeFault('drop')) throw timedOut()
    assertAdmissible(transaction)
    const conflict = locks.conflict(transaction.data, transaction.digest)
    locks.lock(transaction.data, transaction.digest)
    if (conflict !== null) {
      const { objectId, version } = conflict.ref
      throw new GrpcError(
        'FAILED_PRECONDITION',
        `Failed to sign transaction by a quorum of validators because of locked objects. Object (${objectId}, ${version}) is locked by transaction ${conflict.holder}`,
      )
    }
    if (takeFault('hold')) throw timedOut()
    const executed = run(transaction, signatures)
    if (mining === 'instant') {
      makeCheckpoint()
      clock.restart()
    }
    if (takeFault('loseAnswers')) throw timedOut()
    return executed
  }

  function takeFault(name: keyof typeof left): boolean {
    if (left[name] === 0) return false
    left[name] -= 1
    return true
  }

  return {
    chainId,
    store,
    ledger,
    epochs,
    now: clock.now,
    admission,
    setMining(next) {
      mining = next
      clock.restart()
    },
    setGasPrice: epochs.setGasPrice,
    catchUp() {
      if (mining === 'manual') return
      for (const timestampMs of clock.takeDue()) makeCheckpoint(timestampMs)
    },
    mine(checkpoints = 1) {
      for (let made = 0; made < checkpoints; made += 1) makeCheckpoint()
      clock.restart()
    },
    passTime(ms) {
      clock.pass(ms)
      tick()
      makeCheckpoint()
    },
    nextEpoch: () => makeCheckpoint(clock.now(), true),
    async submit(bytes, signatures) {
      const transaction = parse(bytes)
      await assertSigned(transaction, signatures)
      return accept(transaction, signatures)
    },
    rehearse,
    reorg(depth, { transactions = 'return', checkpoints = depth } = {}) {
      const undone = ledger.undo(depth)
      epochs.undo(ledger.tip())
      for (const { transaction } of undone) locks.release(transaction.digest)
      for (let made = 0; made < checkpoints; made += 1) makeCheckpoint()
      if (transactions === 'return') for (const { transaction, signatures } of undone) runAgain(transaction, signatures)
    },
    faults: {
      drop(count) {
        left.drop = count
      },
      hold(count) {
        left.hold = count
      },
      loseAnswers(count) {
        left.loseAnswers = count
      },
    },
  }

  /** A transaction whose inputs were spent by another one is dropped. */
  function runAgain(transaction: Transaction, signatures: readonly Uint8Array[]): void {
    try {
      assertAdmissible(transaction)
    } catch (error) {
      if (error instanceof GrpcError) return
      throw error
    }
    run(transaction, signatures)
  }
}

function parse(bytes: Uint8Array): Transaction {
  try {
    return readTransaction(bytes)
  } catch (error) {
    throw invalidArgument(`invalid transaction: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function assertSigned({ bytes, data }: Transaction, signatures: readonly Uint8Array[]): Promise<void> {
  const signers = [...new Set([data.sender, data.gas.owner])]
  if (signatures.length !== signers.length)
    throw invalidArgument(`Invalid user signature: Expect ${signers.length} signer signatures but got ${signatures.length}`)
  for (const [index, address] of signers.entries()) {
    if (!(await isTransactionSignedBy(address, bytes, signatures[index] ?? new Uint8Array())))
      throw invalidArgument(`Invalid user signature: Required Signature from ${address} is absent or not valid`)
  }
}

function timedOut(): GrpcError {
  return new GrpcError('UNAVAILABLE', 'timed-out before finality could be reached')
}
