// Tests the chain: genesis, most work wins, invalidation, and what a reorg does to coins, indexes and mempool.
import { beforeEach, describe, expect, it } from 'vitest'
import { bitcoinRegtest } from '../network.ts'
import { createBitcoinNode } from '../node.ts'
import { outputOf, ownerScript, payment } from '../testing/spend.ts'
import { createTestChain, type FundedCoin, type TestChain } from '../testing/test-chain.ts'
import { outpointKey } from '../transaction/transaction.ts'
import { assembleBlock } from './assemble-block.ts'
import { createBlock, parseBlock, serializeBlock } from './block.ts'
import { scriptHashOf } from './chain-index.ts'
import { solve } from './proof-of-work.ts'

let chain: TestChain
let coin: FundedCoin
const OPEN = Uint8Array.of(0x51)

beforeEach(() => {
  chain = createTestChain()
  coin = chain.fund([ownerScript])[0] as FundedCoin
})

const snapshot = () => ({
  tip: chain.node.chain.tip().block.hash,
  coins: [...chain.node.chain.coins.keys()].sort(),
  history: chain.node.index.history(scriptHashOf(ownerScript)).locations.map(({ transaction }) => transaction.txid),
  stats: chain.node.index.history(scriptHashOf(ownerScript)).stats,
  unspent: [...chain.node.index.history(scriptHashOf(ownerScript)).coins.keys()].sort(),
})

describe('blocks', () => {
  it('start from the genesis of regtest', () => {
    expect(chain.node.chain.at(0)?.block.hash).toBe('0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206')
  })

  it('are the same after encoding and decoding', () => {
    const { block } = chain.node.chain.tip()
    expect(parseBlock(serializeBlock(block))).toEqual(block)
  })

  it('halve the reward every 150 blocks', () => {
    const node = createBitcoinNode({ network: bitcoinRegtest, nowSeconds: () => Math.floor(Date.now() / 1_000) })
    for (let i = 0; i < 150; i++) node.mine(OPEN, { time: 0 })
    expect(node.chain.at(149)?.block.transactions[0]?.outputs[0]?.amount).toBe(5_000_000_000n)
    expect(node.chain.at(150)?.block.transactions[0]?.outputs[0]?.amount).toBe(2_500_000_000n)
  })

  it('pay the fees to the miner', () => {
    expect(chain.node.submit(payment([coin], { feeSats: 1_234n })).refusal).toBeNull()
    const height = chain.node.chain.next().height
    const subsidy = height >= 150 ? 2_500_000_000n : 5_000_000_000n
    expect(chain.node.mine(OPEN).block.transactions[0]?.outputs[0]?.amount).toBe(subsidy + 1_234n)
  })

  it.each([
    ['a wrong merkle root', 'bad-txnmrklroot', { merkleRoot: '11'.repeat(32) }],
    ['another difficulty', 'bad-diffbits', { bits: 0x207ffffe }],
    ['a time before the median', 'time-too-old', { time: 1_300_000_000 }],
    ['a time in the far future', 'time-too-new', { time: 4_000_000_000 }],
    ['an old version', 'bad-version(0x00000003)', { version: 3 }],
    ['an unknown parent', 'prev-blk-not-found', { previousHash: '22'.repeat(32) }],
  ])('with %s are refused', (_, reason, change) => {
    const donor = createTestChain()
    const { block } = donor.mineWith([])
    const previousHash = chain.node.chain.tip().block.hash
    const changed = createBlock(solve({ ...block.header, previousHash, ...change }, bitcoinRegtest), block.transactions)
    expect(chain.node.submitBlock(changed)).toBe(reason)
  })

  it('are refused when they pay the miner too much', () => {
    const previous = chain.node.chain.tip()
    const plan = { network: bitcoinRegtest, previous, transactions: [], rewardScript: OPEN, time: previous.block.header.time + 1 }
    expect(chain.node.submitBlock(assembleBlock({ ...plan, feesSats: 1n, extraNonce: 1 }))).toBe('bad-cb-amount')
    expect(chain.node.submitBlock(assembleBlock({ ...plan, feesSats: 0n, extraNonce: 2 }))).toBeNull()
  })
})

describe('a reorg', () => {
  it('restores coins, indexes and mempool exactly', () => {
    const before = snapshot()
    const transaction = payment([coin])
    expect(chain.node.submit(transaction).refusal).toBeNull()
    const mined = chain.node.mine(OPEN)
    const after = snapshot()
    expect(after).not.toEqual(before)
    chain.node.invalidate(mined)
    expect(snapshot()).toEqual(before)
    expect([...chain.node.mempool.entries.keys()]).toEqual([transaction.txid])
    chain.node.reconsider(mined)
    expect(snapshot()).toEqual(after)
    expect(chain.node.mempool.entries.size).toBe(0)
  })

  it('returns transactions with their ancestors first, and keeps those that were unconfirmed before', () => {
    const parent = payment([coin])
    const child = payment([outputOf(parent)])
    expect(chain.node.submit(parent).refusal).toBeNull()
    const first = chain.node.mine(OPEN)
    expect(chain.node.submit(child).refusal).toBeNull()
    chain.node.mine(OPEN)
    const grandchild = payment([outputOf(child)])
    expect(chain.node.submit(grandchild).refusal).toBeNull()
    chain.node.invalidate(first)
    expect([...chain.node.mempool.entries.keys()]).toEqual([parent.txid, child.txid, grandchild.txid])
    const block = chain.node.mine(OPEN)
    expect(block.block.transactions).toHaveLength(4)
  })

  it('can drop transactions together with their descendants', () => {
    const parent = payment([coin])
    const child = payment([outputOf(parent)])
    for (const transaction of [parent, child]) expect(chain.node.submit(transaction).refusal).toBeNull()
    const mined = chain.node.mine(OPEN)
    chain.node.invalidate(mined, [parent.txid])
    expect(chain.node.mempool.entries.size).toBe(0)
    expect(chain.node.chain.coins.has(outpointKey(coin.txid, coin.index))).toBe(true)
  })

  it('drops a transaction whose reward has become immature', () => {
    const node = createBitcoinNode({ network: bitcoinRegtest, nowSeconds: () => Math.floor(Date.now() / 1_000) })
    const first = node.mine(ownerScript, { time: 0 })
    for (let i = 0; i < 99; i++) node.mine(OPEN, { time: 0 })
    const reward = { txid: first.block.transactions[0]?.txid ?? '', index: 0, amount: 5_000_000_000n, script: ownerScript }
    expect(node.submit(payment([reward])).refusal).toBeNull()
    node.invalidate(node.chain.tip())
    expect(node.mempool.entries.size).toBe(0)
  })

  it('happens automatically when another branch has more work', () => {
    const ours = chain.node.chain.tip()
    const rival = createBitcoinNode({ network: bitcoinRegtest, nowSeconds: () => Math.floor(Date.now() / 1_000) })
    for (let height = 1; height < ours.height; height++) {
      const block = chain.node.chain.at(height)?.block
      if (block) expect(rival.submitBlock(block)).toBeNull()
    }
    const first = rival.mine(Uint8Array.of(0x52))
    const second = rival.mine(Uint8Array.of(0x52))
    expect(chain.node.submitBlock(first.block)).toBe('inconclusive')
    expect(chain.node.chain.tip()).toBe(ours)
    expect(chain.node.submitBlock(second.block)).toBeNull()
    expect(chain.node.chain.tip().block.hash).toBe(second.block.hash)
    expect(chain.node.chain.isActive(ours)).toBe(false)
    expect(chain.node.submitBlock(first.block)).toBe('duplicate')
  })
})
