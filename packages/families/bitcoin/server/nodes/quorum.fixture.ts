/** Simulated Bitcoin nodes that answer what a test sets, and a backend over several of them. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import { regtest, regtestChain } from '../bitcoin.fixture.ts'
import type { BitcoinNode } from './backend.ts'
import { createQuorumBackend } from './quorum-backend.ts'

/** A block of one of two branches, which fork above block 90. */
export function blockOf(height: bigint, branch = 0): Block {
  const hash = (at: bigint) => `${at > 90n ? branch : 0}${at.toString(16).padStart(63, '0')}`
  return { height, hash: hash(height), parentHash: hash(height - 1n), time: height * 600n }
}

type SimulatedAnswers = Partial<BitcoinNode> & { readonly branch?: number; readonly kind?: 'rpc' | 'esplora' }
export type SimulatedNode = Partial<BitcoinNode> & { readonly kind: 'rpc' | 'esplora' }

/** A node whose newest block is at `tip`. */
export function nodeAt(tip: bigint, { branch = 0, kind = 'rpc', ...says }: SimulatedAnswers = {}): SimulatedNode {
  const node = {
    kind,
    genesisHash: async () => regtest.genesisHash,
    tip: async () => blockOf(tip, branch),
    blockAt: async (height: bigint) => (height > tip ? null : blockOf(height, branch)),
    close: async () => undefined,
    ...says,
  }
  return { headers: async (heights) => (await Promise.all(heights.map(node.blockAt))).flatMap((block) => block ?? []), ...node }
}

const unreachable = () => Promise.reject(new ChainFailure('unreachable', 'ECONNREFUSED'))
/** Fails every request, because every node is checked before the first one. */
export const dead = nodeAt(0n, { genesisHash: unreachable })

/** Named a, b, c, … */
export function backendOf(quorum: number, ...nodes: readonly SimulatedNode[]) {
  const troubles: string[] = []
  const clock = { ms: 0 }
  const providers = nodes.map((node, i) => ({ name: 'abcdef'[i] ?? '', kind: node.kind, node: node as unknown as BitcoinNode }))
  const backend = createQuorumBackend(regtestChain(), regtest, providers, {
    quorum,
    onTrouble: (what) => troubles.push(what),
    nowMs: () => clock.ms,
  })
  return { backend, troubles, clock }
}
