// Shows blocks, transactions and coins as the Esplora HTTP interface does.
import { OPNames } from '@scure/btc-signer/script.js'
import { encodeAddress } from '../address.ts'
import type { BlockNode } from '../chain/block-node.ts'
import { difficultyOf } from '../chain/proof-of-work.ts'
import type { JsonValue } from '../http/json.ts'
import type { BitcoinNode } from '../node.ts'
import { OP, readInstruction } from '../script/opcodes.ts'
import { classifyScript, type ScriptType } from '../script/standard-scripts.ts'
import { sigopsCost } from '../transaction/sigops.ts'
import { isCoinbase, outpointKey, type Transaction, type TransactionOutput } from '../transaction/transaction.ts'
import { toHex } from '../wire/bytes.ts'

const TYPE_NAMES: Readonly<Record<ScriptType, string>> = {
  pubkey: 'p2pk',
  pubkeyhash: 'p2pkh',
  scripthash: 'p2sh',
  multisig: 'multisig',
  nulldata: 'op_return',
  anchor: 'anchor',
  witness_v0_keyhash: 'v0_p2wpkh',
  witness_v0_scripthash: 'v0_p2wsh',
  witness_v1_taproot: 'v1_p2tr',
  witness_unknown: 'unknown',
  nonstandard: 'unknown',
}

function pushName(opcode: number): string {
  if (opcode === 0) return 'OP_0'
  return opcode < OP.PUSHDATA1 ? `OP_PUSHBYTES_${opcode}` : `OP_${OPNames[opcode]}`
}

function opcodeName(opcode: number): string {
  if (opcode === OP.NEGATE1) return 'OP_PUSHNUM_NEG1'
  if (opcode >= OP.ONE && opcode <= OP.SIXTEEN) return `OP_PUSHNUM_${opcode - OP.ONE + 1}`
  if (opcode === OP.CHECKLOCKTIMEVERIFY) return 'OP_CLTV'
  if (opcode === OP.CHECKSEQUENCEVERIFY) return 'OP_CSV'
  return OPNames[opcode] === undefined ? `OP_RETURN_${opcode}` : `OP_${OPNames[opcode]}`
}

/** Esplora names every push opcode, unlike Bitcoin Core. */
function assembly(script: Uint8Array): string {
  const words: string[] = []
  for (let offset = 0; offset < script.length; ) {
    const instruction = readInstruction(script, offset)
    if (instruction === null) {
      words.push('<push past end>')
      break
    }
    const { opcode, data, end } = instruction
    if (data === null) words.push(opcodeName(opcode))
    else words.push(pushName(opcode), ...(data.length > 0 ? [toHex(data)] : []))
    offset = end
  }
  return words.join(' ')
}

function outputView({ script, amount }: TransactionOutput, { network }: BitcoinNode): JsonValue {
  return {
    scriptpubkey: toHex(script),
    scriptpubkey_asm: assembly(script),
    scriptpubkey_type: script.length === 0 ? 'empty' : TYPE_NAMES[classifyScript(script)],
    scriptpubkey_address: encodeAddress(script, network) ?? undefined,
    value: amount,
  }
}

export function statusView(block: BlockNode | null): JsonValue {
  if (block === null) return { confirmed: false }
  return { confirmed: true, block_height: block.height, block_hash: block.block.hash, block_time: block.block.header.time }
}

export type FoundTransaction = {
  readonly transaction: Transaction
  readonly block: BlockNode | null
  readonly spent: readonly TransactionOutput[]
}

/** Transactions of replaced blocks are unknown, as in Esplora. */
export function findTransaction(node: BitcoinNode, txid: string): FoundTransaction | null {
  const pending = node.mempool.get(txid)
  if (pending !== undefined) return { transaction: pending.transaction, block: null, spent: pending.spent }
  const location = node.index.transaction(txid)
  if (location === undefined) return null
  return { transaction: location.transaction, block: location.node, spent: location.node.undo?.[location.position] ?? [] }
}

export function transactionView(node: BitcoinNode, { transaction, block, spent }: FoundTransaction): JsonValue {
  const coinbase = isCoinbase(transaction)
  const sum = (outputs: readonly TransactionOutput[]) => outputs.reduce((total, { amount }) => total + amount, 0n)
  return {
    txid: transaction.txid,
    version: transaction.version,
    locktime: transaction.lockTime,
    vin: transaction.inputs.map((input, i) => {
      const prevout = spent[i]
      return {
        txid: input.txid,
        vout: input.index,
        prevout: prevout === undefined ? null : outputView(prevout, node),
        scriptsig: toHex(input.scriptSig),
        scriptsig_asm: assembly(input.scriptSig),
        witness: input.witness.length > 0 ? input.witness.map(toHex) : undefined,
        is_coinbase: coinbase,
        sequence: input.sequence,
      }
    }),
    vout: transaction.outputs.map((output) => outputView(output, node)),
    size: transaction.raw.length,
    weight: transaction.weight,
    sigops: sigopsCost(transaction, spent),
    fee: coinbase ? 0 : sum(spent) - sum(transaction.outputs),
    status: statusView(block),
  }
}

export function outspendView(node: BitcoinNode, txid: string, index: number): JsonValue {
  const outpoint = outpointKey(txid, index)
  const confirmed = node.index.spender(outpoint)
  const spender = confirmed ?? node.mempool.spenderOf(outpoint)
  if (spender === undefined) return { spent: false }
  return { spent: true, txid: spender.txid, vin: spender.inputIndex, status: statusView(confirmed?.node ?? null) }
}

export function blockView({ block, height, medianTimePast }: BlockNode): JsonValue {
  const { header } = block
  return {
    id: block.hash,
    height,
    version: header.version,
    timestamp: header.time,
    tx_count: block.transactions.length,
    size: block.size,
    weight: block.weight,
    merkle_root: header.merkleRoot,
    previousblockhash: height === 0 ? null : header.previousHash,
    mediantime: medianTimePast,
    nonce: header.nonce,
    bits: header.bits,
    difficulty: difficultyOf(header.bits),
  }
}
