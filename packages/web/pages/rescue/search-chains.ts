/** Searches the chains themselves, and takes what was found. */
import { signal } from '@preact/signals'
import type { AssetFacts, FindOptions, FoundDeposit, FoundLock, FoundLocks } from '@tandem/sdk'
import { SaidError } from '../../shared/explain.ts'
import { rescue as texts } from '../../texts.ts'
import type { Act } from './act.ts'
import { amountText, learnAssets } from './facts.ts'
import { addresses, type Opened } from './rescue.ts'
import { openWallet } from './wallets.ts'

type FoundOnChains = FoundLocks & { readonly of: Opened['tandem']; readonly deposits: readonly FoundDeposit[] }

export const onChains = signal<FoundOnChains | null>(null)

/** `days` is the text that the user typed. */
export function searchChains({ tandem }: Opened, { solvers, days }: { readonly solvers: readonly string[]; readonly days: string }): Act {
  return async (say) => {
    if (!/^[1-9][0-9]{0,3}$/.test(days.trim())) throw new SaidError(texts.wrongDays)
    const named = Object.fromEntries(Object.entries(addresses.value).filter(([, address]) => address !== ''))
    const { locks, searched: read } = await tandem.findLocks({
      addresses: named,
      days: Number(days),
      onProgress: ({ chainName, part }) => say(texts.reading(chainName, Math.floor(part * 100))),
    })
    await learnAssets(locks.map(({ asset }) => asset))
    const searched = [...read]
    onChains.value = { of: tandem, locks, searched, deposits: [] }
    say(texts.lookingForDeposits)
    const atLeast = Math.max(-1, ...locks.map(({ index }) => index)) + 1
    const onProblem: FindOptions['onProblem'] = (on) => searched.push({ ...on, since: null, needsAddress: false })
    const deposits = await tandem.findDeposits({ solvers, atLeast, onProblem })
    await learnAssets(deposits.map(({ asset }) => asset))
    onChains.value = { of: tandem, locks, searched, deposits }
    say(texts.foundOnChains(locks.length + deposits.length))
  }
}

/** `minToAmount` is in the smallest unit; null for the user's own deposit. */
export function take({ tandem }: Opened, deposit: FoundDeposit, to: string, minToAmount: bigint | null): Act {
  return async (say) => {
    if (minToAmount !== null && deposit.amount < minToAmount)
      throw new SaidError(texts.tooLittle(amountText(deposit.asset, deposit.amount)))
    const hash = await tandem.takeDeposit(deposit, to, { bump: true, ...(minToAmount !== null && { minToAmount }) })
    say(texts.taken, { tx: { chain: deposit.chain, hash } })
  }
}

/** `minToAmount` is in the smallest unit; null for the user's own payment. */
export function settle({ tandem }: Opened, lock: FoundLock, facts: AssetFacts, minToAmount: bigint | null): Act {
  return async (say) => {
    const recipient = addresses.value[lock.chain] ?? ''
    if (minToAmount !== null && recipient === '') throw new SaidError(texts.yoursFirst)
    if (minToAmount !== null && lock.terms.amount < minToAmount)
      throw new SaidError(texts.tooLittle(amountText(lock.asset, lock.terms.amount)))
    const wallet = await openWallet(facts.family, facts.chainName)
    const hash = await tandem.settleLock(lock, { wallet, ...(minToAmount !== null && { recipient, minToAmount }) })
    say(minToAmount === null ? texts.refunded : texts.received, { tx: { chain: lock.chain, hash } })
  }
}
