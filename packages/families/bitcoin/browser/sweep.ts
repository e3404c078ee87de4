/** Moves coins that were paid to the user's own keys, e.g. by instant refunds, to an address of the user's wallet. */
import { schnorr } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { p2tr } from '@scure/btc-signer'
import type { Node } from '@tandem/chain-kit/browser/family.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { networkOf } from '../terms/networks.ts'
import { parseBitcoinAddress, scriptOfAddress } from '../terms/script/address.ts'
import { parseUserKey } from '../terms/script/user-key.ts'
import { estimateVsize } from '../terms/script/weight.ts'
import { affordableFee, boundFeeRate, feeOf, NORMAL_TARGET } from '../terms/wallet/fees.ts'
import { composeInputs, finish, REPLACEABLE_SEQUENCE, totalOf } from '../terms/wallet/sign.ts'
import { broadcast, feeRate, utxosOf } from './esplora.ts'

const KEY_WITNESS = [64]
/** Nodes still relay a transaction with this many inputs. */
const MAX_COINS = 200

type Coin = { readonly outpoint: string; readonly amount: bigint; readonly key: string }

/** The addresses of the keys are those of BIP86. The result is null if no coin is worth its fee. */
export async function sweep(chain: Chain, privateKeys: readonly string[], to: string, node: Node): Promise<string | null> {
  const network = networkOf(chain.reference)
  const output = scriptOfAddress(parseBitcoinAddress(to, network), network)
  const rate = boundFeeRate((await feeRate(node, NORMAL_TARGET)) ?? network.fallbackFeeRate, network)
  const vsizeOf = (count: number) => estimateVsize(Array<readonly number[]>(count).fill(KEY_WITNESS), [output])
  const coins: Coin[] = []
  for (const key of privateKeys) {
    const address = parseUserKey(bytesToHex(schnorr.getPublicKey(hexToBytes(key))), network)?.address ?? ''
    const found = (await utxosOf(node, address)).filter(({ height }) => height !== null)
    coins.push(...found.map(({ outpoint, amount }) => ({ outpoint, amount, key })))
  }
  const isWorthIt = ({ amount }: Coin) => amount > feeOf(vsizeOf(2) - vsizeOf(1), rate)
  const taken = coins.filter(isWorthIt).slice(0, MAX_COINS)
  if (taken.length === 0) return null
  const total = totalOf(taken)
  const fee = affordableFee(vsizeOf(taken.length), rate, null, total, output, network)
  const payments = taken.map(({ key }) => p2tr(schnorr.getPublicKey(hexToBytes(key))))
  const transaction = composeInputs(
    taken.map((coin, index) => ({ ...coin, script: payments[index]?.script ?? new Uint8Array(), sequence: REPLACEABLE_SEQUENCE })),
    [{ amount: total - fee, script: output }],
  )
  for (const [index, { key }] of taken.entries()) {
    transaction.updateInput(index, { tapInternalKey: schnorr.getPublicKey(hexToBytes(key)) })
    transaction.signIdx(hexToBytes(key), index)
  }
  transaction.finalize()
  return broadcast(node, finish(transaction).raw)
}
