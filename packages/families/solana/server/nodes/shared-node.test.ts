/** These tests use one and several providers as a node, on the local chain: what it says about blocks, accounts, and sent transactions. */

import { type Base64EncodedWireTransaction, createNoopSigner, type Signature } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { RpcError } from '@tandem/chain-kit/local/json-rpc.ts'
import { honest } from '@tandem/chain-kit/testing/providers.fixture.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { signTransaction } from '../../local/local-signer.ts'
import { invalidParams, preflightFailure, slotSkipped } from '../../local/rpc/rpc-error.ts'
import { tokenAccountOf } from '../../terms/instructions.ts'
import { createSolanaFixture, type SolanaFixture } from '../solana.fixture.ts'
import { connectNode } from './connect-node.ts'
import type { SolanaNode } from './node.ts'
import { type Behaviour, lyingAbout, randomAddress, startTestProvider, stoppedAt, type TestProvider } from './provider.fixture.ts'

const PROVIDERS = [0, 1, 2] as const

let fixture: SolanaFixture
let providers: readonly [TestProvider, TestProvider, TestProvider]
const nodes: SolanaNode[] = []
let troubles: string[] = []

beforeAll(async () => {
  fixture = await createSolanaFixture()
  providers = [await startTestProvider(fixture.local), await startTestProvider(fixture.local), await startTestProvider(fixture.local)]
})
afterEach(() => {
  for (const provider of providers) {
    provider.behave(honest)
    provider.setOffline(false)
  }
  for (const node of nodes.splice(0)) node.close()
  troubles = []
})
afterAll(async () => {
  await Promise.all(providers?.map((provider) => provider.close()) ?? [])
  await fixture?.close()
})

function connect(quorum: number, which: readonly (0 | 1 | 2)[] = PROVIDERS): SolanaNode {
  const rpc = which.map((index) => providers[index].url)
  const node = connectNode(fixture.chain, { endpoints: { rpc }, quorum, onTrouble: (what) => troubles.push(what) })
  nodes.push(node)
  return node
}
const alone = () => connect(1, [0])

let sent = 0

async function transfer(amount = 1_000_000n): Promise<{ tx: Signature; raw: Base64EncodedWireTransaction; lastValid: bigint }> {
  sent += 1
  const { blockhash, lastValidBlockHeight } = await alone().latestBlockhash()
  const { user, solver } = fixture
  const pay = getTransferSolInstruction({
    source: createNoopSigner(user.address),
    destination: solver.address,
    amount: amount + BigInt(sent),
  })
  const wire = signTransaction([pay], [user.signer], { blockhash, lastValidBlockHeight: 0 })
  const raw = Buffer.from(wire.bytes).toString('base64') as Base64EncodedWireTransaction
  return { tx: wire.signature as Signature, raw, lastValid: lastValidBlockHeight }
}

