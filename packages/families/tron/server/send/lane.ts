/**
 * Sends one signer's calls on Tron. There are no nonces: a transaction is valid until an expiry that it names itself, on any branch that
 * has the block it refers to. So no transaction blocks another, none can be replaced, and the contract reverts a repeated call.
 */

import type { Allocated, ContractTypes, Followed, Lane, Refused, Sharing } from '@tandem/chain-kit/contract/lane.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Attempt, Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { newestBlock } from '@tandem/evm/server/blocks.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { accountOf as evmAccountOf } from '@tandem/evm/terms/address.ts'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import type { FeeVerb } from '../../terms/fees/limits.ts'
import { feeLimitSun, type Need, readFunds, reserveOf } from '../fees/fees.ts'
import type { WalletApi } from '../nodes/wallet-api.ts'
import type { BroadcastResult } from '../nodes/wallet-node.ts'
import type { TronCall } from './raw-data.ts'
import { expiresMsOf, readAttempt, type SignedCall, signCall } from './transaction.ts'

/** Twenty blocks are long enough to reach every block producer, and short enough to expire soon. */
export const TTL_MS = 60_000n
/** A block this deep is solid: no reorg invalidates transactions that refer to it. */
const REFERENCE_DEPTH = 20n
/** A transaction that expires before the next block cannot be in it, and blocks are at least this far apart. */
const SLOT_MS = 3_000n
const CLOCK_ERROR_SECONDS = 3600n
/** One signer sends fewer before they expire. */
const MAX_MINED = 10_000

export interface TronTypes extends ContractTypes {
  readonly call: TronCall
  readonly signed: SignedCall
  readonly cost: TronCost
  readonly refusal: Exclude<BroadcastResult, 'accepted'>
}

export type TronCost = {
  readonly verb: FeeVerb
  readonly need: Need
  readonly minLimitSun: bigint
}

export function lanesOf(node: EvmNode, chain: Chain, api: WalletApi): (outbox: Outbox) => Promise<Lane<TronTypes>> {
  const mined = createMinedCache()
  return (outbox) => openLane(node, chain, api, mined, outbox)
}

