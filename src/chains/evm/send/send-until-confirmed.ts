/** Brings single transactions of an operator's own key through, outside of the engine: raises fees, rebroadcasts, waits for confirmations. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Signer } from '../../../keys/key.ts'
import type { Chain } from '../../../protocol/chain.ts'
import { ChainFailure } from '../../port/failure.ts'
import type { Attempt, Outbox } from '../../port/outbox.ts'
import type { EvmNode } from '../nodes/node.ts'
import { openLane } from './lane.ts'
import type { TransactionCall } from './transaction.ts'

/** Fees are raised in every bump interval: what is not mined after this many needs a person. */
const PATIENCE_BUMPS = 30n

export type Goal = {
  /** What is being waited for, in words. */
  readonly what: string
  isReached(): Promise<boolean>
  /** Called until the goal is reached, and again if a reorg takes it back. */
  bringForward(): Promise<void>
  readonly confirmations: number
}

/** Resolves once the goal has been reached for as many blocks as it wants. */
export async function persevere(chain: Chain, node: EvmNode, goal: Goal, onProgress: (what: string) => void): Promise<void> {
  const deadline = performance.now() + Number(chain.feeBumpSeconds * PATIENCE_BUMPS) * 1000
  let reachedAt: bigint | null = null
  let lastTrouble = ''

  async function step(): Promise<boolean> {
    const tip = await node.block('latest')
    if (tip === null) throw new ChainFailure('unreachable', 'the node has no block')
    if (!(await goal.isReached())) {
      if (reachedAt !== null) onProgress(`a reorg took it back: ${goal.what}`)
      reachedAt = null
      await goal.bringForward()
      return false
    }
    if (reachedAt === null && goal.confirmations > 1) onProgress(`waiting for ${goal.confirmations} confirmations`)
    reachedAt ??= tip.height
    return tip.height - reachedAt + 1n >= BigInt(goal.confirmations)
  }

  for (;;) {
    try {
      if (await step()) return
    } catch (error) {
      if (!(error instanceof ChainFailure) || error.kind === 'would-fail') throw error
      lastTrouble = `; the last trouble: ${error.message}`
    }
    if (performance.now() > deadline)
      throw new ChainFailure('would-fail', `${goal.what}: not done after a long wait${lastTrouble}. It is safe to run this again`)
    await sleep(chain.pollMs)
  }
}

export interface OneTransaction {
  /** Sends it, or brings forward what was sent. Rejects with `would-fail` when it was mined and reverted. */
  bringForward(): Promise<void>
  /** The hash of the one that succeeded, or else the newest; null when none was sent. */
  tx(): Promise<string | null>
}

/** `gas` is asked when it is signed. Nothing else may use the signer on this chain meanwhile. */
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
    async bringForward() {
      const reverted = (await outcomes()).find(({ outcome }) => outcome === 'reverted')
      if (reverted !== undefined) throw new ChainFailure('would-fail', `the transaction ${reverted.tx} was mined and reverted`)
      const lane = await openLane(node, chain, outboxOf(signer, attempts), { isObligatory: false })
      const [next] = lane.unmined
      if (next !== undefined) await lane.keep(next, gas)
      else if ((await outcomes()).every(({ outcome }) => outcome === null)) await lane.append(call, await gas())
    },
    async tx() {
      const all = await outcomes()
      return (all.find(({ outcome }) => outcome === 'success') ?? all.at(-1))?.tx ?? null
    },
  }
}

function outboxOf(signer: Signer, attempts: Attempt[]): Outbox {
  const now = BigInt(Math.floor(Date.now() / 1000))
  return {
    signer,
    attempts,
    others: [],
    async record(attempt) {
      attempts.push({ ...attempt, at: now })
    },
    noteReverted: async () => undefined,
    secondsLeft: null,
    now,
  }
}
