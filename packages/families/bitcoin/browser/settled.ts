/** How a deposit of an HTLC was spent, as an Esplora shows it: a redeem shows the secret, whatever else a refund does. */

import type { KeySide, Node, Settled, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import { htlcOf } from '../terms/htlc.ts'
import { networkOf } from '../terms/networks.ts'
import { parseUserKey } from '../terms/script/user-key.ts'
import { minedTransaction, type Spent, spenderOf } from './esplora.ts'

export async function spendOf(side: KeySide, deposit: string, node: Node): Promise<'none' | 'waiting' | 'redeemed' | 'refunded'> {
  const spender = await spenderOf(deposit, node)
  if (spender === null) return 'none'
  const mined = spender.isMined ? await minedTransaction(node, spender.txid) : null
  if (mined === null) return 'waiting'
  const input = mined.inputs.find(({ outpoint }) => outpoint === deposit)
  return input !== undefined && showsSecret(side, input) ? 'redeemed' : 'refunded'
}

/**
 * By the transaction that the service names: it must be in a block, spend from the HTLC with the secret and, where the service made the user's key, pay the
 * user what was agreed. Whoever has that key can pay somebody else.
 */
export async function settledAs(side: SwapSide, node: Node): Promise<Settled> {
  const { terms, told, owner, chain } = side
  const txid = told.redeem_tx_hash.split(/[,:]/)[0] ?? ''
  const mined = /^[0-9a-f]{64}$/.test(txid) ? await minedTransaction(node, txid) : null
  if (mined === null || !mined.inputs.some((input) => showsSecret(side, input))) return 'none'
  if (parseUserKey(owner ?? '', networkOf(chain.reference)) !== null) return 'redeemed'
  const paid = mined.outputs.filter(({ address }) => address === owner).reduce((sum, { amount }) => sum + amount, 0n)
  return paid >= terms.amount - BigInt(told.network_fee ?? 0) ? 'redeemed' : 'none'
}

function showsSecret({ terms, chain }: KeySide, { address, witness }: Spent): boolean {
  return address === htlcOf(terms, networkOf(chain.reference)).address && witness.some((item) => isSecretFor(item, terms.secretHash))
}
