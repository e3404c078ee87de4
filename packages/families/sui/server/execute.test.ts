/** These tests use the executor on the simulator: crashes, lost and late transactions, epochs. No version of a coin is spent twice. */
import { Transaction } from '@mysten/sui/transactions'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import { createMemoryOutbox, type MemoryOutbox, OutboxFailure } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import type { Signer } from '@tandem/keys/key.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { newKey, SUI } from '../local/sui.fixture.ts'
import { accountOf } from '../terms/address.ts'
import { SUI_TYPE } from '../terms/coin-type.ts'
import { buildTransaction, lastEpochOf, readAttempt } from '../terms/send/transaction.ts'
import { readHtlcState } from './contract-state.ts'
import { createDeployments } from './deployments.ts'
import { createExecutor } from './execute.ts'
import { connectNode } from './nodes/connect-node.ts'
import { signTransaction } from './send/sign.ts'
import { createFamilyFixture } from './sui.fixture.ts'
import { verifyPackage } from './verify-package.ts'

const fixture = await createFamilyFixture()
const { devnet, user } = fixture
const { chain } = devnet
const node = connectNode(fixture.chain, { endpoints: { rpc: [devnet.url] } })
const contract = fixture.contracts.of('sui_localnet:sui')
const deployed = fixture.deployedOf('sui_localnet:sui')
const connect = () =>
  createExecutor(
    fixture.chain,
    node,
    createDeployments(node, (id) => verifyPackage(node, id)),
  )
const executor = connect()
afterAll(async () => {
  node.close()
  await fixture.close()
})

let outbox: MemoryOutbox
let secret: string
let initiator: ReturnType<typeof accountOf>
let signer: Signer

async function open(...mist: readonly bigint[]): Promise<void> {
  const key = createEd25519Key(newKey())
  initiator = accountOf(key)
  signer = key.signerFor(testPurpose)
  await devnet.fund(SUI_TYPE, initiator, ...mist)
  chain.mine()
  outbox = createMemoryOutbox(key)
}
beforeEach(() => open(...Array.from({ length: 8 }, () => 10n * SUI)))

function newTerms(over: Partial<HtlcTerms> = {}): HtlcTerms {
  secret = createSecret()
  const parties = { initiator, redeemer: user.address }
  return { asset: contract.asset, ...parties, amount: SUI, secretHash: hashSecret(secret), timelock: 600_000n, ...over }
}

const initiate = (key: string, terms: HtlcTerms, options?: Parameters<MemoryOutbox['open']>[1], by = executor) =>
  by.initiate(contract, terms, outbox.open(key, options))
const stateOf = (terms: HtlcTerms) => readHtlcState(node, deployed, terms)
const keys = (count: number) => Array.from({ length: count }, (_, i) => `${i}`)
const attemptsOf = (all: readonly string[]) => all.flatMap((key) => outbox.attempts(key))
const coinsOf = ({ slots }: Attempt) => slots.filter((slot) => slot.startsWith('0x'))

/** If two transactions of one epoch spent a version, the coin would be locked. */
function expectNoEquivocation(attempts: readonly Attempt[]): void {
  const spent = attempts.flatMap((attempt) => coinsOf(attempt).map((slot) => `${slot} in epoch ${lastEpochOf(attempt)}`))
  expect(new Set(spent).size).toBe(spent.length)
}

describe('coins as lanes', () => {
  it('let actions go at the same time, each with coins of its own', async () => {
    const terms = keys(6).map(() => newTerms())
    await Promise.all(terms.map((each, i) => initiate(`${i}`, each)))
    expectNoEquivocation(attemptsOf(keys(6)))
    expect(new Set(attemptsOf(keys(6)).flatMap(coinsOf)).size).toBe(6)
    expect(await Promise.all(terms.map(stateOf))).toEqual(terms.map(() => 'open'))
  })

  it('are split off while there are few, so that the next actions need not wait', async () => {
    await open(100n * SUI)
    await initiate('0', newTerms())
    expect(await node.coins(initiator, SUI_TYPE)).toHaveLength(8)
    const terms = keys(4).map(() => newTerms({ amount: SUI / 100n }))
    // The initiation may spend only what a lane holds: the remaining coins are for duties.
    await Promise.all(terms.map((each, i) => initiate(`b${i}`, each)))
    expectNoEquivocation(['0', ...keys(4).map((key) => `b${key}`)].flatMap((key) => outbox.attempts(key)))
    expect(await Promise.all(terms.map(stateOf))).toEqual(terms.map(() => 'open'))
  })

  it('are split off although strangers have sent dust, which pays for nothing', async () => {
    await open(100n * SUI, ...Array.from({ length: 8 }, () => 1n))
    await initiate('0', newTerms())
    const coins = await node.coins(initiator, SUI_TYPE)
    expect(coins.filter(({ balance }) => balance > 1n)).toHaveLength(8)
  })

  it('are merged for a large amount, and where there are many', async () => {
    await open(...Array.from({ length: 30 }, () => SUI))
    await initiate('0', newTerms({ amount: 5n * SUI }))
    const [attempt] = outbox.attempts('0')
    // The transaction has six coins for the amount and the gas, and six more because there are thirty.
    expect(attempt === undefined ? [] : coinsOf(attempt)).toHaveLength(12)
    expect(await node.coins(initiator, SUI_TYPE)).toHaveLength(19)
  })

  it('that hold too little are named with the amounts', async () => {
    await open(SUI)
    await expect(initiate('0', newTerms())).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(/holds 1000000000 of MIST, needs 12\d{8}$/),
    })
    expect(outbox.attempts('0')).toEqual([])
  })
})

