/** Tests money in the accounts of users at the HTLC: its way to HyperEVM, the limit of our cost for it, and its way back. */

import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { connectNode } from '@tandem/evm/server/nodes/connect-node.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { createContracts } from '@tandem/evm/terms/htlc.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { coreTokens } from '../local/core-state-machine.ts'
import { SPOT_BALANCE, spotBalanceInput } from '../terms/core.ts'
import { accountAt, crossData, isCrossing, withdrawData } from '../terms/htlc.ts'
import { AMOUNT, openHypercoreClient, undoAfterEach } from './client.fixture.ts'
import { crossToEvm } from './cross-to-evm.ts'
import { callsOf, EVM_PER_CORE, type TestParty, transactionOf } from './hypercore.fixture.ts'
import { createPrefund } from './prefund.ts'

const { fixture, client, termsOf } = await openHypercoreClient()
undoAfterEach(fixture)
beforeEach(async () => {
  deadline = (await client.tip()).time + 3_600n
})

let deadline: bigint

const { gasless, prefund } = client
if (gasless === undefined || prefund === undefined) throw new Error('the client lacks an ability')

const fundingOf = async (terms: HtlcTerms, payer: string | null = null) =>
  callsOf(await client.funding({ terms, deadline, payer, approval: 'exact' }))
const signatureOf = async (terms: HtlcTerms, party: TestParty = fixture.user) =>
  party.account.signTypedData(JSON.parse(JSON.stringify((await fundingOf(terms)).typedData)))
const account = () => accountAt(fixture.contract, fixture.user.address)
const send = async (party: TestParty, call: { to: Address; data: Hex; value?: bigint; gas?: bigint }) => {
  await fixture.sendAs(party, call)
  await fixture.mine()
}
const moveIn = async (terms: HtlcTerms) => send(fixture.user, transactionOf((await fundingOf(terms)).transfer))
const consent = async (terms: HtlcTerms) => send(fixture.user, transactionOf((await fundingOf(terms)).initiate))
const withdraw = () => send(fixture.user, { to: fixture.contract.address, data: withdrawData(coreTokens.purr) })
const locked = () => fixture.evmBalance(fixture.contract.address)
const hypeIn = async (owner: Address) => {
  const call = { to: SPOT_BALANCE, data: spotBalanceInput(owner, coreTokens.hype) }
  return BigInt(((await fixture.local.request({ method: 'eth_call', params: [call, 'latest'] })) as string).slice(0, 66))
}

function relaying(terms: HtlcTerms, signature: string, outbox = createMemoryOutbox(fixture.relay.signer), key = 'initiate') {
  const crossings = () => outbox.attempts(key).filter(({ raw }) => raw.includes(crossData(fixture.user.address).slice(2))).length
  return { outbox, crossings, relay: (more = {}) => gasless?.initiate(terms, signature, { ...outbox.open(key), ...more }) }
}
const onItsWay = {
  kind: 'would-fail',
  isExpected: true,
  refusal: null,
  retryAfterMs: 500,
  message: expect.stringMatching(/on its way to HyperEVM/),
}

