/** Tests what a signer reads from transactions before it signs them. */
import { afterAll, expect, test } from 'vitest'
import { createEvmFixture } from './evm.fixture.ts'
import { signingFacts } from './signing-facts.ts'

const closing: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

test('the highest fee is that of all gas at the highest price that is offered, and a nonce excludes others', () => {
  const call = { nonce: 7, gas: 100n, maxFeePerGas: 30n, maxPriorityFeePerGas: 1n, value: 10n ** 18n }
  expect(signingFacts.worstFee('transaction', [call])).toBe(3_000n)
  expect(signingFacts.worstFee('transaction', [{ nonce: 7, gas: 100n, gasPrice: 40n }])).toBe(4_000n)
  expect(signingFacts.marks('transaction', [call])).toEqual(['nonce 7'])
})

test('the nodes show which nonces are used', async () => {
  const fixture = await createEvmFixture()
  closing.push(fixture.close)
  const reader = signingFacts.connect?.(fixture.chain, { endpoints: { rpc: [fixture.local.rpcUrl] } })
  if (reader === undefined) throw new Error('it has a reader')
  closing.push(reader.close)
  const isUsed = (nonce: number) => reader.isUsedByOther(`nonce ${nonce}`, fixture.solver.signer, new Set())
  expect(await isUsed(0)).toBe(false)
  await fixture.sendAs(fixture.solver, { to: fixture.user.address })
  expect(await isUsed(0)).toBe(false)
  await fixture.mine()
  expect([await isUsed(0), await isUsed(1)]).toEqual([true, false])
}, 60_000)
