/**
 * The coins of a key that pays a part of somebody's fee, read before it is taken: all sponsored payouts and instant refunds of a chain wait for that key. One
 * read serves all that ask meanwhile, because a node without an index searches all outputs. If it fails or is slow, nobody asks again for a while.
 */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { walletAddress } from '../../terms/script/address.ts'
import type { SpendableCoin } from '../../terms/wallet/sign.ts'
import type { Execution, KnownAttempt } from '../execution.ts'
import type { BitcoinBackend, Coin } from '../nodes/backend.ts'
import { feeCoinsIn } from '../wallet/fee-coins.ts'

/** Long enough to search all outputs, and far below the time that an action may take. */
const COINS_TIMEOUT_MS = 15_000
const RETRY_AFTER_MS = 60_000

export type SponsorCoins = {
  /** Spent by the unconfirmed attempt that is replaced. */
  readonly used: readonly SpendableCoin[]
  /** All others; other actions may use them. */
  readonly unspent: readonly Coin[]
}

type CoinReader = Pick<Execution, 'chain' | 'network'> & { readonly backend: Pick<BitcoinBackend, 'coinsOf' | 'contentOf'> }

type Read = { readonly coins: Promise<readonly Coin[] | null>; untilMs: number }

/** By address: reads under way, and those that failed a short time ago. */
const readsOf = new WeakMap<Chain, Map<string, Read>>()

/** Null if nodes disagree, fail or are slow, now or a short time ago. */
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
