/** A process of the API asks an engine of the same database for signed refunds: what comes back, and whose questions are answered. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { openSignals } from '@tandem/party/store/database/signals.ts'
import { createSealer, createVault, deriveSealingKeys } from '@tandem/party/store/orders/sealed-values.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { VAULT_KEY } from '@tandem/party/store/store.fixture.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { testLog } from '@tandem/runtime/test-log.fixture.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { answerWishes } from './answer-wishes.ts'
import { openEngineSigner } from './ask-engine.ts'
import { type Question, sealOf, writeQuestion } from './refund-signals.ts'
import type { RefundWish, SignRefunds } from './refund-wish.ts'

const store = sharedStore()
const vault = createVault(VAULT_KEY)
const sealer = createSealer(deriveSealingKeys(VAULT_KEY))
const wish: RefundWish = { orderId: 'ab'.repeat(32), from: null, to: 'home', isTokenHolder: true }

const logged: string[] = []
const log = testLog((line) => logged.push(line))
const opened: { stop(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.stop()))
  logged.length = 0
})

function keep<T extends { stop(): Promise<void> }>(one: T): T {
  opened.push(one)
  return one
}

/** Each store acts as a separate process. */
const startEngine = (sign: SignRefunds, db = store.db) => keep(answerWishes({ db, sealer: vault, log, sign }))
const startApi = (waitMs?: number) => keep(openEngineSigner({ db: store.other, sealer }, waitMs))

test('the engine gets the wish of the API once, however long it signs and however many engines there are', async () => {
  const signed: RefundWish[] = []
  const sign: SignRefunds = async (asked) => {
    signed.push(asked)
    await new Promise((resolve) => setTimeout(resolve, 2_500))
  }
  startEngine(sign)
  startEngine(sign, store.other)
  await startApi().signRefunds(wish)
  expect(signed).toEqual([wish])
})

test('two wishes for one order are signed one after the other', async () => {
  let [running, most, signed] = [0, 0, 0]
  const sign: SignRefunds = async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    running -= 1
    signed += 1
  }
  startEngine(sign)
  startEngine(sign, store.other)
  const api = startApi(60_000)
  await Promise.all([api.signRefunds(wish), api.signRefunds({ ...wish, to: 'elsewhere' })])
  expect({ most, signed }).toEqual({ most: 1, signed: 2 })
})

test('an error that the caller may see comes back as it is', async () => {
  startEngine(() => Promise.reject(new TandemError('rate_limited', 'used up', { retryAfterSeconds: 7 })))
  await expect(startApi().signRefunds(wish)).rejects.toMatchObject({ code: 'rate_limited', message: 'used up', retryAfterSeconds: 7 })
})

test.each([
  ['a node', new ChainFailure('unreachable', 'http://node/secret-key'), 'chain_unavailable', 'a chain could not be reached; try again'],
  ['another error', new Error('secret-key'), 'internal', 'internal error; the log of the engine says more'],
])('the text of %s stays in the log of the engine', async (_, error, code, message) => {
  startEngine(() => Promise.reject(error))
  await expect(startApi().signRefunds(wish)).rejects.toMatchObject({ code, message, retryAfterSeconds: null })
  expect(logged.join()).toContain('an instant refund was not signed')
})

test('without an engine the wait ends, and one that starts meanwhile still answers', async () => {
  const api = startApi(3_000)
  await expect(startApi(500).signRefunds(wish)).rejects.toMatchObject({
    code: 'chain_unavailable',
    message: expect.stringMatching(/no engine signed/),
  })
  const asking = api.signRefunds(wish)
  startEngine(() => Promise.resolve())
  await asking
})

test('a stopped API waits no longer', async () => {
  const api = startApi(3_600_000)
  const asking = expect(api.signRefunds(wish)).rejects.toMatchObject({ code: 'chain_unavailable' })
  await api.stop()
  await asking
})

test('a question is refused that is forged, changed or too late', async () => {
  const signed: RefundWish[] = []
  startEngine(async (asked) => void signed.push(asked))
  const asked = (changes: Partial<Question> = {}): Question => {
    const question = { id: Math.random().toString(), untilMs: Date.now() + 60_000, ...wish, ...changes }
    return { ...question, seal: sealOf(vault, question) }
  }
  const forged: Question[] = [
    { ...asked(), seal: sealOf(createVault('43'.repeat(32)), asked()) },
    { ...asked(), to: 'thief' },
    { ...asked(), from: 'elsewhere' },
    { ...asked(), orderId: 'cd'.repeat(32) },
    { ...asked({ isTokenHolder: false }), isTokenHolder: true },
    { ...asked({ untilMs: Date.now() - 1 }), untilMs: Date.now() + 60_000 },
    { ...asked(), id: 'replayed' },
  ]
  const late = asked({ untilMs: Date.now() - 1 })
  const good = asked({ to: 'the last' })
  const signals = openSignals(store.other, () => undefined)
  keep({ stop: signals.close })
  await vi.waitFor(
    () => {
      for (const one of [...forged, late]) signals.send(writeQuestion(one))
      signals.send('sign refunds {"id": 1}')
      signals.send('sign refunds not json')
      signals.send(writeQuestion(good))
      expect(signed).not.toEqual([])
    },
    { timeout: 30_000, interval: 300 },
  )
  expect(signed).toEqual([{ ...wish, to: 'the last' }])
  expect(logged.join()).toContain('the clocks of both machines may differ')
  expect(logged.filter((line) => line.includes('somebody without the seal key')).length).toBeGreaterThanOrEqual(forged.length)
})
