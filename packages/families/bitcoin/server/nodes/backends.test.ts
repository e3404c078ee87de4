// Tests what both kinds of node have beside the conformance suite: coins, mempools, and faulty answers.
import { createServer } from 'node:http'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type BitcoinRegtest, startBitcoinRegtest } from '../../local/index.ts'
import { scriptOfAddress, walletAddress } from '../../terms/script/address.ts'
import { identityOf } from '../../terms/script/user-key.ts'
import { signWalletPayment } from '../../terms/wallet/sign.ts'
import { randomSigner, regtest, regtestChain } from '../bitcoin.fixture.ts'
import { hashOf, swapAt, taprootScript } from '../blocks/block.fixture.ts'
import { bitcoin } from '../index.ts'
import { failure } from '../wallet/manual-mining.fixture.ts'
import type { BitcoinBackend } from './backend.ts'
import { createCoreBackend } from './core-rpc.ts'
import { createEsploraBackend } from './esplora.ts'
import { serveChanged } from './test-node.fixture.ts'

const signer = randomSigner()
const address = walletAddress(signer.publicKey, regtest)
const script = scriptOfAddress(address, regtest)

describe.each(['rpc', 'esplora'] as const)('coins through %s', (endpoint) => {
  let node: BitcoinRegtest
  let backend: BitcoinBackend
  beforeEach(async () => {
    node = await startBitcoinRegtest({ premineBlocks: 110 })
    backend = endpoint === 'rpc' ? createCoreBackend(node.rpcUrl, regtest) : createEsploraBackend(node.esploraUrl, regtest)
  })
  afterEach(() => node.close())
  const content = async (outpoint: string) => {
    const found = await backend.contentOf(outpoint)
    return found === null ? null : [found.amount, bytesToHex(found.script)]
  }
  const amounts = async () => (await backend.coinsOf(address)).map((coin) => [coin.amount, coin.isConfirmed] as const)

  it('are counted when mined, from any sender, and follow the chain through reorgs', async () => {
    expect(await amounts()).toEqual([])
    await node.faucet(address, 70_000n)
    expect(await amounts()).toEqual([])
    node.mine(1)
    expect(await amounts()).toEqual([[70_000n, true]])
    await node.faucet(address, 80_000n)
    node.mine(2)
    expect((await amounts()).toSorted()).toEqual([
      [70_000n, true],
      [80_000n, true],
    ])
    node.reorg(2, { dropTransactions: true })
    expect(await amounts()).toEqual([[70_000n, true]])
  })

  it('of a new block are immature for a hundred blocks', async () => {
    node.mine(1, address)
    node.mine(98)
    expect(await amounts()).toEqual([])
    node.mine(1)
    expect((await amounts()).map(([, isConfirmed]) => isConfirmed)).toEqual([true])
  })

  it('are replaced by their change while a payment is unconfirmed, also change of change', async () => {
    const txid = await node.faucet(address, 70_000n)
    node.mine(1)
    const vout =
      (await backend.output(`${txid}:0`)).state === 'unspent' && (await backend.contentOf(`${txid}:0`))?.amount === 70_000n ? 0 : 1
    const first = signWalletPayment(signer, [{ outpoint: `${txid}:${vout}`, amount: 70_000n }], [{ amount: 60_000n, script }])
    expect(await content(`${txid}:${vout}`)).toEqual([70_000n, bytesToHex(script)])
    expect(await backend.broadcast(first.raw)).toEqual({ accepted: true })
    expect(await amounts()).toEqual([[60_000n, false]])
    expect(await content(`${first.txid}:0`)).toEqual([60_000n, bytesToHex(script)])
    expect(await content(`${first.txid}:7`)).toBeNull()
    const second = signWalletPayment(signer, [{ outpoint: `${first.txid}:0`, amount: 60_000n }], [{ amount: 50_000n, script }])
    await backend.broadcast(second.raw)
    expect(await amounts()).toEqual([[50_000n, false]])
    expect(await backend.spenderOf(`${first.txid}:0`, 0n)).toEqual({ txid: second.txid, confirmations: 0n })
    expect(await backend.output(`${first.txid}:0`)).toEqual({ state: 'missing' })
    node.mine(2)
    expect(await amounts()).toEqual([[50_000n, true]])
    expect(await backend.spenderOf(`${first.txid}:0`, 0n)).toEqual({ txid: second.txid, confirmations: 2n })
    expect(await backend.output(`${second.txid}:0`)).toEqual({ state: 'unspent', confirmations: 2n })
    expect(await backend.spenderOf(`${second.txid}:0`, 0n)).toBeNull()
  })

  it('are unknown above the tip: null for a header, an error for a scan', async () => {
    const { height } = await backend.tip()
    expect(await backend.blockAt(height + 1n)).toBeNull()
    expect((await backend.blockAt(0n))?.hash).toBe(regtest.genesisHash)
    const watch = createWatchedSwaps([{ ...swapAt(hashOf(1), regtest), deposits: [] }])
    await expect(backend.transactionsIn(watch, height, height + 1n)).rejects.toThrow(failure('unreachable', /reorg/))
  })
})

