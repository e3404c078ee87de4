/**
 * Sends SUI or another coin to an address. No module refuses a repetition, and a transaction that nodes refuse may still be executed until its epoch
 * ends. So another one is signed only after the epochs of all before are over without their execution.
 */
import { sendOn } from '@tandem/chain-kit/contract/sending.ts'
import type { Transfer, TransferRequest } from '@tandem/chain-kit/port/abilities/transfer.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type Address, accountOf, parseAddress } from '../terms/address.ts'
import { SUI_TYPE } from '../terms/coin-type.ts'
import { type Contracts, coinTypeOf } from '../terms/htlc.ts'
import { type SuiCall, transactionWith, transferCallOf } from '../terms/send/call.ts'
import { readAttempt } from '../terms/send/transaction.ts'
import { type GasNeed, legCostOf, needOf } from './fees/gas.ts'
import type { SuiNode } from './nodes/node.ts'
import { chooseCoins, totalOf } from './send/coins.ts'
import { reasonOf } from './send/failure.ts'
import { KEPT_FOR_DUTIES, openLane } from './send/lane.ts'
import { simulateCommands } from './send/simulate.ts'

export function createTransfer(chain: Chain, node: SuiNode, contracts: Contracts): Transfer {
  async function gasFor(call: SuiCall, { asset, amount }: TransferRequest, sender: Address): Promise<GasNeed> {
    const coinType = coinTypeOf(chain, contracts, asset)
    const coins = await node.coins(sender, coinType)
    const chosen = chooseCoins(coins, amount, coins.length)
    if (chosen === null) throw new ChainFailure('would-fail', `transfer: ${sender} holds ${totalOf(coins)} of ${asset}, needs ${amount}`)
    const inputs = coinType === SUI_TYPE ? [] : chosen.coins
    const { failure, gas, price } = await simulateCommands(node, sender, transactionWith(call, inputs))
    if (failure !== null) throw new ChainFailure('would-fail', `transfer: ${reasonOf(failure, '')}`)
    return needOf(gas, price)
  }

  return {
    async send(transfer, outbox) {
      const sender = accountOf(outbox.key)
      const lane = await openLane(node, chain, outbox)
      const { number: epoch } = await node.epoch()
      for (const signed of outbox.attempts.map(readAttempt).toReversed()) {
        const outcome = await node.outcome(signed.tx)
        if (outcome?.failure === null) return signed.tx
        if (outcome !== null) throw new ChainFailure('superseded', `${signed.tx} was executed and failed`)
        if (signed.lastEpoch < epoch) continue
        await lane.broadcast(signed)
        return signed.tx
      }
      const call = transferCallOf(coinTypeOf(chain, contracts, transfer.asset), parseAddress(transfer.recipient), transfer.amount)
      return sendOn(lane).append(call, await gasFor(call, transfer, sender))
    },

    async outcome(_, __, attempts) {
      for (const { tx } of attempts) {
        const outcome = await node.outcome(tx)
        if (outcome === null || outcome.checkpoint === null) continue
        const height = outcome.checkpoint
        if (outcome.failure === null) return { kind: 'paid', tx, height }
        return { kind: 'failed', why: `${tx} was executed and failed: ${reasonOf(outcome.failure, '')}`, height }
      }
      return { kind: 'pending' }
    },

    async fee({ asset }) {
      const { redeem } = await legCostOf(node)
      return asset === chain.nativeAsset ? redeem + KEPT_FOR_DUTIES : redeem
    },
  }
}
