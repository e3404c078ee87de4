/** Compute budgets and their limits: units from a simulation or as measured, a price that recent transactions paid, up to a cap in lamports. */

import type { Address, Instruction } from '@solana/kit'
import { AccountRole, isWritableRole } from '@solana/kit'
import { max, min } from '@tandem/protocol/bigint.ts'
import type { HtlcVerb } from '@tandem/protocol/htlc.ts'
import type { SolanaNode } from '../../server/nodes/node.ts'
import type { ComputeBudget } from '../send/transaction.ts'

/** `close`: of a settled order's account, which returns its rent. It can wait. */
export type SentVerb = HtlcVerb | 'close'

/**
 * Twice what the program takes with the older Token program, and the compute budget's own instructions. `bench/RESULTS.md` has the measured units.
 * An initiation searches for the order's address: 1,500 units a step, one step for half of the orders, and more than 20 for one in a million.
 */
const UNITS = { initiate: 60_000, redeem: 16_000, refund: 16_000 } as const satisfies Record<HtlcVerb, number>

/** Creating an associated token account searches for its address: each step takes 1,500 units, and most need a few. */
const CREATION_UNITS = 60_000

/** A simulation may use as many: more than any transaction of ours. */
export const SIMULATION_UNITS = 400_000

/** The most priority fee for one transaction. A missed initiation loses a deal, a missed redeem or refund loses the swap. */
const MOST_LAMPORTS = { initiate: 100_000n, redeem: 5_000_000n, refund: 5_000_000n, close: 5_000n } as const satisfies Record<
  SentVerb,
  bigint
>

/**
 * The most for a first attempt. Recent prices are those of the payee's accounts too. Anyone can raise them: by a small transaction in every fourth slot,
 * some 4,000,000 lamports a minute. Without this cap, every redeem to that payee in the same minute would cost us more than that.
 */
const MOST_FIRST_LAMPORTS = 500_000n

/** The most that a relay pays beside the signatures: the user chooses the price that it signs. */
const MOST_RELAY_LAMPORTS = 20_000n

/** Share of recent transactions that paid less. */
const PERCENTILE = { initiate: 50, redeem: 75, refund: 75, close: 25 } as const satisfies Record<SentVerb, number>

/** The least that a raise starts from, in micro-lamports for each unit. */
const LEAST_RAISED_PRICE = 1_000n
const RAISE_FACTOR = 2n
const MICRO_LAMPORTS = 1_000_000n

/** For a transaction that no node may simulate yet, or that somebody else signs. */
export function fixedUnits(verb: HtlcVerb, createsAccount = false): number {
  return UNITS[verb] + (createsAccount ? CREATION_UNITS : 0)
}

/** With a margin: accounts may change before it is mined. */
export function unitsFrom(simulated: bigint): number {
  return Number((simulated * 13n) / 10n) + 2_000
}

/** `previous`: the price of an earlier attempt, which expired unmined. */
export async function unitPrice(
  node: Pick<SolanaNode, 'priorityFee'>,
  verb: SentVerb,
  instructions: readonly Instruction[],
  unitLimit: number,
  previous: bigint | null = null,
): Promise<bigint> {
  const recent = await node.priorityFee(writableOf(instructions), PERCENTILE[verb])
  const raised = previous === null ? 0n : max(previous * RAISE_FACTOR, LEAST_RAISED_PRICE)
  const most = previous === null ? min(MOST_LAMPORTS[verb], MOST_FIRST_LAMPORTS) : MOST_LAMPORTS[verb]
  return min(max(recent, raised), priceCap(most, unitLimit))
}

/** Of a transaction that the user signs and we pay for. */
export async function relayPrice(node: Pick<SolanaNode, 'priorityFee'>, instructions: readonly Instruction[]): Promise<bigint> {
  return min(await unitPrice(node, 'initiate', instructions, fixedUnits('initiate')), maxRelayPrice())
}

export function maxRelayPrice(): bigint {
  return priceCap(MOST_RELAY_LAMPORTS, fixedUnits('initiate'))
}

function priceCap(lamports: bigint, unitLimit: ComputeBudget['unitLimit']): bigint {
  return (lamports * MICRO_LAMPORTS) / BigInt(unitLimit)
}

function writableOf(instructions: readonly Instruction[]): readonly Address[] {
  const accounts = instructions.flatMap(({ accounts: all = [] }) => all)
  return [...new Set(accounts.filter(({ role }) => isWritableRole(role ?? AccountRole.READONLY)).map(({ address }) => address))]
}
