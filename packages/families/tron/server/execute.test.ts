/** Tests the executor on Tron: expiry in place of nonces, approvals before payments, energy, and cancelling by waiting. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Attempt, Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { createMemoryOutbox, type MemoryOutbox, type OpenOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { tetherTron } from '@tandem/evm/contract/artifacts/tether-tron.ts'
import { redeemData } from '@tandem/evm/terms/htlc.ts'
import { createTestSigner } from '@tandem/keys/keys.fixture.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, type Hex32, hashSecret } from '@tandem/protocol/secret.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { encodeFunctionData, maxUint256 } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { accountOf, toEvmAddress } from '../terms/address.ts'
import { evmTerms } from '../terms/htlc.ts'
import { energyForRedeem, feeLimitSun } from './fees/fees.ts'
import { readAttempt, type SignedCall, signCall } from './send/transaction.ts'
import { createTronFixture } from './tron.fixture.ts'

const USDT: AssetId = 'tron_localnet:usdt'
const WBTC: AssetId = 'tron_localnet:wbtc'

const fixture = opened(createTronFixture)
let client: ChainClient
let outbox: MemoryOutbox
let gateway: Gateway

let guided: ChainClient
beforeAll(async () => {
  client = fixture.connect()
  gateway = await startGateway(fixture.local.url)
  guided = fixture.connect({ endpoints: { rpc: [gateway.url] } })
  outbox = createMemoryOutbox(fixture.solver.signer)
  // The approval comes once. The first payment without an allowance has a test of its own below.
  await allow(maxUint256)
})
afterEach(() => gateway.answers.clear())
afterAll(async () => {
  await Promise.all([client.close(), guided.close()])
  await gateway.close()
})

async function allow(amount: bigint): Promise<void> {
  const args = [toEvmAddress(fixture.contracts.htlcs.usdt), amount] as const
  await fixture.sendAs(fixture.solver, {
    to: fixture.contracts.tokens.usdt,
    data: encodeFunctionData({ abi: tetherTron.abi, functionName: 'approve', args }),
  })
  await fixture.local.mine()
}

function propose(asset: AssetId = USDT, over: Partial<HtlcTerms> = {}): HtlcTerms {
  const [initiator, redeemer] = [fixture.solver.address, fixture.user.address]
  return { asset, amount: 100_000n, timelock: 600n, initiator, redeemer, secretHash: hashSecret(createSecret()), ...over }
}

const initiate = (terms: HtlcTerms, secondsLeft?: bigint) =>
  client.initiate(terms, outbox.open(client.swapId(terms), secondsLeft === undefined ? {} : { secondsLeft }))
const initiateGuided = (terms: HtlcTerms) => guided.initiate(terms, outbox.open(client.swapId(terms)))
const attemptsOf = (terms: HtlcTerms) => outbox.attempts(client.swapId(terms))
const resultOf = async (tx: string) => (await fixture.user.wallet.trx.getUnconfirmedTransactionInfo(tx)).receipt?.result ?? null

async function newestAttempt(terms: HtlcTerms): Promise<SignedCall> {
  const attempt = attemptsOf(terms).at(-1)
  if (attempt === undefined) throw new Error('nothing was recorded')
  return readAttempt(attempt)
}

async function sendRecorded(box: OpenOutbox, call: SignedCall['call'], feeLimitSun: bigint): Promise<string> {
  const [reference] = await client.headers([0n])
  if (reference === undefined) throw new Error('there is no first block')
  const nowMs = (await client.tip()).time * 1000n
  const attempt = await signCall(box.signer, call, { reference, nowMs, ttlMs: 60_000n, feeLimitSun, energyPriceSun: 100n })
  await box.record(attempt)
  await fixture.solver.wallet.fullNode.request('wallet/broadcasthex', { transaction: attempt.raw.slice(2) }, 'post')
  await fixture.local.mine()
  return attempt.tx
}

describe('the first payment of a token', () => {
  it('waits until the approval, which all payments share, is mined', async () => {
    const [terms, other] = [propose(WBTC), propose(WBTC)]
    const approval = await initiate(terms)
    expect(await initiate(terms)).toBe(approval)
    expect(await initiate(other)).toBe(approval)
    expect([attemptsOf(terms).length, attemptsOf(other).length]).toEqual([1, 0])
    await fixture.local.mine()
    const [tx, otherTx] = [await initiate(terms), await initiate(other)]
    expect(new Set([approval, tx, otherTx]).size).toBe(3)
    await fixture.local.mine()
    expect(await Promise.all([approval, tx, otherTx].map(resultOf))).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
  })
})

it('asks for the receipt of a mined transaction once, although its money is reserved until it expires', async () => {
  const sent: string[] = []
  for (let orders = 0; orders < 3; orders += 1) {
    sent.push(await initiateGuided(propose()))
    await fixture.local.mine()
  }
  gateway.asked.length = 0
  await initiateGuided(propose())
  const calls = gateway.asked.flatMap((body): readonly { method: string; params: unknown[] }[] => [JSON.parse(body)].flat())
  const receipts = calls.filter(({ method }) => method === 'eth_getTransactionReceipt')
  expect(receipts.map(({ params }) => params[0])).toEqual([`0x${sent.at(-1)}`])
  await fixture.local.mine()
})

describe('a dropped transaction', () => {
  it('is rebroadcast until it expires, and only then signed again', async () => {
    const terms = propose()
    fixture.local.faults.drop(2)
    const tx = await initiate(terms)
    await fixture.local.mine()
    expect(await initiate(terms)).toBe(tx)
    await fixture.local.passSeconds(61)
    const next = await initiate(terms)
    expect(next).not.toBe(tx)
    expect(attemptsOf(terms).map((attempt) => attempt.tx)).toEqual([tx, next])
    await fixture.local.mine()
    expect([await resultOf(tx), await resultOf(next)]).toEqual([null, 'SUCCESS'])
    await expect(client.initiate({ ...terms, amount: terms.amount }, outbox.open('again'))).rejects.toMatchObject({ kind: 'superseded' })
    expect(await initiate(terms)).toBe(next)
  })

  it('expires before its deadline', async () => {
    const terms = propose()
    await initiate(terms, 20n)
    const { time } = await client.tip()
    expect((await newestAttempt(terms)).expiresMs).toBe((time + 20n) * 1000n)
    await expect(initiate(propose(), 3n)).rejects.toMatchObject({ kind: 'would-fail' })
    await fixture.local.mine()
  })

  it('does not count as accepted if the node answers DUP_TRANSACTION_ERROR and does not have it', async () => {
    const terms = propose()
    fixture.local.faults.drop(1)
    const tx = await initiate(terms)
    gateway.answers.set('broadcasthex', { code: 'DUP_TRANSACTION_ERROR' })
    await expect(initiateGuided(terms)).rejects.toMatchObject({ kind: 'unreachable', message: expect.stringMatching(/neither has/) })
    expect(attemptsOf(terms)).toHaveLength(1)
    gateway.answers.clear()
    expect(await initiateGuided(terms)).toBe(tx)
    await fixture.local.mine()
  })

  it('is not signed twice with the same expiry', async () => {
    const terms = propose()
    gateway.answers.set('broadcasthex', { code: 'TAPOS_ERROR' })
    for (const reason of [/is stale/, /signed at this block already/]) await expect(initiateGuided(terms)).rejects.toThrow(reason)
    expect(attemptsOf(terms)).toHaveLength(1)
    await fixture.local.passSeconds(10)
    await expect(initiateGuided(terms)).rejects.toThrow(/is stale/)
    expect(new Set((await Promise.all(attemptsOf(terms).map(readAttempt))).map(({ expiresMs }) => expiresMs)).size).toBe(2)
  })

  it('is cancelled by waiting until a confirmed block is past its expiry', async () => {
    const terms = propose()
    fixture.local.faults.drop(1)
    const tx = await initiate(terms)
    const cancel = () => client.cancel?.(outbox.open(client.swapId(terms)))
    expect(await cancel()).toBe(tx)
    await fixture.local.passSeconds(61)
    expect(await cancel()).toBe(tx)
    await fixture.local.mine()
    expect(await cancel()).toBeNull()
    const mined = propose()
    await initiate(mined)
    await fixture.local.mine()
    expect(await client.cancel?.(outbox.open(client.swapId(mined)))).toBeNull()
  })
})

describe('energy', () => {
  it('is doubled for the next attempt after a call ran out of it', async () => {
    const terms = propose()
    const box = outbox.open(client.swapId(terms))
    fixture.local.faults.drop(1)
    await initiate(terms)
    const { call, feeLimitSun } = await newestAttempt(terms)
    await fixture.local.passSeconds(61)
    // The limit imitates a contract that uses more energy than the estimate with its margin.
    const tooLow = (feeLimitSun * 55n) / 100n
    const poor = await sendRecorded(box, call, tooLow)
    // The result is REVERT when the called contract runs out, OUT_OF_ENERGY when the HTLC itself does.
    expect(['REVERT', 'OUT_OF_ENERGY']).toContain(await resultOf(poor))
    const tx = await initiate(terms)
    expect((await newestAttempt(terms)).feeLimitSun).toBe(2n * tooLow)
    await fixture.local.mine()
    expect(await resultOf(tx)).toBe('SUCCESS')
  })

  it('is not doubled after a revert with energy left, unless it ran out of time', async () => {
    const terms = propose()
    const box = outbox.open(client.swapId(terms))
    fixture.local.faults.drop(1)
    await initiate(terms)
    const { call, feeLimitSun: usual } = await newestAttempt(terms)
    await allow(0n)
    await fixture.local.passSeconds(61)
    const failed = await sendRecorded(box, call, 2n * usual)
    expect(await resultOf(failed)).toBe('REVERT')
    await allow(maxUint256)
    gateway.answers.set('gettransactioninfobyid', { id: failed, receipt: { result: 'OUT_OF_TIME', energy_usage_total: 1 } })
    const other = createMemoryOutbox(fixture.solver.signer)
    await other.open('i').record(attemptsOf(terms).at(-1) as Attempt)
    fixture.local.faults.drop(1)
    await guided.initiate(terms, other.open('i'))
    expect((await readAttempt(other.attempts('i').at(-1) as Attempt)).feeLimitSun).toBe(4n * usual)
    const tx = await initiate(terms)
    expect((await newestAttempt(terms)).feeLimitSun).toBeLessThan(2n * usual)
    await fixture.local.mine()
    expect(await resultOf(tx)).toBe('SUCCESS')
  })

  it('is paid for up to a cap: an initiation needs all of it, a redeem or refund uses what the account has', () => {
    const rich = { account: toEvmAddress(fixture.user.address), balanceSun: 10n ** 13n, stakedEnergy: 0n, reservedSun: 0n }
    const need = { wanted: 500_000n, min: 300_000n }
    expect(feeLimitSun('refund', need, 100n, rich)).toBe(50_000_000n)
    expect(feeLimitSun('refund', need, 4_000n, rich)).toBe(1_500_000_000n)
    expect(feeLimitSun('redeem', need, 100n, rich, 10n ** 12n)).toBe(1_500_000_000n)
    expect(() => feeLimitSun('redeem', need, 10_000n, rich)).toThrow(/may cost 3000 TRX, and we pay up to 1500/)
    expect(() => feeLimitSun('initiate', need, 1_000n, rich)).toThrow(/may cost 500 TRX, and we pay up to 300/)
    const poor = { ...rich, balanceSun: 41_000_000n }
    expect(feeLimitSun('redeem', need, 100n, poor)).toBe(40_000_000n)
    expect(() => feeLimitSun('initiate', need, 100n, poor)).toThrow(
      /holds 41000000 sun and 0 energy; energy and bandwidth take 51000000 sun/,
    )
    expect(() => feeLimitSun('redeem', need, 100n, { ...poor, reservedSun: 11_000_000n })).toThrow(/11000000 sun are reserved/)
    expect(feeLimitSun('initiate', need, 100n, { ...poor, stakedEnergy: 100_000n })).toBe(50_000_000n)
    // Staked energy pays the fee of a call, and not what the call gives.
    const giving = { ...poor, givenSun: 5_000_000n }
    expect(feeLimitSun('redeem', need, 100n, giving)).toBe(35_000_000n)
    const staked = { ...giving, stakedEnergy: 10n ** 6n }
    expect(feeLimitSun('redeem', need, 100n, { ...staked, givenSun: 40_000_000n })).toBe(50_000_000n)
    for (const short of [
      { ...giving, givenSun: 11_000_000n },
      { ...staked, givenSun: 40_000_001n },
    ])
      expect(() => feeLimitSun('redeem', need, 100n, short)).toThrow(/take 31000000 sun, and [0-9]+ sun are given/)
  })

  it('is enough to create the account that a redeem gives coin to', () => {
    expect(energyForRedeem(400_000n, { givesCoin: true })).toEqual({ wanted: 697_500n, min: 465_000n })
    expect(energyForRedeem(400_000n, { givesCoin: false })).toEqual({ wanted: 645_000n, min: 430_000n })
    expect(energyForRedeem(0n, { givesCoin: true })).toEqual({ wanted: 500_000n, min: 75_000n })
    expect(energyForRedeem(0n, { givesCoin: false })).toEqual({ wanted: 500_000n, min: 40_000n })
  })

  it('is reserved for one transaction at a time', async () => {
    const beggar = createTestSigner(`0x${'42'.repeat(32)}`)
    const box = createMemoryOutbox(beggar)
    const orders = [1, 2].map(() => propose(USDT, { initiator: fixture.user.address, redeemer: accountOf(beggar) }))
    for (const terms of orders) await fund(terms)
    await fixture.local.passSeconds(600)
    const refund = (terms: HtlcTerms) =>
      client.refund(terms, { deposits: [{ id: client.swapId(terms), amount: terms.amount }], to: null }, box.open(client.swapId(terms)))
    const [first, second] = orders as [HtlcTerms, HtlcTerms]
    await expect(refund(first)).rejects.toThrow(/holds 0 sun and 0 energy/)
    expect(box.attempts(client.swapId(first))).toEqual([])
    // One refund takes less than this, and its usual fee limit is more.
    await fixture.deployer.transfer(accountOf(beggar), 8_500_000n)
    const tx = await refund(first)
    await expect(refund(second)).rejects.toThrow(/are reserved for unmined transactions/)
    expect(box.attempts(client.swapId(second))).toEqual([])
    await fixture.local.mine()
    expect(await resultOf(tx)).toBe('SUCCESS')
  })
})

describe('a secret', () => {
  const redeem = (by: ChainClient, terms: HtlcTerms, secret: Hex32, box: Outbox) =>
    by.redeem(terms, { deposits: [{ id: client.swapId(terms), amount: terms.amount }], to: null, secret }, box)

  it('that is public is used without simulating the payout; a hidden one needs that simulation first', async () => {
    const secret = createSecret()
    const terms = propose(USDT, { initiator: fixture.user.address, redeemer: fixture.solver.address, secretHash: hashSecret(secret) })
    await fund(terms)
    gateway.answers.set('triggerconstantcontract', { result: { code: 'OTHER_ERROR', message: 'x' } })
    const stranger = createMemoryOutbox(fixture.user.signer)
    await expect(redeem(guided, terms, secret, stranger.open('redeem'))).rejects.toMatchObject({ kind: 'unreachable' })
    expect(stranger.attempts('redeem')).toEqual([])
    const tx = await redeem(guided, terms, secret, outbox.open('redeem'))
    // The limit is estimated, not the fallback.
    expect((await readAttempt(outbox.attempts('redeem')[0] as Attempt)).feeLimitSun).toBeLessThan(15_000_000n)
    await fixture.local.mine()
    expect(await resultOf(tx)).toBe('SUCCESS')
  })

  it('is used again at once after a redeem ran out of energy', async () => {
    const secret = createSecret()
    const terms = propose(USDT, { secretHash: hashSecret(secret) })
    await initiate(terms)
    await fixture.local.mine()
    const call = { to: toEvmAddress(fixture.contracts.htlcs.usdt), data: redeemData(evmTerms(terms), secret), value: 0n }
    for (const limit of [900_000n, 900_001n])
      expect(await resultOf(await sendRecorded(outbox.open('lacking'), call, limit))).toBe('OUT_OF_ENERGY')
    const tx = await redeem(client, terms, secret, outbox.open('lacking'))
    await fixture.local.mine()
    expect(await resultOf(tx)).toBe('SUCCESS')
  })

  it('is used again with backoff after two redeems ran out of the highest fee limit', async () => {
    const secret = createSecret()
    const terms = propose(USDT, { initiator: fixture.user.address, redeemer: fixture.solver.address, secretHash: hashSecret(secret) })
    const call = { to: toEvmAddress(fixture.contracts.htlcs.usdt), data: redeemData(evmTerms(terms), secret), value: 0n }
    const box = createMemoryOutbox(fixture.solver.signer)
    // The refunds are too early, so that they fail for little.
    for (const limit of [1_500_000_000n, 1_500_000_001n]) await sendRecorded(box.open('redeem'), call, limit)
    await fund(terms)
    for (const { tx } of box.attempts('redeem'))
      gateway.answers.set(`gettransactioninfobyid ${tx}`, { id: tx, receipt: { result: 'OUT_OF_ENERGY' } })
    await expect(redeem(guided, terms, secret, box.open('redeem'))).rejects.toThrow(/at the highest fee limit: 2 transactions reverted/)
    box.passSeconds(300n)
    await redeem(guided, terms, secret, box.open('redeem'))
    expect(box.attempts('redeem')).toHaveLength(3)
    await fixture.local.mine()
  })

  it('is not shown to nodes that do not report whether a payout would succeed', async () => {
    await guided.verifyNode()
    const bare = { result: { result: true }, constant_result: [''], transaction: { ret: [{ ret: 'FAILED' }] } }
    gateway.answers.set('triggerconstantcontract', bare)
    await expect(guided.verifyNode()).rejects.toThrow(/does not return revert data/)
  })
})

describe('an initiation that reverts', () => {
  it('is not paid for a fourth time, and the failure names the result', async () => {
    const terms = propose()
    const box = outbox.open(client.swapId(terms))
    fixture.local.faults.drop(1)
    await initiate(terms)
    const { call } = await newestAttempt(terms)
    await allow(0n)
    await fixture.local.passSeconds(61)
    for (let failed = 0; failed < 3; failed += 1) {
      const doomed = await sendRecorded(box, call, 50_000_000n + BigInt(failed))
      expect(await resultOf(doomed)).toBe('REVERT')
      expect(await client.gasless?.hasReverted?.(doomed)).toBe(true)
    }
    const { tx: revertedTx } = await newestAttempt(terms)
    await allow(maxUint256)
    await expect(initiate(terms)).rejects.toMatchObject({
      kind: 'would-fail',
      revertedTx,
      message: expect.stringMatching(/reverted 3 times, the last time with REVERT/),
    })
    expect(outbox.reverted).toContain(revertedTx)
    const tooMuch = propose(USDT, { amount: 10n ** 15n })
    await expect(initiate(tooMuch)).rejects.toThrow(new RegExp(`${fixture.solver.address} holds [0-9]+ of tron_localnet:usdt, needs`))
    expect(attemptsOf(tooMuch)).toEqual([])
  })
})

async function callsOf(terms: HtlcTerms) {
  const funding = await client.funding({ terms, payer: null, approval: 'exact', deadline: 2_000_000_000n })
  if (funding.kind !== 'calls') throw new Error('expected calls')
  return funding
}

async function fund(terms: HtlcTerms): Promise<void> {
  const { approval, initiate: call } = await callsOf(terms)
  if (approval !== null) await fixture.sendAs(fixture.user, approval)
  await fixture.sendAs(fixture.user, call)
  await fixture.local.mine()
}

interface Gateway {
  readonly url: string
  /** These answers replace those of the node, by path, e.g. 'broadcasthex', or by path and value. */
  readonly answers: Map<string, unknown>
  readonly asked: string[]
  close(): Promise<void>
}

async function startGateway(node: string): Promise<Gateway> {
  const answers = new Map<string, unknown>()
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url?.replace('/wallet/', '') ?? ''
    const body = Buffer.concat(chunks).toString()
    bodies.push(body)
    const asked = JSON.parse(body || '{}')
    const answer = answers.get(`${path} ${asked.value}`) ?? answers.get(path)
    if (answer !== undefined) return response.end(JSON.stringify(answer))
    const passed = await fetch(`${node}${request.url}`, { method: 'POST', body: Buffer.concat(chunks) })
    return response.end(await passed.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    asked: bodies,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
