/** These tests check unmined transactions: fee bumps and their cap, which accounts may pay, and how many may be in flight. */

import { REDEEMS_KEPT } from '@tandem/chain-kit/contract/funds.ts'
import { nonceOf } from '@tandem/chain-kit/contract/nonces.ts'
import { createMemoryOutbox, type MemoryOutbox, OutboxFailure } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { createStarkKey } from '@tandem/keys/stark.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { newKey } from '../../local/starknet.fixture.ts'
import { feltOf } from '../../terms/address.ts'
import { starknetDataOf } from '../../terms/chain-data.ts'
import { accountOf } from '../account.ts'
import { createContractState } from '../contract-state.ts'
import { deployCall, deployedAddress } from '../deploy/contents.ts'
import { openExecutor } from '../executor.fixture.ts'
import { feeRateOf, highestFee, suggestFees } from '../fees/fees.ts'
import { usualRedeemGas } from '../fees/gas.ts'
import { NodeRefusal, PartialRefusal, type StarknetNode } from '../nodes/node.ts'
import { readAttempt } from './transaction.ts'

const { local, chain, node, contract, solver, user, executor, executorWith, termsFor, stateOf } = await openExecutor()
const mine = () => local.chain.mine()
const { feeBumpSeconds } = chain
let outbox: MemoryOutbox
let secret: string

beforeEach(() => {
  outbox = createMemoryOutbox(solver.key)
})

function newTerms(over?: Partial<HtlcTerms>): HtlcTerms {
  secret = createSecret()
  return termsFor(secret, over)
}

const initiate = (key: string, terms: HtlcTerms, options?: Parameters<MemoryOutbox['open']>[1], on = executor) =>
  on.initiate(contract, terms, outbox.open(key, options))
const feesOf = (key: string) => outbox.attempts(key).map((attempt) => readAttempt(attempt).fees)

describe('fees', () => {
  it('are bumped when a transaction waits too long, at the same nonce, and it is mined once', async () => {
    const terms = newTerms()
    const first = await initiate('a', terms)
    outbox.passSeconds(feeBumpSeconds - 1n)
    expect(await initiate('a', terms)).toBe(first)
    outbox.passSeconds(1n)
    const second = await initiate('a', terms)
    expect(second).not.toBe(first)
    expect(new Set(outbox.attempts('a').map(nonceOf)).size).toBe(1)
    // The simulator accepts a replacement only for 10 % more of both.
    expect(local.chain.node.pool.has(BigInt(second))).toBe(true)
    expect(local.chain.node.pool.has(BigInt(first))).toBe(false)
    mine()
    expect(await stateOf(terms)).toBe('open')
    expect(await initiate('a', terms)).toBe(second)
  })

  it('follow the prices of the chain, and stop at the cap of an optional action', async () => {
    const terms = newTerms()
    await initiate('a', terms)
    const dear = { l1Gas: 10n ** 15n, l1DataGas: 10n ** 15n, l2Gas: 10n ** 11n }
    local.chain.setGasPrices(dear)
    mine()
    expect(await stateOf(terms)).toBe('absent')
    for (let tries = 0; tries < 12; tries += 1) {
      outbox.passSeconds(feeBumpSeconds)
      await initiate('a', terms)
    }
    const last = feesOf('a').at(-1)
    expect(last?.prices).toMatchObject({ l1Gas: 2n * 10n ** 15n, l1DataGas: 2n * 10n ** 15n })
    expect(last && feeRateOf(last)).toBeLessThanOrEqual(3n * (2n * 10n ** 11n + 10n ** 11n / 20n))
    expect(outbox.attempts('a').length).toBeLessThan(12)
    mine()
    expect(await stateOf(terms)).toBe('open')
    local.chain.setGasPrices({ l1Gas: 4n * 10n ** 13n, l1DataGas: 2n * 10n ** 10n, l2Gas: 3n * 10n ** 9n })
    mine()
  })

  it('that became too low before the first broadcast are raised at the same nonce', async () => {
    const terms = newTerms()
    await expect(initiate('a', terms, { fault: 'dies-after-recording' })).rejects.toThrow(OutboxFailure)
    local.chain.setGasPrices({ l1Gas: 4n * 10n ** 14n, l1DataGas: 2n * 10n ** 11n, l2Gas: 3n * 10n ** 10n })
    mine()
    await initiate('a', terms)
    expect(new Set(outbox.attempts('a').map(nonceOf)).size).toBe(1)
    expect(outbox.attempts('a')).toHaveLength(2)
    mine()
    expect(await stateOf(terms)).toBe('open')
  })

  it('of a transaction at our nonce that we have no record of are outbid', async () => {
    const terms = newTerms()
    const call = { to: BigInt(contract.token), selector: BigInt(deployCall('0x1', []).selector), calldata: [] }
    local.chain.node.submit(solver.sender.invoke([call], { tip: 10n ** 8n }))
    await initiate('a', terms)
    expect(outbox.attempts('a').length).toBeGreaterThan(1)
    mine()
    expect(await stateOf(terms)).toBe('open')
  })
})