async function openLane(node: EvmNode, chain: Chain, api: WalletApi, knownMined: MinedCache, outbox: Outbox): Promise<Lane<TronTypes>> {
  const tip = await newestBlock(node)
  const tipMs = tip.time * 1000n
  const isUnexpired = (attempt: Attempt) => expiresMsOf(attempt) > tipMs
  // Our clock and the chain's may differ.
  const oldestUnexpired = outbox.now - (2n * TTL_MS) / 1000n - CLOCK_ERROR_SECONDS
  const own: Attempt[] = [...outbox.attempts]
  const live = outbox.attempts.filter(isUnexpired)
  const outcome = (tx: string) => node.outcome(`0x${tx}`)

  async function follow(signed: SignedCall): Promise<Followed<TronTypes>> {
    const mined = await outcome(signed.tx)
    if (mined !== null) return { kind: mined === 'success' ? 'waits' : 'over' }
    const result = await api.broadcast(signed)
    if (result === 'duplicate')
      throw new ChainFailure('unreachable', `the node neither has ${signed.tx} nor accepts it again; another is signed once it has expired`)
    return { kind: result === 'accepted' ? 'waits' : 'over' }
  }

  async function allocate(
    call: TronCall,
    { verb, need, minLimitSun }: TronCost,
    refused: Refused<TronTypes> | null,
    { mayShare }: Sharing,
  ): Promise<Allocated<TronTypes>> {
    if (refused !== null)
      throw new ChainFailure(
        'unreachable',
        `${verb}: the node says that a transaction signed just now is ${refused.why}: it is behind the others`,
      )
    const ttl = ttlMs(outbox, verb)
    await assertNoDuplicate(call, tipMs + ttl)
    const [energyPriceSun, reference, funds, mined] = await Promise.all([
      api.energyPrice(),
      referenceBlock(node, tip),
      readFunds(node, api, evmAccountOf(outbox.key)),
      minedSince(),
    ])
    return outbox.withKey(async (held) => {
      const others = await held.readOthers({ since: oldestUnexpired })
      const signed = [...others, ...own].filter((known) => isUnexpired(known) && !mined.has(known.tx))
      const unmined = await Promise.all(signed.map(readAttempt))
      const same = mayShare ? unmined.find((known) => isSameCall(known.call, call)) : undefined
      if (same !== undefined) return { signed: same, isNew: false }
      const reservedSun = unmined.reduce((sum, known) => sum + reserveOf(known), 0n)
      const frame = {
        reference,
        nowMs: tipMs,
        feeLimitSun: feeLimitSun(verb, need, energyPriceSun, { ...funds, reservedSun, givenSun: call.value }, minLimitSun),
        energyPriceSun,
      }
      let attempt = await signCall(held.signer, call, { ...frame, ttlMs: ttl })
      // Two transfers of the same amount to one address would be one transaction.
      for (let more = 1n; others.some(({ tx }) => tx === attempt.tx); more += 1n)
        attempt = await signCall(held.signer, call, { ...frame, ttlMs: ttl + more })
      await held.record(attempt)
      own.push({ ...attempt, at: outbox.now })
      return { signed: await readAttempt({ ...attempt, at: outbox.now }), isNew: true }
    })
  }

  /** These are mined, of the transactions that could still be unmined. */
  async function minedSince(): Promise<ReadonlySet<string>> {
    const unexpired = [...(await outbox.readOthers({ since: oldestUnexpired })), ...own].filter(isUnexpired)
    const unknown = unexpired.filter(({ tx }) => !knownMined.has(tx))
    const outcomes = await Promise.all(unknown.map(({ tx }) => outcome(tx)))
    for (const [index, { tx }] of unknown.entries()) if (outcomes[index] !== null) knownMined.add(tx)
    return new Set(unexpired.filter(({ tx }) => knownMined.has(tx)).map(({ tx }) => tx))
  }

  /** The same call with the same expiry is the same transaction, or differs only in its fee limit: a second one is useless. */
  async function assertNoDuplicate(call: TronCall, expiresMs: bigint): Promise<void> {
    for (const attempt of live.filter((known) => expiresMsOf(known) === expiresMs)) {
      const { tx, call: signed } = await readAttempt(attempt)
      if (isSameCall(signed, call) && (await outcome(tx)) === null)
        throw new ChainFailure('unreachable', 'the same call is signed at this block already: another can be signed after the next block')
    }
  }

  /** Expiry is measured at a confirmed block, because a reorg sets the chain's clock back. */
  async function unmined(): Promise<readonly SignedCall[]> {
    const depth = BigInt(chain.requiredConfirmations)
    const confirmed = await node.block(tip.height > depth ? tip.height - depth : 0n)
    if (confirmed === null) throw new ChainFailure('unreachable', `${chain.id}: the node has lost a block below its newest`)
    const open = outbox.attempts.filter((attempt) => expiresMsOf(attempt) > confirmed.time * 1000n)
    const outcomes = await Promise.all(open.map(({ tx }) => outcome(tx)))
    return Promise.all(open.filter((_, index) => outcomes[index] === null).map(readAttempt))
  }

  return {
    pending: (await Promise.all(live.map(readAttempt))).reverse(),
    unmined,
    async findPending(call) {
      const signed = await Promise.all(
        [...(await outbox.readOthers({ since: oldestUnexpired })).filter(isUnexpired), ...live].map(readAttempt),
      )
      for (const same of signed.filter((known) => isSameCall(known.call, call)).reverse())
        if ((await outcome(same.tx)) === null) return same
      return null
    },
    follow,
    broadcast: (signed) => api.broadcast(signed),
    // `WalletApi.broadcast` says so itself.
    isPartlyAccepted: () => false,
    allocate,
    replacement: null,
  }
}

type MinedCache = { has(tx: string): boolean; add(tx: string): void }

/**
 * Every signature needs the costs of all recent transactions that have not expired, so they are cached. Only money for fees is reserved by
 * them, so a reorg does no harm: an undone transaction is mined again, or the node refuses the next one for lack of funds.
 */
function createMinedCache(): MinedCache {
  const mined = new Set<string>()
  return {
    has: (tx) => mined.has(tx),
    add(tx) {
      const [oldest] = mined
      if (mined.size >= MAX_MINED && oldest !== undefined) mined.delete(oldest)
      mined.add(tx)
    },
  }
}

/** A late initiation is worse than none, so it expires before its deadline. */
function ttlMs({ secondsLeft }: Outbox, verb: FeeVerb): bigint {
  if (verb !== 'initiate' || secondsLeft === null || secondsLeft * 1000n >= TTL_MS) return TTL_MS
  if (secondsLeft * 1000n <= SLOT_MS) throw new ChainFailure('would-fail', 'initiate: too close to its deadline')
  return secondsLeft * 1000n
}

export async function referenceBlock(node: EvmNode, tip: Block): Promise<Block> {
  const block = await node.block(tip.height > REFERENCE_DEPTH ? tip.height - REFERENCE_DEPTH : 0n)
  if (block === null) throw new ChainFailure('unreachable', 'the node has lost a block below its newest')
  return block
}

function isSameCall(a: TronCall, b: TronCall): boolean {
  return a.to === b.to && a.data === b.data && a.value === b.value
}
