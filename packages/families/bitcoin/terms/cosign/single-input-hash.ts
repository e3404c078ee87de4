/** Computes the BIP341 signature hash under SINGLE and ANYONECANPAY: it covers one input and the output with the same index. */
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { CompactSize, SigHash } from '@scure/btc-signer'
import { tapLeafHash } from '@scure/btc-signer/payment.js'
import { REPLACEABLE_SEQUENCE, splitOutpoint } from '../wallet/sign.ts'

type Spend = {
  readonly deposit: string
  readonly amount: bigint
  readonly script: Uint8Array
  readonly output: { readonly amount: bigint; readonly script: Uint8Array }
}

type Output = Spend['output']

export function singleInputHash({ output, ...spend }: Spend, leaf: Uint8Array | null): Uint8Array {
  return singleInputHasher(spend, leaf)(output)
}

/** BIP340: a tagged hash begins with the hash of its tag, twice. */
const TAG = sha256(new TextEncoder().encode('TapSighash'))

/**
 * The part that does not depend on the output is hashed once, for callers that try many outputs. The hash is written by hand: a general
 * transaction builder validates our own scripts, which takes longer than the hash.
 */
export function singleInputHasher(
  { deposit, amount, script }: Omit<Spend, 'output'>,
  leaf: Uint8Array | null,
): (output: Output) => Uint8Array {
  const { txid, vout } = splitOutpoint(deposit)
  const before = sha256
    .create()
    .update(TAG)
    .update(TAG)
    // The bytes are epoch, hash type, transaction version 2, and no lock time.
    .update(Uint8Array.of(0, SigHash.SINGLE_ANYONECANPAY, 2, 0, 0, 0, 0, 0, 0, 0))
    // Bit 1 of the spend type says that a leaf is spent.
    .update(Uint8Array.of(leaf === null ? 0 : 2))
    .update(hexToBytes(txid).reverse())
    .update(u32(vout))
    .update(u64(amount))
    .update(withLength(script))
    .update(u32(REPLACEABLE_SEQUENCE))
  // BIP342: the leaf hash, key version 0, and no OP_CODESEPARATOR follow.
  const after = leaf === null ? new Uint8Array() : concatBytes(tapLeafHash(leaf), Uint8Array.of(0), u32(0xffffffff))
  return (output) =>
    before
      .clone()
      .update(sha256(concatBytes(u64(output.amount), withLength(output.script))))
      .update(after)
      .digest()
}

function withLength(bytes: Uint8Array): Uint8Array {
  return concatBytes(CompactSize.encode(BigInt(bytes.length)), bytes)
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

function u64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value, true)
  return bytes
}