describe('a signature after core_to_evm_transfer', () => {
  test('suffices: the money is brought to HyperEVM once, and the order is initiated when it has arrived', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    const signature = await signatureOf(terms)
    await expect(gasless.verify(terms, signature)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(/holds 0 of .* the order needs 1000000: send core_to_evm_transfer and repeat this call/),
    })
    expect(await gasless.spendable?.(terms)).toBe(0n)
    await moveIn(terms)
    await gasless.verify(terms, signature)
    expect(await gasless.spendable?.(terms)).toBe(AMOUNT)
    const { relay, crossings, outbox } = relaying(terms, signature)
    await expect(relay()).rejects.toMatchObject(onItsWay)
    await expect(relay()).rejects.toMatchObject(onItsWay)
    await fixture.mine()
    await expect(relay()).rejects.toMatchObject(onItsWay)
    await fixture.mine()
    const tx = await relay()
    expect(await relay()).toBe(tx)
    await fixture.mine()
    expect([crossings(), await locked(), outbox.reverted.size]).toEqual([1, AMOUNT * EVM_PER_CORE, 0])
    expect(await relay()).toBe(tx)
  })

  test('of somebody else, or over other terms, costs us no crossing', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    await moveIn(terms)
    for (const signature of [await signatureOf(terms, fixture.solver), await signatureOf(termsOf(fixture.user, fixture.solver))]) {
      await expect(gasless.verify(terms, signature)).rejects.toMatchObject({ code: 'invalid_signature' })
      const { relay, outbox } = relaying(terms, signature)
      await expect(relay()).rejects.toMatchObject({ kind: 'would-fail', isExpected: false })
      expect(outbox.attempts('initiate')).toEqual([])
    }
  })

  test('sends HYPE only as far as the account lacks it', async () => {
    const [first, second] = [termsOf(fixture.user, fixture.solver), termsOf(fixture.user, fixture.solver)]
    const transactionAt = (raw: string) => fixture.local.request({ method: 'eth_getTransactionByHash', params: [raw] })
    const values: bigint[] = []
    for (const terms of [first, second]) {
      await moveIn(terms)
      const { relay, outbox } = relaying(terms, await signatureOf(terms))
      await expect(relay()).rejects.toMatchObject(onItsWay)
      const [crossing] = outbox.attempts('initiate')
      values.push(BigInt(((await transactionAt(crossing?.tx ?? '')) as { value: string }).value))
      await fixture.mine(2)
      await relay()
      await fixture.mine()
      if (values.length === 1) await fixture.faucet.fundSpot(account(), coreTokens.hype, 10n ** 8n)
    }
    expect(values[0]).toBeGreaterThan(0n)
    expect((values[0] ?? 1n) % 10n ** 10n).toBe(0n)
    expect(values[1]).toBe(0n)
    expect(await hypeIn(account())).toBeGreaterThan(0n)
    expect(await locked()).toBe(2n * AMOUNT * EVM_PER_CORE)
  })

  test('shares a crossing with another order of the same user', async () => {
    const [first, second] = [termsOf(fixture.user, fixture.solver), termsOf(fixture.user, fixture.solver)]
    for (const terms of [first, second]) await moveIn(terms)
    const outbox = createMemoryOutbox(fixture.relay.signer)
    const one = relaying(first, await signatureOf(first), outbox, 'first')
    const other = relaying(second, await signatureOf(second), outbox, 'second')
    for (const { relay } of [one, other]) await expect(relay()).rejects.toMatchObject(onItsWay)
    // The money has left HyperCore and is not on HyperEVM yet.
    await fixture.mine()
    for (const { relay } of [one, other]) await expect(relay()).rejects.toMatchObject(onItsWay)
    await fixture.mine()
    for (const { relay } of [one, other]) await relay()
    await fixture.mine()
    expect([one.crossings(), other.crossings(), await locked()]).toEqual([1, 0, 2n * AMOUNT * EVM_PER_CORE])
  })

  test('does not wait for a crossing of an earlier order that has arrived', async () => {
    const [terms, nextTerms] = [termsOf(fixture.user, fixture.solver), termsOf(fixture.user, fixture.solver)]
    await moveIn(terms)
    const one = relaying(terms, await signatureOf(terms))
    const next = relaying(nextTerms, await signatureOf(nextTerms), one.outbox, 'initiate next')
    await expect(one.relay()).rejects.toMatchObject(onItsWay)
    await fixture.mine(2)
    await one.relay()
    await fixture.mine()
    await moveIn(nextTerms)
    await expect(next.relay()).rejects.toMatchObject(onItsWay)
    expect(next.crossings()).toBe(1)
    await fixture.mine(2)
    await next.relay()
    await fixture.mine()
    expect([one.outbox.reverted.size, await locked()]).toEqual([0, 2n * AMOUNT * EVM_PER_CORE])
  })

  test('waits while the initiation of another order takes the money', async () => {
    const [first, second] = [termsOf(fixture.user, fixture.solver), termsOf(fixture.user, fixture.solver)]
    await moveIn(first)
    const one = relaying(first, await signatureOf(first))
    const other = relaying(second, await signatureOf(second), one.outbox, 'initiate other')
    await expect(one.relay()).rejects.toMatchObject(onItsWay)
    await fixture.mine(3)
    const both = await Promise.allSettled([one.relay(), other.relay()])
    expect(both).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { ...onItsWay, message: expect.stringMatching(/other orders of its owner take 1000000/) } },
    ])
    await fixture.mine()
    await expect(other.relay()).rejects.toMatchObject({ kind: 'would-fail', isExpected: false })
    expect([one.outbox.attempts('initiate other'), one.outbox.reverted.size, await locked()]).toEqual([[], 0, AMOUNT * EVM_PER_CORE])
  })

  test.each(['our relay', 'a transaction of the owner'])('whose crossing another order has used, by %s, is not wasted', async (by) => {
    const [first, second] = [termsOf(fixture.user, fixture.solver), termsOf(fixture.user, fixture.solver)]
    await moveIn(first)
    const one = relaying(first, await signatureOf(first))
    const other = relaying(second, await signatureOf(second), one.outbox, 'initiate other')
    await expect(one.relay()).rejects.toMatchObject(onItsWay)
    await fixture.mine(2)
    if (by === 'our relay') await other.relay()
    else await consent(second)
    await fixture.mine()
    await moveIn(second)
    await expect(one.relay()).rejects.toMatchObject(onItsWay)
    await fixture.mine(2)
    await one.relay()
    await fixture.mine()
    expect([one.crossings(), one.outbox.reverted.size, await locked()]).toEqual([2, 0, 2n * AMOUNT * EVM_PER_CORE])
  })

  test('is not given up while other orders use its crossings', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    const { relay, crossings, outbox } = relaying(terms, await signatureOf(terms))
    for (let used = 0; used < 4; used += 1) {
      await moveIn(terms)
      await expect(relay()).rejects.toMatchObject(onItsWay)
      await fixture.mine(2)
      await consent(termsOf(fixture.user, fixture.solver))
    }
    await moveIn(terms)
    await expect(relay()).rejects.toMatchObject(onItsWay)
    expect([crossings(), outbox.reverted.size]).toEqual([5, 0])
  })

  test('whose crossing arrives while we read is not wasted', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    await moveIn(terms)
    const { relay, crossings, outbox } = relaying(terms, await signatureOf(terms))
    await expect(relay()).rejects.toMatchObject(onItsWay)
    await fixture.mine(3)
    const node = connectNode(fixture.chain, { endpoints: { rpc: [fixture.local.rpcUrl] } })
    const reads = [0n, AMOUNT]
    const readFunds = async () => ({ account: account(), onEvm: reads.shift() ?? 0n, onCore: 0n })
    await crossToEvm(
      node,
      fixture.chain,
      { contract: fixture.contract, owner: fixture.user.address, needed: AMOUNT, readFunds },
      outbox.open('initiate'),
    )
    node.close()
    expect([reads, crossings(), outbox.reverted.size]).toEqual([[], 1, 0])
  })

  test('whose crossing is mined late waits for it: it is not wasted, and the user gets no error', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    await moveIn(terms)
    const { relay, crossings, outbox } = relaying(terms, await signatureOf(terms))
    await expect(relay()).rejects.toMatchObject(onItsWay)
    outbox.passSeconds(20n)
    await fixture.mine()
    // The money has left HyperCore and is not on HyperEVM yet.
    await expect(relay()).rejects.toMatchObject(onItsWay)
    expect([crossings(), outbox.reverted.size]).toEqual([1, 0])
    await fixture.mine()
    await relay()
    await fixture.mine()
    expect([crossings(), outbox.reverted.size, await locked()]).toEqual([1, 0, AMOUNT * EVM_PER_CORE])
  })

  test('is tried again when HyperCore drops the crossing, three times, and then said', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    await moveIn(terms)
    const { relay, crossings, outbox } = relaying(terms, await signatureOf(terms))
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(relay()).rejects.toMatchObject(onItsWay)
      // A hold makes HyperCore drop the crossing.
      await fixture.local.hold(account(), coreTokens.purr, 1n)
      await fixture.mine(2)
      await fixture.local.hold(account(), coreTokens.purr, 0n)
      outbox.passSeconds(10n)
    }
    await expect(relay()).rejects.toMatchObject({
      kind: 'would-fail',
      refusal: expect.stringMatching(/paid for 3 transfers .* take the money back by reclaim_transaction/),
    })
    expect([crossings(), outbox.reverted.size]).toEqual([3, 3])
  })

  test('of a user who withdraws after each crossing is paid for a few times, then no more', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    await moveIn(terms)
    const { relay, crossings, outbox } = relaying(terms, await signatureOf(terms))
    await expect(relay()).rejects.toMatchObject(onItsWay)
    await fixture.mine(2)
    await withdraw()
    outbox.passSeconds(10n)
    // The money is gone: nothing is sent, and the crossing counts as a wasted relay.
    await expect(relay()).rejects.toMatchObject({ kind: 'would-fail', isExpected: false })
    expect([crossings(), outbox.attempts('initiate').length, outbox.reverted.size]).toEqual([1, 1, 1])
    await moveIn(terms)
    await expect(relay({ revertedRelays: 3 })).rejects.toMatchObject({ refusal: expect.stringMatching(/no more are paid for/) })
    await expect(relay({ revertedRelays: 1 })).rejects.toMatchObject(onItsWay)
    expect(crossings()).toBe(2)
  })

  test('whose money was brought over for nothing counts as a wasted relay when the order is given up', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    await moveIn(terms)
    const { relay, crossings, outbox } = relaying(terms, await signatureOf(terms))
    await expect(relay()).rejects.toMatchObject(onItsWay)
    await fixture.mine(2)
    outbox.abandon('initiate')
    expect(await client.cancel?.(outbox.open('initiate'))).toBeNull()
    expect([crossings(), outbox.reverted.size]).toEqual([1, 1])
  })

  test('survives a reorg that drops the crossing, and one that drops the initiation', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    await moveIn(terms)
    const { relay, crossings } = relaying(terms, await signatureOf(terms))
    await expect(relay()).rejects.toMatchObject(onItsWay)
    await fixture.mine()
    await fixture.local.faults.reorg(1, { transactions: 'drop', blocks: 2 })
    await expect(relay()).rejects.toMatchObject(onItsWay)
    await fixture.mine(2)
    const tx = await relay()
    await fixture.mine()
    await fixture.local.faults.reorg(1, { transactions: 'drop', blocks: 2 })
    expect(await relay()).toBe(tx)
    await fixture.mine()
    expect([crossings(), await locked()]).toEqual([1, AMOUNT * EVM_PER_CORE])
  })

  test('uses an allowance if the account has too little', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    const { contract, user } = fixture
    const signature = await signatureOf(terms)
    const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [contract.address, AMOUNT * EVM_PER_CORE] })
    await send(user, { to: contract.token, data: approve })
    await gasless.verify(terms, signature)
    const { relay, crossings } = relaying(terms, signature)
    await relay()
    await fixture.mine()
    expect([crossings(), await locked()]).toEqual([0, AMOUNT * EVM_PER_CORE])
  })

  test('of a sender without a quote token is refused with the reason: HyperCore dropped the transfer', async () => {
    const poor = await fixture.party()
    await fixture.faucet.fundSpot(poor.address, coreTokens.purr, AMOUNT)
    const terms = termsOf(poor, fixture.solver)
    const dropped = /HyperCore takes one quote token \(1 USDC\).* holds 0 units of USDC.* drops the transfer silently/
    const { transfer, note } = await fundingOf(terms)
    expect(note).toMatch(dropped)
    await send(poor, transactionOf(transfer))
    await expect(gasless.verify(terms, await signatureOf(terms, poor))).rejects.toThrow(dropped)
    await fixture.faucet.fundSpot(poor.address, coreTokens.usdc, 10n ** 8n)
    expect((await fundingOf(terms)).note).toMatch(/because 0x[0-9a-f]{40} has no account there yet$/)
    await send(poor, transactionOf(transfer))
    await gasless.verify(terms, await signatureOf(terms, poor))
    expect((await fundingOf(terms)).note).toBeUndefined()
  })
})

