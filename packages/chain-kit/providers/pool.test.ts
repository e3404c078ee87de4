/** Tests the order of providers, and how long failed ones are suspended. */
import { describe, expect, it } from 'vitest'
import { type Answering, quorumOf, says } from './answering.fixture.ts'
import { RateLimited } from './refusal.ts'
import { failover } from './rules.ts'

const namesOf = (providers: readonly { readonly name: string }[]) => providers.map(({ name }) => name).join('')

function poolOf(...nodes: readonly Answering[]) {
  const { pool, providers, ...rest } = quorumOf(1, ...nodes)
  const suspend = (name: string, why: string | Error = 'it is dead') => {
    const provider = providers.find((one) => one.name === name)
    if (provider !== undefined) pool.suspend(provider, why)
  }
  const restore = (name: string) => {
    const provider = providers.find((one) => one.name === name)
    if (provider !== undefined) pool.restore(provider)
  }
  return { pool, suspend, restore, ...rest }
}

describe('a provider that fails', () => {
  it('moves to the end, and its successor keeps the first place when it is restored', () => {
    const { pool, suspend, restore } = poolOf(says(1), says(2), says(3))
    expect(namesOf(pool.ranked())).toBe('abc')
    suspend('a')
    expect(namesOf(pool.ranked())).toBe('bca')
    restore('a')
    expect(namesOf(pool.ranked())).toBe('bca')
  })

  it('is ranked behind all healthy ones until it is restored, even after its suspension', () => {
    const { pool, suspend, clock } = poolOf(says(1), says(2))
    suspend('a')
    suspend('b')
    clock.ms = 100_000
    expect(namesOf(pool.available())).toBe('ab')
    expect(namesOf(pool.ranked())).toBe('ab')
  })

  it('is suspended twice as long each time, up to a minute, and for a second again after ten good minutes', () => {
    const { pool, suspend, clock } = poolOf(says(1))
    const suspensionMs = () => {
      suspend('a')
      const since = clock.ms
      while (pool.available().length === 0) clock.ms += 500
      return clock.ms - since
    }
    expect(Array.from({ length: 8 }, suspensionMs)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
    clock.ms += 600_001
    expect(suspensionMs()).toBe(1_000)
  })

  it('is suspended once for requests that failed at the same time', () => {
    const { pool, suspend, clock } = poolOf(says(1))
    for (let i = 0; i < 5; i += 1) suspend('a')
    clock.ms = 1_000
    expect(pool.available()).toHaveLength(1)
  })

  it('because it limits our requests is suspended for the time that it names, and reported once in ten minutes', () => {
    const { pool, suspend, restore, clock, troubles } = poolOf(says(1))
    const limit = (waitMs: number) => suspend('a', new RateLimited('https://user:pass@node.example/key', waitMs))
    limit(7_000)
    clock.ms = 6_999
    expect(pool.available()).toHaveLength(0)
    clock.ms = 7_000
    expect(pool.available()).toHaveLength(1)
    for (let i = 0; i < 21; i++) {
      restore('a')
      limit(1_000 + i * 1_000)
      clock.ms += 30_000
    }
    expect(troubles).toEqual([
      'the provider node.example limits our requests; waiting 7 s',
      expect.stringMatching(/^the provider node\.example limits our requests; waiting [0-9]+ s$/),
    ])
    // It is no failure, so the next one is suspended for a second.
    suspend('a')
    clock.ms += 1_000
    expect(pool.available()).toHaveLength(1)
  })

  it('is reported once per reason, and again after it was healthy', () => {
    const { suspend, restore, clock, troubles } = poolOf(says(1))
    const fail = (why: string) => {
      clock.ms += 100_000
      suspend('a', why)
    }
    fail('it is dead')
    fail('it is dead')
    fail('it is slow')
    restore('a')
    fail('it is slow')
    const report = (why: string) => `a is suspended for a while: ${why}`
    expect(troubles).toEqual([report('it is dead'), report('it is slow'), report('it is slow')])
  })
})

describe('the check', () => {
  it('runs before the first question, and again after every suspension', async () => {
    let checks = 0
    const { pool, suspend, clock } = poolOf(
      says('yes', async () => {
        checks += 1
        return null
      }),
    )
    const [provider] = pool.ranked()
    if (provider === undefined) throw new Error('there is no provider')
    const ask = () => pool.ask(provider, (node) => node.answer())
    await ask()
    await ask()
    expect(checks).toBe(1)
    suspend('a')
    clock.ms = 1_000
    expect(await ask()).toBe('yes')
    expect(checks).toBe(2)
  })

  it('keeps a provider that serves another chain from being asked anything', async () => {
    let asked = 0
    const stranger = says(
      () => (asked += 1),
      async () => 'serves the chain 5, expected 1',
    )
    const { quorum, troubles } = quorumOf(1, stranger, says('truth'))
    expect(await failover()(quorum, { what: 'it', ask: (node) => node.answer() })).toBe('truth')
    expect(asked).toBe(0)
    expect(troubles).toEqual(['a is suspended for a while: serves the chain 5, expected 1'])
  })
})

it('refuses a provider of another pool', () => {
  const [stranger] = quorumOf(1, says(1)).providers
  if (stranger === undefined) throw new Error('there is no provider')
  expect(() => quorumOf(1, says(1)).pool.suspend(stranger, 'it is dead')).toThrow('a is not in this pool')
})