it('a transaction that some providers accept does not count as refused', async () => {
  const refusal = new NodeRefusal(55, 'Account validation failed')
  const sendTo = (error: NodeRefusal, key: string) =>
    initiate(key, newTerms(), {}, executorWith({ broadcast: () => Promise.reject(error) }))
  await expect(sendTo(refusal, 'a')).rejects.toMatchObject({ kind: 'would-fail' })
  await expect(sendTo(new PartialRefusal(refusal), 'b')).rejects.toMatchObject({ kind: 'unreachable' })
})

it('too many in flight are refused before one is signed', async () => {
  await expect(initiate('first', newTerms(), { fault: 'dies-after-recording' })).rejects.toThrow(OutboxFailure)
  const [first] = outbox.attempts('first')
  if (first === undefined) throw new Error('nothing is recorded')
  const wire = JSON.parse(Buffer.from(first.raw.slice(2), 'hex').toString())
  for (let more = 1n; more <= 150n; more += 1n) {
    const nonce = nonceOf(first) + more
    const raw = `0x${Buffer.from(JSON.stringify({ ...wire, nonce: `0x${nonce.toString(16)}` })).toString('hex')}`
    await outbox.open(`${more}`).record({ ...first, tx: `0x${nonce.toString(16)}`, raw, nonce })
  }
  await expect(initiate('last', newTerms())).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('in flight') })
  expect(outbox.attempts('last')).toEqual([])
})

