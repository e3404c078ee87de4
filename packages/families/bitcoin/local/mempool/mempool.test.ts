// Tests unconfirmed transactions: replacement, chains of them, conflicts, timelocks, and their return after a reorg.
import { beforeEach, describe, expect, it } from 'vitest'
import { outputOf, ownerScript, payment, split } from '../testing/spend.ts'
import { createTestChain, type FundedCoin, type TestChain } from '../testing/test-chain.ts'
import type { Transaction } from '../transaction/transaction.ts'

let chain: TestChain
let coin: FundedCoin
let other: FundedCoin

beforeEach(() => {
  chain = createTestChain()
  const coins = chain.fund([ownerScript, ownerScript])
  coin = coins[0] as FundedCoin
  other = coins[1] as FundedCoin
})

const refusal = (transaction: Transaction) => chain.node.submit(transaction).refusal
const pending = () => [...chain.node.mempool.entries.keys()]

describe('replacement', () => {
  it('accepts a higher fee and drops the replaced transaction with its descendants', () => {
    const parent = payment([coin], { feeSats: 1_000n })
    const child = payment([outputOf(parent)], { feeSats: 500n })
    expect([refusal(parent), refusal(child)]).toEqual([null, null])
    const replacement = payment([coin], { feeSats: 2_000n })
    expect(refusal(replacement)).toBeNull()
    expect(pending()).toEqual([replacement.txid])
  })

  it('needs no signal', () => {
    expect(refusal(payment([coin], { sequence: 0xffffffff }))).toBeNull()
    expect(refusal(payment([coin], { feeSats: 5_000n }))).toBeNull()
  })

  it('must pay for its own relay on top of the replaced fees', () => {
    expect(refusal(payment([coin], { feeSats: 1_000n }))).toBeNull()
    // Signatures differ by a byte or two, so these payments have 109 or 110 virtual bytes.
    expect(refusal(payment([coin], { feeSats: 1_108n }))).toBe('insufficient fee')
    expect(refusal(payment([coin], { feeSats: 1_110n }))).toBeNull()
  })

  it('must not pay less than the transactions it replaces', () => {
    const parent = payment([coin], { feeSats: 1_000n })
    const child = payment([outputOf(parent)], { feeSats: 50_000n })
    expect([refusal(parent), refusal(child)]).toEqual([null, null])
    expect(refusal(payment([coin], { feeSats: 20_000n }))).toBe('insufficient fee')
  })

  it('must have a better feerate', () => {
    expect(refusal(payment([coin], { feeSats: 10_000n }))).toBeNull()
    const outputs = (amount: bigint) => Array.from({ length: 60 }, () => ({ amount, script: ownerScript }))
    const cheaper = payment([coin, other], { outputs: outputs(32_500n) })
    expect(cheaper.vsize).toBeGreaterThan(1_500)
    expect(refusal(cheaper)).toBe('insufficient fee')
    expect(refusal(payment([coin, other], { outputs: outputs(25_000n) }))).toBeNull()
  })

  it('must not bring in new unconfirmed parents', () => {
    const first = payment([coin], { feeSats: 1_000n })
    const unrelated = payment([other], { feeSats: 1_000n })
    expect([refusal(first), refusal(unrelated)]).toEqual([null, null])
    expect(refusal(payment([coin, outputOf(unrelated)], { feeSats: 30_000n }))).toBe('replacement-adds-unconfirmed')
  })

  it('must not spend what it replaces', () => {
    const first = payment([coin], { feeSats: 1_000n })
    expect(refusal(first)).toBeNull()
    expect(refusal(payment([coin, outputOf(first)], { feeSats: 30_000n }))).toBe('bad-txns-spends-conflicting-tx')
  })

  it('does not touch the pool when refused', () => {
    const first = payment([coin], { feeSats: 1_000n })
    expect(refusal(first)).toBeNull()
    expect(refusal(payment([coin], { feeSats: 1_001n }))).toBe('insufficient fee')
    expect(pending()).toEqual([first.txid])
  })
})

