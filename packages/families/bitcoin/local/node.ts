// Simulates a Bitcoin node without a network, with real validation of blocks and transactions: chain, mempool and mining in one process.
import { assembleBlock } from './chain/assemble-block.ts'
import type { Block } from './chain/block.ts'
import type { BlockNode } from './chain/block-node.ts'
import { type ChainIndex, createChainIndex } from './chain/chain-index.ts'
import { type ChainChange, type ChainState, createChainState } from './chain/chain-state.ts'
import type { Coin } from './chain/coins.ts'
import { type Evaluation, evaluateTransaction, findCoin, type MempoolContext } from './mempool/evaluate-transaction.ts'
import { createMempool, type Mempool } from './mempool/mempool.ts'
import { selectTransactions } from './mempool/select-transactions.ts'
import type { BitcoinNetwork } from './network.ts'
import { outpointKey, type Transaction } from './transaction/transaction.ts'
import { createScriptVerifier } from './transaction/verify-scripts.ts'

export type Dropped = true | readonly string[]

export type MineOptions = {
  /** An empty block leaves the mempool alone. */
  readonly empty?: boolean
  /** The unit is seconds. The time is raised above the chain's median time if needed. */
  readonly time?: number
}

export type BitcoinNode = {
  readonly network: BitcoinNetwork
  readonly chain: ChainState
  readonly index: ChainIndex
  readonly mempool: Mempool
  readonly minRelaySatsPerKvb: bigint
  nowSeconds(): number
  evaluate(transaction: Transaction): Evaluation
  submit(transaction: Transaction): Evaluation
  submitBlock(block: Block): string | null
  mine(rewardScript: Uint8Array, options?: MineOptions): BlockNode
  invalidate(node: BlockNode, dropped?: Dropped): void
  reconsider(node: BlockNode): void
  findCoin(txid: string, index: number): Coin | undefined
  onTransaction(listener: () => void): void
  nextTip(): Promise<void>
}

export type BitcoinNodeOptions = {
  readonly network: BitcoinNetwork
  readonly nowSeconds: () => number
  readonly minRelaySatsPerKvb?: bigint
}

export function createBitcoinNode(options: BitcoinNodeOptions): BitcoinNode {
  const { network, nowSeconds, minRelaySatsPerKvb = network.relay.minSatsPerKvb } = options
  const verifier = createScriptVerifier()
  const chain = createChainState({ network, verifier, nowSeconds })
  const index = createChainIndex()
  const mempool = createMempool()
  const context: MempoolContext = { chain, mempool, network, verifier, nowSeconds, minRelaySatsPerKvb }
  const listeners: (() => void)[] = []
  let minedBlocks = 0
  let tipChange = createTipChange()

  function removeConfirmed(transaction: Transaction): void {
    mempool.remove(transaction.txid)
    for (const input of transaction.inputs) {
      const conflict = mempool.spenderOf(outpointKey(input.txid, input.index))
      if (conflict !== undefined) mempool.removeWithDescendants(conflict.txid)
    }
  }

  /** After a reorg every unconfirmed transaction is validated again on the new chain, parents first. */
  function rebuildMempool(disconnected: readonly BlockNode[], dropped: Dropped): void {
    const isDropped = (txid: string) => dropped === true || dropped.includes(txid)
    const returned = [...disconnected]
      .reverse()
      .flatMap((node) => node.block.transactions.slice(1))
      .filter(({ txid }) => !isDropped(txid))
      .map((transaction) => ({ transaction, time: nowSeconds(), height: chain.tip().height }))
    const candidates = [...returned, ...mempool.entries.values()]
    mempool.clear()
    for (const { transaction, time, height } of candidates) {
      if (index.transaction(transaction.txid) !== undefined) continue
      const evaluation = evaluateTransaction(context, transaction, { ignoreFeeLimits: true })
      if (evaluation.refusal === null && evaluation.replaced.size === 0) mempool.add({ ...evaluation.entry, time, height })
    }
  }

  function follow({ disconnected, connected }: ChainChange, dropped: Dropped = []): void {
    for (const node of disconnected) index.disconnect(node)
    for (const node of connected) index.connect(node)
    if (disconnected.length > 0) rebuildMempool(disconnected, dropped)
    else for (const node of connected) node.block.transactions.forEach(removeConfirmed)
    if (connected.length > 0) {
      tipChange.note()
      tipChange = createTipChange()
    }
  }

  function submitBlock(block: Block): string | null {
    const result = chain.accept(block)
    follow(result)
    return result.refusal
  }

  return {
    network,
    chain,
    index,
    mempool,
    minRelaySatsPerKvb,
    nowSeconds,
    evaluate: (transaction) => evaluateTransaction(context, transaction),
    submit(transaction) {
      const evaluation = evaluateTransaction(context, transaction)
      if (evaluation.refusal !== null) return evaluation
      for (const txid of evaluation.replaced.keys()) mempool.remove(txid)
      mempool.add(evaluation.entry)
      for (const listener of listeners) listener()
      return evaluation
    },
    submitBlock,
    mine(rewardScript, { empty = false, time = nowSeconds() } = {}) {
      const previous = chain.tip()
      const chosen = empty ? [] : selectTransactions(mempool)
      const block = assembleBlock({
        network,
        previous,
        transactions: chosen.map((entry) => entry.transaction),
        feesSats: chosen.reduce((sum, entry) => sum + entry.feeSats, 0n),
        rewardScript,
        time: Math.max(time, previous.medianTimePast + 1),
        extraNonce: minedBlocks++,
      })
      const refusal = submitBlock(block)
      if (refusal !== null) throw new Error(`own block refused: ${refusal}`)
      return chain.tip()
    },
    invalidate: (node, dropped = []) => follow(chain.invalidate(node), dropped),
    reconsider: (node) => follow(chain.reconsider(node)),
    findCoin: (txid, outputIndex) => findCoin(context, txid, outputIndex),
    onTransaction: (listener) => listeners.push(listener),
    nextTip: () => tipChange.noted,
  }
}

function createTipChange() {
  let note: () => void = () => undefined
  const noted = new Promise<void>((resolve) => {
    note = resolve
  })
  return { note, noted }
}
