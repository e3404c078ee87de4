// Tests a quorum of nodes of which one lies about one thing, is behind, or is dead.
import { hexToBytes } from '@noble/hashes/utils.js'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import { describe, expect, it } from 'vitest'
import { regtest, regtestChain } from '../bitcoin.fixture.ts'
import { hashOf, makeTransaction, taprootScript } from '../blocks/block.fixture.ts'
import { parseTransaction } from '../script/transaction.ts'
import { failure } from '../wallet/manual-mining.fixture.ts'
import type { BitcoinBackend, BitcoinNode, Coin, OutputState, Place, Spender } from './backend.ts'
import { createQuorumBackend } from './quorum-backend.ts'

const unreachable = () => Promise.reject(new ChainFailure('unreachable', 'ECONNREFUSED'))

/** Every node is checked before the first request, so a dead node fails every one. */
const dead = nodeAt(0n, { genesisHash: unreachable })

const TXID = hashOf(1)
const OUTPOINT = `${TXID}:0`

const transaction = (n: number, witness?: readonly Uint8Array[]) =>
  parseTransaction(
    Buffer.from(makeTransaction([`${hashOf(n)}:0`], [{ script: taprootScript(hashOf(n)), amount: 1n }], witness).bytes).toString('hex'),
  )

describe('the newest block', () => {
  it('is the highest that two of three have', async () => {
    expect(await backendOf(2, nodeAt(100n), nodeAt(101n), nodeAt(99n)).backend.tip()).toEqual(blockOf(100n))
    expect(await backendOf(2, nodeAt(101n), nodeAt(101n), dead).backend.tip()).toEqual(blockOf(101n))
  })

  it('is not invented by one node, which is suspended', async () => {
    const { backend, troubles } = backendOf(2, nodeAt(100n, { branch: 7 }), nodeAt(100n), nodeAt(100n))
    expect(await backend.tip()).toEqual(blockOf(100n))
    expect(troubles).toEqual([expect.stringMatching(/a is suspended.*contradicts the others about block 100/)])
  })

  it('is not held back by one node that has stopped syncing, which is suspended', async () => {
    const { backend, troubles } = backendOf(2, nodeAt(95n), nodeAt(100n), nodeAt(100n))
    expect(await backend.tip()).toEqual(blockOf(100n))
    expect(troubles).toEqual([expect.stringMatching(/a is suspended.*behind the others by more than 1 blocks/)])
  })

  it('is not believed with a wrong time or parent beside the right hash', async () => {
    for (const lie of [{ time: 1n }, { parentHash: hashOf(9) }]) {
      const liar = nodeAt(100n, { tip: async () => ({ ...blockOf(100n), ...lie }), blockAt: async () => ({ ...blockOf(100n), ...lie }) })
      expect(await backendOf(2, liar, nodeAt(100n), nodeAt(100n)).backend.tip()).toEqual(blockOf(100n))
      await expect(backendOf(2, liar, nodeAt(100n, { blockAt: async () => blockOf(100n) })).backend.blockAt(100n)).rejects.toThrow(
        failure('unreachable', /do not agree/),
      )
    }
  })

  it('is unknown while fewer than two agree', async () => {
    await expect(backendOf(2, nodeAt(100n), dead, dead).backend.tip()).rejects.toThrow(failure('unreachable', /1 of the 2/))
  })

  it('comes from the first node that is not behind if the quorum is one', async () => {
    expect(await backendOf(1, dead, nodeAt(90n), nodeAt(100n)).backend.tip()).toEqual(blockOf(100n))
  })
})

describe('headers', () => {
  it('are of one branch: one liar cannot put confirmations on a block of a node that is stuck on a stale branch', async () => {
    const [stuck, honest] = [nodeAt(95n, { branch: 1 }), nodeAt(110n)]
    const liar = nodeAt(110n, { blockAt: async (height) => blockOf(height, height <= 95n ? 1 : 0) })
    const { backend } = backendOf(2, honest, liar, stuck)
    expect(await backend.tip()).toEqual(blockOf(110n))
    await expect(backend.headers([95n, 110n])).rejects.toThrow(failure('unreachable', /do not agree/))
    expect(await backend.headers([90n, 110n])).toEqual([blockOf(90n), blockOf(110n)])
  })
})

