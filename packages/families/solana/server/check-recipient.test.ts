/** These tests refuse recipients from which nobody could move the money again. */
import { AccountState } from '@solana-program/token'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { expect, it } from 'vitest'
import { orderAddress } from '../contract/client/addresses.ts'
import { orderTermsOf } from '../terms/htlc.ts'
import { tokenAccountOf } from '../terms/instructions.ts'
import { checkRecipient } from './check-recipient.ts'
import { startLocalFixture } from './local-chain.fixture.ts'

const fixture = opened(startLocalFixture)

const check = (address: string, kind: 'sol' | 'token' = 'token') => checkRecipient(fixture.node, fixture[kind], address)

it('accepts a wallet, with or without an account or a token account, by one request', async () => {
  let requests = 0
  const { node } = fixture
  const counted: Pick<typeof node, 'accounts'> = {
    accounts(addresses) {
      requests += 1
      return node.accounts(addresses)
    },
  }
  for (const kind of ['sol', 'token'] as const)
    for (const address of [fixture.user.address, fixture.newAddress()])
      expect(await checkRecipient(counted, fixture[kind], address)).toBeNull()
  expect(requests).toBe(4)
})

it.each(['sol', 'token'] as const)('refuses token accounts, mints, programs and addresses that nobody can sign for: %s', async (kind) => {
  const { user, mint, token, sol } = fixture
  expect(await check(tokenAccountOf(user.address, mint), kind)).toMatch(/is a token account or a mint/)
  expect(await check(mint, kind)).toMatch(/is a token account or a mint/)
  expect(await check(token.program, kind)).toMatch(/is a program/)
  const { terms } = await fixture.swap(sol)
  const unused = orderAddress(sol.program, orderTermsOf(sol, terms)).address
  expect(await check(unused, kind)).toMatch(/has no private key, and no program has created it/)
  // The vault of a multisig is an account of this kind.
  fixture.setLamports(unused, 1_000_000n)
  expect(await check(unused, kind)).toBeNull()
})

it('refuses a frozen token account, and one that was given away', async () => {
  const { user, stranger } = fixture
  await fixture.putTokens(user.address, 1n, AccountState.Frozen)
  expect(await check(user.address)).toMatch(/is frozen/)
  expect(await check(user.address, 'sol')).toBeNull()
  await fixture.putTokens(user.address, 1n, AccountState.Initialized, stranger.address)
  expect(await check(user.address)).toMatch(/belongs to/)
})

it('refuses refunds of a deposit to a wallet without a token account, which nobody would create', async () => {
  const refundTo = (address: string, kind: 'sol' | 'token') => checkRecipient(fixture.node, fixture[kind], address, { isRefund: true })
  const address = fixture.newAddress()
  expect(await refundTo(address, 'token')).toMatch(/has no token account for .*: create it first/)
  expect(await refundTo(address, 'sol')).toBeNull()
  await fixture.putTokens(address, 0n)
  expect(await refundTo(address, 'token')).toBeNull()
})
