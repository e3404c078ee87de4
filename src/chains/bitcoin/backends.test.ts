// What both adapters must agree on beside the conformance suite: coins, and nodes that misbehave.
import { createServer } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BitcoinRegtest, startBitcoinRegtest } from '../../../devnet/bitcoin/index.ts'
import { scriptOfAddress, walletAddress } from './address.ts'
import type { BitcoinBackend } from './backend.ts'
import { randomSigner, regtest, regtestChain } from './bitcoin-fixture.ts'
import { failure } from './bitcoin-scene.ts'
import { createCoreBackend } from './core-rpc.ts'
import { createEsploraBackend } from './esplora.ts'
import { createFeeEstimator } from './fee-estimator.ts'
import { bitcoin } from './index.ts'
import { signWalletPayment } from './sign.ts'

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
  const amounts = async () => (await backend.coinsOf(address)).map((coin) => [coin.amount, coin.isConfirmed] as const)

  it('are counted when mined, whoever sent them, and follow the chain through reorgs', async () => {
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

  it('are replaced by their change while a payment waits, also change of change', async () => {
    const txid = await node.faucet(address, 70_000n)
    node.mine(1)
    const vout = (await backend.output(`${txid}:0`)).state === 'unspent' && (await backend.amountOf(`${txid}:0`)) === 70_000n ? 0 : 1
    const first = signWalletPayment(signer, [{ outpoint: `${txid}:${vout}`, amount: 70_000n }], [{ amount: 60_000n, script }])
    expect(await backend.broadcast(first.raw)).toEqual({ accepted: true })
    expect(await amounts()).toEqual([[60_000n, false]])
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

  it('answers null above the tip, and refuses to read blocks that are not there', async () => {
    const { height } = await backend.tip()
    expect(await backend.blockAt(height + 1n)).toBeNull()
    expect((await backend.blockAt(0n))?.hash).toBe(regtest.genesisHash)
    const watch = { scripts: new Set([`5120${'ab'.repeat(32)}`]), outpoints: new Set<string>() }
    await expect(backend.transactionsIn(watch, height, height + 1n)).rejects.toThrow(failure('unreachable', /reorg/))
  })
})

describe('a node that is not what it should be', () => {
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
      for (const endpoints of [{ rpc: url }, { esplora: url }]) {
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
      await expect(bitcoin.connect(chain, { assets: [], endpoints: { rpc: url } }).verifyNode()).rejects.toThrow(
        /another network than regtest/,
      )
    } finally {
      await close()
    }
  })

  it('must be named', () => {
    expect(() => bitcoin.connect(chain, { assets: [], endpoints: {} })).toThrow(/needs an endpoint/)
    expect(() => bitcoin.connect({ ...chain, reference: 'bitcoin:moon' }, { assets: [], endpoints: {} })).toThrow(/no Bitcoin network/)
  })
})

describe('fee estimates', () => {
  const rates = async (estimate: bigint | null) => {
    const fees = createFeeEstimator({ estimateFeeRate: async () => estimate }, regtest)
    return [await fees.feeRate(false), await fees.feeRate(true)]
  }

  it('are bounded, raised in a hurry, and guessed when the node has none', async () => {
    expect(await rates(10_000n)).toEqual([10_000n, 15_000n])
    expect(await rates(1n)).toEqual([1_000n, 1_000n])
    expect(await rates(10n ** 9n)).toEqual([1_000_000n, 1_000_000n])
    expect(await rates(null)).toEqual([1_000n, 1_500n])
  })

  it('come from the node in its own unit, and make up the fee of a payout', async () => {
    const node = await startBitcoinRegtest({ premineBlocks: 1, estimatedSatsPerVbyte: 7n })
    try {
      for (const endpoints of [{ rpc: node.rpcUrl }, { esplora: node.esploraUrl }]) {
        const client = bitcoin.connect(regtestChain(), { assets: [], endpoints })
        expect(await client.payoutFee('bitcoin_regtest:btc')).toBe(143n * 7n)
        await expect(client.payoutFee('bitcoin_regtest:other')).rejects.toThrow(/no asset/)
      }
    } finally {
      await node.close()
    }
  })
})
