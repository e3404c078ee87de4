/** Brings the money of a user's account at the HTLC from HyperCore to HyperEVM, before an initiation that takes it from there. */

import { assertRelayPaidFor } from '@tandem/chain-kit/contract/reverts.ts'
import { sendOn } from '@tandem/chain-kit/contract/sending.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { feeModelOf, suggestFees } from '@tandem/evm/server/fees/fees.ts'
import { gasFor } from '@tandem/evm/server/fees/gas.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { openLane } from '@tandem/evm/server/send/lane.ts'
import { asChainFailure } from '@tandem/evm/server/send/revert.ts'
import { readAttempt, type Signed, type TransactionCall } from '@tandem/evm/server/send/transaction.ts'
import { accountOf as addressOf } from '@tandem/evm/terms/address.ts'
import type { HtlcContract } from '@tandem/evm/terms/htlc.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type Address, encodeEventTopics, erc20Abi, getAbiItem, toEventSelector } from 'viem'
import { hypeTokenOf } from '../terms/core.ts'
import { crossData, isCrossing, takenBy, tokenOf } from '../terms/htlc.ts'
import { type AccountFunds, crossingValue } from './account.ts'

/** An order takes money that has arrived in the account within this many blocks. */
const MAX_BLOCKS = 100n

const INITIATED = toEventSelector(getAbiItem({ abi: htlcCore.abi, name: 'Initiated' }))

/** We do not wait longer for a crossing that is signed and not mined. */
const ARRIVAL_SECONDS = 8n

/** "Queued on the L1 until the next HyperEVM block": this many blocks after its own, a crossing has arrived, or HyperCore dropped it. */
const ARRIVAL_BLOCKS = 2n

/** An unmined initiation of another order counts as taking money of the account until it is this old. */
const IN_FLIGHT_SECONDS = 60n

/** A transfer arrives with a block, so more frequent polls are useless. */
const MIN_RETRY_MS = 500

/** This limit is per order. Each crossing costs us gas and HYPE, and the owner may withdraw the money that has crossed. */
const MAX_CROSSINGS = 3

/** An order that we gave up on is checked again at this interval. */
const EXHAUSTED_RETRY_MS = 600_000

export type Crossing = {
  readonly contract: HtlcContract
  readonly owner: Address
  readonly needed: bigint
  readonly readFunds: () => Promise<AccountFunds>
  /** We stop paying for relays of this initiator after this many wasted ones. */
  readonly revertsPaidFor?: number
}

/**
 * Resolves if the initiation can be tried: the money is on HyperEVM, or there is none to bring over. While the money crosses, it rejects with an
 * expected `would-fail`.
 */
export async function crossToEvm(node: EvmNode, chain: Chain, crossing: Crossing, outbox: Outbox): Promise<void> {
  const { contract, owner, needed, readFunds } = crossing
  const isOurs = ({ call }: Signed) => call.to === contract.address && isCrossing(call.data)
  const others = (await outbox.readOthers({ since: outbox.now - IN_FLIGHT_SECONDS })).map(readAttempt)
  // This read comes before that of the funds. An initiation that is mined in between is then subtracted twice, and the order only waits. In the other
  // order it would be missed, and ours would revert.
  const inFlight = await takenInFlight(node, contract, owner, others)
  const isEnough = ({ onEvm }: AccountFunds) => onEvm - inFlight >= needed
  const before = await readFunds()
  if (isEnough(before)) return
  const lane = await openLane(node, chain, outbox, { isObligatory: false })
  const sending = sendOn(lane)
  if (lane.pending.some((signed) => signed.call.to === contract.address && !isOurs(signed))) return

  const from = addressOf(outbox.key)
  const gasNow = (call: TransactionCall) => gasFor(node, chain, { ...call, from }, 'initiate')
  for (const signed of lane.pending) await sending.keep(signed, gasNow)
  const data = crossData(owner)
  const [own, shared] = await Promise.all([
    withHeights(node, outbox.attempts.map(readAttempt).filter(isOurs)),
    // Orders of one owner share a crossing, because each crossing moves all the money.
    withHeights(
      node,
      others.filter(({ call, at }) => call.to === contract.address && call.data === data && outbox.now - at < ARRIVAL_SECONDS),
    ),
  ])
  if (lane.pending.some(isOurs) || (await mayArrive(node, [...own, ...shared], outbox.now))) throw onItsWay(chain, needed, before)
  // It may have arrived since the first read.
  const funds = await readFunds()
  if (isEnough(funds)) return

  // The money crossed for this order and is gone: the owner withdrew it (our fee is wasted), or another order of the owner used it.
  const isUsed = await Promise.all(own.map(({ height }) => height !== null && wasLocked(node, contract, funds.account, height)))
  const unused = own.filter((_, index) => isUsed[index] !== true)
  for (const { tx, height } of unused) if (height !== null) await outbox.noteReverted(tx)
  if (funds.onEvm + funds.onCore - inFlight < needed) {
    if (inFlight > 0n) throw usedByOthers(chain, needed, inFlight, funds)
    return
  }
  if (new Set(unused.map(({ nonce }) => nonce)).size >= MAX_CROSSINGS) throw givenUp(funds)
  assertRelayPaidFor(crossing.revertsPaidFor, outbox, 0)
  const { maxFeePerGas } = await suggestFees(node, feeModelOf(chain))
  const call = { to: contract.address, data, value: await crossingValue(node, funds.account, hypeTokenOf(chain), maxFeePerGas) }
  await sending.appendShared(call, await gasNow(call))
  throw onItsWay(chain, needed, funds)
}

