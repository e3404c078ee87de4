/** Coins of a key that pay only a fee. */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { SpendableCoin } from '../../terms/wallet/sign.ts'
import type { HeldExecution, KnownAttempt } from '../execution.ts'
import type { BitcoinBackend, Coin } from '../nodes/backend.ts'
import type { Outpoint } from '../script/transaction.ts'
import { withAmounts } from './own-payments.ts'

/** The coins of the key that the unconfirmed attempt spends. */
export function feeCoinsIn(
  backend: Pick<BitcoinBackend, 'contentOf'>,
  publicKey: Uint8Array,
  live: KnownAttempt | null,
): Promise<readonly SpendableCoin[]> {
  return withAmounts(backend, walletInputs(live, publicKey))
}

export function walletInputs(live: KnownAttempt | null, publicKey: Uint8Array): readonly Outpoint[] {
  const isWalletInput = (witness: readonly Uint8Array[]) => bytesToHex(witness[1] ?? new Uint8Array()) === bytesToHex(publicKey)
  return (live?.transaction.inputs ?? []).filter(({ witness }) => isWalletInput(witness)).map(({ outpoint }) => outpoint)
}

/** Mined coins that no other wanted action uses, the smallest first. The key must be held, because `others` must be complete. */
export function freeCoins({ others }: Pick<HeldExecution, 'others'>, coins: readonly Coin[]): readonly SpendableCoin[] {
  const claimed = new Set(others.flatMap((other) => (other.wanted ? other.slots : [])))
  return coins
    .filter(({ outpoint, isConfirmed }) => isConfirmed && !claimed.has(outpoint))
    .sort((a, b) => (a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0))
}
