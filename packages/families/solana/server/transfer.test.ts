/** Tests transfers of inventory at the highest fee, by a key that signs nothing dearer. */
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { localChains } from '@tandem/families/registry.ts'
import { createKeyring } from '@tandem/keys/keyring.ts'
import type { WithdrawPurpose } from '@tandem/keys/purpose.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { expect, it } from 'vitest'
import { priorityFeeOf, readAttempt } from '../terms/send/transaction.ts'
import { startLocalFixture } from './local-chain.fixture.ts'
import { createPermit } from './permit.ts'
import { createTransfer } from './transfer.ts'

const fixture = opened(startLocalFixture)

it('sends the same amount twice at the highest price, and neither transaction pays more than the maximum', async () => {
  const chain = localChains.find(({ id }) => id === 'solana_localnet')
  if (chain === undefined) throw new Error('the local registry has no chain solana_localnet')
  const permitSigning = createPermit(chain, fixture.contracts)
  const outbox = createMemoryOutbox(createKeyring([fixture.solver.key]).of({ chain, curve: 'ed25519', permitSigning }))
  const busy = createTransfer(chain, { ...fixture.node, priorityFee: async () => 10n ** 12n }, fixture.contracts)
  const asked = { asset: fixture.sol.asset, recipient: fixture.user.address, amount: 7_000_000n }
  const purpose: WithdrawPurpose = { kind: 'withdraw', chain: chain.id, ...asked }
  const before = await fixture.node.balance(fixture.user.address)
  for (const key of ['one', 'other']) await busy.send(asked, outbox.open(key, { purpose }))
  fixture.mine()
  expect((await fixture.node.balance(fixture.user.address)) - before).toBe(14_000_000n)
  const fees = ['one', 'other'].flatMap((key) => outbox.attempts(key)).map((attempt) => priorityFeeOf(readAttempt(attempt).budget))
  // One has a unit more, and the price is whole.
  for (const fee of fees) expect([99_999n, 100_000n]).toContain(fee)
  expect(fees).toHaveLength(2)
})
