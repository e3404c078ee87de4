/** Sends XRP to an address. Another payment is signed only after none before can be validated any more: see `assertNoneValidated`. */
import { sendOn } from '@tandem/chain-kit/contract/sending.ts'
import type { Transfer, TransferRequest } from '@tandem/chain-kit/port/abilities/transfer.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { min } from '@tandem/protocol/bigint.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { accountOf, partyOf } from '../terms/address.ts'
import { obstacleToPaying } from './accounts.ts'
import { assertNoneValidated } from './execute.ts'
import { suggestFees } from './fees.ts'
import type { XrplNode } from './nodes/node.ts'
import { newestOf } from './nodes/shared-node.ts'
import { createLanes } from './send/lane.ts'
import { type Call, isSameCall, paymentCall, readAttempt, unitsOf } from './send/transaction.ts'

export function createTransfer(chain: Chain, node: XrplNode, assertCoin: (asset: string) => void): Transfer {
  const openLane = createLanes(node, chain)

  function callOf({ asset, recipient, amount }: TransferRequest): Call {
    assertCoin(asset)
    const { account, tag } = partyOf(recipient)
    return paymentCall(account, tag, amount)
  }

  return {
    async send(transfer, outbox) {
      const call = callOf(transfer)
      const lane = await openLane(outbox, { isObligatory: false })
      const sending = sendOn(lane)
      let live: string | null = null
      for (const signed of lane.pending) {
        const tx = await sending.keep(signed, async (kept) => unitsOf(kept))
        if (tx !== null && isSameCall(signed.call, call)) live = tx
      }
      if (live !== null) return live
      await assertNoneValidated(node, accountOf(outbox.key), outbox.attempts)
      const obstacle = await obstacleToPaying(node, transfer.recipient)
      if (obstacle !== null) throw new ChainFailure('would-fail', `transfer to ${transfer.recipient}: ${obstacle}`)
      return sending.append(call, unitsOf(call))
    },

    async outcome(_, __, attempts) {
      const { height: newest } = await newestOf(node)
      for (const { tx, fees } of attempts.map(readAttempt)) {
        const outcome = await node.outcome(tx)
        // Validated ledgers are final, so a later one than its own does no harm.
        const height = min(fees.lastLedger, newest)
        if (outcome?.kind === 'succeeded') return { kind: 'paid', tx, height }
        if (outcome?.kind === 'failed') return { kind: 'failed', why: `${tx} was validated and failed: ${outcome.result}`, height }
      }
      return { kind: 'pending' }
    },

    async fee({ asset }) {
      assertCoin(asset)
      return (await suggestFees(node, 0n, null)).perUnit
    },
  }
}
