/** A process of the API asks an engine of the same database: what comes back, and whose questions are answered. */
import { randomUUID } from 'node:crypto'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { bigintText, shape, text } from '@tandem/party/store/database/columns.ts'
import { openSignals } from '@tandem/party/store/database/signals.ts'
import { createSealer, createVault, deriveSealingKeys } from '@tandem/party/store/orders/sealed-values.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { VAULT_KEY } from '@tandem/party/store/store.fixture.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { testLog } from '@tandem/runtime/test-log.fixture.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { type Answering, answering, answerQuestions } from './answer-questions.ts'
import { joinAnswer, splitAnswer } from './answer-text.ts'
import { openEngineQuestions } from './ask-engine.ts'
import type { QuestionKind } from './question-kind.ts'
import { openSealedSignals, type Question } from './sealed-signals.ts'

type Asked = { readonly of: string; readonly to: string }
type Answered = { readonly amount: bigint; readonly text: string }
type Work = (asked: Asked) => Promise<Answered>

const kind: QuestionKind<Asked, Answered> = {
  name: 'do something',
  asked: shape<Asked>({ of: text, to: text }),
  answered: shape<Answered>({ amount: bigintText, text }),
  subjectOf: ({ of }) => of,
  unanswered: (seconds) => `no engine did it within ${seconds} s`,
}
const asked: Asked = { of: 'order', to: 'home' }
const done: Answered = { amount: 10n ** 70n, text: 'done' }

const store = sharedStore()
const vault = createVault(VAULT_KEY)
const sealer = createSealer(deriveSealingKeys(VAULT_KEY))
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
const startEngine = (work: Work, db = store.db) => keep(answerQuestions({ db, sealer: vault, log }, [answering(kind, work)]))
const startApi = (waitMs = 60_000) => {
  const questions = keep(openEngineQuestions({ db: store.other, sealer, log }, waitMs))
  return { ask: (changes: Partial<Asked> = {}) => questions.ask(kind, { ...asked, ...changes }), stop: questions.stop }
}

test('an engine works on the question once, however long it takes and however many engines there are', async () => {
  const worked: Asked[] = []
  const work: Work = async (one) => {
    worked.push(one)
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    return done
  }
  startEngine(work)
  startEngine(work, store.other)
  expect(await startApi().ask()).toEqual(done)
  expect(worked).toEqual([asked])
})

test('two questions about one subject are worked on one after the other', async () => {
  let [running, most, worked] = [0, 0, 0]
  const work: Work = async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    running -= 1
    worked += 1
    return done
  }
  startEngine(work)
  startEngine(work, store.other)
  const api = startApi()
  await Promise.all([api.ask(), api.ask({ to: 'elsewhere' })])
  expect({ most, worked }).toEqual({ most: 1, worked: 2 })
})

test('an answer of any length and in any script comes back whole', async () => {
  const long = { amount: 1n, text: 'a"\\\u0000é漢😀'.repeat(5_000) }
  startEngine(async () => long)
  expect(await startApi().ask()).toEqual(long)
})

test('the parts of two answers to one question are not mixed, and may come twice and in any order', () => {
  const [one, other] = ['1'.repeat(20_000), '2'.repeat(20_000)]
  const [first, second] = [splitAnswer('question', 'first', one), splitAnswer('question', 'second', other)]
  expect(first.length).toBeGreaterThan(3)
  const join = joinAnswer()
  const mixed = first.flatMap((part, place) => [second[place] ?? part, part]).reverse()
  expect(mixed.map(join).filter((whole) => whole !== null)).toEqual([one, other])
})

test('an error that the caller may see comes back as it is', async () => {
  startEngine(() => Promise.reject(new TandemError('rate_limited', 'used up', { retryAfterSeconds: 7 })))
  await expect(startApi().ask()).rejects.toMatchObject({ code: 'rate_limited', message: 'used up', retryAfterSeconds: 7 })
})

test.each([
  ['a node', new ChainFailure('unreachable', 'http://node/secret-key'), 'chain_unavailable', 'a chain could not be reached; try again'],
  ['another error', new Error('secret-key'), 'internal', 'internal error; the log of the engine says more'],
])('the text of %s stays in the log of the engine', async (_, error, code, message) => {
  startEngine(() => Promise.reject(error))
  await expect(startApi().ask()).rejects.toMatchObject({ code, message, retryAfterSeconds: null })
  expect(logged.join()).toContain('this engine failed to do something')
})

test('without an engine the wait ends, and one that starts meanwhile still answers', async () => {
  await expect(startApi(500).ask()).rejects.toMatchObject({ code: 'chain_unavailable', message: 'no engine did it within 0.5 s' })
  const asking = startApi().ask()
  startEngine(async () => done)
  expect(await asking).toEqual(done)
})

