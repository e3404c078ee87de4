/**
 * Proves that a raw block contains exactly the transactions and witnesses that its hash commits to.
 * The merkle root in the header covers everything but witnesses. Those are covered by a commitment in the coinbase (BIP141), which matters
 * here: a witness shows the secret, and distinguishes a redeem from a refund.
 */
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { displayHash, rootOf, sha256d, txidOf } from './merkle-root.ts'
import { asRawBlock, outpointAt, type RawBlock, type Walked } from './transaction-walk.ts'

/** BIP141: the script has OP_RETURN, a push of 36 bytes, and the header of the commitment. */
const COMMITMENT_PREFIX = '6a24aa21a9ed'
const COMMITMENT_SCRIPT_BYTES = 38
/** BIP141: the witness hash of the coinbase counts as zero. */
const COINBASE_LEAF = new Uint8Array(32)
const NONCE_BYTES = 32
const NO_OUTPOINT = `${'00'.repeat(32)}:${0xffff_ffff}`

export function proveBlock(answer: Uint8Array, hash: string): RawBlock {
  const block = asRawBlock(answer)
  if (block.header.hash !== hash) throw new ChainFailure('unreachable', `the node answered with another block than ${hash}`)
  const transactions: Walked[] = []
  block.walk((transaction) => transactions.push(transaction))
  const txids = transactions.map((transaction) => txidOf(block.bytes, transaction))
  const { root, isAmbiguous } = rootOf(txids)
  if (displayHash(root) !== block.header.merkleRoot || isAmbiguous || !startsWithCoinbase(block.bytes, transactions))
    throw changed(hash, 'transactions')
  if (!hasCommittedWitnesses(block.bytes, transactions, txids)) throw changed(hash, 'witnesses')
  return block
}

/**
 * The merkle root does not say how deep the tree is: two neighbouring ids can be read as one transaction of 64 bytes,
 * and an attacker can craft such ids. Requiring a coinbase first prevents it: nobody can craft ids with the 32 zero bytes of a coinbase's input.
 */
function startsWithCoinbase(bytes: Buffer, [first]: readonly Walked[]): boolean {
  const [input, ...others] = first?.inputs ?? []
  return input !== undefined && others.length === 0 && outpointAt(bytes, input) === NO_OUTPOINT
}

function hasCommittedWitnesses(bytes: Buffer, transactions: readonly Walked[], txids: readonly Uint8Array[]): boolean {
  const [coinbase] = transactions
  const commitment = coinbase === undefined ? null : findCommitment(bytes, coinbase)
  if (coinbase === undefined || commitment === null) return transactions.every(({ witnessEnd }) => witnessEnd === null)
  const nonce = nonceOf(bytes, coinbase)
  if (nonce === null) return false
  const leaves = transactions.map((transaction, i) =>
    i === 0 ? COINBASE_LEAF : witnessHash(bytes, transaction, txids[i] ?? COINBASE_LEAF),
  )
  return bytesToHex(sha256d(concatBytes(rootOf(leaves).root, nonce))) === commitment
}

/** The last output of the coinbase with the form of a commitment counts. */
function findCommitment(bytes: Buffer, { outputs }: Walked): string | null {
  for (let i = outputs.length - 2; i >= 0; i -= 2) {
    const [at = 0, length = 0] = [outputs[i], outputs[i + 1]]
    const script = bytes.toString('hex', at, at + COMMITMENT_SCRIPT_BYTES)
    if (length >= COMMITMENT_SCRIPT_BYTES && script.startsWith(COMMITMENT_PREFIX)) return script.slice(COMMITMENT_PREFIX.length)
  }
  return null
}

/** BIP141: the nonce is the one witness item of the coinbase, and has 32 bytes. */
function nonceOf(bytes: Buffer, { bodyEnd, witnessEnd }: Walked): Uint8Array | null {
  if (witnessEnd !== bodyEnd + 2 + NONCE_BYTES || bytes[bodyEnd] !== 1 || bytes[bodyEnd + 1] !== NONCE_BYTES) return null
  return bytes.subarray(bodyEnd + 2, witnessEnd)
}

/** BIP141 defines the hash. Litecoin's MWEB part, which comes after the witnesses, is left out. */
function witnessHash(bytes: Buffer, { start, bodyStart, witnessEnd, end }: Walked, txid: Uint8Array): Uint8Array {
  if (witnessEnd === null) return txid
  const [version, marker, lockTime] = [bytes.subarray(start, start + 4), Uint8Array.of(0, 1), bytes.subarray(end - 4, end)]
  return sha256d(concatBytes(version, marker, bytes.subarray(bodyStart, witnessEnd), lockTime))
}

function changed(hash: string, what: string): ChainFailure {
  return new ChainFailure('unreachable', `the ${what} that the node sent are not those of block ${hash}`)
}
