/** Clients execute `approval_transaction` without looking whether it is needed. These tests do so on the local chain. */

import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, expect, it } from 'vitest'
import { feltOf } from '../terms/address.ts'
import { approvalCallOf } from '../terms/htlc.ts'
import { createContractState } from './contract-state.ts'
import { connectNode } from './nodes/connect-node.ts'
import { createFamilyFixture } from './starknet.fixture.ts'

const AMOUNT = 20_000n
const UNLIMITED = 2n ** 256n - 1n

const fixture = await createFamilyFixture()
const { devnet, contract, user, solver } = fixture
const client = fixture.connect()
const node = connectNode(fixture.chain, { endpoints: { rpc: [devnet.url] } })
const state = createContractState(node)
afterAll(async () => {
  node.close()
  await client.close()
  await fixture.close()
})

const allowance = () => state.allowance(contract.token, feltOf(user.account), contract.address)

function approve(amount: bigint): void {
  fixture.send(user, [approvalCallOf(contract, amount)])
  devnet.chain.mine()
}

function newTerms(): HtlcTerms {
  const secretHash = hashSecret(createSecret())
  return { asset: fixture.asset.id, initiator: user.account, redeemer: solver.account, amount: AMOUNT, timelock: 600n, secretHash }
}

async function fundingOf(terms: HtlcTerms, approval: 'exact' | 'unlimited') {
  const funding = await client.funding({ terms, deadline: 9_999_999_999n, payer: null, approval })
  if (funding.kind !== 'feltCalls') throw new Error(`expected calls of field elements, got ${funding.kind}`)
  return funding
}

it.each([
  ['nothing', 0n, 'exact', true, 0n],
  ['too little', AMOUNT - 1n, 'exact', true, 0n],
  ['nothing, where the app approves any amount', 0n, 'unlimited', true, UNLIMITED],
  ['exactly the amount', AMOUNT, 'exact', false, 0n],
  ['the amounts of other orders too', 10n * AMOUNT, 'exact', false, 9n * AMOUNT],
  ['the amounts of other orders too, where the app approves any amount', 10n * AMOUNT, 'unlimited', false, 9n * AMOUNT],
  ['any amount', UNLIMITED, 'exact', false, UNLIMITED],
] as const)(
  'with an allowance of %s, both calls fund the order and leave the rest of the allowance',
  async (_, before, mode, required, after) => {
    approve(before)
    const terms = newTerms()
    const { approval, approvalRequired, initiate } = await fundingOf(terms, mode)
    expect(approvalRequired).toBe(required)
    fixture.send(user, [approval, initiate])
    devnet.chain.mine()
    expect(await state.htlc(contract, terms)).toBe('open')
    expect(await allowance()).toBe(after)
  },
)

it('an approval that is not required, sent alone and twice, changes nothing', async () => {
  approve(3n * AMOUNT)
  const { approval } = await fundingOf(newTerms(), 'exact')
  for (const _ of ['once', 'twice']) {
    fixture.send(user, [approval])
    devnet.chain.mine()
    expect(await allowance()).toBe(3n * AMOUNT)
  }
})
