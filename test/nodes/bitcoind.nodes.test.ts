import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bitcoind, startBitcoind } from './bitcoind.ts'
import { describeWithNode } from './describe-with-node.ts'

await describeWithNode('bitcoind', 'a real bitcoind', () => {
  let bitcoind: Bitcoind
  beforeAll(async () => {
    bitcoind = await startBitcoind()
  })
  afterAll(() => bitcoind?.stop())

  test('mines on its own regtest chain and pays from a wallet', async () => {
    expect(await bitcoind.rpc<number>('getblockcount')).toBe(0)
    await bitcoind.rpc('createwallet', ['miner'])
    const wallet = bitcoind.walletRpc('miner')
    const address = await wallet<string>('getnewaddress')
    const blocks = await bitcoind.rpc<string[]>('generatetoaddress', [101, address])
    expect(blocks).toHaveLength(101)
    expect(await bitcoind.rpc<number>('getblockcount')).toBe(101)
    expect(await wallet<number>('getbalance')).toBe(50)
    const txid = await wallet<string>('sendtoaddress', [address, 1])
    expect(await bitcoind.rpc<string[]>('getrawmempool')).toEqual([txid])
  })

  test('answers an error as an error', async () => {
    await expect(bitcoind.rpc('getblockhash', [10_000])).rejects.toThrow('Block height out of range (-8)')
  })

  test('lets nobody in without the password', async () => {
    const url = new URL(bitcoind.rpcUrl)
    url.password = ''
    url.username = ''
    const response = await fetch(url, { method: 'POST', body: '{"method":"getblockcount"}' })
    expect(response.status).toBe(401)
  })
})
