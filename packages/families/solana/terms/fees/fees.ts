/** Chooses compute budgets. Units come from a simulation or a measurement, the price from recent transactions, with a cap. */

import type { Address, Instruction } from '@solana/kit'
import { AccountRole, isWritableRole } from '@solana/kit'
import { max, min } from '@tandem/protocol/bigint.ts'
import type { HtlcVerb } from '@tandem/protocol/htlc.ts'
import type { SolanaNode } from '../../server/nodes/node.ts'
import type { ComputeBudget } from '../send/transaction.ts'

/** `close` returns the rent of a settled order's account, `reclaim` a deposit, `transfer` sends our own money. None is urgent. */
export type SentVerb = HtlcVerb | 'close' | 'reclaim' | 'transfer'

/**
 * The limits are twice what the program takes with the older Token program (`bench/RESULTS.md`). An initiation searches for the order's
 * address: 1,500 units a step, one step for half of the orders, and more than 20 for one in a million. With a deposit, or a return of one, there is a second
 * search: more than 24 steps in all for one in a million. A redeem that also gives gas takes 150 units more.
 */
const UNITS = { initiate: 60_000, redeem: 16_000, refund: 16_000, reclaim: 60_000 } as const satisfies Record<HtlcVerb | 'reclaim', number>

/** Creating an associated token account searches for its address: each step takes 1,500 units, and most need a few. */
const CREATION_UNITS = 60_000

export const SIMULATION_UNITS = 400_000

/** This is the maximum priority fee for one transaction. A missed initiation loses a deal, a missed redeem or refund loses the swap. */
const MAX_LAMPORTS = {
  initiate: 100_000n,
  redeem: 5_000_000n,
  refund: 5_000_000n,
  close: 5_000n,
  reclaim: 20_000n,
  transfer: 100_000n,
} as const satisfies Record<SentVerb, bigint>

/**
 * This is the maximum for a first attempt. Anyone can raise the recent prices of the payee's accounts: a small transaction in every fourth
 * slot costs some 4,000,000 lamports a minute. Every redeem to that payee in that minute would cost us more than that without a cap.
 */
const MAX_FIRST_LAMPORTS = 500_000n

/** A relay pays at most this beside the signatures, because the user chooses the price that it signs. */
const MAX_RELAY_LAMPORTS = 20_000n

/** The number is the share of recent transactions that paid less. */
const PERCENTILE = { initiate: 50, redeem: 75, refund: 75, close: 25, reclaim: 50, transfer: 50 } as const satisfies Record<
  SentVerb,
  number
>

/** A raise starts from at least this price, in micro-lamports for each unit. */
const MIN_RAISED_PRICE = 1_000n
const RAISE_FACTOR = 2n
const MICRO_LAMPORTS = 1_000_000n

/** No node may simulate this transaction yet, or somebody else signs it. */
export function fixedUnits(verb: keyof typeof UNITS, createsAccount = false): number {
  return UNITS[verb] + (createsAccount ? CREATION_UNITS : 0)
}

/** The margin is there because accounts may change before the transaction is mined. */
export function unitsFrom(simulated: bigint): number {
  return Number((simulated * 13n) / 10n) + 2_000
}

/** `previous` is the price of an earlier attempt, which expired unmined. */
export async function unitPrice(
  node: Pick<SolanaNode, 'priorityFee'>,
  verb: SentVerb,
  instructions: readonly Instruction[],
  unitLimit: number,
  previous: bigint | null = null,
): Promise<bigint> {
  const recent = await node.priorityFee(writableOf(instructions), PERCENTILE[verb])
  const raised = previous === null ? 0n : max(previous * RAISE_FACTOR, MIN_RAISED_PRICE)
  const cap = previous === null ? min(MAX_LAMPORTS[verb], MAX_FIRST_LAMPORTS) : MAX_LAMPORTS[verb]
  return min(max(recent, raised), priceCap(cap, unitLimit))
}

/** No transaction of ours pays more beside its signatures. `relay` is one that the user signs, and whose price the user chose. */
export function maxPriorityFee(verb: SentVerb | 'relay'): bigint {
  return verb === 'relay' ? MAX_RELAY_LAMPORTS : MAX_LAMPORTS[verb]
}

/** A higher limit of units at the same price would pay more than the maximum. */
export function withUnits(verb: SentVerb, { unitPrice: price }: ComputeBudget, unitLimit: number): ComputeBudget {
  return { unitLimit, unitPrice: min(price, priceCap(MAX_LAMPORTS[verb], unitLimit)) }
}

/** The user signs the transaction and we pay for it, so its fee has a maximum. */
export async function relayPrice(node: Pick<SolanaNode, 'priorityFee'>, instructions: readonly Instruction[]): Promise<bigint> {
  return min(await unitPrice(node, 'initiate', instructions, fixedUnits('initiate')), maxRelayPrice())
}

export function maxRelayPrice(): bigint {
  return priceCap(MAX_RELAY_LAMPORTS, fixedUnits('initiate'))
}

function priceCap(lamports: bigint, unitLimit: ComputeBudget['unitLimit']): bigint {
  return (lamports * MICRO_LAMPORTS) / BigInt(unitLimit)
}

function writableOf(instructions: readonly Instruction[]): readonly Address[] {
  const accounts = instructions.flatMap(({ accounts: all = [] }) => all)
  return [...new Set(accounts.filter(({ role }) => isWritableRole(role ?? AccountRole.READONLY)).map(({ address }) => address))]
}
