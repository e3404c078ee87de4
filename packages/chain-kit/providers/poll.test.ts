/** Tests polls with fast liars, slow honest providers, and providers that never answer. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Answering, dead, quorumOf, says, silent } from './answering.fixture.ts'
import { poll } from './poll.ts'
import { Refusal } from './refusal.ts'

/** A poll waits less long for the others once enough have answered. */
const LATE_MS = 1_200
const late = (value: unknown) => says(() => sleep(LATE_MS, value))

/** Two equal answers decide. Otherwise all answers and failures are returned. */
function pollFor(nodes: readonly Answering[], { enough = 2, everyone = false } = {}) {
  const { pool, ...rest } = quorumOf(2, ...nodes)
  const run = () =>
    poll<Answering, unknown, unknown>(pool, {
      enough,
      everyone,
      ask: (node) => node.answer(),
      decide({ answers }) {
        const values = answers.map(([, value]) => value)
        return values.find((value) => values.filter((other) => other === value).length >= 2)
      },
      otherwise: ({ answers, failures }) => [
        answers.map(([{ name }]) => name).join(''),
        failures.map(({ provider }) => provider.name).join(''),
      ],
    })
  return { run, pool, ...rest }
}

describe('a late provider', () => {
  it('is suspended if the others reached a quorum without it', async () => {
    const { run, troubles } = pollFor([says('x'), says('x'), silent])
    expect(await run()).toBe('x')
    expect(troubles).toEqual(['c is suspended for a while: it is slow'])
  })

  it('is awaited, and not suspended, if the quorum needs it', async () => {
    const { run, troubles } = pollFor([says('lie'), says('truth'), late('truth')])
    expect(await run()).toBe('truth')
    expect(troubles).toEqual([])
  })

  it('has a grace period after enough have answered', async () => {
    const { run, troubles } = pollFor([says('x'), says('x'), says(() => sleep(200, 'x'))])
    await run()
    expect(troubles).toEqual([])
  })
})

describe('a suspended provider', () => {
  it('is not asked while the others can decide', async () => {
    const asked: string[] = []
    const { run, pool, providers } = pollFor([says(() => asked.push('a')), says('x'), says('x')])
    if (providers[0]) pool.suspend(providers[0], 'it was dead')
    expect(await run()).toBe('x')
    expect(asked).toEqual([])
  })

  it('is asked before a poll fails', async () => {
    const { run, pool, providers } = pollFor([says('x'), says('y'), says('x')])
    if (providers[0]) pool.suspend(providers[0], 'it was dead')
    expect(await run()).toBe('x')
  })

  it('is asked immediately if the poll needs everyone', async () => {
    const asked: string[] = []
    const { run, pool, providers } = pollFor([says(() => asked.push('a')), says('x'), says('x')], { everyone: true })
    if (providers[0]) pool.suspend(providers[0], 'it was dead')
    await run()
    expect(asked).toEqual(['a'])
  })
})

describe('a poll', () => {
  it('without a decision ends with all answers and failures, the best provider first', async () => {
    const { run, troubles } = pollFor([says('x'), dead, says('y'), says(() => Promise.reject(new Refusal(1, 'no')))])
    expect(await run()).toEqual(['ac', 'bd'])
    // A refusal is an answer.
    expect(troubles).toEqual(['b is suspended for a while: ECONNREFUSED'])
  })

  it('does not decide with too few answers', async () => {
    expect(await pollFor([says('x'), says('x'), dead], { enough: 3 }).run()).toEqual(['ab', 'c'])
  })

  it('throws an error in our own code unchanged', async () => {
    const bug = says(() => Promise.reject(new TypeError('undefined is not a function')))
    await expect(pollFor([says('x'), bug, says('x')]).run()).rejects.toBeInstanceOf(TypeError)
  })
})
