// Assertions that the mutation scenarios share.
import { deepEqual, equal, fail } from 'node:assert/strict'
import type { Address, Hex, PrivateKeyAccount, RpcTransactionReceipt } from 'viem'
import type { HtlcScene } from '../htlc.fixture.ts'
import type { HtlcOrder } from '../htlc-order.fixture.ts'

/** The call must fail for this very reason. */
export async function refused(scene: HtlcScene, from: PrivateKeyAccount, data: Hex, error: string, value = 0n): Promise<void> {
  const outcome = await scene.fixture.attempt({ from: from.address, to: scene.htlc, data, value })
  equal(outcome.error, error)
}

/** The call must move exactly this much from the HTLC to the payee, or to the HTLC where it is negative. */
export async function moves(
  scene: HtlcScene,
  { from, data, value = 0n, payee, amount }: { from: PrivateKeyAccount; data: Hex; value?: bigint; payee: Address; amount: bigint },
): Promise<RpcTransactionReceipt> {
  const before = { htlc: await scene.balance(scene.htlc), payee: await scene.balance(payee) }
  const { receipt, error } = await scene.fixture.attempt({ from: from.address, to: scene.htlc, data, value })
  if (error !== null) fail(`reverted with ${error}`)
  equal(await scene.balance(scene.htlc), before.htlc - amount)
  const paidGas = payee === from.address && scene.domain.name === 'HTLC-Native'
  if (!paidGas) equal(await scene.balance(payee), before.payee + amount)
  return receipt
}

/** The HTLC tells exactly this. */
export function tells(scene: HtlcScene, receipt: RpcTransactionReceipt, events: readonly [eventName: string, args: object][]): void {
  deepEqual(
    scene.events(receipt),
    events.map(([eventName, args]) => ({ eventName, args })),
  )
}

export async function isInState(scene: HtlcScene, order: HtlcOrder, state: bigint): Promise<void> {
  equal(await scene.state(order), state)
}