/** Records the crossings of an order that was given up. The owner may have revoked it, withdrawn, or consented too late for the initiation. */
export async function noteWastedCrossings(node: EvmNode, outbox: Outbox): Promise<void> {
  const crossings = outbox.attempts.map(readAttempt).filter(({ call }) => isCrossing(call.data))
  for (const { tx, height } of await withHeights(node, crossings)) if (height !== null) await outbox.noteReverted(tx)
}

/** `height` is that of the crossing's block, and null while it is not mined. */
type Sent = Signed & { readonly height: bigint | null }

function withHeights(node: EvmNode, crossings: readonly Signed[]): Promise<readonly Sent[]> {
  return Promise.all(crossings.map(async (signed) => ({ ...signed, height: await node.minedAt(signed.tx) })))
}

/** True means that money of one of these crossings may not be on HyperEVM yet. */
async function mayArrive(node: EvmNode, crossings: readonly Sent[], now: bigint): Promise<boolean> {
  if (crossings.some(({ height, at }) => height === null && now - at < ARRIVAL_SECONDS)) return true
  if (crossings.every(({ height }) => height === null)) return false
  const newest = await node.block('latest')
  return crossings.some(({ height }) => height !== null && (newest === null || newest.height < height + ARRIVAL_BLOCKS))
}

function onItsWay(chain: Chain, needed: bigint, { account, onEvm }: AccountFunds): ChainFailure {
  return soon(chain, `initiate: what ${account} holds on HyperCore is on its way to HyperEVM, where ${onEvm} of ${needed} are`)
}

function usedByOthers(chain: Chain, needed: bigint, inFlight: bigint, { account, onEvm }: AccountFunds): ChainFailure {
  return soon(
    chain,
    `initiate: ${account} holds ${onEvm} on HyperEVM, other orders of its owner take ${inFlight}, and this one needs ${needed}`,
  )
}

/** The retry delay does not grow, because the user is waiting. */
function soon({ blockMs }: Chain, what: string): ChainFailure {
  return new ChainFailure('would-fail', what, { retryAfterMs: Math.max(Number(blockMs) / 2, MIN_RETRY_MS), isExpected: true })
}

function givenUp(funds: AccountFunds): ChainFailure {
  const refusal = `we have paid for ${MAX_CROSSINGS} transfers of ${funds.account} from HyperCore to HyperEVM, and ${funds.onCore} are still on HyperCore: it dropped them silently, or more was paid in since. Send initiate_transaction, or take the money back by reclaim_transaction`
  return new ChainFailure('would-fail', `initiate: ${refusal}`, { refusal, retryAfterMs: EXHAUSTED_RETRY_MS })
}

/**
 * Unmined initiations of other orders, signed by us, take this sum from the account of an owner. Two initiations must not count on the same
 * money, or one of them reverts at our cost. `others` are our recent attempts for other orders.
 */
async function takenInFlight(node: EvmNode, contract: HtlcContract, owner: Address, others: readonly Signed[]): Promise<bigint> {
  const initiations = others.flatMap(({ call, nonce, tx }) => {
    const taken = call.to === contract.address ? takenBy(call.data) : null
    return taken?.owner === owner ? [{ amount: taken.amount, nonce, tx }] : []
  })
  // Attempts with bumped fees have one nonce: at most one of them is mined.
  const amounts = new Map(initiations.map(({ nonce, amount }) => [nonce, amount]))
  const outcomes = await Promise.all(initiations.map(({ tx }) => node.outcome(tx)))
  for (const [index, { nonce }] of initiations.entries()) if (outcomes[index] !== null) amounts.delete(nonce)
  return [...amounts.values()].reduce((sum, amount) => sum + amount, 0n)
}

/**
 * True means that money of the account was locked at this height or above, by us or by a transaction of the owner. A withdrawal goes
 * through the HTLC too, but initiates nothing. An owner who does both at once pays more for it than we do for a crossing.
 */
async function wasLocked(node: EvmNode, contract: HtlcContract, account: Address, height: bigint): Promise<boolean> {
  const [transfer, ...parties] = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from: account, to: contract.address } })
  const newest = await node.block('latest')
  if (newest === null || newest.height < height) return false
  const to = newest.height < height + MAX_BLOCKS ? newest.height : height + MAX_BLOCKS
  const query = { addresses: [tokenOf(contract), contract.address], events: [transfer, INITIATED], from: height, to }
  const logs = await node.logs(query).catch((error: unknown) => {
    throw asChainFailure(error, `transfers from ${account}`)
  })
  const initiations = new Set(logs.filter(({ topics }) => topics[0] === INITIATED).map(({ tx }) => tx))
  return logs.some(
    ({ topics, tx }) => initiations.has(tx) && topics[0] === transfer && parties.every((party, at) => topics[at + 1] === party),
  )
}