describe('blocks', () => {
  test('a skipped slot has none; a block that the node lacks is not passed off as skipped', async () => {
    const before = await alone().block('latest')
    fixture.local.skip()
    fixture.local.mine()
    const skipped = (before?.height ?? 0n) + 1n
    const found = await alone().blocks([skipped - 1n, skipped, skipped + 1n, skipped + 2n])
    expect(found.map(({ height }) => height)).toEqual([skipped - 1n, skipped + 1n])
    expect(found.map(({ ordinal }) => ordinal)).toEqual([before?.ordinal, (before?.ordinal ?? 0n) + 1n])
    providers[0].behave(lyingAbout({ getBlock: () => null }))
    await expect(alone().blocks([skipped + 1n])).rejects.toThrow(
      `it does not have block ${skipped + 1n}, and its newest is ${skipped + 1n}`,
    )
    providers[0].behave(refusing('getBlock', new RpcError(-32_001, 'Block 5 cleaned up')))
    await expect(alone().blocks([skipped + 1n])).rejects.toThrow(/the node refused \(-32001/)
  })

  test('a backend that lacks the newest block shows the one below', async () => {
    fixture.local.mine(2)
    const newest = await alone().block('latest')
    const lacks: Behaviour = (method, params, ask) => {
      if (method === 'getBlock' && BigInt(params[0] as number) === newest?.height) throw slotSkipped(Number(params[0]))
      return ask(method, params)
    }
    providers[0].behave(lacks)
    expect((await alone().block('latest'))?.hash).toBe(newest?.parentHash)
  })

  test('the final slot is what a quorum calls final, and never above the newest block', async () => {
    fixture.local.mine(20)
    const truth = await alone().finalSlot()
    expect(truth).toBeGreaterThan(0n)
    for (const liar of PROVIDERS) {
      for (const claim of [0, 900_000_000]) {
        providers[liar].behave(finalAt(claim))
        expect(await connect(2).finalSlot()).toBe(truth)
      }
      providers[liar].behave(honest)
    }
    const newest = (await alone().block('latest'))?.height ?? 0n
    providers[0].behave(finalAt(Number(newest) + 5))
    expect(await connect(1).finalSlot()).toBe(newest)
  })
})

describe('accounts', () => {
  test('are read in one request, and are null where there is none', async () => {
    const tokens = tokenAccountOf(fixture.user.address, fixture.mints.usdc)
    providers[0].asked.length = 0
    const [wallet, none, held] = await alone().accounts([fixture.user.address, randomAddress(), tokens])
    expect(providers[0].asked).toEqual(['getMultipleAccounts'])
    expect(wallet?.lamports).toBe(await alone().balance(fixture.user.address))
    expect(none).toBeNull()
    expect(held?.data).toHaveLength(165)
    expect(await alone().tokenBalance(tokens)).toBeGreaterThan(0n)
    expect(await alone().tokenBalance(randomAddress())).toBe(0n)
    const frozen = randomAddress()
    await fixture.freeze(frozen)
    expect(await alone().tokenBalance(tokenAccountOf(frozen, fixture.mints.usdc))).toBe(0n)
  })

  test("a stranger's lamports, seen by some providers only, do not break the quorum; the fewest count", async () => {
    const add = (more: number) =>
      lyingAbout({
        getMultipleAccounts(_, truth) {
          const { context, value } = truth as { context: unknown; value: { lamports: bigint }[] }
          return { context, value: value.map((one) => ({ ...one, lamports: Number(one.lamports) + more })) }
        },
      })
    const [truth] = await alone().accounts([fixture.user.address])
    providers[0].behave(add(1))
    providers[1].behave(add(2))
    const [account] = await connect(2, [0, 1]).accounts([fixture.user.address])
    expect(account?.lamports).toBe((truth?.lamports ?? 0n) + 1n)
  })

  test('tokens that arrive during a read do not break the quorum; the fewest count', async () => {
    const tokens = tokenAccountOf(fixture.user.address, fixture.mints.usdc)
    const add = (more: bigint) =>
      lyingAbout({
        getMultipleAccounts(_, truth) {
          const { context, value } = truth as { context: unknown; value: { data: [string, string] }[] }
          const changed = value.map((one) => {
            const data = Buffer.from(one.data[0], 'base64')
            data.writeBigUInt64LE(data.readBigUInt64LE(64) + more, 64)
            return { ...one, data: [data.toString('base64'), 'base64'] }
          })
          return { context, value: changed }
        },
      })
    const held = await alone().tokenBalance(tokens)
    providers[0].behave(add(2n))
    providers[1].behave(add(1n))
    const [account] = await connect(2, [0, 1]).accounts([tokens])
    expect(Buffer.from(account?.data ?? []).readBigUInt64LE(64)).toBe(held + 1n)
  })

  test('a liar about the owner or the data is outvoted', async () => {
    const [truth] = await alone().accounts([fixture.mints.usdc])
    for (const liar of PROVIDERS) {
      providers[liar].behave(lyingAbout({ getMultipleAccounts: (_, answer) => ({ ...(answer as object), value: [null] }) }))
      expect(await connect(2).accounts([fixture.mints.usdc])).toEqual([truth])
      providers[liar].behave(honest)
    }
  })
})

describe('a sent transaction', () => {
  test('is unknown, then mined; the newest blockhash is of a block that the providers agree on', async () => {
    const { tx, raw } = await transfer()
    const node = connect(2)
    expect(await node.broadcast(raw)).toEqual({ kind: 'accepted' })
    expect(await node.outcome(tx)).toBeNull()
    fixture.local.mine()
    expect(await node.outcome(tx)).toMatchObject({ error: null })
    expect(await node.broadcast(raw)).toEqual({ kind: 'accepted' })
    const newest = await node.block('latest')
    expect(await node.latestBlockhash()).toEqual({ blockhash: newest?.hash, lastValidBlockHeight: (newest?.ordinal ?? 0n) + 150n })
  })

  test('that would fail is refused with the reason, and simulated with the same', async () => {
    const { raw } = await transfer(10n ** 18n)
    const error = { InstructionError: [0, { Custom: 1 }] }
    expect(await connect(2).broadcast(raw)).toMatchObject({ kind: 'refused', isPartlyAccepted: false, error })
    expect(await connect(2).simulate(raw)).toMatchObject({ error, unitsConsumed: 150n })
    const good = await transfer()
    expect(await connect(2).simulate(good.raw)).toMatchObject({ error: null, unitsConsumed: 150n })
  })

  test('the highest units of a simulation count', async () => {
    const { raw } = await transfer()
    providers[1].behave(
      lyingAbout({
        simulateTransaction: (_, truth) => {
          const { context, value } = truth as { context: unknown; value: object }
          return { context, value: { ...value, unitsConsumed: 9_000 } }
        },
      }),
    )
    expect(await connect(2, [0, 1]).simulate(raw)).toMatchObject({ error: null, unitsConsumed: 9_000n })
  })

  test('accepted by one and refused by the others shows both', async () => {
    const { raw } = await transfer()
    const refused = preflightFailure('custom program error: 0x1', { err: { InstructionError: [0, { Custom: 1 }] }, logs: ['no'] })
    for (const provider of [1, 2] as const) providers[provider].behave(refusing('sendTransaction', refused))
    expect(await connect(2).broadcast(raw)).toMatchObject({ kind: 'refused', isPartlyAccepted: true, logs: ['no'] })
    const behind = preflightFailure('Blockhash not found', { err: 'BlockhashNotFound', logs: [] })
    for (const provider of [1, 2] as const) providers[provider].behave(refusing('sendTransaction', behind))
    expect(await connect(2).broadcast(raw)).toEqual({ kind: 'blockhash-not-found', isPartlyAccepted: true })
    for (const provider of PROVIDERS) providers[provider].behave(refusing('sendTransaction', behind))
    expect(await connect(2).broadcast(raw)).toEqual({ kind: 'blockhash-not-found', isPartlyAccepted: false })
    for (const provider of PROVIDERS) providers[provider].behave(refusing('sendTransaction', invalidParams('too large')))
    expect(await connect(2).broadcast(raw)).toMatchObject({ kind: 'refused', error: 'too large' })
  })

  test('refused by one is not refused by all: a provider that does not answer may have forwarded it', async () => {
    const { raw } = await transfer()
    const refused = preflightFailure('custom program error: 0x1', { err: { InstructionError: [0, { Custom: 1 }] }, logs: [] })
    for (const provider of PROVIDERS) providers[provider].behave(refusing('sendTransaction', refused))
    expect(await connect(2).broadcast(raw)).toMatchObject({ kind: 'refused', isPartlyAccepted: false })
    providers[0].setOffline(true)
    expect(await connect(2).broadcast(raw)).toMatchObject({ kind: 'refused', isPartlyAccepted: true })
  })

  test('goes to every provider, and one that lives is enough', async () => {
    const { raw } = await transfer()
    for (const { asked } of providers) asked.length = 0
    await connect(2).broadcast(raw)
    expect(providers.map(({ asked }) => asked.includes('sendTransaction'))).toEqual([true, true, true])
    for (const provider of [0, 1] as const) providers[provider].setOffline(true)
    expect(await connect(2).broadcast(raw)).toEqual({ kind: 'accepted' })
    providers[2].setOffline(true)
    await expect(connect(2).broadcast(raw)).rejects.toMatchObject({ kind: 'unreachable' })
  })

  test('an outcome that one provider invents does not count', async () => {
    const { tx } = await transfer()
    const status = { slot: 1_001, err: null, confirmationStatus: 'finalized' }
    for (const liar of PROVIDERS) {
      providers[liar].behave(lyingAbout({ getSignatureStatuses: (_, truth) => ({ ...(truth as object), value: [status] }) }))
      expect(await connect(1, [liar]).outcome(tx)).toEqual({ slot: 1_001n, error: null })
      expect(await connect(2).outcome(tx)).toBeNull()
      providers[liar].behave(honest)
    }
  })

  test('a processed block proves nothing', async () => {
    const { tx } = await transfer()
    const status = { slot: 1_001, err: null, confirmationStatus: 'processed' }
    providers[0].behave(lyingAbout({ getSignatureStatuses: (_, truth) => ({ ...(truth as object), value: [status] }) }))
    expect(await alone().outcome(tx)).toBeNull()
  })
})

describe('expiry', () => {
  test('is past the last valid block height, at the requested commitment, and for what is not mined', async () => {
    const { tx, lastValid } = await transfer()
    const node = connect(2)
    const isExpired = () => Promise.all((['confirmed', 'finalized'] as const).map((level) => node.isExpired(tx, lastValid, level)))
    fixture.local.mine(150)
    expect((await node.block('latest'))?.ordinal).toBe(lastValid)
    expect(await isExpired()).toEqual([false, false])
    fixture.local.mine()
    expect(await isExpired()).toEqual([true, false])
    fixture.local.mine(fixture.chain.finalityBlocks)
    expect(await isExpired()).toEqual([true, true])
  })

  test('never of a mined one', async () => {
    const { tx, raw, lastValid } = await transfer()
    await alone().broadcast(raw)
    fixture.local.mine(200)
    expect(await connect(2).isExpired(tx, lastValid, 'finalized')).toBe(false)
  })

  test('a liar or a laggard decides nothing', async () => {
    const { tx, lastValid } = await transfer()
    const old = await alone().block('latest')
    if (old === null) throw new Error('there is no block')
    for (const liar of PROVIDERS) {
      providers[liar].behave(lyingAbout({ getBlockHeight: () => 900_000_000 }))
      expect(await connect(1, [liar]).isExpired(tx, lastValid, 'confirmed')).toBe(true)
      expect(await connect(2).isExpired(tx, lastValid, 'confirmed')).toBe(false)
      providers[liar].behave(honest)
    }
    fixture.local.mine(200)
    for (const laggard of PROVIDERS) {
      providers[laggard].behave(stoppedAt(old))
      expect(await connect(2).isExpired(tx, lastValid, 'confirmed')).toBe(true)
      expect(await connect(2, others(laggard, 1)).isExpired(tx, lastValid, 'confirmed')).toBe(false)
      providers[laggard].behave(honest)
    }
  })
})

test('priority fees are a percentile of recent ones, and a liar cannot choose it', async () => {
  const fees = lyingAbout({ getRecentPrioritizationFees: () => Array.from({ length: 100 }, (_, i) => ({ slot: i, prioritizationFee: i })) })
  for (const provider of providers) provider.behave(fees)
  const node = connect(2)
  expect(await node.priorityFee([randomAddress()], 75)).toBe(75n)
  expect(await node.priorityFee([randomAddress()], 100)).toBe(99n)
  providers[0].behave(lyingAbout({ getRecentPrioritizationFees: () => [{ slot: 1, prioritizationFee: 10 ** 15 }] }))
  expect(await connect(2).priorityFee([randomAddress()], 75)).toBe(75n)
  providers[0].behave(lyingAbout({ getRecentPrioritizationFees: () => [] }))
  expect(await alone().priorityFee([randomAddress()], 75)).toBe(0n)
})

test('a node of another cluster is refused, alone and among others', async () => {
  const client = fixture.connect({ endpoints: { rpc: [providers[0].url] } })
  providers[0].behave(lyingAbout({ getGenesisHash: () => '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' }))
  await expect(client.verifyNode()).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('genesis hash 5eykt4') })
  await expect(connect(2).genesisHash()).rejects.toThrow('serves the cluster with genesis hash 5eykt4')
  await client.close()
})

