// Executes a transaction like a sequencer: validate, execute, charge. A failure after the validation is reverted, but paid for.
import type { BlockInfo } from '../classes/contract-class.ts'
import { type Felts, selectorOf, U128, u256Felts } from '../felt.ts'
import type { WireTransaction } from '../transactions/wire-transaction.ts'
import { createGasMeter, feeOf, type Gas, type GasMeter, type GasPrices, maxFeeOf } from './gas.ts'
import { Panic, revertText, systemFailure } from './panic.ts'
import { type ClassSet, deployContract, type EmittedEvent, type Execution, runCall } from './run-call.ts'
import { declaredKey, nonceKey, type Overlay, overlay, type StateReader } from './state.ts'

export type Executed = {
  /** The state has all changes of the transaction, the fee included. */
  readonly state: Overlay
  readonly events: readonly EmittedEvent[]
  readonly gas: Gas
  readonly fee: bigint
  readonly revert: Panic | null
}

export type Chain = {
  readonly classes: ClassSet
  readonly chainId: bigint
  readonly feeToken: bigint
  readonly sequencer: bigint
}

export type RunOptions = {
  readonly validates: boolean
  readonly charges: boolean
}

/** The transaction cannot be in a block: the account does not accept it, or its deployment fails. */
export class NotValid extends Error {
  readonly panic: Panic

  constructor(panic: Panic) {
    super(revertText(panic))
    this.name = 'NotValid'
    this.panic = panic
  }
}

export function runTransaction(
  chain: Chain,
  below: StateReader,
  block: BlockInfo & { readonly prices: GasPrices },
  transaction: WireTransaction,
  { validates, charges }: RunOptions,
): Executed {
  const state = overlay(below)
  const gas = createGasMeter()
  const execution = (events: EmittedEvent[], on: Overlay = state): Execution => ({ ...chain, state: on, block, transaction, events, gas })
  const accepted: EmittedEvent[] = []
  if (charges) assertAffordable(execution([]), chain, transaction)
  accept(execution(accepted), transaction, validates)

  const attempt = overlay(state)
  const emitted: EmittedEvent[] = []
  let revert: Panic | null = null
  try {
    perform(execution(emitted, attempt), transaction, gas)
  } catch (error) {
    if (!(error instanceof Panic)) throw error
    revert = error
  }
  const used = gas.total(state.changes.size + attempt.changes.size, transaction.size)
  revert ??= charges
    ? (exceeded(used, transaction) ??
      unpayable(execution([], attempt), chain, transaction.sender, feeOf(used, block.prices, transaction.tip)))
    : null
  if (revert === null) attempt.commit(state)
  const kept = revert === null ? [...accepted, ...emitted] : accepted
  const billed = charges ? capped(used, transaction) : used
  const fee = feeOf(billed, block.prices, transaction.tip)
  if (charges) chargeFee(execution(kept), chain, transaction.sender, fee)
  return { state, events: kept, gas: billed, fee, revert }
}

export function validateTransaction(chain: Chain, below: StateReader, block: BlockInfo, transaction: WireTransaction): void {
  accept({ ...chain, state: overlay(below), block, transaction, events: [], gas: createGasMeter() }, transaction, true)
}

/** These changes are kept even if the execution fails. */
function accept(execution: Execution, transaction: WireTransaction, validates: boolean): void {
  execution.state.set(nonceKey(transaction.sender), transaction.nonce + 1n)
  orNotValid(() => {
    if (transaction.type === 'DEPLOY_ACCOUNT') deployAccount(execution, transaction)
    if (validates) validate(execution, transaction)
  })
}

function deployAccount(execution: Execution, transaction: WireTransaction & { readonly type: 'DEPLOY_ACCOUNT' }): void {
  const { classHash, salt, constructorCalldata } = transaction
  deployContract(execution, { classHash, salt, calldata: constructorCalldata, deployer: 0n, caller: 0n })
}

function validate(execution: Execution, transaction: WireTransaction): void {
  runCall(execution, { to: transaction.sender, caller: 0n, ...validation(transaction) })
}

function validation(transaction: WireTransaction): { readonly selector: bigint; readonly calldata: Felts } {
  switch (transaction.type) {
    case 'INVOKE':
      return { selector: selectorOf('__validate__'), calldata: transaction.calldata }
    case 'DECLARE':
      return { selector: selectorOf('__validate_declare__'), calldata: [transaction.classHash] }
    case 'DEPLOY_ACCOUNT': {
      const { classHash, salt, constructorCalldata } = transaction
      return { selector: selectorOf('__validate_deploy__'), calldata: [classHash, salt, ...constructorCalldata] }
    }
  }
}

function perform(execution: Execution, transaction: WireTransaction, gas: GasMeter): void {
  if (transaction.type === 'INVOKE') {
    const { sender, calldata } = transaction
    runCall(execution, { to: sender, selector: selectorOf('__execute__'), calldata, caller: 0n })
  }
  if (transaction.type === 'DECLARE') {
    gas.countClass(transaction.declared.programLength)
    execution.state.set(declaredKey(transaction.classHash), 1n)
  }
}

function orNotValid(task: () => void): void {
  try {
    task()
  } catch (error) {
    throw error instanceof Panic ? new NotValid(error) : error
  }
}

function exceeded(used: Gas, { bounds }: WireTransaction): Panic | null {
  const names = { l1Gas: 'L1Gas', l1DataGas: 'L1DataGas', l2Gas: 'L2Gas' } as const
  for (const resource of ['l1Gas', 'l1DataGas', 'l2Gas'] as const) {
    const { maxAmount } = bounds[resource]
    if (used[resource] > maxAmount)
      return systemFailure(`Insufficient max ${names[resource]}: max amount: ${maxAmount}, actual used: ${used[resource]}`)
  }
  return null
}

/** The sequencer accepts no transaction that could cost more than the account has. */
function assertAffordable(execution: Execution, { feeToken }: Chain, { sender, bounds, tip }: WireTransaction): void {
  const [balance, highest] = [balanceOf(execution, feeToken, sender), maxFeeOf(bounds, tip)]
  if (balance < highest) throw new NotValid(systemFailure(`Resources bounds (${highest}) exceed balance (${balance})`))
}

/** An execution must leave enough for the fee. */
function unpayable(execution: Execution, { feeToken }: Chain, payer: bigint, fee: bigint): Panic | null {
  const balance = balanceOf(execution, feeToken, payer)
  return balance >= fee ? null : systemFailure(`Insufficient fee token balance. Fee: ${fee}, balance: ${balance}`)
}

export function balanceOf(execution: Execution, token: bigint, account: bigint): bigint {
  const [low = 0n, high = 0n] = runCall(execution, { to: token, selector: selectorOf('balance_of'), calldata: [account], caller: 0n })
  return low + high * U128
}

/** Nobody pays for more than they allowed. */
function capped(used: Gas, { bounds }: WireTransaction): Gas {
  const least = (resource: keyof Gas) => (used[resource] < bounds[resource].maxAmount ? used[resource] : bounds[resource].maxAmount)
  return { l1Gas: least('l1Gas'), l1DataGas: least('l1DataGas'), l2Gas: least('l2Gas') }
}

function chargeFee(execution: Execution, { feeToken, sequencer }: Chain, payer: bigint, fee: bigint): void {
  orNotValid(() => {
    runCall(execution, { to: feeToken, selector: selectorOf('transfer'), calldata: [sequencer, ...u256Felts(fee)], caller: payer })
  })
}
