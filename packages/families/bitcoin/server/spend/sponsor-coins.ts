/**
 * Reads the coins of a key that pays a part of somebody's fee. They are read before the key is held, because all sponsored payouts and
 * instant refunds of a chain wait for that key. Concurrent callers share one read, because a node without an index searches all outputs.
 * After a failed or slow read there is a cooldown.
 */

import { bytesToHex } from '@noble/hashes/utils.js'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { walletAddress } from '../../terms/script/address.ts'
import type { SpendableCoin } from '../../terms/wallet/sign.ts'
import { byAmount } from '../../terms/wallet/sign.ts'
import type { Execution, HeldExecution, KnownAttempt } from '../execution.ts'
import type { BitcoinBackend, Coin } from '../nodes/backend.ts'
import type { Outpoint } from '../script/transaction.ts'
import { withAmounts } from '../wallet/own-payments.ts'

/** The time is long enough to search all outputs, and far below the time that an action may take. */
const COINS_TIMEOUT_MS = 15_000
const RETRY_AFTER_MS = 60_000

export type SponsorCoins = {
  readonly used: readonly SpendableCoin[]
  readonly unspent: readonly Coin[]
}

type CoinReader = Pick<Execution, 'chain' | 'network'> & { readonly backend: Pick<BitcoinBackend, 'coinsOf' | 'contentOf'> }

type Read = { readonly coins: Promise<readonly Coin[] | null>; untilMs: number }

const readsOf = new WeakMap<Chain, Map<string, Read>>()

export async function readSponsorCoins(
  execution: CoinReader,
  publicKey: Uint8Array,
  live: KnownAttempt | null,
): Promise<SponsorCoins | null> {
  const unspent = await readShared(execution, walletAddress(publicKey, execution.network))
  const used = unspent === null ? null : await inTime(feeCoinsIn(execution.backend, publicKey, live))
  return unspent === null || used === null ? null : { used, unspent }
}

function readShared({ chain, backend }: CoinReader, address: string): Promise<readonly Coin[] | null> {
  const reads = readsOf.get(chain) ?? new Map<string, Read>()
  readsOf.set(chain, reads)
  const known = reads.get(address)
  if (known !== undefined && performance.now() < known.untilMs) return known.coins
  const read: Read = { coins: inTime(backend.coinsOf(address)), untilMs: Number.POSITIVE_INFINITY }
  reads.set(address, read)
  const forget = () => reads.delete(address)
  void read.coins.then((coins) => {
    if (coins === null) read.untilMs = performance.now() + RETRY_AFTER_MS
    else forget()
  }, forget)
  return read.coins
}

async function inTime<T>(reading: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), COINS_TIMEOUT_MS)
  })
  try {
    return await Promise.race([reading, late])
  } catch (error) {
    if (error instanceof ChainFailure) return null
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function feeCoinsIn(
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

/** The key must be held, because `others` must be complete. The smallest coin comes first. */
export function freeCoins({ others }: Pick<HeldExecution, 'others'>, coins: readonly Coin[]): readonly SpendableCoin[] {
  const claimed = new Set(others.flatMap((other) => (other.wanted ? other.slots : [])))
  return coins.filter(({ outpoint, isConfirmed }) => isConfirmed && !claimed.has(outpoint)).sort(byAmount)
}
