/** This example order has its legs in given phases at a given time, for the playbook's tests and docs/lifecycle.md. */

import { localChains } from '@tandem/families/registry.ts'
import type { Chain } from './chain.ts'
import type { RecordedFill } from './fill.ts'
import { signedGrant } from './grants.fixture.ts'
import type { BlockRef, HtlcEvent } from './htlc.ts'
import type { Grant, Leg, Order, Swap } from './order.ts'
import { hashSecret } from './secret.ts'
import type { OrderFacts } from './state.ts'
import type { Phase, Tip } from './swap-state.ts'

const SECRET = '5e'.repeat(32)
const NOW = 1_700_000_000n
const TIP: Tip = { height: 10_000n, time: NOW }
const CONFIRMATIONS = 2

export type ExampleOrder = {
  readonly source: Phase
  readonly destination: Phase
  /** A deposit below the required confirmations is never that old. */
  readonly sourceExpired: boolean
  readonly destinationExpired: boolean
  readonly deadlinePassed: boolean
  readonly fundedLate: boolean
  readonly clientSecret: boolean
  readonly secretGranted: boolean
  readonly instantRefundSigned: boolean
  readonly filled: boolean
  readonly prefunded: boolean
}

/** The order is funded in time, no deadline passed, and no timelock ended. */
export function normalTimes(source: Phase, destination: Phase): ExampleOrder {
  return {
    source,
    destination,
    sourceExpired: false,
    destinationExpired: false,
    deadlinePassed: false,
    fundedLate: false,
    clientSecret: false,
    secretGranted: false,
    instantRefundSigned: false,
    filled: true,
    prefunded: false,
  }
}

/** The amounts are small here to be readable, so none may count as dust. */
const deposits = { kind: 'partial', toleranceBips: 300, small: { hopelessBelow: 0n, smallBelow: 0n, writeOffAfterUnits: 0n } } as const
const chains: Readonly<Record<Leg, Chain>> = {
  source: { ...findChain('bitcoin_regtest'), deposits },
  destination: findChain('ethereum_localnet'),
}

/** The secret is public as soon as a leg is redeemed. */
export function factsOf(example: ExampleOrder): OrderFacts {
  const deadline = example.deadlinePassed ? NOW - 1n : NOW + 1000n
  const order: Order = {
    id: 'order',
    solverId: 'solver',
    createdAt: NOW - 5000n,
    deadline,
    priceExpiresAt: deadline,
    source: swapOf('source'),
    destination: swapOf('destination'),
  }
  const secretOut = [example.source, example.destination].some((phase) => phase === 'redeeming' || phase === 'redeemed')
  const fundedAt = example.fundedLate ? deadline + 1n : deadline - 1n
  return {
    order,
    chains,
    tips: { source: TIP, destination: TIP },
    events: {
      source: eventsOf('source', example.source, example.sourceExpired).map((event) => minedAt(event, fundedAt)),
      destination: eventsOf('destination', example.destination, example.destinationExpired),
    },
    grants: grantsOf(example),
    fill: fillOf(example),
    declined: null,
    prefund: example.prefunded ? 100n : 0n,
    clientSecret: example.clientSecret,
    secretShown: secretOut,
    seenSecret: null,
    now: NOW,
  }
}

function fillOf({ filled, source }: ExampleOrder): RecordedFill | null {
  if (!filled || source === 'waiting' || source === 'mismatched') return null
  return { deposits: ['deposit'], blockHash: 'deposit', destinationAmount: 100n, signature: '00' }
}

/** The user always consents to the initiation. */
function grantsOf({ secretGranted, instantRefundSigned }: ExampleOrder): readonly Grant[] {
  const refund = { deposit: 'deposit', amount: 100n, to: 'user', pays: 99n, signature: '00' }
  return [
    signedGrant('00'),
    ...(secretGranted ? [{ kind: 'redeem', leg: 'destination' } as const] : []),
    ...(instantRefundSigned ? [{ kind: 'instant-refund', leg: 'source', refunds: [refund], transaction: null } as const] : []),
  ]
}

function findChain(id: string): Chain {
  const chain = localChains.find((known) => known.id === id)
  if (chain === undefined) throw new Error(`${id} is not in the local registry`)
  return chain
}

function swapOf(leg: Leg): Swap {
  const chain = chains[leg]
  return {
    chain: chain.id,
    swapId: leg,
    terms: {
      asset: chain.nativeAsset,
      initiator: leg === 'source' ? 'user' : 'solver',
      redeemer: leg === 'source' ? 'solver' : 'user',
      amount: 100n,
      secretHash: hashSecret(SECRET),
      timelock: chain.timelocks[leg],
    },
    userAddress: 'user',
    orderKey: null,
    payer: null,
    clientKey: false,
    agreedAmount: 100n,
    depositAddress: null,
    gas: null,
    maxFee: null,
    requiredConfirmations: CONFIRMATIONS,
  }
}

function eventsOf(leg: Leg, phase: Phase, expired: boolean): readonly HtlcEvent[] {
  if (phase === 'waiting') return []
  const { timelocks, clock } = chains[leg]
  const age = phase === 'seen' ? 0n : expired ? timelocks[leg] : 5n
  const block: BlockRef = { height: TIP.height - (clock.unit === 'blocks' ? age : 5n), hash: 'deposit', time: TIP.time - age }
  const sighting = { swapId: leg, index: '0', deposit: 'deposit', block: phase === 'seen' ? { ...block, height: TIP.height } : block }
  const initiated = {
    ...sighting,
    kind: 'initiated',
    tx: 'initiation',
    amount: phase === 'mismatched' ? 90n : 100n,
    expiresAt: null,
  } as const
  const spend = { ...sighting, tx: 'spend', block: phase.endsWith('ing') ? null : { ...block, height: TIP.height, hash: 'spend' } }
  if (phase === 'redeeming' || phase === 'redeemed') return [initiated, { ...spend, kind: 'redeemed', secret: SECRET }]
  if (phase === 'refunding' || phase === 'refunded') return [initiated, { ...spend, kind: 'refunded', secret: null }]
  return [initiated]
}

/** Bitcoin-like chains count their timelocks in blocks, so the time of a block is free to choose. */
function minedAt(event: HtlcEvent, time: bigint): HtlcEvent {
  return event.kind === 'initiated' && event.block !== null ? { ...event, block: { ...event.block, time } } : event
}