describe.each(['rpc', 'esplora'] as const)('the mempool through %s', (endpoint) => {
  let node: BitcoinRegtest
  let backend: BitcoinBackend
  beforeEach(async () => {
    node = await startBitcoinRegtest({ premineBlocks: 110 })
    backend = endpoint === 'rpc' ? createCoreBackend(node.rpcUrl, regtest) : createEsploraBackend(node.esploraUrl, regtest)
  })
  afterEach(() => node.close())

  // These are the x coordinates of the first multiples of the generator: an address must be a point of the curve to be paid.
  const keys = ['01', '02', '03'].map((n) => identityOf(createSecp256k1Key(n.padStart(64, '0'))))
  const swaps = keys.map((key) => swapAt(key, regtest))
  const scripts = keys.map(taprootScript)
  const watch = (count: number): WatchedSwaps => createWatchedSwaps(swaps.slice(0, count).map((swap) => ({ ...swap, deposits: [] })))
  const seen = async (watched: WatchedSwaps) => (await backend.unconfirmed(watched)).map((transaction) => transaction.txid())

  async function coin(amount: bigint) {
    await node.faucet(address, amount)
    node.mine(1)
    const found = (await backend.coinsOf(address)).find((one) => one.amount === amount)
    if (found === undefined) throw new Error('the coin is not there')
    return found
  }

  it('shows deposits, also to a swap that is watched only later', async () => {
    const first = await node.faucet(swaps[0]?.swapId ?? '', 50_000n)
    expect(await seen(watch(1))).toEqual([first])
    const second = await node.faucet(swaps[1]?.swapId ?? '', 50_000n)
    expect(await seen(watch(1))).toEqual([first])
    expect((await seen(watch(2))).sort()).toEqual([first, second].sort())
    node.mine(1)
    expect(await seen(watch(2))).toEqual([])
  })

  it('shows the deposit that replaced another one, and not that one', async () => {
    const from = await coin(90_000n)
    const [one, two] = [scripts[0] ?? script, scripts[1] ?? script]
    const first = signWalletPayment(signer, [from], [{ amount: 80_000n, script: one }])
    expect(await backend.broadcast(first.raw)).toEqual({ accepted: true })
    expect(await seen(watch(2))).toEqual([first.txid])
    const second = signWalletPayment(signer, [from], [{ amount: 70_000n, script: two }])
    expect(await backend.broadcast(second.raw)).toEqual({ accepted: true })
    expect(await seen(watch(2))).toEqual([second.txid])
    expect(await seen(watch(1))).toEqual([])
    const third = signWalletPayment(signer, [from], [{ amount: 60_000n, script }])
    expect(await backend.broadcast(third.raw)).toEqual({ accepted: true })
    expect(await seen(watch(2))).toEqual([])
  })

  if (endpoint === 'rpc')
    it('shows deposits to inactive swaps, with few or many watched', async () => {
      const finished: WatchedSwaps = { ...watch(1), active: async () => ({ swaps: [], next: null }) }
      const late = await node.faucet(swaps[0]?.swapId ?? '', 50_000n)
      expect(await seen(finished)).toEqual([late])
      const many = Array.from({ length: 100 }, (_, n) => ({ ...swapAt(hashOf(n), regtest), deposits: [] }))
      expect(await seen(createWatchedSwaps([...many, ...swaps.map((swap) => ({ ...swap, deposits: [] }))]))).toEqual([late])
      expect(await seen(createWatchedSwaps(many))).toEqual([])
    })

  it('shows who spends a known deposit', async () => {
    const { outpoint, amount } = await coin(90_000n)
    const spend = signWalletPayment(signer, [{ outpoint, amount }], [{ amount: 80_000n, script }])
    await backend.broadcast(spend.raw)
    const watched = createWatchedSwaps(swaps.map((swap) => ({ ...swap, deposits: [outpoint] })))
    expect(await seen(watched)).toEqual(endpoint === 'rpc' ? [spend.txid] : [])
  })
})