describe('a node on another network', () => {
  it('is asked nothing', async () => {
    const foreign = nodeAt(200n, { genesisHash: async () => hashOf(5), tip: () => Promise.reject(new Error('it is asked')) })
    const { backend, troubles } = backendOf(2, foreign, nodeAt(100n), nodeAt(100n))
    expect(await backend.tip()).toEqual(blockOf(100n))
    expect(troubles).toEqual([expect.stringMatching(/a is suspended.*another network/)])
  })
})

async function ask<T>(question: (backend: BitcoinBackend) => Promise<T>, ...answers: readonly Partial<BitcoinBackend>[]): Promise<T> {
  const nodes = answers.map((says): SimulatedNode => (says === DEAD ? dead : nodeAt(100n, says)))
  return question(backendOf(2, ...nodes).backend)
}
const DEAD: Partial<BitcoinBackend> = {}

describe('an output', () => {
  const says = (state: OutputState): Partial<BitcoinBackend> => ({ output: async () => state })
  const unspent = (confirmations: bigint) => says({ state: 'unspent', confirmations })
  const missing = says({ state: 'missing' })
  const output = (...answers: readonly Partial<BitcoinBackend>[]) => ask((backend) => backend.output(OUTPOINT), ...answers)

  it('needs a quorum to be spent or unspent', async () => {
    expect(await output(missing, unspent(3n), unspent(3n))).toEqual({ state: 'unspent', confirmations: 3n })
    expect(await output(unspent(3n), missing, missing)).toEqual({ state: 'missing' })
  })

  it('has the confirmations on which two nodes agree: one liar can neither delay a refund nor send it early', async () => {
    expect(await output(unspent(0n), unspent(20n), unspent(20n))).toEqual({ state: 'unspent', confirmations: 20n })
    expect(await output(unspent(900n), unspent(20n), unspent(19n))).toEqual({ state: 'unspent', confirmations: 20n })
  })

  it('counts as unspent without a quorum, because nodes refuse a double spend', async () => {
    expect(await output(missing, unspent(3n), DEAD)).toEqual({ state: 'unspent', confirmations: 3n })
    expect(await output(unspent(0n), unspent(20n), DEAD)).toEqual({ state: 'unspent', confirmations: 20n })
  })

  it('is unknown while too few answer', async () => {
    await expect(output(missing, DEAD, DEAD)).rejects.toThrow(failure('unreachable', /1 of the 2/))
  })
})

describe('a spender', () => {
  const says = (spender: Spender | null): Partial<BitcoinBackend> => ({ spenderOf: async () => spender })
  const spender = (...answers: readonly Partial<BitcoinBackend>[]) => ask((backend) => backend.spenderOf(OUTPOINT, 0n), ...answers)
  const [real, invented] = [
    { txid: hashOf(2), confirmations: 2n },
    { txid: hashOf(3), confirmations: 900n },
  ]

  it('is not invented or hidden by one node', async () => {
    expect(await spender(says(invented), says(null), says(null))).toBeNull()
    expect(await spender(says(invented), says(real), says(real))).toEqual(real)
    expect(await spender(says(null), says(real), says(real))).toEqual(real)
  })

  it('has the confirmations on which two nodes agree: one liar cannot make it final', async () => {
    expect(await spender(says({ ...real, confirmations: 900n }), says(real), says({ ...real, confirmations: 1n }))).toEqual(real)
    expect(await spender(says({ ...real, confirmations: 900n }), says(real), DEAD)).toBeNull()
  })

  it('is null without a quorum: with an invented one we would pay twice', async () => {
    expect(await spender(says(invented), says(null), DEAD)).toBeNull()
  })
})

describe('the place of a transaction', () => {
  const says = (place: Place | null): Partial<BitcoinBackend> => ({ placeOf: async () => place })
  const place = (...answers: readonly Partial<BitcoinBackend>[]) => ask((backend) => backend.placeOf(transaction(1)), ...answers)

  it('is not a block because one node says so: it would not be rebroadcast', async () => {
    expect(await place(says('block'), says(null), says(null))).toBeNull()
    expect(await place(says('block'), says('mempool'), says('mempool'))).toBe('mempool')
    expect(await place(says('block'), says(null), DEAD)).toBeNull()
  })

  it('is not hidden by one node', async () => {
    expect(await place(says(null), says('block'), says('block'))).toBe('block')
    expect(await place(says(null), says('mempool'), says('block'))).toBe('mempool')
  })
})

