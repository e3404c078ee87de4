/** Tests the pool of worker threads: limits, urgent jobs, and threads that die. */
import { afterEach, describe, expect, test } from 'vitest'
import { testModule } from './pool.fixture.ts'
import { createPool, type Pool, type PoolOptions } from './pool.ts'

const pools: Pool[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()))
})

function open(options: Partial<PoolOptions> = {}) {
  const pool = createPool({ size: 1, ...options })
  pools.push(pool)
  const run = (name: string, ...args: readonly unknown[]) => pool.run({ module: testModule, name, args })
  return { pool, run }
}

describe('a pool of worker threads', () => {
  test('starts no thread before its first job, and ends a thread that is idle', async () => {
    const { pool, run } = open({ idleMs: 20 })
    expect(pool.threads()).toBe(0)
    expect(await run('add', 2n, 3n)).toBe(5n)
    expect(pool.threads()).toBe(1)
    await expect.poll(() => pool.threads()).toBe(0)
    expect(await run('add', 2n, 3n)).toBe(5n)
  })

  test('runs jobs outside of this thread, as many at once as it has threads', async () => {
    const { pool, run } = open({ size: 2 })
    const ids = await Promise.all([run('wait', 200), run('wait', 200), run('thread'), run('thread')])
    expect(new Set(ids).size).toBe(2)
    expect(ids).not.toContain(0)
    expect(pool.threads()).toBe(2)
  })

  test('refuses a job when too many wait, and runs those that it took', async () => {
    const { run } = open({ maxWaiting: 2 })
    const taken = [run('wait', 100), run('add', 1n, 1n), run('add', 2n, 2n)]
    await expect(run('add', 3n, 3n)).rejects.toMatchObject({ code: 'chain_unavailable', retryAfterSeconds: 1 })
    expect((await Promise.all(taken)).slice(1)).toEqual([2n, 4n])
    expect(await run('add', 3n, 3n)).toBe(6n)
  })

  test('runs urgent jobs before all others that wait, even if too many wait', async () => {
    const { pool, run } = open({ maxWaiting: 2 })
    const done: string[] = []
    const note = (name: string, job: Promise<unknown>) => job.then(() => done.push(name))
    const urgent = () => pool.run({ module: testModule, name: 'add', args: [1n, 1n] }, [], 'urgent')
    await Promise.all([
      note('running', run('wait', 100)),
      note('normal 1', run('add', 1n, 1n)),
      note('normal 2', run('add', 1n, 1n)),
      note('urgent 1', urgent()),
      note('urgent 2', urgent()),
    ])
    expect(done).toEqual(['running', 'urgent 1', 'urgent 2', 'normal 1', 'normal 2'])
  })

  test('rejects only the job of a thread that dies, and replaces the thread', async () => {
    const { pool, run } = open()
    const [dead, alive] = [run('die'), run('add', 1n, 2n)]
    await expect(dead).rejects.toThrow('a worker thread died')
    expect(await alive).toBe(3n)
    expect(pool.threads()).toBe(1)
  })

  test('ends a job that takes too long, with its thread', async () => {
    const { pool, run } = open({ maxJobMs: 1_000 })
    await expect(run('loop')).rejects.toMatchObject({ cause: { message: 'a job took more than 1000 ms' } })
    expect(pool.threads()).toBe(0)
  })

  test('keeps the code and the text of an error', async () => {
    const { pool, run } = open()
    await expect(run('refuse')).rejects.toMatchObject({ name: 'TandemError', code: 'invalid_signature', message: 'not this one' })
    await expect(run('fail')).rejects.toThrow('out of range')
    await expect(run('nothing')).rejects.toThrow('has no job "nothing"')
    await expect(run('add', () => 1n)).rejects.toThrow('could not be cloned')
    expect(await run('add', 1n, 2n)).toBe(3n)
    expect(pool.threads()).toBe(1)
  })

  test('moves buffers both ways: the sender keeps no copy', async () => {
    const { pool } = open()
    const bytes = Uint8Array.of(1, 2, 3)
    const reversed = await pool.run({ module: testModule, name: 'reverse', args: [bytes] }, [bytes.buffer])
    expect(reversed).toEqual(Uint8Array.of(3, 2, 1))
    expect(bytes).toHaveLength(0)
  })

  test('gives its threads no environment variable', async () => {
    expect(await open().run('environment')).toEqual([])
  })

  test('rejects what waits when it is closed', async () => {
    const { pool, run } = open()
    const jobs = [run('wait', 60_000), run('add', 1n, 1n)]
    const results = Promise.allSettled(jobs)
    await pool.close()
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(pool.threads()).toBe(0)
  })
})
