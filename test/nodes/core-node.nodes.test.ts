/** Tests the real node that other tests use. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CoreNode, startCoreNode } from './core-node.ts'
import { describeWithNode } from './describe-with-node.ts'
import { NODE_PACKAGES, type NodeName } from './packages.ts'

for (const name of Object.keys(NODE_PACKAGES) as NodeName[]) {
  await describeWithNode(name, `a real ${name}`, () => {
    let node: CoreNode
    beforeAll(async () => {
      node = await startCoreNode(name)
    })
    afterAll(() => node?.stop())

    test('mines on its own regtest chain and pays from a wallet', async () => {
      expect(await node.rpc<number>('getblockcount')).toBe(0)
      await node.rpc('createwallet', ['miner'])
      const wallet = node.walletRpc('miner')
      const address = await wallet<string>('getnewaddress')
      const blocks = await node.rpc<string[]>('generatetoaddress', [101, address])
      expect(blocks).toHaveLength(101)
      expect(await node.rpc<number>('getblockcount')).toBe(101)
      expect(await wallet<number>('getbalance')).toBe(50)
      const txid = await wallet<string>('sendtoaddress', [address, 1])
      expect(await node.rpc<string[]>('getrawmempool')).toEqual([txid])
    })

    test('rejects with the error of the node', async () => {
      await expect(node.rpc('getblockhash', [10_000])).rejects.toThrow('Block height out of range (-8)')
    })

    test('refuses requests without the password', async () => {
      const url = new URL(node.rpcUrl)
      url.password = ''
      url.username = ''
      const response = await fetch(url, { method: 'POST', body: '{"method":"getblockcount"}' })
      expect(response.status).toBe(401)
    })
  })
}