describe('a consented order', () => {
  const swapOf = (terms: HtlcTerms) => ({ terms, deadline, payer: null })

  test('whose crossing HyperCore dropped is brought over by us', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    await consent(terms)
    await moveIn(terms)
    expect(await prefund.amounts([swapOf(terms)])).toEqual([AMOUNT])
    const outbox = createMemoryOutbox(fixture.relay.signer)
    const initiate = (more = {}) => prefund.initiate(swapOf(terms), { ...outbox.open('initiate'), ...more })
    await expect(initiate({ revertedRelays: 3 })).rejects.toMatchObject({ refusal: expect.stringMatching(/no more are paid for/) })
    await expect(initiate()).rejects.toMatchObject(onItsWay)
    await fixture.mine(2)
    await initiate()
    await fixture.mine()
    expect(await locked()).toBe(AMOUNT * EVM_PER_CORE)
  })

  test('that is revoked costs us no crossing', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    await consent(terms)
    await moveIn(terms)
    const { revoke } = await fundingOf(terms)
    if (revoke === undefined) throw new Error('expected a revocation')
    await send(fixture.user, transactionOf(revoke))
    const outbox = createMemoryOutbox(fixture.relay.signer)
    await expect(prefund.initiate(swapOf(terms), outbox.open('initiate'))).rejects.toMatchObject({ isExpected: false })
    expect(outbox.attempts('initiate')).toEqual([])
  })

  test('of a payer who is not the initiator takes the money of the payer', async () => {
    const terms = termsOf(fixture.solver, fixture.relay)
    const payer = fixture.user.address
    const { transfer, initiate } = await fundingOf(terms, payer)
    await send(fixture.user, transactionOf(transfer))
    await send(fixture.user, transactionOf(initiate))
    await fixture.mine()
    const swap = { terms, deadline, payer }
    expect(await prefund.amounts([swap, { ...swap, payer: null }])).toEqual([AMOUNT, 0n])
    await prefund.initiate(swap, createMemoryOutbox(fixture.relay.signer).open('initiate'))
    await fixture.mine()
    expect(await locked()).toBe(AMOUNT * EVM_PER_CORE)
  })

  test('is read among hundreds with few requests', async () => {
    const swaps = Array.from({ length: 401 }, () => swapOf(termsOf(fixture.user, fixture.solver)))
    const [first, last] = [swaps[0], swaps.at(-1)] as const
    if (first === undefined || last === undefined) throw new Error('there are no swaps')
    for (const { terms } of [first, last]) await consent(terms)
    await moveIn(first.terms)
    const node = connectNode(fixture.chain, { endpoints: { rpc: [fixture.local.rpcUrl] } })
    let asked = 0
    const counting: EvmNode = {
      ...node,
      call(call) {
        asked += 1
        return node.call(call)
      },
    }
    const counted = createPrefund(fixture.chain, counting, createContracts(fixture.chain, [fixture.asset]))
    expect(await counted.amounts(swaps)).toEqual(swaps.map((swap) => (swap === first || swap === last ? AMOUNT : 0n)))
    node.close()
    expect(asked).toBe(3)
  })

  test('that is not initiated in time is reclaimed for both sides, once; then the owner does it', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    const before = await fixture.spotBalance(fixture.user.address)
    await consent(terms)
    await moveIn(terms)
    const outbox = createMemoryOutbox(fixture.relay.signer)
    const reclaim = () => prefund.reclaim(swapOf(terms), outbox.open('reclaim'))
    await expect(reclaim()).rejects.toThrow(/HTLC__NotReclaimable/)
    // The clock of a local chain and the times of its blocks may be some seconds apart.
    await fixture.passSeconds(7_200n)
    expect(await reclaim()).toMatch(/^0x/)
    await fixture.mine()
    expect(await fixture.spotBalance(fixture.user.address)).toBe(before)
    expect(await reclaim()).toBeNull()
    await moveIn(terms)
    expect(await reclaim()).toBeNull()
    const withdrawal = (await fundingOf(terms)).reclaim
    if (withdrawal === undefined) throw new Error('expected a reclaim transaction')
    await send(fixture.user, transactionOf(withdrawal))
    expect(await fixture.spotBalance(fixture.user.address)).toBe(before)
    expect(outbox.attempts('reclaim')).toHaveLength(1)
  })
})

test('the calldata distinguishes a crossing from an initiation', async () => {
  expect(isCrossing(crossData(fixture.user.address))).toBe(true)
  expect(isCrossing((await fundingOf(termsOf(fixture.user, fixture.solver))).initiate.data as Hex)).toBe(false)
})
