import { bytesToHex } from '@noble/hashes/utils.js'
import { expect, it } from 'vitest'
import { startBitcoinRegtest } from '../../../devnet/bitcoin/index.ts'
import { scriptOfAddress, walletAddress } from './address.ts'
import { randomSigner, regtest } from './bitcoin-fixture.ts'
import { failure } from './bitcoin-scene.ts'
import { createCoreBackend } from './core-rpc.ts'
import { createJsonRpc } from './json-rpc.ts'
import { createNodeHttp } from './node-http.ts'
import { asBytes, asHash } from './node-json.ts'
import { scanBlocks } from './scan-blocks.ts'
import { signWalletPayment } from './sign.ts'

it('finds the spend of an output that it found itself', async () => {
  const node = await startBitcoinRegtest({ premineBlocks: 101 })
  try {
    const signer = randomSigner()
    const address = walletAddress(signer.publicKey, regtest)
    const script = scriptOfAddress(address, regtest)
    const backend = createCoreBackend(node.rpcUrl, regtest)
    await node.faucet(address, 50_000n)
    node.mine(1)
    const [coin] = await backend.coinsOf(address)
    const spend = signWalletPayment(signer, coin === undefined ? [] : [coin], [
      { amount: 40_000n, script: Uint8Array.of(0, 20, ...new Uint8Array(20)) },
    ])
    await backend.broadcast(spend.raw)
    node.mine(1)
    const watch = { scripts: new Set([bytesToHex(script)]), outpoints: new Set<string>() }
    const found = await backend.transactionsIn(watch, 101n, BigInt(node.height))
    expect(found.map(({ transaction }) => transaction.txid())).toEqual([coin?.outpoint.split(':')[0], spend.txid])
  } finally {
    await node.close()
  }
})

it('finds transactions in order, and notices when the chain changes under it', async () => {
  const node = await startBitcoinRegtest({ premineBlocks: 101 })
  try {
    const rpc = createJsonRpc(createNodeHttp(node.rpcUrl))
    let reads = 0
    let reorgAt = -1
    const source = {
      blockHashAt: async (height: bigint) => asHash(await rpc.call('getblockhash', [Number(height)])),
      async rawBlock(hash: string) {
        reads += 1
        if (reads === reorgAt) node.reorg(3)
        return asBytes(await rpc.call('getblock', [hash, 0]))
      },
    }
    const to = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
    const txids = []
    for (let i = 0; i < 6; i++) {
      txids.push(await node.faucet(to, 50_000n))
      node.mine(1)
    }
    const watch = { scripts: new Set([bytesToHex(scriptOfAddress(to, regtest))]), outpoints: new Set<string>() }
    const scan = () => scanBlocks(source, watch, 100n, BigInt(node.height))
    const found = await scan()
    expect(found.map(({ transaction }) => transaction.txid())).toEqual(txids)
    expect(found.map(({ block }) => block?.height)).toEqual([102n, 103n, 104n, 105n, 106n, 107n])
    // After the last read.
    const stale = await source.blockHashAt(105n)
    reads = 0
    reorgAt = 8
    await expect(scan()).rejects.toThrow(failure('unreachable', /reorg while reading block 107/))
    // Between two reads: the blocks do not fit together.
    const torn = { ...source, blockHashAt: async (height: bigint) => (height === 105n ? stale : source.blockHashAt(height)) }
    await expect(scanBlocks(torn, watch, 104n, 106n)).rejects.toThrow(failure('unreachable', /reorg while reading block 106/))
    const liar = { ...source, rawBlock: async () => asBytes(await rpc.call('getblock', [node.tipHash, 0])) }
    await expect(scanBlocks(liar, watch, 50n, 51n)).rejects.toThrow(failure('unreachable', /another block/))
  } finally {
    await node.close()
  }
})