describe('unconfirmed transactions', () => {
  const shows = (...all: readonly ReturnType<typeof transaction>[]): Partial<BitcoinBackend> => ({ unconfirmed: async () => all })
  const seen = async (...answers: readonly Partial<BitcoinBackend>[]) =>
    (await ask((backend) => backend.unconfirmed({} as never), ...answers)).map(({ bytes }) => bytes)
  const [one, two] = [transaction(1), transaction(2)]

  it('are those that two nodes show; a repetition by one node counts once', async () => {
    expect(await seen(shows(two, two, two), shows(one), shows(one))).toEqual([one.bytes])
    expect(await seen(shows(), shows(one, two), shows(two, one))).toEqual([one.bytes, two.bytes])
  })

  it('are compared with their witnesses: without them a redeem looks like a refund', async () => {
    const changed = transaction(1, [hexToBytes(hashOf(8))])
    expect(changed.txid()).toBe(one.txid())
    expect(await seen(shows(changed), shows(one), shows(one))).toEqual([one.bytes])
    expect(await seen(shows(changed), shows(one), shows())).toEqual([])
  })
})

describe('coins', () => {
  const coin = (n: number, isConfirmed = true, amount = 1_000n): Coin => ({ outpoint: `${hashOf(n)}:0`, amount, isConfirmed })
  const lists = (...coins: readonly Coin[]): Partial<BitcoinBackend> => ({ coinsOf: async () => coins })
  const coins = (...answers: readonly Partial<BitcoinBackend>[]) => ask((backend) => backend.coinsOf('address'), ...answers)

  it('are those that two nodes list with the same amount', async () => {
    expect(await coins(lists(coin(9), coin(9), coin(1, true, 9_000n)), lists(coin(1), coin(2)), lists(coin(2), coin(1)))).toEqual([
      coin(1),
      coin(2),
    ])
    expect(await coins(lists(), lists(coin(1)), lists(coin(1)))).toEqual([coin(1)])
  })

  it('are confirmed when two nodes say so', async () => {
    expect(await coins(lists(coin(1)), lists(coin(1, false)), lists(coin(1, false)))).toEqual([coin(1, false)])
    expect(await coins(lists(coin(1)), lists(coin(1, false)), lists(coin(1)))).toEqual([coin(1)])
  })

  const index = (...listed: readonly Coin[]) => nodeAt(100n, { ...lists(...listed), kind: 'esplora' })
  const unasked = nodeAt(100n, { coinsOf: () => Promise.reject(new Error('it is asked')) })

  it('come from indexes alone where there are enough of them', async () => {
    expect(await backendOf(2, unasked, index(coin(1)), index(coin(1))).backend.coinsOf('address')).toEqual([coin(1)])
    expect(await backendOf(1, unasked, index(coin(1))).backend.coinsOf('address')).toEqual([coin(1)])
  })

  it('come from all nodes where indexes fail or list no such address', async () => {
    const tooMany = nodeAt(100n, { kind: 'esplora', coinsOf: () => Promise.reject(new ChainFailure('would-fail', 'too many')) })
    const core = nodeAt(100n, lists(coin(1)))
    expect(await backendOf(1, core, tooMany).backend.coinsOf('address')).toEqual([coin(1)])
    expect(await backendOf(2, core, core, tooMany, tooMany).backend.coinsOf('address')).toEqual([coin(1)])
    expect(await backendOf(1, core, { ...dead, kind: 'esplora' }).backend.coinsOf('address')).toEqual([coin(1)])
    await expect(backendOf(2, tooMany, tooMany).backend.coinsOf('address')).rejects.toThrow(failure('would-fail', /too many/))
  })
})

describe('fees', () => {
  const says = (rate: bigint | null, minimum = 0n): Partial<BitcoinBackend> => ({
    estimateFeeRate: async () => rate,
    minimumFeeRate: async () => minimum,
    unconfirmedFee: async () => (rate === null ? null : { fee: rate * 2n, rate }),
  })
  const estimate = (...answers: readonly Partial<BitcoinBackend>[]) => ask((backend) => backend.estimateFeeRate(6), ...answers)
  const minimum = (...answers: readonly Partial<BitcoinBackend>[]) => ask((backend) => backend.minimumFeeRate(), ...answers)
  const waiting = (...answers: readonly Partial<BitcoinBackend>[]) => ask((backend) => backend.unconfirmedFee(TXID), ...answers)

  it('stay between those of the honest nodes', async () => {
    for (const lie of [1n, 900_000n, null]) {
      const estimated = await estimate(says(lie), says(5_000n), says(6_000n))
      expect([5_000n, 6_000n]).toContain(estimated)
      expect([1_000n, 2_000n]).toContain(await minimum(says(lie, lie ?? 0n), says(1n, 1_000n), says(1n, 2_000n)))
      expect([10_000n, 12_000n]).toContain((await waiting(says(lie), says(5_000n), says(6_000n)))?.fee)
    }
  })

  it('are null when only one node of three knows them', async () => {
    expect(await estimate(says(900_000n), says(null), says(null))).toBeNull()
    expect(await waiting(says(900_000n), says(null), says(null))).toBeNull()
  })

  it('are the higher ones without a quorum, and the lower minimum: a late redeem costs more', async () => {
    expect(await estimate(says(5_000n), says(50_000n), DEAD)).toBe(50_000n)
    expect(await minimum(says(1n, 1_000n), says(1n, 900_000n), DEAD)).toBe(1_000n)
  })
})

