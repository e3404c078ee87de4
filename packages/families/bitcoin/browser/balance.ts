/** What an address holds, and the most that a payment from it can be. */

import type { Balance, HeldAsset, Node } from '@tandem/chain-kit/browser/family.ts'
import { networkOf } from '../terms/networks.ts'
import { scriptOfAddress } from '../terms/script/address.ts'
import { estimateVsize, WALLET_WITNESS } from '../terms/script/weight.ts'
import { boundFeeRate, feeOf, NORMAL_TARGET } from '../terms/wallet/fees.ts'
import { feeRate, utxosOf } from './esplora.ts'

/** An HTLC is a P2TR output (BIP341). */
const HTLC_SCRIPT = new Uint8Array(34)
/** The fee may be higher when the user pays: a quarter more is left. */
const [PARTS, OF] = [5n, 4n]

/** Coins that are not worth their own input are not spent. */
export async function balanceOf({ chain }: HeldAsset, address: string, node: Node): Promise<Balance> {
  const network = networkOf(chain.reference)
  const [utxos, estimate] = await Promise.all([utxosOf(node, address), feeRate(node, NORMAL_TARGET)])
  const rate = boundFeeRate(estimate ?? network.fallbackFeeRate, network)
  const outputs = [HTLC_SCRIPT, scriptOfAddress(address, network)]
  const witnesses: (typeof WALLET_WITNESS)[] = []
  let [balance, spendable] = [0n, 0n]
  for (const { amount } of utxos.toSorted((a, b) => (a.amount > b.amount ? -1 : a.amount < b.amount ? 1 : 0))) {
    balance += amount
    witnesses.push(WALLET_WITNESS)
    const left = balance - (feeOf(estimateVsize(witnesses, outputs), rate) * PARTS) / OF
    if (left > spendable) spendable = left
  }
  return { balance, spendable }
}
