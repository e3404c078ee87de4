// Tests swaps beside Litecoin's MWEB: a real litecoind makes MWEB transactions and blocks.
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CoreNode, startCoreNode } from '../../../../../test/nodes/core-node.ts'
import { describeWithNode } from '../../../../../test/nodes/describe-with-node.ts'
import { networkOf } from '../../terms/networks.ts'
import { parseBitcoinAddress } from '../../terms/script/address.ts'
import { randomSigner, regtestChain } from '../bitcoin.fixture.ts'
import { bitcoin } from '../index.ts'
import { parseTransaction } from '../script/transaction.ts'
import { proveBlock } from './prove-block.ts'

/** MWEB activates with the next block, which must have a peg-in. */
const BLOCKS_BEFORE_MWEB = 431
const PEG_OUT_MATURITY = 6

const network = networkOf('litecoin:regtest')
const chain = regtestChain('litecoin:regtest')

await describeWithNode('litecoind', 'a litecoind with MWEB', () => {
  let node: CoreNode
  let open: CoreNode['rpc']
  let hidden: CoreNode['rpc']
  let client: ChainClient
  let miner: string
  const mine = (blocks: number) => node.rpc('generatetoaddress', [blocks, miner])

  beforeAll(async () => {
    node = await startCoreNode('litecoind', { mweb: true })
    for (const wallet of ['open', 'hidden']) await node.rpc('createwallet', [wallet])
    open = node.walletRpc('open')
    hidden = node.walletRpc('hidden')
    client = bitcoin.connect(chain, { assets: [], endpoints: { rpc: [node.rpcUrl] } })
    await node.rpc('generatetoaddress', [5, await open('getnewaddress')])
    miner = client.addressOf(randomSigner())
    await mine(BLOCKS_BEFORE_MWEB - 5)
  })
  afterAll(async () => {
    await client?.close()
    await node?.stop()
  })

  it('accepts the addresses that we accept, and makes MWEB addresses that we refuse', async () => {
    for (const text of [
      '2N2JD6wb56AfK4tfmM6PwdVmoYk2dCKf4Br',
      'QWPTCBtUyHFyf8E8buYwXWBtQRD4SU5RPw',
      'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
    ]) {
      const { isvalid, address } = await node.rpc<{ isvalid: boolean; address: string }>('validateaddress', [text])
      expect(isvalid).toBe(true)
      expect(parseBitcoinAddress(text, network)).toBe(address)
    }
    expect(() => parseBitcoinAddress('tmweb1qqvf7g08z0lfvqyq', network)).toThrow(/MWEB/)
    expect(parseBitcoinAddress(await open('getnewaddress', ['', 'p2sh-segwit']), network)).toMatch(/^Q/)
    const confidential = await hidden<string>('getnewaddress', ['', 'mweb'])
    expect(() => parseBitcoinAddress(confidential, network)).toThrow(/MWEB/)
  })

  it('a deposit that comes out of MWEB is seen, and redeemed as soon as the chain allows it', async () => {
    const [user, solver] = [randomSigner(), randomSigner()]
    const secret = createSecret()
    const terms = {
      asset: chain.nativeAsset,
      initiator: client.identityOf(user),
      redeemer: client.identityOf(solver),
      amount: 40_000_000n,
      secretHash: hashSecret(secret),
      timelock: 100n,
    }
    const from = (await client.tip()).height
    const deposits = async () => (await readSwap(client, terms, from)).swap.deposits

    // The other parts of a peg-in parse beside its MWEB part.
    const into = await open<string>('sendtoaddress', [await hidden('getnewaddress', ['', 'mweb']), '1'])
    const raw = await node.rpc<string>('getrawtransaction', [into])
    expect(() => parseTransaction(raw)).toThrow()
    expect(parseTransaction(raw, network).txid()).toBe(into)
    expect(await deposits()).toEqual([])
    await mine(1)
    expect(await deposits()).toEqual([])

    // The HogEx transaction of the block pegs out to the HTLC.
    await hidden('sendtoaddress', [client.swapId(terms), '0.4'])
    expect(await deposits()).toEqual([])
    await mine(1)
    const [deposit, ...others] = await deposits()
    expect(others).toEqual([])
    expect(deposit).toMatchObject({ amount: 40_000_000n, confirmations: 1n })
    const { tx } = await node.rpc<{ tx: string[] }>('getblock', [await node.rpc('getbestblockhash')])
    expect(deposit?.id).toMatch(new RegExp(`^${tx.at(-1)}:[0-9]+$`))

    const outbox = createMemoryOutbox(solver)
    const spend = { deposits: [{ id: deposit?.id ?? '', amount: 40_000_000n }], to: null, secret }
    const redeem = () => client.redeem(terms, spend, outbox.open('redeem'))
    await expect(redeem()).rejects.toThrow(/premature-spend-of-pegout/)
    await mine(PEG_OUT_MATURITY - 1)
    const redeemed = await redeem()
    await mine(1)
    expect((await readSwap(client, terms, from)).events).toContainEqual(expect.objectContaining({ kind: 'redeemed', tx: redeemed, secret }))
  })

  it('proves its blocks: MWEB is part of neither merkle root', async () => {
    const tip = await node.rpc<number>('getblockcount')
    // The range begins before the activation.
    for (let height = BLOCKS_BEFORE_MWEB - 2; height <= tip; height++) {
      const hash = await node.rpc<string>('getblockhash', [height])
      const bytes = Buffer.from(await node.rpc<string>('getblock', [hash, 0]), 'hex')
      expect(proveBlock(bytes, hash).header.hash).toBe(hash)
    }
    expect(tip).toBeGreaterThan(BLOCKS_BEFORE_MWEB + PEG_OUT_MATURITY)
  })
})