describe('a version of a coin that is on record', () => {
  it('is not spent again, although its transaction was never sent: not by another process either', async () => {
    await open(10n * SUI)
    const [first, second] = [newTerms(), newTerms()]
    await expect(initiate('0', first, { fault: 'dies-after-recording' })).rejects.toThrow(OutboxFailure)
    await expect(initiate('1', second, {}, connect())).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/in use/),
    })
    expect(outbox.attempts('1')).toEqual([])
    outbox.abandon('0')
    await expect(initiate('1', second)).rejects.toMatchObject({ kind: 'unreachable' })
    expect(await initiate('0', first)).toBe(outbox.attempts('0')[0]?.tx)
    await initiate('1', second)
    expectNoEquivocation(attemptsOf(['0', '1']))
    expect(await Promise.all([first, second].map(stateOf))).toEqual(['open', 'open'])
  })

  it('is not spent again while validators may hold its transaction: the same bytes are sent until it is executed', async () => {
    const terms = newTerms()
    chain.faults.hold(2)
    await expect(initiate('0', terms)).rejects.toMatchObject({ kind: 'unreachable' })
    await expect(initiate('0', terms)).rejects.toMatchObject({ kind: 'unreachable' })
    const others = keys(4).map(() => newTerms())
    await Promise.all(others.map((each, i) => initiate(`b${i}`, each)))
    expect(await initiate('0', terms)).toBe(outbox.attempts('0')[0]?.tx)
    expect(outbox.attempts('0')).toHaveLength(1)
    expectNoEquivocation(['0', ...keys(4).map((key) => `b${key}`)].flatMap((key) => outbox.attempts(key)))
    expect(await stateOf(terms)).toBe('open')
  })

  it('that somebody else locked is left, and after a while the action goes on with other coins', async () => {
    const terms = newTerms()
    chain.faults.hold(1)
    await expect(initiate('0', terms)).rejects.toMatchObject({ kind: 'unreachable' })
    const [locked] = outbox.attempts('0')
    if (locked === undefined) throw new Error('expected an attempt')
    // A wallet has the same key, and spends the same version of the coin.
    const [coin] = (await node.coins(initiator, SUI_TYPE)).filter(({ id }) => coinsOf(locked).some((slot) => slot.startsWith(id)))
    if (coin === undefined) throw new Error('expected a coin')
    const frame = { sender: initiator, price: 1000n, budget: 10_000_000n, lastEpoch: lastEpochOf(locked), payment: [coin] }
    const wallet = await signTransaction(signer, await buildTransaction(new Transaction(), frame))
    expect(await node.broadcast(wallet)).toMatchObject({ kind: 'refused' })
    await expect(initiate('0', terms)).rejects.toMatchObject({ kind: 'unreachable', message: expect.stringMatching(/locked/) })
    expect(outbox.attempts('0')).toHaveLength(1)
    outbox.passSeconds(fixture.chain.feeBumpSeconds)
    const tx = await initiate('0', terms)
    expect(outbox.attempts('0').map((attempt) => attempt.tx)).toEqual([locked.tx, tx])
    expectNoEquivocation(outbox.attempts('0'))
    expect(await stateOf(terms)).toBe('open')
    chain.nextEpoch()
  })

  it('is spent once if the answer is lost', async () => {
    const terms = newTerms()
    chain.faults.loseAnswers(1)
    await expect(initiate('0', terms)).rejects.toMatchObject({ kind: 'unreachable' })
    expect(await initiate('0', terms)).toBe(outbox.attempts('0')[0]?.tx)
    expect(outbox.attempts('0')).toHaveLength(1)
  })

  it('may be spent again once the epoch of its transaction is over, which can then no longer be executed', async () => {
    await open(10n * SUI)
    const terms = newTerms()
    chain.faults.hold(1)
    await expect(initiate('0', terms)).rejects.toMatchObject({ kind: 'unreachable' })
    chain.nextEpoch()
    const tx = await initiate('0', terms)
    const [old, renewed] = outbox.attempts('0')
    if (old === undefined || renewed === undefined) throw new Error('expected two attempts')
    expect([renewed.tx, coinsOf(renewed)]).toEqual([tx, coinsOf(old)])
    expectNoEquivocation([old, renewed])
    expect(await node.broadcast(readAttempt(old))).toMatchObject({ kind: 'refused' })
    expect(await stateOf(terms)).toBe('open')
  })

  it('is never spent twice in an epoch, whatever is lost, held or crashes', async () => {
    const names = keys(10)
    const all = names.map((name) => [name, newTerms({ amount: SUI / 100n })] as const)
    // The sequence is the same in every run.
    const chosen = (round: number, of: number) => (round * 7919 + 13) % of
    for (let round = 0; round < 12; round += 1) {
      const { faults } = chain
      ;[() => faults.drop(2), () => faults.hold(2), () => faults.loseAnswers(2), () => chain.nextEpoch()][chosen(round, 4)]?.()
      const fault = chosen(round, 3) === 0 ? ({ fault: 'dies-after-recording' } as const) : {}
      const started = all.filter((_, i) => (i + round) % 3 !== 0)
      await Promise.allSettled(started.map(([name, terms]) => initiate(name, terms, fault)))
      expectNoEquivocation(attemptsOf(names))
    }
    for (const end of [chain.faults.drop, chain.faults.hold, chain.faults.loseAnswers]) end(0)
    chain.nextEpoch()
    for (const [name, terms] of all) await initiate(name, terms)
    expect(await Promise.all(all.map(([, terms]) => stateOf(terms)))).toEqual(names.map(() => 'open'))
    expectNoEquivocation(attemptsOf(names))
  })
})