describe('chains of unconfirmed transactions', () => {
  it('are limited to 25 in a row', () => {
    let tip = payment([coin], { feeSats: 200n })
    expect(refusal(tip)).toBeNull()
    for (let i = 2; i <= 25; i++) {
      tip = payment([outputOf(tip)], { feeSats: 200n })
      expect(refusal(tip)).toBeNull()
    }
    expect(refusal(payment([outputOf(tip)], { feeSats: 200n }))).toBe('too-long-mempool-chain')
  })

  it('are limited to 25 descendants and one carve-out', () => {
    const parent = split(coin, 27)
    expect(refusal(parent)).toBeNull()
    const verdicts = Array.from({ length: 27 }, (_, i) => refusal(payment([outputOf(parent, i)], { feeSats: 200n })))
    expect(verdicts.slice(0, 25)).toEqual(Array.from({ length: 25 }, () => null))
    expect(verdicts.slice(25)).toEqual(['too-long-mempool-chain', 'too-long-mempool-chain'])
  })

  it('of version 3 are two at most', () => {
    const parent = payment([coin], { version: 3 })
    expect(refusal(parent)).toBeNull()
    expect(refusal(payment([outputOf(parent)], { version: 2 }))).toBe('TRUC-violation')
    const child = payment([outputOf(parent)], { version: 3 })
    expect(refusal(child)).toBeNull()
    expect(refusal(payment([outputOf(child)], { version: 3 }))).toBe('TRUC-violation')
  })

  it('enter a block parents first, at any fee', () => {
    const parent = payment([coin], { feeSats: 200n })
    const child = payment([outputOf(parent)], { feeSats: 300n })
    const grandchild = payment([outputOf(child)], { feeSats: 90_000n })
    const rich = payment([other], { feeSats: 50_000n })
    for (const transaction of [parent, child, grandchild, rich]) expect(refusal(transaction)).toBeNull()
    chain.mine(1)
    const order = chain.node.chain
      .tip()
      .block.transactions.slice(1)
      .map(({ txid }) => txid)
    expect(order).toEqual([parent.txid, child.txid, grandchild.txid, rich.txid])
    expect(pending()).toEqual([])
  })
})

describe('the mempool', () => {
  it('refuses a transaction that it has', () => {
    const transaction = payment([coin])
    expect(refusal(transaction)).toBeNull()
    expect(refusal(transaction)).toBe('txn-already-in-mempool')
    chain.mine(1)
    expect(refusal(transaction)).toBe('txn-already-known')
  })

  it('refuses to spend a reward that is not mature', () => {
    const tip = chain.node.chain.tip().height
    const reward = (height: number) => {
      const transaction = chain.node.chain.at(height)?.block.transactions[0]
      return { txid: transaction?.txid ?? '', index: 0, amount: 5_000_000_000n, script: Uint8Array.of(0x51) }
    }
    const spendReward = (height: number) => payment([reward(height)])
    expect(refusal(spendReward(tip - 98))).toBe('bad-txns-premature-spend-of-coinbase')
    // The reward script of the test chain is not standard; maturity is checked first.
    expect(refusal(spendReward(tip - 99))).toBe('bad-txns-nonstandard-inputs')
  })

  it('refuses a spend until the exact block of its relative timelock', () => {
    const delayed = payment([coin], { sequence: 5 })
    expect(refusal(delayed)).toBe('non-BIP68-final')
    chain.mine(3)
    expect(refusal(delayed)).toBe('non-BIP68-final')
    chain.mine(1)
    expect(refusal(delayed)).toBeNull()
    expect(chain.mineWith([delayed]).refusal).toBeNull()
  })

  it('a block with a spend one block too early is refused', () => {
    chain.mine(3)
    expect(chain.mineWith([payment([coin], { sequence: 5 })]).refusal).toBe('bad-txns-nonfinal')
  })
})

describe('a block', () => {
  it('removes conflicting transactions and their descendants', () => {
    const ours = payment([coin])
    const child = payment([outputOf(ours)])
    const unrelated = payment([other])
    for (const transaction of [ours, child, unrelated]) expect(refusal(transaction)).toBeNull()
    expect(chain.mineWith([payment([coin], { feeSats: 7_000n })]).refusal).toBeNull()
    expect(pending()).toEqual([unrelated.txid])
  })

  it('may spend an output that it creates', () => {
    const parent = payment([coin])
    expect(chain.mineWith([parent, payment([outputOf(parent)])]).refusal).toBeNull()
  })

  it('may not spend an output that it creates later', () => {
    const parent = payment([coin])
    expect(chain.mineWith([payment([outputOf(parent)]), parent]).refusal).toBe('bad-txns-inputs-missingorspent')
  })

  it('may not spend a coin twice', () => {
    expect(chain.mineWith([payment([coin]), payment([coin], { feeSats: 2_000n })]).refusal).toBe('bad-txns-inputs-missingorspent')
    expect(chain.mineWith([payment([coin])]).refusal).toBeNull()
  })
})
