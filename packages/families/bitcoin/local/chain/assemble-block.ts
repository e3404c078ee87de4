// Builds and solves the next block on a tip: coinbase, witness commitment, merkle root, nonce.
import { concatBytes } from '@noble/hashes/utils.js'
import type { BitcoinNetwork } from '../network.ts'
import { pushOf } from '../script/opcodes.ts'
import { createTransaction, NULL_INDEX, NULL_TXID, type Transaction } from '../transaction/transaction.ts'
import { fromDisplayHash, toDisplayHash, uint32 } from '../wire/bytes.ts'
import { type Block, commitmentScript, createBlock } from './block.ts'
import type { BlockNode } from './block-node.ts'
import { heightScript } from './check-block.ts'
import { subsidyAt } from './connect-block.ts'
import { merkleRoot } from './merkle.ts'
import { solve } from './proof-of-work.ts'

const BLOCK_VERSION = 0x20000000

export type BlockPlan = {
  readonly network: BitcoinNetwork
  readonly previous: BlockNode
  readonly transactions: readonly Transaction[]
  readonly feesSats: bigint
  readonly rewardScript: Uint8Array
  readonly time: number
  /** The number makes the coinbase unique, so that a block mined again at the same height is another block. */
  readonly extraNonce: number
}

export function assembleBlock(plan: BlockPlan): Block {
  const { network, previous, transactions, time } = plan
  const height = previous.height + 1
  const nonce = new Uint8Array(32)
  const coinbaseInput = {
    txid: NULL_TXID,
    index: NULL_INDEX,
    scriptSig: concatBytes(heightScript(height), pushOf(uint32(plan.extraNonce))),
    sequence: 0xffffffff,
    witness: [nonce],
  }
  const unfinished = { version: 2, inputs: [coinbaseInput], outputs: [], lockTime: 0 }
  const commitment = commitmentScript([createTransaction(unfinished), ...transactions], nonce)
  const coinbase = createTransaction({
    ...unfinished,
    outputs: [
      { amount: subsidyAt(height, network) + plan.feesSats, script: plan.rewardScript },
      { amount: 0n, script: commitment },
    ],
  })
  const all = [coinbase, ...transactions]
  const header = solve(
    {
      version: BLOCK_VERSION,
      previousHash: previous.block.hash,
      merkleRoot: toDisplayHash(merkleRoot(all.map((transaction) => fromDisplayHash(transaction.txid))).root),
      time,
      bits: network.powLimitBits,
      nonce: 0,
    },
    network,
  )
  return createBlock(header, all)
}
