// Tests the regtest as its users see it: both HTTP interfaces, faucet, mining policies, reorgs and faults.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { encodeAddress } from './address.ts'
import { type BitcoinRegtest, type BitcoinRegtestOptions, startBitcoinRegtest } from './index.ts'
import { bitcoinRegtest } from './network.ts'
import { outputOf, ownerScript, payment } from './testing/spend.ts'
import type { FundedCoin } from './testing/test-chain.ts'
import { parseTransaction } from './transaction/transaction.ts'
import { fromHex, toHex } from './wire/bytes.ts'

const address = encodeAddress(ownerScript, bitcoinRegtest) ?? ''
const running: BitcoinRegtest[] = []

async function start(options: BitcoinRegtestOptions = {}): Promise<BitcoinRegtest> {
  const regtest = await startBitcoinRegtest(options)
  running.push(regtest)
  return regtest
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((regtest) => regtest.close()))
})

type Answer = { status: number; result: unknown; error: { code: number; message: string } | null }

async function rpc(regtest: BitcoinRegtest, method: string, params: unknown = [], headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(regtest.rpcUrl, { method: 'POST', headers, body: JSON.stringify({ id: 7, method, params }) })
  const text = await response.text()
  return text === ''
    ? { status: response.status, result: null, error: null }
    : { status: response.status, ...(JSON.parse(text) as Omit<Answer, 'status'>) }
}

async function esplora(regtest: BitcoinRegtest, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(regtest.esploraUrl + path)
  return { status: response.status, text: await response.text() }
}

async function json<T>(regtest: BitcoinRegtest, path: string): Promise<T> {
  const { status, text } = await esplora(regtest, path)
  expect(status, text).toBe(200)
  return JSON.parse(text) as T
}

async function fundedCoin(regtest: BitcoinRegtest, amount = 1_000_000n): Promise<FundedCoin> {
  const txid = await regtest.faucet(address, amount)
  const raw = await rpc(regtest, 'getrawtransaction', [txid])
  const transaction = parseTransaction(fromHex(String(raw.result)))
  return outputOf(
    transaction,
    transaction.outputs.findIndex((output) => toHex(output.script) === toHex(ownerScript)),
  )
}

