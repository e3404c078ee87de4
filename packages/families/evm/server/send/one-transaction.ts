/** Sends a single transaction of an operator's own key, outside of the engine. Its attempts are kept in memory. */

import { sendOn } from '@tandem/chain-kit/contract/sending.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Attempt, Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { Signer } from '@tandem/keys/key.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { EvmNode } from '../nodes/node.ts'
import { openLane } from './lane.ts'
import type { TransactionCall } from './transaction.ts'

export interface OneTransaction {
  /** The call sends, rebroadcasts or bumps the fee. Rejects with `would-fail` when the transaction was mined and reverted. */
  send(): Promise<void>
  tx(): Promise<string | null>
}

/** `gas` is called at signing. Nothing else may use the signer on this chain meanwhile. */
export function createOneTransaction(
  chain: Chain,
  node: EvmNode,
  signer: Signer,
  call: TransactionCall,
  gas: () => Promise<bigint>,
): OneTransaction {
  const attempts: Attempt[] = []
  const outcomes = () => Promise.all(attempts.map(async ({ tx }) => ({ tx, outcome: await node.outcome(tx) })))

  return {
    async send() {
      const reverted = (await outcomes()).find(({ outcome }) => outcome === 'reverted')
      if (reverted !== undefined) throw new ChainFailure('would-fail', `the transaction ${reverted.tx} was mined and reverted`)
      const lane = await openLane(node, chain, outboxOf(signer, attempts), { isObligatory: false, isAlone: true })
      const sending = sendOn(lane)
      const [next] = await lane.unmined()
      if (next !== undefined) await sending.keep(next, gas)
      else if ((await outcomes()).every(({ outcome }) => outcome === null)) await sending.append(call, await gas())
    },
    async tx() {
      const all = await outcomes()
      return (all.find(({ outcome }) => outcome === 'success') ?? all.at(-1))?.tx ?? null
    },
  }
}

function outboxOf(signer: Signer, attempts: Attempt[]): Outbox {
  const now = BigInt(Math.floor(Date.now() / 1000))
  const readOthers = async () => []
  return {
    key: signer,
    attempts,
    readOthers,
    withKey: (work) =>
      work({
        signer,
        readOthers,
        async record(attempt) {
          attempts.push({ ...attempt, at: now })
        },
      }),
    makeDue: async () => undefined,
    noteReverted: async () => undefined,
    secondsLeft: null,
    now,
  }
}
