/** Coins of a key that pay only a fee. */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { HeldExecution, KnownAttempt } from '../execution.ts'
import { walletAddress } from '../script/address.ts'
import { withAmounts } from './own-payments.ts'
import type { SpendableCoin } from './sign.ts'

/** The coin of the unconfirmed attempt, then mined coins that no other wanted action uses, the smallest first. The key must be held. */
export async function feeCoins(
  { backend, network, others }: HeldExecution,
  publicKey: Uint8Array,
  live: KnownAttempt | null,
): Promise<readonly SpendableCoin[]> {
  const isWalletInput = (witness: readonly Uint8Array[]) => bytesToHex(witness[1] ?? new Uint8Array()) === bytesToHex(publicKey)
  const used = (live?.transaction.inputs ?? []).filter(({ witness }) => isWalletInput(witness)).map(({ outpoint }) => outpoint)
  const claimed = new Set(others.flatMap((other) => (other.wanted ? other.slots : [])))
  const coins = await backend.coinsOf(walletAddress(publicKey, network))
  const free = coins.filter(({ outpoint, isConfirmed }) => isConfirmed && !claimed.has(outpoint))
  const bySize = free.sort((a, b) => (a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0))
  return [...(await withAmounts(backend, used)), ...bySize]
}
