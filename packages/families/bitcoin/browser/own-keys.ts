/** Lets users with a key of their own in the HTLC redeem and refund by themselves, through any Esplora. */
import { schnorr } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { verifyThat } from '@tandem/chain-kit/browser/check.ts'
import type { KeySide, OwnKeys, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { VerificationError } from '@tandem/chain-kit/browser/verification-error.ts'
import { parseAmount } from '@tandem/protocol/amount.ts'
import { singleInputHasher } from '../terms/cosign/single-input-hash.ts'
import { htlcOf } from '../terms/htlc.ts'
import { networkOf } from '../terms/networks.ts'
import { parseXOnlyKey } from '../terms/script/address.ts'
import { estimateVsize } from '../terms/script/weight.ts'
import { feeCap, feeOf } from '../terms/wallet/fees.ts'
import { addressUse, readLock, spendOf } from './read-lock.ts'
import { ownScript, sentRedeem, spend } from './spend.ts'
import { sweep } from './sweep.ts'

const SIGNATURE_BYTES = 64
const REFUND_SIGHASH = '83'
/** Up to 200,000 fees are tried for each deposit, so the number of deposits that the service may name has a limit. */
const MAX_DEPOSITS = 20

export const ownKeys: OwnKeys = {
  publicKeyOf: (privateKey) => bytesToHex(schnorr.getPublicKey(hexToBytes(privateKey))),
  isPublicKey(text) {
    try {
      parseXOnlyKey(text, 'key')
      return true
    } catch {
      return false
    }
  },
  signInstantRefund(side, hashes, privateKey) {
    const known = refundHashesOf(side, new Set(hashes))
    return hashes.map((hash) => {
      if (!known.has(hash))
        throw new VerificationError('instant-refund-hash', 'the hash of a refund of this order to your own address', hash)
      return `${bytesToHex(schnorr.sign(hexToBytes(hash), hexToBytes(privateKey)))}${REFUND_SIGHASH}`
    })
  },
  refund: (side, by) => spend(side, { leaf: htlcOfSide(side).refund, items: [], timelock: side.terms.timelock, deposit: null }, by),
  redeem: (side, secret, deposit, by) =>
    spend(side, { leaf: htlcOfSide(side).redeem, items: [hexToBytes(secret)], timelock: null, deposit }, by),
  sentRedeem,
  readLock,
  spendOf,
  addressUse,
  sweep,
}

function htlcOfSide({ terms, chain }: KeySide) {
  return htlcOf(terms, networkOf(chain.reference))
}

/**
 * The service sends only hashes. The user signs a hash only if it belongs to a refund of a deposit of this order to the user's own address, by the leaf that
 * needs both parties, at a fee within the network's limits. We try all of these fees.
 */
function refundHashesOf(side: SwapSide, wanted: ReadonlySet<string>): ReadonlySet<string> {
  const network = networkOf(side.chain.reference)
  const { script, instantRefund: leaf } = htlcOfSide(side)
  const output = ownScript(side)
  const vsize = estimateVsize([[SIGNATURE_BYTES + 1, SIGNATURE_BYTES + 1, leaf.script.length, leaf.controlBlock.length]], [output])
  const deposits = side.record.deposits ?? []
  verifyThat(deposits.length <= MAX_DEPOSITS, 'source_swap.deposits', `at most ${MAX_DEPOSITS}`, deposits.length)
  const found = new Set<string>()
  for (const { deposit, amount: text } of deposits) {
    const amount = parseAmount(text)
    const maxFee = feeCap(amount, vsize, network)
    const hashPaying = singleInputHasher({ deposit, amount, script }, leaf.script)
    for (let fee = feeOf(vsize, network.minFeeRate); fee <= maxFee; fee += 1n) {
      const hash = bytesToHex(hashPaying({ amount: amount - fee, script: output }))
      if (!wanted.has(hash)) continue
      found.add(hash)
      break
    }
    if (found.size === wanted.size) break
  }
  return found
}
