// Checks a transaction like a sequencer before it enters the mempool.
import type { BlockInfo } from '../classes/contract-class.ts'
import { createGasMeter, type GasPrices, maxFeeOf } from '../execution/gas.ts'
import { balanceOf, type Chain, NotValid, validateTransaction } from '../execution/run-transaction.ts'
import { classKey, declaredKey, nonceKey, overlay } from '../execution/state.ts'
import { hex, selectorOf } from '../felt.ts'
import * as errors from '../rpc/rpc-error.ts'
import type { WireTransaction } from '../transactions/wire-transaction.ts'
import type { Ledger } from './ledger.ts'
import { type Pool, replaces } from './pool.ts'

export type Sequencer = {
  readonly chain: Chain
  readonly ledger: Ledger
  readonly pool: Pool
  readonly block: BlockInfo & { readonly prices: GasPrices }
}

/** An invoke may be this far from the account's nonce. */
const MAX_NONCE_GAP = 200n
/** The shortest validation takes this gas. */
const MIN_L2_GAS = 500_000n
const VALIDATE = selectorOf('__validate__')

/** Throws an RpcError if the sequencer refuses the transaction. */
export function assertAcceptable(sequencer: Sequencer, transaction: WireTransaction): void {
  const { pool } = sequencer
  if (transaction.isQuery) throw errors.unsupportedVersion()
  if (pool.has(transaction.hash)) throw errors.duplicateTransaction()
  assertNonce(sequencer, transaction)
  assertClasses(sequencer, transaction)
  assertFee(sequencer, transaction)
  assertValid(sequencer, transaction)
  const existing = pool.at(transaction.sender, transaction.nonce)
  if (existing !== undefined && !replaces(transaction, existing)) throw errors.underpricedReplacement()
}

function assertNonce({ ledger }: Sequencer, { type, sender, nonce }: WireTransaction): void {
  const expected = ledger.state.get(nonceKey(sender))
  const highest = type === 'INVOKE' ? expected + MAX_NONCE_GAP : expected
  if (nonce < expected || nonce > highest)
    throw errors.invalidNonce(
      `Invalid transaction nonce of contract at address ${hex(sender)}. Account nonce: ${hex(expected)}; got: ${hex(nonce)}.`,
    )
}

function assertClasses({ ledger: { state }, chain, pool }: Sequencer, transaction: WireTransaction): void {
  const { type, sender } = transaction
  const isDeclared = (classHash: bigint) => state.get(declaredKey(classHash)) !== 0n
  if (type === 'DECLARE' && isDeclared(transaction.classHash)) throw errors.classAlreadyDeclared()
  if (type === 'DEPLOY_ACCOUNT') {
    if (!isDeclared(transaction.classHash)) throw errors.classHashNotFound()
    return
  }
  const deployed = state.get(classKey(sender))
  if (deployed === 0n) {
    if (!pool.deploys(sender)) throw errors.validationFailure(`Requested contract address ${hex(sender)} is not deployed.`)
    return
  }
  const name = chain.classes.entryPointName(VALIDATE)
  if (name === undefined || chain.classes.find(deployed)?.entryPoints[name] === undefined) throw errors.nonAccount()
}

function assertFee({ chain, ledger, block }: Sequencer, transaction: WireTransaction): void {
  const { bounds, tip, sender } = transaction
  for (const resource of ['l1Gas', 'l1DataGas', 'l2Gas'] as const) {
    const { maxPrice } = bounds[resource]
    if (maxPrice < block.prices[resource])
      throw errors.insufficientResources(
        `Max ${resource} price (${maxPrice}) is lower than the actual gas price: ${block.prices[resource]}.`,
      )
  }
  if (bounds.l2Gas.maxAmount < MIN_L2_GAS)
    throw errors.insufficientResources(`Max l2Gas amount (${bounds.l2Gas.maxAmount}) is lower than the minimal gas amount: ${MIN_L2_GAS}.`)
  const execution = { ...chain, state: overlay(ledger.state), block, transaction, events: [], gas: createGasMeter() }
  if (balanceOf(execution, chain.feeToken, sender) < maxFeeOf(bounds, tip)) throw errors.insufficientBalance()
}

/** The account must accept the transaction on the newest state. If the account is not deployed yet, the execution checks this. */
function assertValid({ chain, ledger, pool, block }: Sequencer, transaction: WireTransaction): void {
  const { type, sender } = transaction
  if (type !== 'DEPLOY_ACCOUNT' && ledger.state.get(classKey(sender)) === 0n && pool.deploys(sender)) return
  try {
    validateTransaction(chain, ledger.state, block, transaction)
  } catch (error) {
    if (!(error instanceof NotValid)) throw error
    throw errors.validationFailure(error.message)
  }
}
