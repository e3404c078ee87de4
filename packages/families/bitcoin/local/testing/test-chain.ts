// Runs a node for tests with a wallet: it funds any output scripts, standard or not, and mines any transactions.
import { assembleBlock } from '../chain/assemble-block.ts'
import type { Block } from '../chain/block.ts'
import { type BitcoinNetwork, bitcoinRegtest } from '../network.ts'
import { type BitcoinNode, createBitcoinNode } from '../node.ts'
import { createTransaction, type Transaction } from '../transaction/transaction.ts'

export type FundedCoin = { readonly txid: string; readonly index: number; readonly amount: bigint; readonly script: Uint8Array }

export type TestChain = {
  readonly node: BitcoinNode
  /** The block bypasses the mempool. */
  fund(scripts: readonly Uint8Array[], amount?: bigint): FundedCoin[]
  mine(count: number): void
  mineWith(transactions: readonly Transaction[]): { block: Block; refusal: string | null }
}

/** Anyone can spend it, so tests need no wallet. */
const OPEN_SCRIPT = Uint8Array.of(0x51)
const OUTPUTS_PER_FUNDING = 500
const FEE = 100_000n

export type TestChainOptions = {
  readonly network?: BitcoinNetwork
  readonly blocks?: number
  readonly onBlock?: (block: Block) => void
  readonly nowSeconds?: () => number
  readonly minRelaySatsPerKvb?: bigint
}

export function createTestChain(options: TestChainOptions = {}): TestChain {
  const { network = bitcoinRegtest, blocks = 130, onBlock, nowSeconds = () => Math.floor(Date.now() / 1_000) } = options
  const { minRelaySatsPerKvb = network.relay.minSatsPerKvb } = options
  const node = createBitcoinNode({ network, nowSeconds, minRelaySatsPerKvb })
  const unspentRewards: { txid: string; amount: bigint; height: number }[] = []
  const start = nowSeconds() - (blocks + 70) * 60
  let extraNonce = 1_000_000

  function mineOne(time?: number): void {
    const { block, height } = node.mine(OPEN_SCRIPT, time === undefined ? {} : { time })
    const [coinbase] = block.transactions
    if (coinbase !== undefined) unspentRewards.push({ txid: coinbase.txid, amount: coinbase.outputs[0]?.amount ?? 0n, height })
    onBlock?.(block)
  }

  for (let i = 1; i <= blocks; i++) mineOne(start + i * 60)

  function mineWith(transactions: readonly Transaction[]): { block: Block; refusal: string | null } {
    const previous = node.chain.tip()
    const block = assembleBlock({
      network: node.network,
      previous,
      transactions,
      feesSats: 0n,
      rewardScript: OPEN_SCRIPT,
      time: Math.max(nowSeconds(), previous.medianTimePast + 1),
      extraNonce: extraNonce++,
    })
    const refusal = node.submitBlock(block)
    return { block, refusal }
  }

  function fundOnce(scripts: readonly Uint8Array[], amount: bigint): FundedCoin[] {
    const coin = unspentRewards.shift()
    if (coin === undefined) throw new Error('no block reward is left to spend')
    const change = coin.amount - amount * BigInt(scripts.length) - FEE
    const transaction = createTransaction({
      version: 2,
      inputs: [{ txid: coin.txid, index: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff, witness: [] }],
      outputs: [...scripts.map((script) => ({ amount, script })), { amount: change, script: OPEN_SCRIPT }],
      lockTime: 0,
    })
    const { block, refusal } = mineWith([transaction])
    if (refusal !== null) throw new Error(`funding refused: ${refusal}`)
    onBlock?.(block)
    return scripts.map((script, index) => ({ txid: transaction.txid, index, amount, script }))
  }

  return {
    node,
    fund(scripts, amount = 1_000_000n) {
      const coins: FundedCoin[] = []
      for (let i = 0; i < scripts.length; i += OUTPUTS_PER_FUNDING)
        coins.push(...fundOnce(scripts.slice(i, i + OUTPUTS_PER_FUNDING), amount))
      return coins
    },
    mine(count) {
      for (let i = 0; i < count; i++) mineOne()
    },
    mineWith,
  }
}