describe('a deadline', () => {
  it('ends an initiation: after it, the recorded transaction fails, and nothing is left to cancel', async () => {
    const terms = newTerms()
    await expect(initiate('0', terms, { secondsLeft: 30n, fault: 'dies-after-recording' })).rejects.toThrow(OutboxFailure)
    const [attempt] = outbox.attempts('0')
    if (attempt === undefined) throw new Error('expected an attempt')
    expect(await executor.cancelUnmined(outbox.open('0'))).toBe(attempt.tx)
    chain.passMs(31_000)
    expect(await executor.cancelUnmined(outbox.open('0'))).toBeNull()
    await node.broadcast(readAttempt(attempt))
    chain.mine()
    expect(await node.outcome(attempt.tx)).toMatchObject({ failure: { abort: { module: 'htlc', code: 16n } } })
    expect(await stateOf(terms)).toBe('absent')
  })

  it('that is too close is refused before anything is signed', async () => {
    await expect(initiate('0', newTerms(), { secondsLeft: 4n })).rejects.toMatchObject({ kind: 'would-fail' })
    expect(outbox.attempts('0')).toEqual([])
  })
})

describe('a transaction that was executed and failed', () => {
  it('is counted, and is not repeated while the order cannot be settled', async () => {
    const terms = newTerms()
    await initiate('0', terms)
    chain.passMs(601_000)
    const refund = (options?: Parameters<MemoryOutbox['open']>[1]) => executor.refund(contract, terms, outbox.open('r', options))
    await expect(refund({ fault: 'dies-after-recording' })).rejects.toThrow(OutboxFailure)
    // Somebody redeems before the refund is sent.
    await executor.redeem(contract, terms, secret, outbox.open('redeem'))
    const [attempt] = outbox.attempts('r')
    if (attempt === undefined) throw new Error('expected an attempt')
    await node.broadcast(readAttempt(attempt))
    chain.mine()
    await expect(refund()).rejects.toMatchObject({ kind: 'superseded' })
    expect(await node.outcome(attempt.tx)).toMatchObject({ failure: { abort: { code: 11n } } })
    expect(outbox.attempts('r')).toHaveLength(1)
  })

  it('that was refused by the nodes is reported with their reason', async () => {
    chain.setGasPrice(2_000n)
    const terms = newTerms()
    await expect(initiate('0', terms, { fault: 'dies-after-recording' })).rejects.toThrow(OutboxFailure)
    chain.nextEpoch()
    const [attempt] = outbox.attempts('0')
    if (attempt === undefined) throw new Error('expected an attempt')
    expect(await node.broadcast(readAttempt(attempt))).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/expir/i) })
    await initiate('0', terms)
    expect(outbox.attempts('0')).toHaveLength(2)
  })
})
