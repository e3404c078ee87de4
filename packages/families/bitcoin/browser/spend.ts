/** Spends deposits of an HTLC with the user's own key, and raises the fee of a spend that is not mined. */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { assertFreshTip } from '@tandem/chain-kit/browser/clock.ts'
import type { KeySide, KeySpend, Node } from '@tandem/chain-kit/browser/family.ts'
import { NotPossibleError } from '@tandem/chain-kit/browser/refusals.ts'
import type { Secp256k1RawSigner } from '@tandem/keys/raw-signer.ts'
import { createSecp256k1Signer } from '@tandem/keys/secp256k1-signer.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import { htlcOf, type Leaf } from '../terms/htlc.ts'
import { networkOf } from '../terms/networks.ts'
import { parseBitcoinAddress, scriptOfAddress } from '../terms/script/address.ts'
import { parseUserKey } from '../terms/script/user-key.ts'
import { estimateVsize } from '../terms/script/weight.ts'
import { affordableFee, boundFeeRate, feeOf, MAX_RATE_FACTOR, NORMAL_TARGET, raisedRate, rateOf } from '../terms/wallet/fees.ts'
import { type LeafInput, largestFirst, signLeafSpends, totalOf } from '../terms/wallet/sign.ts'
import { broadcast, feeRate, newestBlock, type Unconfirmed, unconfirmedOf, utxosOf } from './esplora.ts'

const SIGNATURE_BYTES = 64
/** Strangers can pay dust to the address. Nodes still relay a transaction with this many inputs. */
const MAX_DEPOSITS = 100

type Way = Pick<LeafInput, 'items' | 'timelock'> & { readonly leaf: Leaf; readonly deposit: string | null }
type Coin = { readonly outpoint: string; readonly amount: bigint }

/**
 * Spends one deposit, or all that can be spent now, into one output. A repeat before the next block resolves to the pending transaction, or with `bump`
 * replaces it by one with the same inputs and a higher fee.
 */
export async function spend(side: KeySide, way: Way, { privateKey, to, node, bump = false }: KeySpend): Promise<string> {
  const network = networkOf(side.chain.reference)
  const { address, script } = htlcOf(side.terms, network)
  const pending = await pendingSpend(node, address, way)
  if (pending !== null && !(bump && network.replaces)) return pending.tx
  const output = to === null ? ownScript(side) : scriptOfAddress(parseBitcoinAddress(to, network), network)
  const witness = [SIGNATURE_BYTES, ...way.items.map(({ length }) => length), way.leaf.script.length, way.leaf.controlBlock.length]
  const vsizeOf = (count: number) => estimateVsize(Array<readonly number[]>(count).fill(witness), [output])
  const rate = boundFeeRate((await feeRate(node, NORMAL_TARGET)) ?? network.fallbackFeeRate, network)
  // A deposit that is not worth its own input would only raise the fee.
  const isWorthIt = ({ amount }: Coin) => amount > feeOf(vsizeOf(2) - vsizeOf(1), rate)
  const found = pending?.inputs ?? (await spendableCoins(side, node, way))
  const coins =
    way.deposit !== null
      ? found.filter(({ outpoint }) => outpoint === way.deposit)
      : pending !== null
        ? found
        : found.toSorted(largestFirst).filter(isWorthIt).slice(0, MAX_DEPOSITS)
  if (coins.length === 0)
    throw new NotPossibleError(
      'nothing_there',
      side.chain.id,
      way.deposit === null ? `there is nothing at ${address} that is worth its fee` : `${way.deposit} is not at ${address}`,
    )
  const vsize = vsizeOf(coins.length)
  const total = totalOf(coins)
  const replaced = pending === null ? null : { fee: pending.fee, rate: rateOf(pending.fee, vsizeOf(pending.inputs.length)) }
  // Otherwise many bumps would burn the amount while no block is mined.
  if (pending !== null && replaced !== null && raisedRate(replaced.rate) > rate * MAX_RATE_FACTOR) return pending.tx
  // The fee takes at most half of the amount: a slow transaction is better than none.
  const fee = affordableFee(vsize, rate, replaced, total, output, network)
  const inputs = coins.map(({ outpoint, amount }) => ({ outpoint, amount, script, ...way }))
  const { raw } = signLeafSpends(signerOf(side, privateKey), inputs, { amount: total - fee, script: output })
  return broadcast(node, raw)
}

/** A pending spend by the same leaf is our own. */
async function pendingSpend(node: Node, address: string, { leaf, deposit }: Way): Promise<Unconfirmed | null> {
  const script = bytesToHex(leaf.script)
  const isOurs = ({ inputs }: Unconfirmed) =>
    inputs.every((input) => input.address === address && input.witness.includes(script)) &&
    (deposit === null || inputs.some(({ outpoint }) => outpoint === deposit))
  return (await unconfirmedOf(node, address)).find(isOurs) ?? null
}

/** A pending redeem with this secret names its deposit. A node can invent a transaction, but not the secret in it, so the secret was shown before. */
export async function sentRedeem({ chain, terms }: KeySide, secret: Hex32, node: Node): Promise<string | null> {
  const { address } = htlcOf(terms, networkOf(chain.reference))
  const inputs = (await unconfirmedOf(node, address)).flatMap((one) => one.inputs)
  return inputs.find((input) => input.address === address && input.witness.includes(secret))?.outpoint ?? null
}

/** With a timelock, only coins whose timelock has ended are spent: anybody can make a late deposit, which must not delay the others. */
async function spendableCoins({ chain, terms }: KeySide, node: Node, { timelock }: Way): Promise<readonly Coin[]> {
  const { address } = htlcOf(terms, networkOf(chain.reference))
  const confirmed = (await utxosOf(node, address)).flatMap(({ height, ...coin }) => (height === null ? [] : [{ ...coin, height }]))
  if (confirmed.length === 0) throw new NotPossibleError('nothing_there', chain.id, `there is nothing to spend at ${address}`)
  if (timelock === null) return confirmed
  const tip = await newestBlock(node)
  assertFreshTip(chain, tip.time)
  // BIP68: the block of the deposit is its first confirmation.
  const missing = ({ height }: { readonly height: bigint }) => timelock - (tip.height - height + 1n)
  const ready = confirmed.filter((coin) => missing(coin) <= 0n)
  if (ready.length > 0) return ready
  const soonest = confirmed.map(missing).reduce((lowest, one) => (one < lowest ? one : lowest))
  throw new NotPossibleError('timelock', chain.id, `the timelock of the deposit at ${address} ends in ${soonest} blocks: refund it then`)
}

/** The address follows from the user's own key by BIP86. */
export function ownScript({ owner, chain }: KeySide): Uint8Array {
  const network = networkOf(chain.reference)
  const key = parseUserKey(owner ?? '', network)
  if (key === null) throw new Error('the order has no key of the user')
  return scriptOfAddress(key.address, network)
}

function signerOf({ chain, terms }: KeySide, privateKey: string): Secp256k1RawSigner {
  const key = hexToBytes(privateKey)
  const notHere = () => {
    throw new Error('this key signs alone')
  }
  return createSecp256k1Signer(key, secp256k1.getPublicKey(key, true), { kind: 'rescue', chain: chain.id, terms }, notHere)
}