describe('the content of an output', () => {
  const says = (amount: bigint | null): Partial<BitcoinBackend> => ({
    contentOf: async () => (amount === null ? null : { amount, script: new Uint8Array(2) }),
  })
  const content = (...answers: readonly Partial<BitcoinBackend>[]) => ask((backend) => backend.contentOf(OUTPOINT), ...answers)

  it('is the one that two nodes give', async () => {
    expect(await content(says(9n), says(5n), says(5n))).toMatchObject({ amount: 5n })
    expect(await content(says(null), says(5n), says(5n))).toMatchObject({ amount: 5n })
    await expect(content(says(9n), says(5n), DEAD)).rejects.toThrow(failure('unreachable', /do not agree/))
  })
})

describe('a broadcast', () => {
  const accepts: Partial<BitcoinBackend> = { broadcast: async () => ({ accepted: true }) }
  const refuses = (reason: string): Partial<BitcoinBackend> => ({ broadcast: async () => ({ accepted: false, reason }) })
  const send = (...answers: readonly Partial<BitcoinBackend>[]) => ask((backend) => backend.broadcast('00'), ...answers)

  it('goes to all', async () => {
    let sent = 0
    const counts: Partial<BitcoinBackend> = {
      broadcast: async () => {
        sent += 1
        return { accepted: true }
      },
    }
    expect(await send(counts, counts, counts)).toEqual({ accepted: true })
    expect(sent).toBe(3)
  })

  it('is accepted though one node refuses it, knows it already or is dead', async () => {
    expect(await send(refuses('missing-inputs'), accepts, accepts)).toEqual({ accepted: true })
    expect(await send(refuses('txn-already-in-mempool'), accepts, DEAD)).toEqual({ accepted: true })
    expect(await send(accepts, DEAD, DEAD)).toEqual({ accepted: true })
  })

  it('is refused though one node accepts everything, for the most frequent reason', async () => {
    expect(await send(accepts, refuses('insufficient fee, rejecting replacement'), refuses('min relay fee not met'))).toEqual({
      accepted: false,
      reason: 'insufficient fee, rejecting replacement',
      isPartlyAccepted: true,
    })
    expect(await send(refuses('missing-inputs'), refuses('non-final'), refuses('non-BIP68-final'))).toEqual({
      accepted: false,
      reason: 'non-final',
    })
  })

  it('is not finally refused when a node does not answer: it may have relayed the transaction', async () => {
    expect(await send(refuses('missing-inputs'), refuses('missing-inputs'), DEAD)).toMatchObject({
      accepted: false,
      isPartlyAccepted: true,
    })
  })

  it('is unreachable when no node answers', async () => {
    await expect(send(DEAD, DEAD, DEAD)).rejects.toThrow(failure('unreachable'))
  })
})

function blockOf(height: bigint, branch = 0): Block {
  const hash = (at: bigint) => `${at > 90n ? branch : 0}${at.toString(16).padStart(63, '0')}`
  return { height, hash: hash(height), parentHash: hash(height - 1n), time: height * 600n }
}

type SimulatedAnswers = Partial<BitcoinNode> & { readonly branch?: number; readonly kind?: 'rpc' | 'esplora' }
type SimulatedNode = Partial<BitcoinNode> & { readonly kind: 'rpc' | 'esplora' }

function nodeAt(tip: bigint, { branch = 0, kind = 'rpc', ...says }: SimulatedAnswers = {}): SimulatedNode {
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

function backendOf(quorum: number, ...nodes: readonly SimulatedNode[]) {
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
