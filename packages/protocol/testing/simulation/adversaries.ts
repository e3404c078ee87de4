/** Adversaries do not follow the playbook: they see every transaction without delay, pay any fee, and take all that the chains allow. */
import type { Leg } from '../../order.ts'
import type { ChainModel } from './chain-model.ts'
import { AMOUNT, depositId } from './model-order.ts'
import type { PlannedDeposit, RedeemTactic } from './plan.ts'

type Chains = Readonly<Record<Leg, ChainModel>>

const amounts: Readonly<Record<PlannedDeposit['amount'], bigint>> = {
  exact: AMOUNT,
  nearly: AMOUNT - 2n,
  half: AMOUNT / 2n,
  dust: 1n,
  over: AMOUNT + 10n,
}

/** These deposits are planned for this second. An account HTLC takes the exact amount or nothing. */
export function fund(chain: ChainModel, by: string, deposits: readonly PlannedDeposit[], seconds: number, now: bigint): void {
  for (const [index, { at, amount, waits, vanishes }] of deposits.entries()) {
    const id = `${by} funds ${index}`
    if (at === seconds && (chain.chain.clock.unit === 'blocks' || amount === 'exact')) {
      const notBefore = now + BigInt(waits + (vanishes ? 1 : 0))
      chain.broadcast({ id, kind: 'initiated', deposit: depositId(chain.chain, id), amount: amounts[amount], by, notBefore })
    }
    if (vanishes && at + waits === seconds) chain.forget(id)
  }
}

/** The cheating user refunds every source deposit as early as possible, and redeems the destination by its tactic. It knows the secret from the start. */
export function userCheats(tactic: RedeemTactic, { source, destination }: Chains, now: bigint): void {
  takeBack(source, 'user', now)
  if (tactic.kind === 'never') return
  for (const { deposit, minedAt } of destination.deposits()) {
    const redeem = { id: `user redeems ${deposit}`, kind: 'redeemed', deposit, amount: 0n, by: 'user' } as const
    if (tactic.kind === 'snipe') destination.broadcast({ ...redeem, notBefore: now, tactic: 'snipes' })
    else if (now >= minedAt + BigInt(tactic.after - tactic.shown)) {
      destination.broadcast({ ...redeem, notBefore: minedAt + BigInt(tactic.after), tactic: 'outbids' })
    }
  }
}

/** The cheating solver refunds every destination deposit as early as possible, and redeems the whole source once the secret is public. */
export function solverCheats({ source, destination }: Chains, now: bigint): void {
  takeBack(destination, 'solver', now)
  const shown =
    destination.waiting().some((tx) => tx.kind === 'redeemed') || destination.deposits().some((d) => d.spend?.kind === 'redeemed')
  if (!shown) return
  for (const { deposit } of source.deposits()) {
    source.broadcast({
      id: `solver redeems ${deposit}`,
      kind: 'redeemed',
      deposit,
      amount: 0n,
      by: 'solver',
      notBefore: now,
      tactic: 'outbids',
    })
  }
}

/** Refunds are sent even for spent deposits, in case a reorg undoes the spend. */
function takeBack(chain: ChainModel, by: string, now: bigint): void {
  for (const { deposit } of chain.deposits()) {
    if (!chain.isExpired(deposit, now)) continue
    chain.broadcast({ id: `${by} refunds ${deposit}`, kind: 'refunded', deposit, amount: 0n, by, notBefore: now, tactic: 'outbids' })
  }
}
