/** Tests what the conformance suite does not: what a deposit may cost us, what holds it back, and what a node says about it. */
import { randomUUID } from 'node:crypto'
import type { Address } from '@solana/kit'
import { AccountState } from '@solana-program/token'
import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { describe, expect, it } from 'vitest'
import { systemProgram } from '../contract/client/programs.ts'
import { depositAccountOf, depositAddressOf, initiateDepositedInstruction } from '../terms/deposit.ts'
import type { HtlcContract } from '../terms/htlc.ts'
import { readHtlcState } from './contract-state.ts'
import { createDeposits } from './deposits.ts'
import { createExecutor } from './execute.ts'
import { lamportsTaken } from './fees/funds.ts'
import { startLocalFixture } from './local-chain.fixture.ts'
import type { SolanaNode } from './nodes/node.ts'

const fixture = opened(startLocalFixture)
const AMOUNT = 5_000_000n

const prefundWith = (over: Partial<SolanaNode> = {}) => {
  const node = { ...fixture.node, ...over }
  return createDeposits(node, fixture.contracts, createExecutor(node))
}
const swapOf = (contract: HtlcContract, over: Partial<HtlcTerms> = {}): Promise<PrefundedSwap> =>
  fixture.swap(contract, { initiator: fixture.user.address, redeemer: fixture.solver.address, ...over })

/** What lies there is put there, so that nobody's balance changes. */
async function put(contract: HtlcContract, swap: PrefundedSwap, amount: bigint): Promise<void> {
  const address = depositAddressOf(contract, swap)
  if (contract.mint === null) fixture.setLamports(address, amount)
  else await fixture.putTokens(address, amount)
}

async function late(contract: HtlcContract, over: Partial<HtlcTerms> = {}): Promise<PrefundedSwap> {
  const swap = { ...(await swapOf(contract, over)), deadline: 1n }
  await put(contract, swap, AMOUNT)
  return swap
}

