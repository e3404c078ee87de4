// A scenario is one promise of the program, played on a real SVM. The tests play all on the committed program, and all on every mutant.
import { equal, ok } from 'node:assert/strict'
import type { Address, Instruction, KeyPairSigner } from '@solana/kit'
import type { HtlcFixture, Kind, TestOrder } from './order.ts'
import type { Outcome } from './svm.ts'

/** The System program's AddressWithSeedMismatch. */
export const wrongVault = 'code 5'

export interface Scenario {
  readonly name: string
  /** Both, unless it says one. */
  readonly kind?: Kind
  play(htlc: HtlcFixture): Promise<void>
}

/** It must fail with exactly this error. */
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

/** It must succeed and change what these parties have by exactly this much, in what the order pays in. */
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

/** The order pays this party its amount, and nobody else anything. */
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

/** Of all accounts that the rent payer pays for. */
export function fullRent(htlc: HtlcFixture): bigint {
  return htlc.rent(orderSize(htlc)) + (htlc.kind === 'SOL' ? 0n : htlc.rent(165))
}

function asList(instructions: Instruction | readonly Instruction[]): readonly Instruction[] {
  return 'programAddress' in instructions ? [instructions] : instructions
}
