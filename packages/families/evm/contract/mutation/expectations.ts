// Defines assertions that the mutation scenarios share.
import { deepEqual, equal, fail } from 'node:assert/strict'
import type { Address, Hex, PrivateKeyAccount, RpcTransactionReceipt } from 'viem'
import type { HtlcSetup } from '../htlc.fixture.ts'
import type { HtlcOrder } from '../htlc-order.fixture.ts'

export async function refused(setup: HtlcSetup, from: PrivateKeyAccount, data: Hex, error: string, value = 0n): Promise<void> {
  const outcome = await setup.fixture.attempt({ from: from.address, to: setup.htlc, data, value })
  equal(outcome.error, error)
}

/** The HTLC must pay exactly this much to the payee, or get it where the amount is negative. */
export async function moves(
  setup: HtlcSetup,
  { from, data, value = 0n, payee, amount }: { from: PrivateKeyAccount; data: Hex; value?: bigint; payee: Address; amount: bigint },
): Promise<RpcTransactionReceipt> {
  const before = { htlc: await setup.balance(setup.htlc), payee: await setup.balance(payee) }
  const { receipt, error } = await setup.fixture.attempt({ from: from.address, to: setup.htlc, data, value })
  if (error !== null) fail(`reverted with ${error}`)
  equal(await setup.balance(setup.htlc), before.htlc - amount)
  const paidGas = payee === from.address && setup.domain.name === 'HTLC-Native'
  if (!paidGas) equal(await setup.balance(payee), before.payee + amount)
  return receipt
}

export function emits(setup: HtlcSetup, receipt: RpcTransactionReceipt, events: readonly [eventName: string, args: object][]): void {
  deepEqual(
    setup.events(receipt),
    events.map(([eventName, args]) => ({ eventName, args })),
  )
}

export async function isInState(setup: HtlcSetup, order: HtlcOrder, state: bigint): Promise<void> {
  equal(await setup.state(order), state)
}
