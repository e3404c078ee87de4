/** Moves our own tokens from the spot account to HyperEVM when an initiation needs more than we hold there. */

import { sendOn } from '@tandem/chain-kit/contract/sending.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { gasFor } from '@tandem/evm/server/fees/gas.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { openLane } from '@tandem/evm/server/send/lane.ts'
import { readAttempt, type TransactionCall } from '@tandem/evm/server/send/transaction.ts'
import { accountOf } from '@tandem/evm/terms/address.ts'
import type { HtlcContract } from '@tandem/evm/terms/htlc.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { CORE_WRITER, spotSendData, systemAddressOf } from '../terms/core.ts'
import { spotBalanceOf } from './core-account.ts'

/** "Queued until the next HyperEVM block": by then it has arrived, or HyperCore dropped it. A retry only moves our own money, so it is safe. */
const ARRIVAL_SECONDS = 8n

/**
 * A move takes two blocks, and concurrent orders take each other's tokens on HyperEVM. So one move serves several orders of this size, up to a part of
 * the spot balance. Other orders may move at the same moment, and HyperCore drops a move that the remaining balance does not cover.
 */
export const ORDERS_PER_MOVE = 20n
const SPOT_PART = 4n

/** A transfer arrives with a block, so more frequent polls are useless. */
const MIN_RETRY_MS = 500

/** After this many silent drops, e.g. because the spot account lacks HYPE, an operator must act. */
const MAX_MOVES = 3

export type Shortage = { readonly contract: HtlcContract; readonly coreToken: bigint; readonly held: bigint; readonly needed: bigint }

/** Rejects with `would-fail` until the tokens have arrived, unless the initiation itself is pending already. */
export async function moveToEvm(node: EvmNode, chain: Chain, shortage: Shortage, outbox: Outbox): Promise<void> {
  const { contract, coreToken, held, needed } = shortage
  const sender = accountOf(outbox.key)
  const gasNow = (call: TransactionCall) => gasFor(node, chain, { ...call, from: sender }, 'approve')
  const lane = await openLane(node, chain, outbox, { isObligatory: false })
  const sending = sendOn(lane)
  if (lane.pending.some(({ call }) => call.to === contract.address)) return
  const missing = needed - held
  // The retry delay does not grow. A growing one could delay the payment by twice the time of a slow or repeated transfer.
  const waiting = new ChainFailure('would-fail', `initiate: ${missing} of HyperCore's token ${coreToken} are on their way to HyperEVM`, {
    retryAfterMs: Math.max(Number(chain.blockMs) / 2, MIN_RETRY_MS),
    isExpected: true,
  })
  for (const signed of lane.pending) await sending.keep(signed, gasNow)
  const moves = outbox.attempts.map(readAttempt).filter(({ call }) => call.to === CORE_WRITER)
  if (moves.some(({ tx, at }) => outbox.now - at < ARRIVAL_SECONDS || lane.pending.some((pending) => pending.tx === tx))) throw waiting
  const spot = await spotBalanceOf(node, sender, coreToken)
  if (spot < missing) {
    const holds = `${sender} holds ${held} of HyperCore's token ${coreToken} on HyperEVM and ${spot} free in its spot account`
    throw new ChainFailure('would-fail', `initiate: ${holds}, needs ${needed}`)
  }
  if (new Set(moves.map(({ nonce }) => nonce)).size >= MAX_MOVES) {
    const why = `HyperCore has dropped ${MAX_MOVES} transfers of it to HyperEVM silently: the spot account may lack HYPE for the transfer, or be in a mode that cannot send`
    throw new ChainFailure('would-fail', `initiate: ${sender} lacks ${missing} of HyperCore's token ${coreToken} on HyperEVM, and ${why}`)
  }
  const data = spotSendData({ to: systemAddressOf(coreToken), token: coreToken, amount: amountToMove(missing, needed, spot) })
  const call = { to: CORE_WRITER, data, value: 0n }
  await sending.append(call, await gasNow(call))
  throw waiting
}

function amountToMove(missing: bigint, needed: bigint, spot: bigint): bigint {
  const ahead = needed * ORDERS_PER_MOVE
  const most = spot / SPOT_PART
  const wished = ahead < most ? ahead : most
  return wished > missing ? wished : missing
}
