/** Tests the hints that service and solvers send each other. */
import { afterEach, expect, test, vi } from 'vitest'
import { createHints, type Hints } from './hints.ts'

let hints: Hints | null = null
afterEach(async () => {
  await hints?.stop()
  hints = null
})

const quiet = { onHint: () => undefined, announcedChains: () => [] }

type Answer = { readonly next: number; readonly chains: readonly string[] }

function createTalk() {
  const told: (readonly string[])[] = []
  const polls: {
    readonly after: number
    readonly except: readonly string[]
    readonly answer: (answer: Answer) => void
    readonly fail: () => void
  }[] = []
  return {
    told,
    polls,
    tellChanges: vi.fn(async (chains: readonly string[]): Promise<readonly string[]> => {
      told.push(chains)
      return []
    }),
    changesSince: (after: number, except: readonly string[], signal: AbortSignal) =>
      new Promise<Answer>((answer, reject) => {
        const fail = () => reject(new Error('the solver is away'))
        signal.addEventListener('abort', fail)
        polls.push({ after, except, answer, fail })
      }),
  }
}

test('tells every solver once what happened in one moment', async () => {
  const [one, other] = [createTalk(), createTalk()]
  hints = createHints([one, other], quiet)
  for (let times = 0; times < 100; times++) for (const chain of ['a', 'b']) hints.send(chain)
  await vi.waitFor(() => expect([one.told, other.told]).toEqual([[['a', 'b']], [['a', 'b']]]), { timeout: 60_000 })
  hints.send('c')
  await vi.waitFor(() => expect(one.told).toEqual([['a', 'b'], ['c']]), { timeout: 60_000 })
})

test('sends one request at a time to a solver, and a failure loses only that hint', async () => {
  const talk = createTalk()
  let finish: () => void = () => undefined
  talk.tellChanges.mockImplementationOnce(async () => {
    await new Promise<void>((resolve) => {
      finish = resolve
    })
    throw new Error('the solver is away')
  })
  hints = createHints([talk], quiet)
  hints.send('a')
  await vi.waitFor(() => expect(talk.tellChanges).toHaveBeenCalledTimes(1), { timeout: 60_000 })
  for (const chain of ['b', 'c', 'b']) hints.send(chain)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(talk.tellChanges).toHaveBeenCalledTimes(1)
  finish()
  await vi.waitFor(() => expect(talk.told).toEqual([['b', 'c']]), { timeout: 60_000 })
})

test('the first hint does not wait for others, and those that come within 100 ms go together', async () => {
  const talk = createTalk()
  const waits: { readonly ms: number; readonly end: () => void }[] = []
  const wait = (ms: number) => new Promise<void>((end) => waits.push({ ms, end }))
  const spaced = createHints([talk], quiet, wait)
  const endWait = async (index: number) => {
    await vi.waitFor(() => expect(waits).toHaveLength(index + 1), { timeout: 60_000 })
    waits[index]?.end()
  }
  spaced.send('a')
  await endWait(0)
  await vi.waitFor(() => expect(talk.told).toEqual([['a']]), { timeout: 60_000 })
  for (const chain of ['b', 'c', 'b']) spaced.send(chain)
  await endWait(1)
  await endWait(2)
  await vi.waitFor(() => expect(talk.told).toEqual([['a'], ['b', 'c']]), { timeout: 60_000 })
  expect(waits.map(({ ms }) => ms).slice(0, 3)).toEqual([0, 100, 0])
})

test('a solver gets no hints about chains whose nodes notify it, until they may have stopped', async () => {
  const talk = createTalk()
  let ms = 0
  talk.tellChanges.mockImplementationOnce(async () => ['a', 'never asked for'])
  const spaced = createHints([talk], { ...quiet, nowMs: () => ms }, async () => undefined)
  const tell = async (...chains: readonly string[]) => {
    for (const chain of chains) spaced.send(chain)
    await new Promise((resolve) => setTimeout(resolve, 20))
    return talk.tellChanges.mock.calls.splice(0)
  }
  expect(await tell('a', 'b')).toEqual([[['a', 'b']]])
  expect(await tell('a', 'b', 'never asked for')).toEqual([[['b', 'never asked for']]])
  expect(await tell('a')).toEqual([])
  ms = 10_000
  expect(await tell('a')).toEqual([[['a']]])
})

test('asks for no hints about chains whose nodes notify it', async () => {
  const talk = createTalk()
  hints = createHints([talk], { ...quiet, announcedChains: () => ['a'] })
  await vi.waitFor(() => expect(talk.polls.map(({ except }) => except)).toEqual([['a']]), { timeout: 60_000 })
})

test('receives what a solver says, and continues from there', async () => {
  const talk = createTalk()
  const heard: string[] = []
  hints = createHints([talk], { ...quiet, onHint: (chain) => heard.push(chain) })
  await vi.waitFor(() => expect(talk.polls).toHaveLength(1), { timeout: 60_000 })
  talk.polls[0]?.answer({ next: 7, chains: ['a', 'b'] })
  await vi.waitFor(() => expect(talk.polls).toHaveLength(2), { timeout: 60_000 })
  expect(heard).toEqual(['a', 'b'])
  expect(talk.polls.map(({ after }) => after)).toEqual([0, 7])
})

test('a solver that does not answer is asked with pauses, and stopping does not wait for it', async () => {
  const talk = createTalk()
  hints = createHints([talk], quiet)
  await vi.waitFor(() => expect(talk.polls).toHaveLength(1), { timeout: 60_000 })
  talk.polls[0]?.fail()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(talk.polls).toHaveLength(1)
})