describe('an Esplora server', () => {
  let node: BitcoinRegtest
  beforeEach(async () => {
    node = await startBitcoinRegtest({ premineBlocks: 110 })
  })
  afterEach(() => node.close())

  it('without raw blocks is asked for the history of each address instead, and after a while for raw blocks again', async () => {
    let [hasRaw, nowMs] = [false, 0]
    const server = await serveChanged(node.esploraUrl, (path) =>
      hasRaw || !path.endsWith('/raw') ? null : { status: 404, body: 'not found' },
    )
    onTestFinished(() => server.close())
    const backend = createEsploraBackend(server.url, regtest, () => nowMs)
    const swap = swapAt(identityOf(signer), regtest)
    const txid = await node.faucet(swap.swapId, 50_000n)
    node.mine(1)
    const watched = createWatchedSwaps([{ ...swap, deposits: [] }])
    const scanAndCount = async () => {
      const found = await backend.transactionsIn(watched, 110n, BigInt(node.height))
      expect(found.map(({ transaction, block }) => [transaction.txid(), block?.height])).toEqual([[txid, 111n]])
      return {
        raw: server.asked.filter((path) => path.endsWith('/raw')).length,
        histories: server.asked.filter((path) => path.includes('/txs/chain')).length,
      }
    }
    expect([await scanAndCount(), await scanAndCount()].map(({ raw }) => raw)).toEqual([1, 1])
    hasRaw = true
    const before = await scanAndCount()
    nowMs += 10 * 60_000 + 1
    expect(await scanAndCount()).toEqual({ raw: before.raw + 3, histories: before.histories })
    // Once the server has raw blocks, it is not checked again.
    expect(await scanAndCount()).toEqual({ raw: before.raw + 5, histories: before.histories })
  })

  it('without raw blocks is asked for the pages of a block if more swaps are open than it has pages', async () => {
    const server = await serveChanged(node.esploraUrl, (path) => (path.endsWith('/raw') ? { status: 404, body: 'not found' } : null))
    onTestFinished(() => server.close())
    const backend = createEsploraBackend(server.url, regtest)
    const keys = [1, 2, 3].map((n) => identityOf(createSecp256k1Key(String(n).padStart(64, '0'))))
    const swaps = keys.map((key) => ({ ...swapAt(key, regtest), deposits: [] as string[] }))
    const paid = await Promise.all(swaps.slice(0, 2).map(({ swapId }) => node.faucet(swapId, 50_000n)))
    for (let others = 0; others < 30; others++) await node.faucet(address, 10_000n + BigInt(others))
    node.mine(1)
    const block = await backend.tip()
    const search = async (watched: readonly (typeof swaps)[number][]) => {
      const before = server.asked.length
      const found = await backend.transactionsOf(createWatchedSwaps(watched), block)
      const asked = server.asked.slice(before)
      const count = (part: string) => asked.filter((path) => path.includes(part)).length
      const at = { height: block.height, hash: block.hash, time: block.time }
      expect(found.map((one) => one.block)).toEqual(found.map(() => at))
      return { txids: found.map(({ transaction }) => transaction.txid()).sort(), pages: count('/txs/'), histories: count('/txs/chain') }
    }
    const all = paid.toSorted()
    expect(await search(swaps)).toEqual({ txids: all, pages: 2, histories: 0 })
    const [payment] = await backend.transactionsOf(createWatchedSwaps(swaps), block)
    const unpaid = [4, 5, 6].map((n) => ({ ...swapAt(hashOf(n), regtest), deposits: [] as string[] }))
    const spending = unpaid.map((swap) => ({ ...swap, deposits: [payment?.transaction.inputs[0]?.outpoint ?? ''] }))
    expect(await search(unpaid)).toEqual({ txids: [], pages: 2, histories: 0 })
    expect(await search(spending)).toEqual({ txids: [payment?.transaction.txid()], pages: 2, histories: 0 })
    // One request for each of two swaps costs no more than two pages, and both ways find the same.
    expect(await search(swaps.slice(0, 2))).toMatchObject({ txids: all, histories: 4 })
    const [first] = swaps
    const other = { ...block, hash: hashOf(5) }
    await expect(backend.transactionsOf(createWatchedSwaps(first === undefined ? [] : [first]), other)).rejects.toThrow(
      failure('unreachable', /reorg/),
    )
  })

  it('without raw blocks is asked for a bounded number of pages of several blocks, however many swaps are open', async () => {
    const server = await serveChanged(node.esploraUrl, (path) => (path.endsWith('/raw') ? { status: 404, body: 'not found' } : null))
    onTestFinished(() => server.close())
    const backend = createEsploraBackend(server.url, regtest)
    const key = identityOf(createSecp256k1Key('1'.padStart(64, '0')))
    await node.faucet(address, 90_000n)
    node.mine(1)
    const [coin] = await backend.coinsOf(address)
    if (coin === undefined) throw new Error('there is no coin')
    const outputs = [
      { amount: 40_000n, script: taprootScript(key) },
      { amount: 40_000n, script },
    ]
    const deposit = signWalletPayment(signer, [coin], outputs)
    await backend.broadcast(deposit.raw)
    node.mine(1)
    const spend = signWalletPayment(signer, [{ outpoint: `${deposit.txid}:1`, amount: 40_000n }], [{ amount: 30_000n, script }])
    await backend.broadcast(spend.raw)
    node.mine(2)
    const many = Array.from({ length: 10_000 }, (_, n) => ({ ...swapAt(hashOf(n), regtest), deposits: [] as string[] }))
    const watched = createWatchedSwaps([...many, { ...swapAt(key, regtest), deposits: [] }])
    await backend.tip()
    const before = server.asked.length
    const found = await backend.transactionsIn(watched, 110n, BigInt(node.height))
    expect(found.map(({ transaction, block }) => [transaction.txid(), block?.height])).toEqual([
      [deposit.txid, 112n],
      [spend.txid, 113n],
    ])
    expect(server.asked.slice(before).filter((path) => path.startsWith('/address/'))).toEqual([])
    expect(server.asked.length - before).toBeLessThan(50)
  })

  it('is not trusted about amounts and owners of coins: the raw transactions prove them', async () => {
    const txid = await node.faucet(address, 70_000n)
    node.mine(1)
    const real = await createEsploraBackend(node.esploraUrl, regtest).coinsOf(address)
    const server = await serveChanged(node.esploraUrl, (path, answer) => {
      if (!path.endsWith('/utxo')) return null
      const [utxo] = JSON.parse(answer)
      return {
        status: 200,
        body: JSON.stringify([
          { ...utxo, value: 90_000 },
          { ...utxo, vout: 1 - utxo.vout },
        ]),
      }
    })
    onTestFinished(() => server.close())
    const coins = await createEsploraBackend(server.url, regtest).coinsOf(address)
    expect(coins).toEqual(real)
    expect(coins).toMatchObject([{ outpoint: expect.stringContaining(txid), amount: 70_000n, isConfirmed: true }])
  })

  it('is asked about the largest of very many coins only', async () => {
    const dust = Array.from({ length: 1_000 }, (_, vout) => ({
      txid: hashOf(1_000 + vout),
      vout,
      value: 1_000,
      status: { confirmed: false },
    }))
    await node.faucet(address, 70_000n)
    node.mine(1)
    const server = await serveChanged(node.esploraUrl, (path, answer) =>
      path.endsWith('/utxo') ? { status: 200, body: JSON.stringify([...dust, ...JSON.parse(answer)]) } : null,
    )
    onTestFinished(() => server.close())
    const coins = await createEsploraBackend(server.url, regtest).coinsOf(address)
    expect(coins.map(({ amount }) => amount)).toEqual([70_000n])
    expect(server.asked.length).toBeLessThan(250)
  })

  it('that refuses to list an address with very many coins is asked for its history: dust stops no payment', async () => {
    const limited = await startBitcoinRegtest({ esploraMostCoins: 20 })
    const key = createSecp256k1Key('17'.repeat(32))
    const own = walletAddress(key.publicKey, regtest)
    const asked: string[] = []
    const server = await serveChanged(limited.esploraUrl, (path) => {
      asked.push(path)
      return null
    })
    const backend = createEsploraBackend(server.url, regtest)
    const amounts = async () => (await backend.coinsOf(own)).map(({ amount }) => amount).filter((amount) => amount > 1_000n)
    try {
      await limited.faucet(own, 70_000n)
      limited.mine(1)
      for (let dust = 0; dust < 60; dust += 1) {
        await limited.faucet(own, 600n)
        if (dust % 20 === 0) limited.mine(1)
      }
      limited.mine(1)
      expect((await fetch(`${limited.esploraUrl}/address/${own}/utxo`)).status).toBe(400)
      expect(await amounts()).toEqual([70_000n])
      // Deep history is not read again.
      limited.mine(101)
      await limited.faucet(own, 50_000n)
      limited.mine(1)
      expect(await amounts()).toEqual([70_000n, 50_000n])
      asked.length = 0
      expect(await amounts()).toEqual([70_000n, 50_000n])
      expect(asked.filter((path) => path.includes('/txs/chain'))).toHaveLength(1)
      // A reorg takes coins away that are not deep.
      limited.reorg(1, { dropTransactions: true })
      expect(await amounts()).toEqual([70_000n])
    } finally {
      await Promise.all([server.close(), limited.close()])
    }
  })
})

