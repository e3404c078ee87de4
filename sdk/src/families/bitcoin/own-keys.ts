/** Users with a key of their own in the HTLC: they redeem and refund by themselves, through any Esplora. */
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { singleInputHasher } from '../../../../src/chains/bitcoin/cosign/single-input-hash.ts'
import { htlcOf, type Leaf } from '../../../../src/chains/bitcoin/htlc.ts'
import { networkOf } from '../../../../src/chains/bitcoin/networks.ts'
import { parseBitcoinAddress, scriptOfAddress } from '../../../../src/chains/bitcoin/script/address.ts'
import { parseUserKey } from '../../../../src/chains/bitcoin/script/user-key.ts'
import { estimateVsize } from '../../../../src/chains/bitcoin/script/weight.ts'
import { boundFeeRate, dustLimit, feeOf, largestFee, NORMAL_TARGET } from '../../../../src/chains/bitcoin/wallet/fees.ts'
import { type LeafInput, signLeafSpends } from '../../../../src/chains/bitcoin/wallet/sign.ts'
import type { Signer } from '../../../../src/keys/key.ts'
import { createSecp256k1Signer } from '../../../../src/keys/secp256k1-signer.ts'
import { VerificationError } from '../../verify/verification-error.ts'
import type { Node, OwnKeys, SwapSide } from '../family.ts'
import { broadcast, feeRate, utxosOf } from './esplora.ts'

const SIGNATURE_BYTES = 64
/** BIP341: SINGLE and ANYONECANPAY. */
const REFUND_SIGHASH = '83'

export const ownKeys: OwnKeys = {
  publicKeyOf: (privateKey) => bytesToHex(schnorr.getPublicKey(hexToBytes(privateKey))),
  signInstantRefund(side, hashes, privateKey) {
    const known = refundHashesOf(side, new Set(hashes))
    return hashes.map((hash) => {
      if (!known.has(hash))
        throw new VerificationError('instant-refund-hash', 'the hash of a refund of this order to your own address', hash)
      return `${bytesToHex(schnorr.sign(hexToBytes(hash), hexToBytes(privateKey)))}${REFUND_SIGHASH}`
    })
  },
  refund: (side, privateKey, to, node) =>
    spend(side, { privateKey, to, node, leaf: htlcOfSide(side).refund, items: [], timelock: side.terms.timelock }),
  redeem: (side, privateKey, secret, to, node) =>
    spend(side, { privateKey, to, node, leaf: htlcOfSide(side).redeem, items: [hexToBytes(secret)], timelock: null }),
}

type Spend = Pick<LeafInput, 'items' | 'timelock'> & {
  readonly privateKey: string
  readonly to: string | null
  readonly node: Node
  readonly leaf: Leaf
}

/** Spends all deposits at the address of the HTLC into one output. A repeat before a block replaces nothing: the node knows the transaction. */
async function spend(side: SwapSide, { privateKey, to, node, leaf, items, timelock }: Spend): Promise<string> {
  const network = networkOf(side.chain.reference)
  const htlc = htlcOfSide(side)
  const deposits = (await utxosOf(node, htlc.address)).filter(({ height }) => height !== null)
  if (deposits.length === 0) throw new Error(`there is nothing to spend at ${htlc.address}`)
  const script = to === null ? ownScript(side) : scriptOfAddress(parseBitcoinAddress(to, network), network)
  const witness = [SIGNATURE_BYTES, ...items.map(({ length }) => length), leaf.script.length, leaf.controlBlock.length]
  const vsize = estimateVsize(
    deposits.map(() => witness),
    [script],
  )
  const rate = boundFeeRate((await feeRate(node, NORMAL_TARGET)) ?? network.fallbackFeeRate, network)
  const total = deposits.reduce((sum, { amount }) => sum + amount, 0n)
  // At most half of the amount: a slow transaction is better than none.
  const most = largestFee(total, vsize, network)
  const fee = feeOf(vsize, rate) < most ? feeOf(vsize, rate) : most
  if (total - fee < dustLimit(script, network)) throw new Error(`the deposit of ${total} ${network.unit} is not worth its fee of ${fee}`)
  const inputs = deposits.map(({ outpoint, amount }) => ({ outpoint, amount, script: htlc.script, leaf, items, timelock }))
  const { raw } = signLeafSpends(signerOf(side, privateKey), inputs, { amount: total - fee, script })
  return broadcast(node, raw)
}

function htlcOfSide({ terms, chain }: SwapSide) {
  return htlcOf(terms, networkOf(chain.reference))
}

/** BIP86: the address of the user's own key. */
function ownScript({ owner, chain }: SwapSide): Uint8Array {
  const network = networkOf(chain.reference)
  const key = parseUserKey(owner ?? '', network)
  if (key === null) throw new Error('the order has no key of the user')
  return scriptOfAddress(key.address, network)
}

/**
 * The service tells only hashes. A hash is signed only if it is of a refund of a deposit of this order to the user's own address, by the leaf that
 * needs both parties, at a fee from the least to the largest that the network's limits allow: all of these are tried.
 */
function refundHashesOf(side: SwapSide, wanted: ReadonlySet<string>): ReadonlySet<string> {
  const network = networkOf(side.chain.reference)
  const { script, instantRefund: leaf } = htlcOfSide(side)
  const output = ownScript(side)
  const vsize = estimateVsize([[SIGNATURE_BYTES + 1, SIGNATURE_BYTES + 1, leaf.script.length, leaf.controlBlock.length]], [output])
  const found = new Set<string>()
  for (const { deposit, amount: text } of side.told.deposits ?? []) {
    const amount = BigInt(text)
    const most = largestFee(amount, vsize, network)
    const hashPaying = singleInputHasher({ deposit, amount, script }, leaf.script)
    for (let fee = feeOf(vsize, network.minFeeRate); fee <= most; fee += 1n) {
      const hash = bytesToHex(hashPaying({ amount: amount - fee, script: output }))
      if (!wanted.has(hash)) continue
      found.add(hash)
      break
    }
    if (found.size === wanted.size) break
  }
  return found
}

function signerOf({ chain, terms }: SwapSide, privateKey: string): Signer {
  const key = hexToBytes(privateKey)
  const notHere = () => {
    throw new Error('this key signs alone')
  }
  return createSecp256k1Signer(
    key,
    secp256k1.getPublicKey(key, true),
    { kind: 'rescue', chain: chain.id, terms },
    { startMusig: notHere, lend: notHere },
  )
}
