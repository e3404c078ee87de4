/** Reads the deposits at the address of an HTLC, and how they were spent, from the user's Esplora. */
import { assertFreshTip } from '@tandem/chain-kit/browser/clock.ts'
import type { AddressUse, KeyLock, KeySide, Node, Settled, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import { htlcOf } from '../terms/htlc.ts'
import { networkOf } from '../terms/networks.ts'
import { parseUserKey } from '../terms/script/user-key.ts'
import { historyOf, isReward, minedTransaction, newestBlock, type Spent, spenderOf, type Utxo, utxosOf } from './esplora.ts'

/**
 * Among deposits that are large enough, the one with the most confirmations counts: a later one must not delay the swap. The reward of a block does not count,
 * because it cannot be redeemed in time.
 */
export async function readLock({ chain, terms }: KeySide, node: Node): Promise<KeyLock | null> {
  const { address } = htlcOf(terms, networkOf(chain.reference))
  const large = (await utxosOf(node, address)).filter(({ amount }) => amount >= terms.amount).toSorted(byAge)
  const lock = await firstThatIsNoReward(node, large)
  if (lock === null) return null
  const tip = await newestBlock(node)
  assertFreshTip(chain, tip.time)
  const confirmations = lock.height === null ? 0n : tip.height - lock.height + 1n
  // BIP68: the block of the deposit is its first confirmation.
  return { confirmations: Number(confirmations), unitsLeft: terms.timelock - confirmations, deposit: lock.outpoint }
}

async function firstThatIsNoReward(node: Node, utxos: readonly Utxo[]): Promise<Utxo | null> {
  for (const utxo of utxos) if (!(await isReward(node, utxo.outpoint))) return utxo
  return null
}

function byAge({ height: a }: Utxo, { height: b }: Utxo): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return Number(a - b)
}

export async function addressUse({ chain, terms }: KeySide, node: Node): Promise<AddressUse> {
  const { address } = htlcOf(terms, networkOf(chain.reference))
  const { funded, spent } = await historyOf(node, address)
  const amounts = funded > spent ? (await utxosOf(node, address)).map(({ amount }) => amount) : []
  return { isUsed: funded > 0n, amount: funded - spent, largest: amounts.reduce((largest, one) => (one > largest ? one : largest), 0n) }
}

/** A redeem shows the secret. Any other spend is a refund. */
export async function spendOf(side: KeySide, deposit: string, node: Node): Promise<'none' | 'waiting' | 'redeemed' | 'refunded'> {
  const spender = await spenderOf(deposit, node)
  if (spender === null) return 'none'
  const mined = spender.isMined ? await minedTransaction(node, spender.txid) : null
  if (mined === null) return 'waiting'
  const input = mined.inputs.find(({ outpoint }) => outpoint === deposit)
  return input !== undefined && showsSecret(side, input) ? 'redeemed' : 'refunded'
}

/**
 * Checks the transaction that the service names: it must be in a block, spend from the HTLC with the secret and, if the service made the user's key, pay the
 * user the agreed amount, because the holder of that key could pay somebody else.
 */
export async function settledAs(side: SwapSide, node: Node): Promise<Settled> {
  const { terms, record, owner, chain } = side
  const txid = record.redeem_tx_hash.split(/[,:]/)[0] ?? ''
  const mined = /^[0-9a-f]{64}$/.test(txid) ? await minedTransaction(node, txid) : null
  if (mined === null || !mined.inputs.some((input) => showsSecret(side, input))) return 'none'
  if (parseUserKey(owner ?? '', networkOf(chain.reference)) !== null) return 'redeemed'
  const paid = mined.outputs.filter(({ address }) => address === owner).reduce((sum, { amount }) => sum + amount, 0n)
  return paid >= terms.amount - BigInt(record.network_fee ?? 0) ? 'redeemed' : 'none'
}

function showsSecret({ terms, chain }: KeySide, { address, witness }: Spent): boolean {
  return address === htlcOf(terms, networkOf(chain.reference)).address && witness.some((item) => isSecretFor(item, terms.secretHash))
}
