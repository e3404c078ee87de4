// Builds taproot outputs with a tree of leaves for tests, and the leaves and the joint key of an HTLC.
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { keyAggExport, keyAggregate, nonceAggregate, nonceGen, Session, sortKeys } from '@scure/btc-signer/musig2.js'
import { bytesToNumber } from '../script/signature-encoding.ts'
import { fromHex, taggedHash } from '../wire/bytes.ts'
import { type Key, leafHashOf, script } from './spend.ts'

/** Nobody knows the discrete logarithm of this point (BIP341). */
const NUMS = fromHex('50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0')

export type TaprootOutput = {
  readonly script: Uint8Array
  readonly merkleRoot: Uint8Array
  readonly tweak: Uint8Array
  controlBlock(leafIndex: number): Uint8Array
}

export type Leaf = { readonly script: Uint8Array; readonly version?: number }

function branch(a: Uint8Array, b: Uint8Array): Uint8Array {
  return Buffer.compare(a, b) < 0 ? taggedHash('TapBranch', a, b) : taggedHash('TapBranch', b, a)
}

/** The first leaf is at depth one, the last two are deepest. */
export function taprootOutput(leaves: readonly Leaf[], internalKey = NUMS): TaprootOutput {
  const hashes = leaves.map((leaf) => leafHashOf(leaf.script, leaf.version))
  // roots[i] is the root over the leaves from i on.
  const roots = [...hashes]
  for (let i = hashes.length - 2; i >= 0; i--) {
    const own = hashes[i]
    const below = roots[i + 1]
    if (own !== undefined && below !== undefined) roots[i] = branch(own, below)
  }
  const merkleRoot = roots[0] ?? new Uint8Array(0)
  const tweak = taggedHash('TapTweak', internalKey, merkleRoot)
  const output = schnorr.utils.lift_x(bytesToNumber(internalKey)).add(secp256k1.Point.BASE.multiply(bytesToNumber(tweak)))
  const outputBytes = output.toBytes(true)
  const parity = (outputBytes[0] ?? 0) & 1
  return {
    script: script('OP_1', outputBytes.subarray(1)),
    merkleRoot,
    tweak,
    controlBlock(leafIndex) {
      const path = [...hashes.slice(0, leafIndex).reverse()]
      const below = roots[leafIndex + 1]
      const siblings = below === undefined ? path : [below, ...path]
      return concatBytes(Uint8Array.of((leaves[leafIndex]?.version ?? 0xc0) | parity), internalKey, ...siblings)
    },
  }
}

type Parties = { readonly initiator: Key; readonly redeemer: Key }

export function htlcLeaves({ initiator, redeemer }: Parties, secret: Uint8Array, timelock: number) {
  return {
    redeem: script('SIZE', Uint8Array.of(32), 'EQUALVERIFY', 'SHA256', sha256(secret), 'EQUALVERIFY', redeemer.xOnly, 'CHECKSIG'),
    refund: script(timelock, 'CHECKSEQUENCEVERIFY', 'DROP', initiator.xOnly, 'CHECKSIG'),
    instant: script(initiator.xOnly, 'CHECKSIG', redeemer.xOnly, 'CHECKSIGADD', 2, 'NUMEQUAL'),
  }
}

/** The key of both parties together is that of BIP327. They sign with the tweak of an output. */
export function jointKeyOf({ initiator, redeemer }: Parties) {
  const sorted = sortKeys([initiator.compressed, redeemer.compressed])
  const publicKey = keyAggExport(keyAggregate(sorted))
  return {
    publicKey,
    sign(message: Uint8Array, tweak: Uint8Array): Uint8Array {
      const signers = sorted.map((compressed) => {
        const own = Buffer.compare(compressed, initiator.compressed) === 0 ? initiator : redeemer
        return { own, nonce: nonceGen(compressed, own.secret, publicKey, message) }
      })
      const session = () => new Session(nonceAggregate(signers.map(({ nonce }) => nonce.public)), sorted, message, [tweak], [true])
      return session().partialSigAgg(signers.map(({ own, nonce }) => session().sign(nonce.secret, own.secret)))
    },
  }
}