describe('faucet and JSON-RPC', () => {
  it('pays exactly, with amounts written in full', async () => {
    const regtest = await start()
    const txid = await regtest.faucet(address, 1n + 10n ** 8n)
    regtest.mine(1)
    const coin = await fetch(regtest.rpcUrl, {
      method: 'POST',
      body: JSON.stringify({ id: 1, method: 'getrawtransaction', params: [txid, 1] }),
    })
    expect(await coin.text()).toContain('"value":1.00000001,')
  })

  it('pays many times without a block, and large sums', async () => {
    const regtest = await start()
    for (let i = 0; i < 60; i++) await regtest.faucet(address, 10_000n)
    await regtest.faucet(address, 12_000_000_000n)
    regtest.mine(1)
    const { chain_stats } = await json<{ chain_stats: { funded_txo_sum: number } }>(regtest, `/address/${address}`)
    expect(chain_stats.funded_txo_sum).toBe(12_000_600_000)
    await expect(regtest.faucet(address, 10n ** 14n)).rejects.toThrow('the faucet has')
  })

  it('answers batches, named parameters and both versions of the protocol', async () => {
    const regtest = await start()
    const post = async (body: unknown) => {
      const response = await fetch(regtest.rpcUrl, { method: 'POST', body: JSON.stringify(body) })
      return { status: response.status, body: (await response.json()) as unknown }
    }
    expect(
      await post([
        { id: 1, method: 'getblockcount' },
        { id: 2, method: 'nosuch' },
      ]),
    ).toEqual({
      status: 200,
      body: [
        { result: 150, error: null, id: 1 },
        { result: null, error: { code: -32601, message: 'Method not found' }, id: 2 },
      ],
    })
    expect((await rpc(regtest, 'getblockhash', { height: 150 })).result).toBe(regtest.tipHash)
    expect(await post({ jsonrpc: '2.0', id: 'x', method: 'nosuch' })).toEqual({
      status: 200,
      body: { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' }, id: 'x' },
    })
    expect((await rpc(regtest, 'nosuch')).status).toBe(404)
    expect((await rpc(regtest, 'getblockhash', [9_999])).status).toBe(500)
    expect((await rpc(regtest, 'getblockhash', [9_999])).error?.code).toBe(-8)
    expect((await fetch(regtest.rpcUrl, { method: 'POST', body: '{' })).status).toBe(500)
  })

  it('demands credentials if they are configured', async () => {
    const regtest = await start({ rpcCredentials: 'user:pass' })
    expect((await rpc(regtest, 'getblockcount')).status).toBe(401)
    expect((await rpc(regtest, 'getblockcount', [], { authorization: `Basic ${btoa('user:wrong')}` })).status).toBe(401)
    expect((await rpc(regtest, 'getblockcount', [], { authorization: `Basic ${btoa('user:pass')}` })).result).toBe(150)
  })

  it('estimates the configured fee', async () => {
    const regtest = await start({ estimatedSatsPerVbyte: 5n })
    expect((await rpc(regtest, 'estimatesmartfee', [6])).result).toEqual({ feerate: 0.00005, blocks: 6 })
    const silent = await start({ estimatedSatsPerVbyte: null })
    expect((await rpc(silent, 'estimatesmartfee', [6])).result).toEqual({ errors: ['Insufficient data or no feerate found'], blocks: 0 })
  })
})

describe('Esplora', () => {
  it('follows a payment from mempool to block to spend', async () => {
    const regtest = await start()
    const coin = await fundedCoin(regtest)
    const { txid, index } = coin
    expect(await json(regtest, `/tx/${txid}/status`)).toEqual({ confirmed: false })
    expect(await json(regtest, `/address/${address}/utxo`)).toEqual([{ txid, vout: index, status: { confirmed: false }, value: 1_000_000 }])
    expect(await json<unknown[]>(regtest, `/address/${address}/txs/mempool`)).toHaveLength(1)
    expect(await json(regtest, '/mempool/txids')).toEqual([txid])
    const [hash] = regtest.mine(1)
    const status = { confirmed: true, block_height: 151, block_hash: hash, block_time: expect.any(Number) as number }
    expect(await json(regtest, `/tx/${txid}/status`)).toEqual(status)
    expect(await json(regtest, `/address/${address}/utxo`)).toEqual([{ txid, vout: index, status, value: 1_000_000 }])
    const spend = payment([coin])
    const posted = await fetch(`${regtest.esploraUrl}/tx`, { method: 'POST', body: toHex(spend.raw) })
    expect([posted.status, await posted.text()]).toEqual([200, spend.txid])
    expect(await json(regtest, `/tx/${txid}/outspend/${index}`)).toEqual({
      spent: true,
      txid: spend.txid,
      vin: 0,
      status: { confirmed: false },
    })
    regtest.mine(1)
    const view = await json<{
      fee: number
      vin: { prevout: { value: number; scriptpubkey_type: string; scriptpubkey_address: string } }[]
    }>(regtest, `/tx/${spend.txid}`)
    expect(view.fee).toBe(1_000)
    expect(view.vin[0]?.prevout).toMatchObject({ value: 1_000_000, scriptpubkey_type: 'v0_p2wpkh', scriptpubkey_address: address })
    const history = await json<{ txid: string }[]>(regtest, `/address/${address}/txs`)
    expect(history.map((each) => each.txid)).toEqual([spend.txid, txid])
    expect(await json(regtest, `/address/${address}/txs/chain/${spend.txid}`)).toMatchObject([{ txid }])
    const outspends = await json<{ spent: boolean }[]>(regtest, `/tx/${txid}/outspends`)
    expect(outspends[index]?.spent).toBe(true)
  })

  it('shows blocks', async () => {
    const regtest = await start()
    await regtest.faucet(address, 5_000n)
    const [hash = ''] = regtest.mine(1)
    expect((await esplora(regtest, '/blocks/tip/height')).text).toBe('151')
    expect((await esplora(regtest, '/blocks/tip/hash')).text).toBe(hash)
    expect((await esplora(regtest, '/block-height/151')).text).toBe(hash)
    expect(await json(regtest, `/block/${hash}`)).toMatchObject({ id: hash, height: 151, tx_count: 2 })
    expect((await esplora(regtest, `/block/${hash}/header`)).text).toHaveLength(160)
    const txids = await json<string[]>(regtest, `/block/${hash}/txids`)
    const page = await json<{ txid: string }[]>(regtest, `/block/${hash}/txs/0`)
    expect(page.map(({ txid }) => txid)).toEqual(txids)
    const raw = Buffer.from(await (await fetch(`${regtest.esploraUrl}/block/${hash}/raw`)).arrayBuffer()).toString('hex')
    expect(raw).toBe((await rpc(regtest, 'getblock', [hash, 0])).result)
    expect(await json<unknown[]>(regtest, '/blocks')).toHaveLength(10)
    // Each of two transactions is the neighbour of the other.
    expect(await json(regtest, `/tx/${txids[1]}/merkle-proof`)).toEqual({ block_height: 151, merkle: [txids[0]], pos: 1 })
  })

  it('refuses with the error texts of Esplora', async () => {
    const regtest = await start()
    const unknown = '99'.repeat(32)
    expect(await esplora(regtest, `/tx/${unknown}`)).toEqual({ status: 404, text: 'Transaction not found' })
    expect(await esplora(regtest, `/block/${unknown}`)).toEqual({ status: 404, text: 'Block not found' })
    expect((await esplora(regtest, '/block-height/99999')).status).toBe(404)
    expect((await esplora(regtest, '/address/nonsense')).status).toBe(400)
    expect((await esplora(regtest, '/tx/xyz')).status).toBe(400)
    const coin = await fundedCoin(regtest)
    const post = async (body: string) => {
      const response = await fetch(`${regtest.esploraUrl}/tx`, { method: 'POST', body })
      return `${response.status} ${await response.text()}`
    }
    expect(await post(toHex(payment([coin], { feeSats: 1n }).raw))).toBe(
      '400 sendrawtransaction RPC error: {"code":-26,"message":"min relay fee not met"}',
    )
    expect(await post(toHex(payment([{ ...coin, index: 9 }]).raw))).toContain('"code":-25')
    expect(await post('zz')).toBe('400 Invalid hex string')
  })

  it('finds scripts by their hash', async () => {
    const regtest = await start()
    await regtest.faucet(address, 5_000n)
    const { createHash } = await import('node:crypto')
    const scriptHash = createHash('sha256').update(ownerScript).digest('hex')
    expect(await json(regtest, `/scripthash/${scriptHash}/utxo`)).toEqual(await json(regtest, `/address/${address}/utxo`))
  })
})

describe('mining', () => {
  it('in instant mode confirms each transaction', async () => {
    const regtest = await start({ mining: { mode: 'instant' } })
    await regtest.faucet(address, 5_000n)
    expect(regtest.height).toBe(151)
    expect((await rpc(regtest, 'getrawmempool')).result).toEqual([])
  })

  it('in manual mode waits for a request', async () => {
    const regtest = await start()
    await regtest.faucet(address, 5_000n)
    expect(regtest.height).toBe(150)
    regtest.setMining({ mode: 'instant' })
    expect(regtest.height).toBe(151)
  })

  it('by interval is faster while the mempool has transactions', async () => {
    const regtest = await start({ mining: { mode: 'interval', busyMs: 5, idleMs: 3_600_000 } })
    await regtest.faucet(address, 5_000n)
    expect(regtest.height).toBe(150)
    while (regtest.height === 150) await sleep(5)
    expect((await rpc(regtest, 'getrawmempool')).result).toEqual([])
  })

  it('by interval mines empty blocks too', async () => {
    const regtest = await start({ mining: { mode: 'interval', busyMs: 3_600_000, idleMs: 5 } })
    while (regtest.height < 152) await sleep(5)
    regtest.setMining({ mode: 'manual' })
  })

  it('pays the reward to a given address', async () => {
    const regtest = await start()
    const [hash] = regtest.mine(1, address)
    expect(await json<{ txid: string }[]>(regtest, `/address/${address}/txs`)).toMatchObject([{ status: { block_hash: hash } }])
    expect(() => regtest.mine(1, 'nonsense')).toThrow('not an address')
  })
})

describe('reorg', () => {
  it('returns transactions to the mempool', async () => {
    const regtest = await start()
    const txid = await regtest.faucet(address, 5_000n)
    const [old = ''] = regtest.mine(1)
    const fresh = regtest.reorg(1)
    expect(fresh).toHaveLength(2)
    expect(regtest.height).toBe(152)
    expect((await rpc(regtest, 'getrawmempool')).result).toEqual([txid])
    expect(await json(regtest, `/tx/${txid}/status`)).toEqual({ confirmed: false })
    expect((await rpc(regtest, 'getblockheader', [old])).result).toMatchObject({ confirmations: -1 })
    regtest.mine(1)
    expect(await json(regtest, `/tx/${txid}/status`)).toMatchObject({ confirmed: true, block_height: 153 })
  })

  it('mines them again on request', async () => {
    const regtest = await start()
    const txid = await regtest.faucet(address, 5_000n)
    regtest.mine(3)
    const [first] = regtest.reorg(3, { mineReturned: true })
    expect(await json(regtest, `/tx/${txid}/status`)).toMatchObject({ confirmed: true, block_hash: first })
  })

  it('drops them on request', async () => {
    const regtest = await start()
    const gone = await regtest.faucet(address, 5_000n)
    const kept = await regtest.faucet(address, 6_000n)
    regtest.mine(1)
    regtest.reorg(1, { dropTransactions: [gone] })
    expect((await rpc(regtest, 'getrawmempool')).result).toEqual([kept])
    expect((await rpc(regtest, 'getrawtransaction', [gone])).error?.code).toBe(-5)
    regtest.mine(1)
    regtest.reorg(2, { dropTransactions: true })
    expect((await rpc(regtest, 'getrawmempool')).result).toEqual([])
  })

  it('cannot reach below the genesis block', async () => {
    const regtest = await start()
    expect(() => regtest.reorg(151)).toThrow('cannot replace 151 blocks')
    expect(() => regtest.reorg(0)).toThrow('cannot replace 0 blocks')
  })
})

describe('faults', () => {
  it('drop accepts broadcasts and forgets them', async () => {
    const regtest = await start()
    const coin = await fundedCoin(regtest)
    const spend = payment([coin])
    regtest.faults.drop(1)
    expect((await rpc(regtest, 'sendrawtransaction', [toHex(spend.raw)])).result).toBe(spend.txid)
    expect((await rpc(regtest, 'getmempoolentry', [spend.txid])).error?.code).toBe(-5)
    expect((await rpc(regtest, 'sendrawtransaction', [toHex(spend.raw)])).result).toBe(spend.txid)
    expect((await rpc(regtest, 'getmempoolentry', [spend.txid])).error).toBeNull()
  })

  it('delay postpones answers', async () => {
    const regtest = await start()
    regtest.faults.delay(80)
    const startedAt = performance.now()
    expect((await rpc(regtest, 'getblockcount')).result).toBe(150)
    expect(performance.now() - startedAt).toBeGreaterThan(70)
    regtest.faults.delay(0)
  })

  it('outage refuses connections or answers 503, and ends', async () => {
    const regtest = await start()
    await regtest.faults.setOutage('unavailable')
    expect((await fetch(regtest.rpcUrl, { method: 'POST', body: '{}' })).status).toBe(503)
    expect((await esplora(regtest, '/blocks/tip/height')).status).toBe(503)
    await regtest.faults.setOutage('refused')
    await expect(fetch(regtest.rpcUrl, { method: 'POST', body: '{}' })).rejects.toThrow()
    await expect(esplora(regtest, '/blocks/tip/height')).rejects.toThrow()
    await regtest.faults.setOutage('none')
    expect((await rpc(regtest, 'getblockcount')).result).toBe(150)
    expect((await esplora(regtest, '/blocks/tip/height')).text).toBe('150')
  })

  it('start fails on a taken port and leaves no server running', async () => {
    const regtest = await start()
    const taken = Number(new URL(regtest.esploraUrl).port)
    await expect(start({ esploraPort: taken })).rejects.toThrow('EADDRINUSE')
  })
})
