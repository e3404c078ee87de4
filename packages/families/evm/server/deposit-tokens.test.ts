/** Tests deposit addresses that hold a token which blocks accounts, keeps a part, or answers nothing: no gas is spent in vain, and a refusal is tried again later. */
import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { type Abi, type Address, encodeFunctionData, type Hex } from 'viem'
import { expect, it, onTestFinished } from 'vitest'
import { blacklistToken } from '../contract/artifacts/blacklist-token.ts'
import { feeToken } from '../contract/artifacts/fee-token.ts'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { noReturnToken } from '../contract/artifacts/no-return-token.ts'
import { stubbornToken } from '../contract/artifacts/stubborn-token.ts'
import { openEvmClient } from './client.fixture.ts'

const { fixture, termsFor } = await openEvmClient()
const { solver, user } = fixture
const AMOUNT = 1_000n
const HOUR_MS = 3_600_000

/** A client whose USDC is this token, and an order of the user that was paid at its address. */
async function paid(artifact: { readonly abi: Abi; readonly bytecode: Hex }, { amount = AMOUNT, isLate = false } = {}) {
  const token = await fixture.deploy(artifact)
  const htlc = await fixture.deploy(htlcErc20, [token])
  const assets = fixture.assets.map((asset) => (asset.id.endsWith(':usdc') ? { ...asset, deployment: { htlc, token } } : asset))
  const client = fixture.connect({ assets })
  onTestFinished(() => client.close())
  const { prefund } = client
  if (prefund?.addressOf === undefined) throw new Error('the client has no deposit addresses')
  const { time } = await client.tip()
  const terms = termsFor(createSecret(), 'usdc', { initiator: user.address, redeemer: solver.address, amount: AMOUNT })
  const swap: PrefundedSwap = { terms, deadline: isLate ? time - 1n : time + 10_000n, payer: null }
  const address = prefund.addressOf(swap) as Address
  const call = (functionName: string, args: readonly unknown[]) =>
    fixture.deployer.send([{ to: token, data: encodeFunctionData({ abi: artifact.abi, functionName, args }) }])
  await call('mint', [address, amount])
  const outbox = createMemoryOutbox(solver.signer)
  const balanceOf = (owner: string) => client.balance(terms.asset, owner)
  const phase = async () => (await readSwap(client, terms, 0n)).swap.phase
  return { client, prefund, swap, address, call, outbox, balanceOf, phase }
}

it.each([
  ['answers nothing', noReturnToken],
  ['answers nothing, and takes an allowance only from zero', stubbornToken],
])('a token that %s is locked, and returned', async (_, artifact) => {
  const on = await paid(artifact)
  await on.prefund.initiate(on.swap, on.outbox.open('initiate'))
  await fixture.mine()
  expect([await on.phase(), await on.balanceOf(on.address)]).toEqual(['initiated', 0n])
  const late = await paid(artifact, { isLate: true })
  await late.prefund.reclaim(late.swap, late.outbox.open('reclaim'))
  await fixture.mine()
  expect([await late.balanceOf(late.address), await late.balanceOf(user.address)]).toEqual([0n, AMOUNT])
})

it('a token that keeps a part of each transfer is not locked, at no cost; what is left of it goes back after the deadline', async () => {
  const on = await paid(feeToken)
  await expect(on.prefund.initiate(on.swap, on.outbox.open('initiate'))).rejects.toMatchObject({ kind: 'would-fail' })
  expect(on.outbox.attempts('initiate')).toEqual([])
  const late = await paid(feeToken, { isLate: true })
  await late.prefund.reclaim(late.swap, late.outbox.open('reclaim'))
  await fixture.mine()
  expect([await late.balanceOf(late.address), await late.balanceOf(user.address)]).toEqual([0n, AMOUNT - AMOUNT / 100n])
})

it.each([
  ['the owner', (_: string) => user.address],
  ['the address', (address: string) => address],
])('a token that blocks %s: nothing is signed, the next try is an hour later, and works once it is unblocked', async (_, blocked) => {
  const on = await paid(blacklistToken, { isLate: true })
  await on.call('setBlacklisted', [blocked(on.address), true])
  for (let times = 0; times < 5; times += 1)
    await expect(on.prefund.reclaim(on.swap, on.outbox.open('reclaim'))).rejects.toMatchObject({
      kind: 'would-fail',
      refusal: expect.stringMatching(/^the chain refuses the return, which is tried again in an hour: reclaim: HTLC__TransferFailed/),
      retryAfterMs: HOUR_MS,
    })
  expect(on.outbox.attempts('reclaim')).toEqual([])
  await on.call('setBlacklisted', [blocked(on.address), false])
  await on.prefund.reclaim(on.swap, on.outbox.open('reclaim'))
  await fixture.mine()
  expect([await on.balanceOf(on.address), await on.balanceOf(user.address)]).toEqual([0n, AMOUNT])
})

it('a return is sent three times in a day, and again a day after the first; nothing is signed that nobody pays for', async () => {
  const on = await paid(noReturnToken, { isLate: true })
  const asked: bigint[] = []
  const reclaim = (refuses = false) =>
    on.prefund.reclaim(on.swap, {
      ...on.outbox.open('reclaim'),
      async payForReclaim(amount) {
        asked.push(amount)
        if (refuses) throw new Error('too little')
      },
    })
  await expect(reclaim(true)).rejects.toThrow('too little')
  expect(on.outbox.attempts('reclaim')).toEqual([])
  for (let times = 0; times < 3; times += 1) {
    await reclaim()
    await fixture.mine()
    await on.call('mint', [on.address, AMOUNT])
  }
  await expect(reclaim()).rejects.toMatchObject({ refusal: expect.stringMatching(/paid for 3 reclaims of this order within a day/) })
  expect(asked).toEqual([AMOUNT, AMOUNT, AMOUNT, AMOUNT])
  on.outbox.passSeconds(86_400n)
  await reclaim()
  await fixture.mine()
  expect(await on.balanceOf(user.address)).toBe(4n * AMOUNT)
})

it('too early a return is tried again soon, not in an hour', async () => {
  const on = await paid(noReturnToken)
  await expect(on.prefund.reclaim(on.swap, on.outbox.open('reclaim'))).rejects.toMatchObject({ kind: 'would-fail', retryAfterMs: null })
  expect(on.outbox.attempts('reclaim')).toEqual([])
})