test('an engine that ends before it answers is replaced by the next one', async () => {
  let end = (): void => undefined
  const started = new Promise<void>((resolve) => {
    startEngine(() => {
      resolve()
      return new Promise((_, reject) => {
        end = () => reject(new Error('killed'))
      })
    })
  })
  const [dying] = opened
  const asking = startApi().ask()
  await started
  // Its connection is closed first, so no answer of it is sent.
  await dying?.stop()
  end()
  startEngine(async () => done)
  expect(await asking).toEqual(done)
})

test('an engine that leaves a kind to others says once why, and another engine answers', async () => {
  const leaves: Answering = { kind: kind.name, whyNot: 'it has no key' }
  keep(answerQuestions({ db: store.other, sealer: vault, log }, [leaves]))
  startEngine(async () => done)
  // A process does not get its own signals, so the API is the process of the first engine's store.
  const api = keep(openEngineQuestions({ db: store.db, sealer, log }))
  for (const to of ['one', 'two']) expect(await api.ask(kind, { ...asked, to })).toEqual(done)
  expect(logged.filter((line) => line.includes('leaves to others: it has no key'))).toHaveLength(1)
})

test('a stopped API waits no longer', async () => {
  const api = startApi(3_600_000)
  const asking = expect(api.ask()).rejects.toMatchObject({ code: 'chain_unavailable' })
  await api.stop()
  await asking
})

test('a question is refused that is forged, changed, too late or of another form', async () => {
  const worked: Asked[] = []
  startEngine(async (one) => {
    worked.push(one)
    return done
  })
  const question = (changes: Partial<Question> = {}): Question => ({
    id: randomUUID(),
    untilMs: Date.now() + 600_000,
    kind: kind.name,
    asked,
    ...changes,
  })
  const body = JSON.stringify(question())
  const seal = vault.authenticate(JSON.stringify(['engine-question', body]))
  const sealedAsAnswer = vault.authenticate(JSON.stringify(['engine-answer', body]))
  const forged = [
    `engine-question ${sealedAsAnswer} ${body}`,
    `engine-question ${seal} ${body.replace('home', 'thief')}`,
    `engine-question ${seal} ${body.replace('"of":"order"', '"of":"other"')}`,
    `engine-question ${seal} ${body.replace('"untilMs":', '"untilMs":9')}`,
    `engine-question ${createVault('43'.repeat(32)).authenticate(JSON.stringify(['engine-question', body]))} ${body}`,
    'engine-question not json',
    'engine-question',
  ]
  const context = { db: store.other, sealer, log }
  const [plain, sealed] = [openSignals(store.other, () => undefined), openSealedSignals(context, 'answer', () => undefined)]
  keep({ stop: plain.close })
  keep({ stop: sealed.close })
  const late = question({ untilMs: Date.now() - 1 })
  const wrong = [
    question({ asked: { of: 1 } }),
    question({ kind: 'do something else' }),
    question({ untilMs: 'soon' as unknown as number }),
  ]
  const good = question({ asked: { ...asked, to: 'the last' } })
  // A signal may be lost while a connection opens, so all are sent until the good one arrives.
  await vi.waitFor(
    () => {
      for (const one of forged) plain.send(one)
      for (const one of [late, ...wrong]) sealed.send('question', one)
      expect(logged.filter((line) => line.includes('somebody without the seal key')).length).toBeGreaterThanOrEqual(forged.length)
      expect(logged.join()).toContain('the clocks of both machines may differ')
      sealed.send('question', good)
      expect(worked).not.toEqual([])
    },
    { timeout: 120_000, interval: 300 },
  )
  expect(worked).toEqual([{ ...asked, to: 'the last' }])
}, 150_000)

test('an answer without the seal is not believed', async () => {
  const ids: string[] = []
  const forger = openSealedSignals({ db: store.db, sealer: createVault('43'.repeat(32)), log }, 'question', () => undefined)
  keep({ stop: forger.close })
  const reader = openSealedSignals({ db: store.db, sealer: vault, log }, 'question', ({ id }) => void ids.push(id))
  keep({ stop: reader.close })
  const asking = startApi().ask()
  await vi.waitFor(() => expect(ids).not.toEqual([]), { timeout: 30_000 })
  const [id = ''] = ids
  for (const part of splitAnswer(id, 'forged', JSON.stringify({ error: null, result: { amount: '1', text: 'forged' } })))
    forger.send('answer', part)
  await vi.waitFor(() => expect(logged.join()).toContain('a signal like an engine-answer'), { timeout: 30_000 })
  startEngine(async () => done)
  expect(await asking).toEqual(done)
})

test('a message that a signal cannot carry is refused before it breaks the connection', async () => {
  await expect(startApi().ask({ to: 'x'.repeat(8_000) })).rejects.toThrow('is too long')
})
