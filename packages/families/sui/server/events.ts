/**
 * Reads the events of watched swaps. Every checkpoint of a range is read, so none is left out. An event counts only if the swap's own
 * registry emitted it for the swap's own terms.
 */

import type { EventReader } from '@tandem/chain-kit/contract/event-reader.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { WatchedSwap, WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import { decodeEvent, type HtlcEvent as RegistryEvent } from '../contract/client/events.ts'
import type { OrderTerms } from '../contract/client/order.ts'
import type { Address } from '../terms/address.ts'
import { type Contracts, type HtlcContract, orderTermsOf, swapIdOf } from '../terms/htlc.ts'
import type { Deployed } from './deployments.ts'
import type { NodeCheckpoint, NodeEvent, SuiNode } from './nodes/node.ts'

type OrderEvent = Exclude<RegistryEvent, { readonly kind: 'registry created' }>
type Seen = { readonly event: OrderEvent; readonly emitted: NodeEvent; readonly block: Block }

export function createEventReader(
  node: Pick<SuiNode, 'checkpoints' | 'blocks'>,
  contracts: Contracts,
  deployments: { of(contract: HtlcContract): Promise<Pick<Deployed, 'packageId'>> },
): EventReader {
  async function packagesNow(): Promise<readonly Address[]> {
    const deployed = await Promise.all(contracts.all.map((contract) => deployments.of(contract)))
    return [...new Set(deployed.map(({ packageId }) => packageId))]
  }

  async function checkpointsIn(from: bigint, to: bigint, packages: readonly Address[]): Promise<readonly NodeCheckpoint[]> {
    try {
      return linked(from, to, await node.checkpoints(from, to, packages))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      throw new ChainFailure('unreachable', `checkpoints ${from} to ${to} cannot be read: ${error.message}`, { cause: error })
    }
  }

  async function eventsIn(watched: WatchedSwaps, checkpoints: readonly NodeCheckpoint[], packages: readonly Address[]) {
    const seen = checkpoints.flatMap(({ events, ...block }) => events.flatMap((emitted) => seenIn(emitted, block, packages)))
    if (seen.length === 0) return []
    const { bySwapId } = await watched.find({ swapIds: new Set(seen.map(({ event }) => event.orderId)), spent: [] })
    return seen.flatMap((one) => {
      const swap = bySwapId(one.event.orderId)
      return swap === undefined ? [] : (parseEvent(one, swap, contracts) ?? [])
    })
  }

  async function readRange(watched: WatchedSwaps, from: bigint, to: bigint) {
    const packages = await packagesNow()
    const checkpoints = await checkpointsIn(from, to, packages)
    return { checkpoints, events: await eventsIn(watched, checkpoints, packages) }
  }

  return {
    async read(watched, from, to) {
      if (watched.isEmpty || contracts.all.length === 0 || to < from) return []
      return (await readRange(watched, from, to)).events
    },
    /** Each checkpoint names the one before it, so the last one decides the branch. */
    async readBranch(watched, from, end, heights) {
      const headersAt = async (wanted: readonly bigint[]) => (wanted.length === 0 ? [] : node.blocks(wanted))
      if (watched.isEmpty || contracts.all.length === 0 || end.height < from) return { events: [], headers: await headersAt(heights) }
      const [{ checkpoints, events }, headers] = await Promise.all([
        readRange(watched, from, end.height),
        headersAt(heights.filter((height) => height < from || height > end.height)),
      ])
      if (checkpoints.at(-1)?.hash !== end.hash)
        throw new ChainFailure('unreachable', `the node has another checkpoint ${end.height} than ${end.hash}`)
      return { events, headers: [...headers, ...checkpoints.map(({ events: _, ...block }) => block)] }
    },
  }
}

/** Rejects unless all checkpoints are there, each following the one before. */
function linked(from: bigint, to: bigint, checkpoints: readonly NodeCheckpoint[]): readonly NodeCheckpoint[] {
  if (BigInt(checkpoints.length) !== to - from + 1n)
    throw new ChainFailure('unreachable', `the node gave ${checkpoints.length} of the checkpoints ${from} to ${to}`)
  for (const [i, { height, parentHash }] of checkpoints.entries()) {
    const previous = checkpoints[i - 1]
    if (height !== from + BigInt(i) || (previous !== undefined && parentHash !== previous.hash))
      throw new ChainFailure('unreachable', `the node gave no consistent view of checkpoints ${from} to ${to}`)
  }
  return checkpoints
}

function seenIn(emitted: NodeEvent, block: Block, packages: readonly Address[]): readonly Seen[] {
  return packages.flatMap((packageId) => {
    const event = decodeEvent(packageId, emitted.type, emitted.contents)
    return event === null || event.kind === 'registry created' ? [] : [{ event, emitted, block }]
  })
}

/** The result is null unless the swap's own registry emitted the event. Anyone can create a registry of our package. */
function parseEvent({ event, emitted, block }: Seen, { swapId, terms }: WatchedSwap, contracts: Contracts): HtlcEvent | null {
  const contract = contracts.of(terms.asset)
  if (event.registry !== contract.registry || swapIdOf(contract, terms) !== swapId) return null
  const { height, hash, time } = block
  const common = { swapId, tx: emitted.tx, index: `event:${emitted.index}`, block: { height, hash, time }, deposit: swapId }
  switch (event.kind) {
    case 'refunded':
      return { ...common, kind: 'refunded', secret: null, paid: terms.amount }
    case 'redeemed':
      if (!isSecretFor(event.secret, terms.secretHash.toLowerCase())) throw contradiction(emitted)
      return { ...common, kind: 'redeemed', secret: event.secret, paid: terms.amount }
    case 'initiated':
      if (!isSameOrder(event.terms, orderTermsOf(terms))) throw contradiction(emitted)
      return { ...common, kind: 'initiated', amount: terms.amount, expiresAt: event.initiatedAt + terms.timelock }
  }
}

function isSameOrder(a: OrderTerms, b: OrderTerms): boolean {
  const keyOf = ({ initiator, redeemer, amount, timelock, secretHash }: OrderTerms) =>
    [initiator, redeemer, amount, timelock, secretHash].join(' ')
  return keyOf(a) === keyOf(b)
}

/**
 * The order id is a hash of the terms, so our module cannot emit this: the node is faulty or lies. Nobody can cause it with a transaction
 * or an order. Skipping the event would lose the true one, so reading stops until the node is right.
 */
function contradiction({ tx }: NodeEvent): ChainFailure {
  return new ChainFailure('unreachable', `an event of transaction ${tx} contradicts the terms of its order: the node is wrong`)
}
