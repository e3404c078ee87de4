/**
 * Before an order is made, both chains are asked whether the user can be paid. Anyone may cause such checks for free, so every answer is
 * cached for a moment and has a time limit, and the number of open checks of one chain is limited.
 */
import type { PlannedPayout } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'

/** `payout` is null if the recipient only gets refunds. */
export type Recipient = {
  readonly address: string
  readonly asset: AssetId
  readonly field: string
  readonly payout: PlannedPayout | null
}

export interface Recipients {
  /** Throws `invalid_address` with the reason if the address cannot receive the asset, `chain_unavailable` if the chain did not say in time. */
  assertCanReceive(client: ChainClient, recipient: Recipient): Promise<void>
  /** Throws `chain_unavailable` if the chain did not say in time how much of its coin the address has. */
  readCoin(client: ChainClient, address: string): Promise<bigint>
}

export type RecipientLimits = { readonly timeoutMs: number; readonly maxOpenPerChain: number; readonly keepMs: number }

const defaults: RecipientLimits = { timeoutMs: 5_000, maxOpenPerChain: 64, keepMs: 10_000 }
const MAX_CACHED = 1_000

export function createRecipients({ timeoutMs, maxOpenPerChain, keepMs }: RecipientLimits = defaults): Recipients {
  const answers = createTtlCache<{ readonly obstacle: string | null }>({ keepMs, maxEntries: MAX_CACHED })
  const coins = createTtlCache<bigint>({ keepMs, maxEntries: MAX_CACHED })
  const open = new Map<ChainId, number>()

  /** A check stays open until the node has answered, even if nobody waits for it any more, because it still costs a request. */
  async function ask<T>(chain: ChainId, question: () => Promise<T>): Promise<T> {
    const before = open.get(chain) ?? 0
    if (before >= maxOpenPerChain)
      throw new TandemError('chain_unavailable', `too many recipients are being checked on ${chain} at the moment; try again`)
    open.set(chain, before + 1)
    try {
      return await question()
    } finally {
      open.set(chain, (open.get(chain) ?? 1) - 1)
    }
  }

  return {
    async assertCanReceive({ chain, checkRecipient }, { address, asset, field, payout }) {
      if (checkRecipient === undefined) return
      const key = `${asset} ${address} ${payout?.amount} ${payout?.isTrusted} ${payout?.isRefund}`
      const askNow = () => answers.get(key, () => ask(chain.id, async () => ({ obstacle: await checkRecipient(address, asset, payout) })))
      const { obstacle } =
        answers.peek(key) ?? (await within(timeoutMs, askNow(), `${chain.id} did not say in time whether ${field} can receive; try again`))
      if (obstacle !== null) throw new TandemError('invalid_address', `${field}: ${address} cannot receive ${asset}: ${obstacle}`)
    },
    async readCoin({ chain, balance }, address) {
      const key = `${chain.id} ${address}`
      const askNow = () => coins.get(key, () => ask(chain.id, () => balance(chain.nativeAsset, address)))
      return coins.peek(key) ?? (await within(timeoutMs, askNow(), `${chain.id} did not say in time what ${address} has; try again`))
    },
  }
}

async function within<T>(timeoutMs: number, answer: Promise<T>, late: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TandemError('chain_unavailable', late)), timeoutMs)
  })
  try {
    return await Promise.race([answer, timeout])
  } finally {
    clearTimeout(timer)
  }
}