describe('an account', () => {
  it('that is not deployed fails with an advice, and acts once it is', async () => {
    const key = createStarkKey(newKey().slice(2).padStart(64, '0'))
    const address = accountOf(key, starknetDataOf(chain).accountClass)
    outbox = createMemoryOutbox(key)
    const terms = newTerms({ initiator: address })
    await expect(initiate('a', terms)).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(new RegExp(`the account ${address} is not deployed.*tandem deploy --chain starknet_sepolia`)),
    })
    expect(outbox.attempts('a')).toEqual([])
    let isDeployed = false
    const changes: Partial<StarknetNode> = {
      classHashAt: async (asked) => (asked === feltOf(address) && isDeployed ? '0x1' : node.classHashAt(asked)),
    }
    const waiting = executorWith(changes)
    await expect(initiate('a', terms, {}, waiting)).rejects.toThrow('is not deployed')
    isDeployed = true
    await expect(initiate('a', terms, {}, waiting)).rejects.not.toThrow('is not deployed')
  })

  it('that cannot pay the fee says what it holds and needs, and records nothing', async () => {
    const state = createContractState(node)
    const poor: Partial<StarknetNode> = {
      callAmount: async (call, amountOf, round) => (call.to === local.strk ? 5n : node.callAmount(call, amountOf, round)),
    }
    await expect(initiate('a', newTerms(), {}, executorWith(poor))).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(/0x[0-9a-f]{64} holds 5 of the fee token of starknet_sepolia, needs [1-9]\d+ with all fees/),
    })
    expect(outbox.attempts('a')).toEqual([])
    expect(await state.tokenBalance(local.strk, feltOf(solver.address))).toBeGreaterThan(5n)
  })

  it('that initiates in the fee token needs the amount and the fee', async () => {
    const classHash = await node.classHashAt(contract.address)
    if (classHash === null) throw new Error('the HTLC is not deployed')
    const { to, selector, calldata } = deployCall(classHash, [local.strk])
    user.sender.execute([{ to: BigInt(to), selector: BigInt(selector), calldata: calldata.map(BigInt) }])
    const inStrk = { ...contract, address: deployedAddress(classHash, [local.strk]), token: local.strk }
    const balance = await createContractState(node).tokenBalance(local.strk, feltOf(solver.address))
    const terms = (amount: bigint) => newTerms({ asset: `${chain.id}:strk`, amount })
    const initiateStrk = (amount: bigint, key = 'a') => executor.initiate(inStrk, terms(amount), outbox.open(key))
    await expect(initiateStrk(balance)).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('with all fees') })
    expect(outbox.attempts('a')).toEqual([])
    const tx = await initiateStrk(balance / 2n)
    await expect(initiateStrk(balance / 2n, 'b')).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringContaining('reserved for unmined transactions'),
    })
    expect(outbox.attempts('b')).toEqual([])
    mine()
    expect(await node.outcome(tx)).toEqual({ kind: 'succeeded' })
  })
})

it('a relay leaves enough for redeems, which may use it', async () => {
  const terms = newTerms()
  const redeemed = secret
  await initiate('i', terms)
  mine()
  const held = (await suggestFees(node, chain).then((fees) => highestFee(usualRedeemGas, fees))) * REDEEMS_KEPT
  const poor: Partial<StarknetNode> = {
    estimate: async () => ({
      gas: { l1Gas: 0n, l1DataGas: 100n, l2Gas: 1_000_000n },
      prices: { l1Gas: 1n, l1DataGas: 1n, l2Gas: 1n },
      fee: 1n,
    }),
    callAmount: async (call, amountOf, round) => (call.to === local.strk ? held : node.callAmount(call, amountOf, round)),
  }
  const call = { to: contract.address, selector: '0x1', calldata: [] } as const
  const relayed = newTerms({ initiator: user.address, redeemer: solver.address })
  await expect(executorWith(poor).relay(contract, relayed, call, outbox.open('a'))).rejects.toMatchObject({
    kind: 'would-fail',
    message: expect.stringContaining(`keeps ${held} for redeems`),
  })
  expect(outbox.attempts('a')).toEqual([])
  await executorWith(poor).redeem(contract, terms, redeemed, outbox.open('r'))
  mine()
  expect(await stateOf(terms)).toBe('redeemed')
})

it('a relay whose account burns gas is not paid for', async () => {
  const greedy: Partial<StarknetNode> = {
    estimate: async () => ({
      gas: { l1Gas: 0n, l1DataGas: 100n, l2Gas: 60_000_001n },
      prices: { l1Gas: 1n, l1DataGas: 1n, l2Gas: 1n },
      fee: 1n,
    }),
  }
  const call = { to: contract.address, selector: '0x1', calldata: [] } as const
  const terms = newTerms({ initiator: user.address, redeemer: solver.address })
  await expect(executorWith(greedy).relay(contract, terms, call, outbox.open('a'))).rejects.toMatchObject({
    kind: 'would-fail',
    message: expect.stringContaining('60000001 L2 gas, and we pay for 60000000'),
  })
  expect(outbox.attempts('a')).toEqual([])
})
