// Shows blocks and headers as Bitcoin Core's verbose answers do.
import type { BlockNode } from '../chain/block-node.ts'
import { difficultyOf, targetOf } from '../chain/proof-of-work.ts'
import type { BitcoinNode } from '../node.ts'
import { toHex } from '../wire/bytes.ts'
import { type JsonObject, transactionView } from './transaction-view.ts'

export function hex256(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}

/** A block that is not in the active chain has -1. */
export function confirmationsOf(node: BitcoinNode, block: BlockNode): number {
  return node.chain.isActive(block) ? node.chain.tip().height - block.height + 1 : -1
}

export function headerView(node: BitcoinNode, block: BlockNode): JsonObject {
  const { header, hash, transactions } = block.block
  const next = node.chain.isActive(block) ? node.chain.at(block.height + 1) : undefined
  return {
    hash,
    confirmations: confirmationsOf(node, block),
    height: block.height,
    version: header.version | 0,
    versionHex: header.version.toString(16).padStart(8, '0'),
    merkleroot: header.merkleRoot,
    time: header.time,
    mediantime: block.medianTimePast,
    nonce: header.nonce,
    bits: header.bits.toString(16).padStart(8, '0'),
    target: hex256(targetOf(header.bits)),
    difficulty: difficultyOf(header.bits),
    chainwork: hex256(block.chainWork),
    nTx: transactions.length,
    previousblockhash: block.previous?.block.hash,
    nextblockhash: next?.block.hash,
  }
}

/** Verbosity 1 lists txids, 2 whole transactions, 3 also the outputs they spend. */
export function blockView(node: BitcoinNode, block: BlockNode, verbosity: number): JsonObject {
  const { transactions, size, strippedSize, weight } = block.block
  return {
    ...headerView(node, block),
    strippedsize: strippedSize,
    size,
    weight,
    tx: transactions.map((transaction, i) => {
      if (verbosity === 1) return transaction.txid
      const options = { network: node.network, spent: block.undo?.[i], showPrevouts: verbosity >= 3 }
      return { ...transactionView(transaction, options), hex: toHex(transaction.raw) }
    }),
  }
}
