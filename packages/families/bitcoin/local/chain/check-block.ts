// Checks the block rules that do not need the UTXO set: header, structure, BIP34, BIP113, BIP141.
import type { BitcoinNetwork } from '../network.ts'
import { OP, pushOf } from '../script/opcodes.ts'
import { encodeScriptNumber } from '../script/script-number.ts'
import { type BlockPosition, checkTransaction, isFinal, type Refusal } from '../transaction/check-transaction.ts'
import { legacySigops } from '../transaction/sigops.ts'
import { isCoinbase } from '../transaction/transaction.ts'
import { equalBytes, fromDisplayHash, toDisplayHash } from '../wire/bytes.ts'
import { type Block, commitmentScript, findCommitment } from './block.ts'
import { merkleRoot } from './merkle.ts'
import { meetsTarget } from './proof-of-work.ts'

export const MAX_BLOCK_WEIGHT = 4_000_000
export const MAX_BLOCK_SIGOPS_COST = 80_000
const MAX_FUTURE_SECONDS = 2 * 60 * 60
const WITNESS_SCALE = 4

/** BIP34: the coinbase starts with the height of its block. */
export function heightScript(height: number): Uint8Array {
  return height >= 1 && height <= 16 ? Uint8Array.of(OP.ONE + height - 1) : pushOf(encodeScriptNumber(height))
}

export function checkBlock(block: Block, network: BitcoinNetwork): Refusal {
  const { header, transactions } = block
  if (!meetsTarget(header, network)) return 'high-hash'
  const { root, mutated } = merkleRoot(transactions.map((transaction) => fromDisplayHash(transaction.txid)))
  if (toDisplayHash(root) !== header.merkleRoot) return 'bad-txnmrklroot'
  if (mutated) return 'bad-txns-duplicate'
  const [coinbase, ...others] = transactions
  if (coinbase === undefined || block.strippedSize * WITNESS_SCALE > MAX_BLOCK_WEIGHT) return 'bad-blk-length'
  if (!isCoinbase(coinbase)) return 'bad-cb-missing'
  if (others.some(isCoinbase)) return 'bad-cb-multiple'
  for (const transaction of transactions) {
    const refusal = checkTransaction(transaction, network.maxMoneySats)
    if (refusal !== null) return refusal
  }
  const sigops = transactions.reduce((sum, transaction) => sum + legacySigops(transaction), 0)
  return sigops * WITNESS_SCALE > MAX_BLOCK_SIGOPS_COST ? 'bad-blk-sigops' : null
}

function checkWitnessCommitment(block: Block): Refusal {
  const [coinbase] = block.transactions
  const commitment = coinbase ? findCommitment(coinbase) : null
  if (commitment === null) return block.transactions.some((transaction) => transaction.hasWitness) ? 'unexpected-witness' : null
  const witness = coinbase?.inputs[0]?.witness ?? []
  const nonce = witness[0]
  if (witness.length !== 1 || nonce?.length !== 32) return 'bad-witness-nonce-size'
  return equalBytes(commitmentScript(block.transactions, nonce), commitment) ? null : 'bad-witness-merkle-match'
}

export function checkBlockInContext(block: Block, position: BlockPosition, network: BitcoinNetwork, nowSeconds: number): Refusal {
  const { header, transactions } = block
  if (header.bits !== network.powLimitBits) return 'bad-diffbits'
  if (header.time <= position.medianTimePast) return 'time-too-old'
  if (header.time > nowSeconds + MAX_FUTURE_SECONDS) return 'time-too-new'
  // The version is a signed number: values from 2³¹ on are negative and thus too old.
  if ((header.version | 0) < 4) return `bad-version(0x${header.version.toString(16).padStart(8, '0')})`
  if (!transactions.every((transaction) => isFinal(transaction, position))) return 'bad-txns-nonfinal'
  const expected = heightScript(position.height)
  const scriptSig = transactions[0]?.inputs[0]?.scriptSig ?? new Uint8Array(0)
  if (!equalBytes(scriptSig.subarray(0, expected.length), expected)) return 'bad-cb-height'
  const refusal = checkWitnessCommitment(block)
  if (refusal !== null) return refusal
  return block.weight > MAX_BLOCK_WEIGHT ? 'bad-blk-weight' : null
}