describe.each(['sol', 'token'] as const)('a deposit of %s', (kind) => {
  const contract = () => fixture[kind]

  it('is returned three times at our cost, and then by its owner', async () => {
    const swap = await late(contract())
    const key = randomUUID()
    for (let times = 0; times < 3; times += 1) {
      expect(await prefundWith().reclaim(swap, fixture.relay.outbox.open(key))).not.toBeNull()
      fixture.mine()
      expect(await prefundWith().reclaim(swap, fixture.relay.outbox.open(key))).toBeNull()
      await put(contract(), swap, AMOUNT)
    }
    await expect(prefundWith().reclaim(swap, fixture.relay.outbox.open(key))).rejects.toMatchObject({
      kind: 'would-fail',
      refusal: expect.stringMatching(/paid for 3 reclaims/),
    })
    expect(fixture.relay.outbox.attempts(key)).toHaveLength(3)
  })

  it('counts a return that failed on the chain too', async () => {
    const swap = await late(contract())
    const key = randomUUID()
    for (let times = 0; times < 3; times += 1) {
      await prefundWith().reclaim(swap, fixture.relay.outbox.open(key))
      // Whoever owns the account that is paid can make the transaction fail before it is mined.
      if (kind === 'token') await fixture.putTokens(fixture.user.address, 0n, AccountState.Initialized, fixture.stranger.address)
      else fixture.put(depositAddressOf(contract(), swap), contract().program, new Uint8Array(8))
      fixture.mine()
      if (kind === 'token') await fixture.putTokens(fixture.user.address)
      else await put(contract(), swap, AMOUNT)
    }
    await expect(prefundWith().reclaim(swap, fixture.relay.outbox.open(key))).rejects.toMatchObject({
      refusal: expect.stringMatching(/paid for 3 reclaims/),
    })
  })

  it('is not returned while it can fund its swap: nothing is signed, and the next try is an hour later', async () => {
    const [swap, key] = [await swapOf(contract()), randomUUID()]
    await put(contract(), swap, AMOUNT)
    await expect(prefundWith().reclaim(swap, fixture.relay.outbox.open(key))).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(/TooEarlyToReturn/),
      retryAfterMs: 3_600_000,
    })
    expect(fixture.relay.outbox.attempts(key)).toEqual([])
  })

  it('costs us the rent of the order, not the amount', async () => {
    const swap = await swapOf(contract())
    const instruction = initiateDepositedInstruction(contract(), swap, fixture.relay.address)
    expect(lamportsTaken([instruction], fixture.relay.address)).toBe(kind === 'sol' ? 2_060_160n : 4_544_880n)
    await put(contract(), swap, AMOUNT)
    const before = await fixture.node.balance(fixture.relay.address)
    await prefundWith({ priorityFee: async () => 0n }).initiate(swap, fixture.relay.outbox.open(randomUUID()))
    fixture.mine()
    expect(await readHtlcState(fixture.node, contract(), swap.terms)).toBe('open')
    expect(before - (await fixture.node.balance(fixture.relay.address))).toBe((kind === 'sol' ? 2_060_160n : 4_544_880n) + 5_000n)
  })

  it('is not initiated by a relay that must keep lamports for its duties', async () => {
    const [swap, key] = [await swapOf(contract()), randomUUID()]
    await put(contract(), swap, AMOUNT)
    const node: Partial<SolanaNode> = { balance: async () => 30_000_000n }
    await expect(prefundWith(node).initiate(swap, fixture.stranger.outbox.open(key))).rejects.toMatchObject({ kind: 'would-fail' })
    expect(fixture.stranger.outbox.attempts(key)).toEqual([])
  })

  it('is read with a request for each hundred swaps, in their order', async () => {
    const swaps = await Promise.all(Array.from({ length: 150 }, () => swapOf(contract())))
    const paid = swaps[120]
    if (paid === undefined) throw new Error('there are 150 swaps')
    await put(contract(), paid, AMOUNT)
    const requests: number[] = []
    const accounts: SolanaNode['accounts'] = (addresses) => {
      requests.push(addresses.length)
      return fixture.node.accounts(addresses)
    }
    expect(await prefundWith({ accounts }).amounts(swaps)).toEqual(swaps.map((swap) => (swap === paid ? AMOUNT : 0n)))
    expect(requests).toEqual([100, 50])
  })
})

it('a deposit of tokens counts only in the account of its own address, for its own mint', async () => {
  const swap = await swapOf(fixture.token)
  const at = depositAccountOf(fixture.token, swap)
  const address = depositAddressOf(fixture.token, swap)
  const held = async () => (await prefundWith().amounts([swap]))[0]
  await fixture.putTokens(address, AMOUNT)
  expect(await held()).toBe(AMOUNT)
  await fixture.putTokens(address, AMOUNT, AccountState.Initialized, fixture.stranger.address)
  expect(await held()).toBe(0n)
  fixture.put(at, systemProgram as Address, new Uint8Array(0), { balance: 10n ** 9n })
  expect(await held()).toBe(0n)
})

it('a return of tokens waits for the account of the owner: we create none', async () => {
  const [swap, key] = [await late(fixture.token, { initiator: fixture.newAddress() }), randomUUID()]
  await expect(prefundWith().reclaim(swap, fixture.relay.outbox.open(key))).rejects.toMatchObject({
    kind: 'would-fail',
    message: expect.stringMatching(/WrongPayee/),
  })
  expect(fixture.relay.outbox.attempts(key)).toEqual([])
  await fixture.putTokens(swap.terms.initiator as Address, 0n)
  expect(await prefundWith().reclaim(swap, fixture.relay.outbox.open(key))).not.toBeNull()
  fixture.mine()
})

it('a priority fee that strangers raise costs us little for a return', async () => {
  const [swap, key] = [await late(fixture.sol), randomUUID()]
  const before = await fixture.node.balance(fixture.relay.address)
  await prefundWith({ priorityFee: async () => 10n ** 12n }).reclaim(swap, fixture.relay.outbox.open(key))
  fixture.mine()
  expect(before - (await fixture.node.balance(fixture.relay.address))).toBeLessThanOrEqual(25_000n)
})