test('rate limits and unhealthy nodes are failures of the provider, and the others are read', async () => {
  for (const error of [
    new RpcError(-32_005, 'Node is behind by 42 slots'),
    new RpcError(-32_600, 'Too many requests'),
    new RpcError(429, 'slow down'),
  ]) {
    providers[0].behave(() => {
      throw error
    })
    await expect(alone().balance(fixture.user.address)).rejects.toMatchObject({ kind: 'unreachable' })
    expect(await connect(2).balance(fixture.user.address)).toBeGreaterThan(0n)
  }
  expect(troubles).toEqual([
    expect.stringContaining('is suspended for a while'),
    expect.stringContaining('limits our requests; waiting 1 s'),
    expect.stringContaining('limits our requests; waiting 1 s'),
  ])
})

function finalAt(slot: number): Behaviour {
  return lyingAbout({ getSlot: ([options], truth) => ((options as { commitment: string }).commitment === 'finalized' ? slot : truth) })
}

function refusing(method: string, error: RpcError): Behaviour {
  return (asked, params, ask) => {
    if (asked === method) throw error
    return ask(asked, params)
  }
}

function others(first: 0 | 1 | 2, count: number): readonly (0 | 1 | 2)[] {
  return [first, ...PROVIDERS.filter((one) => one !== first).slice(0, count)]
}