describe('a faulty or foreign node', () => {
  const chain = regtestChain()
  const serve = async (status: number, body: string) => {
    const server = createServer((_request, response) => response.writeHead(status).end(body))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const bound = server.address()
    const port = typeof bound === 'object' && bound !== null ? bound.port : 0
    return { url: `http://user:hunter2@127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) }
  }

  it.each([
    [401, ''],
    [503, 'Work queue depth exceeded'],
    [200, '<html>'],
    [200, '{"result":7,"error":null,"id":0}'],
    [500, '{"result":null,"error":{"code":-28,"message":"Loading block index…"},"id":0}'],
  ])('is unreachable when it answers %i %s', async (status, body) => {
    const { url, close } = await serve(status, body)
    try {
      for (const endpoints of [{ rpc: [url] }, { esplora: [url] }]) {
        const tip = bitcoin.connect(chain, { assets: [], endpoints }).tip()
        await expect(tip).rejects.toThrow(failure('unreachable'))
        await expect(tip).rejects.not.toThrow(/hunter2/)
      }
    } finally {
      await close()
    }
  })

  it('is refused when it is on another network', async () => {
    const { url, close } = await serve(
      200,
      '{"result":"000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f","error":null,"id":0}',
    )
    try {
      await expect(bitcoin.connect(chain, { assets: [], endpoints: { rpc: [url] } }).verifyNode()).rejects.toThrow(
        /another network than Bitcoin regtest/,
      )
    } finally {
      await close()
    }
  })

  it('is required: a chain without an endpoint is refused', () => {
    expect(() => bitcoin.connect(chain, { assets: [], endpoints: {} })).toThrow(/needs an endpoint/)
    expect(() => bitcoin.connect({ ...chain, reference: 'bitcoin:moon' }, { assets: [], endpoints: {} })).toThrow(
      /not a network of the Bitcoin family/,
    )
  })
})

describe('fee estimates', () => {
  it('come from the node in its own unit, and make up the fee of a payout', async () => {
    const node = await startBitcoinRegtest({ premineBlocks: 1, estimatedSatsPerVbyte: 7n })
    onTestFinished(() => node.close())
    for (const endpoints of [{ rpc: [node.rpcUrl] }, { esplora: [node.esploraUrl] }]) {
      const client = bitcoin.connect(regtestChain(), { assets: [], endpoints })
      // A payout has 155 vB at 7 sat/vB, half more at the urgent pace, and half more for a rise until it is paid. The fee is rounded up.
      expect(await client.payoutFee?.('bitcoin_regtest:btc')).toBe(2442n)
      await expect(client.payoutFee?.('bitcoin_regtest:other')).rejects.toThrow(/no asset/)
    }
  })
})
