// Plays a scenario, which is one promise of the program, on a real SVM. The tests play all of them, also on every mutant.
import { equal, ok } from 'node:assert/strict'
import type { Address, Instruction, KeyPairSigner } from '@solana/kit'
import type { HtlcFixture, Kind, TestOrder } from './order.ts'
import type { Outcome } from './svm.ts'

/** The System program calls this error AddressWithSeedMismatch. */
export const wrongVault = 'code 5'

export interface Scenario {
  readonly name: string
  readonly kind?: Kind
  play(htlc: HtlcFixture): Promise<void>
}

export async function refused(
  htlc: HtlcFixture,
  instructions: Instruction | readonly Instruction[],
  error: string,
  signers?: readonly KeyPairSigner[],
): Promise<void> {
  const list = asList(instructions)
  const outcome = signers === undefined ? await htlc.sendSigned(list) : await htlc.send(list, signers)
  equal(outcome.error, error)
}

export async function accepted(htlc: HtlcFixture, instructions: Instruction | readonly Instruction[]): Promise<Outcome> {
  const outcome = await htlc.sendSigned(asList(instructions))
  equal(outcome.error, null)
  return outcome
}

/** The transaction must succeed and change what these parties have by exactly this much, in the unit of the order. */
export async function moves(
  htlc: HtlcFixture,
  instructions: Instruction | readonly Instruction[],
  changes: readonly (readonly [party: Address, change: bigint])[],
): Promise<void> {
  const before = changes.map(([party]) => htlc.funds(party))
  await accepted(htlc, instructions)
  changes.forEach(([party, change], index) => {
    equal(htlc.funds(party) - (before[index] ?? 0n), change)
  })
}

export async function pays(
  htlc: HtlcFixture,
  order: TestOrder,
  instructions: Instruction | readonly Instruction[],
  payee: Address,
): Promise<void> {
  const { initiator, redeemer, funder, rentPayer, stranger } = htlc.keys
  const parties = [initiator, redeemer, funder, rentPayer, stranger].map(({ address }) => address)
  await moves(
    htlc,
    instructions,
    parties.map((party) => [party, party === payee ? order.terms.amount : 0n]),
  )
}

export function isOpen(htlc: HtlcFixture, order: TestOrder): void {
  equal(htlc.state(order)?.status, 'open')
  ok(htlc.balance(order.address) >= htlc.rent(orderSize(htlc)) + (htlc.kind === 'SOL' ? order.terms.amount : 0n))
  if (htlc.kind === 'token') ok(htlc.tokens(order.vault) >= order.terms.amount)
}

export function orderSize({ kind }: HtlcFixture): number {
  return kind === 'SOL' ? 168 : 232
}

export function fullRent(htlc: HtlcFixture): bigint {
  return htlc.rent(orderSize(htlc)) + (htlc.kind === 'SOL' ? 0n : htlc.rent(165))
}

function asList(instructions: Instruction | readonly Instruction[]): readonly Instruction[] {
  return 'programAddress' in instructions ? [instructions] : instructions
}
