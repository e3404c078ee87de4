// Simulates HyperCore after a block of HyperEVM: it credits transfers from HyperEVM, then executes CoreWriter actions. It drops failed
// actions silently, as the real one does.
import type { Address } from 'viem'
import type { CoreLedger } from './core-ledger.ts'
import { type SpotSend, systemAddressOf, WEI_PER_HYPE_UNIT } from './hyperliquid.ts'

export const coreTokens = { usdc: 0n, purr: 1n, hype: 150n } as const

/** "New HyperCore accounts require 1 quote token of fees for the first transaction which has the new account as destination address." */
const ACTIVATION_FEE = 10n ** 8n
const CROSSING_GAS = 200_000n

/** The transfer goes from HyperEVM to HyperCore, in the units of HyperCore. */
export type Crossing = { readonly from: Address; readonly token: bigint; readonly amount: bigint }

/** `baseFee` is that of the block, in wei. */
export type SettledBlock = { readonly baseFee: bigint; readonly crossings: readonly Crossing[]; readonly actions: readonly CoreAction[] }

export type CoreAction = { readonly user: Address; readonly send: SpotSend | null }

/** The transfer goes from HyperCore to HyperEVM, and the next block pays it. */
export type Payout = { readonly to: Address; readonly token: bigint; readonly amount: bigint }

export async function settleBlock(ledger: CoreLedger, { baseFee, crossings, actions }: SettledBlock): Promise<readonly Payout[]> {
  const crossingFee = (CROSSING_GAS * baseFee + WEI_PER_HYPE_UNIT - 1n) / WEI_PER_HYPE_UNIT

  async function move(from: Address, to: Address, token: bigint, amount: bigint): Promise<boolean> {
    if ((await ledger.free(from, token)) < amount) return false
    await ledger.setBalance(from, token, (await ledger.balance(from, token)) - amount)
    await ledger.setBalance(to, token, (await ledger.balance(to, token)) + amount)
    return true
  }

  async function charge(user: Address, token: bigint, fee: bigint): Promise<boolean> {
    if ((await ledger.free(user, token)) < fee) return false
    await ledger.setBalance(user, token, (await ledger.balance(user, token)) - fee)
    return true
  }

  async function cross({ user, send: { to, token, amount } }: { user: Address; send: SpotSend }): Promise<readonly Payout[]> {
    if ((await ledger.free(user, token)) < amount || !(await charge(user, coreTokens.hype, crossingFee))) return []
    return (await move(user, to, token, amount)) ? [{ to: user, token, amount }] : []
  }

  async function send({ user, send: { to, token, amount } }: { user: Address; send: SpotSend }): Promise<void> {
    if (to === user || (await ledger.free(user, token)) < amount) return
    if (!(await ledger.exists(to))) {
      const left = token === coreTokens.usdc ? amount : 0n
      if ((await ledger.free(user, coreTokens.usdc)) < ACTIVATION_FEE + left) return
      await charge(user, coreTokens.usdc, ACTIVATION_FEE)
      await ledger.activate(to)
    }
    await move(user, to, token, amount)
  }

  // "The account performing the CoreWriter action must exist on HyperCore before the EVM block is built."
  const active = new Set<Address>()
  for (const { user } of actions) if (await ledger.exists(user)) active.add(user)

  // If the bridge holds too little on HyperCore, the sender loses the transfer, as on the real one.
  for (const { from, token, amount } of crossings) await move(systemAddressOf(token), from, token, amount)

  const payouts: Payout[] = []
  for (const { user, send: action } of actions) {
    if (action === null || action.amount === 0n || !active.has(user)) continue
    if (action.to === systemAddressOf(action.token)) payouts.push(...(await cross({ user, send: action })))
    else await send({ user, send: action })
  }
  return payouts
}
