// Tests scans of a simulated node, which take as long as a test lets them: no test waits for a clock.
import type { JsonRpc } from '@tandem/chain-kit/providers/json-rpc.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { failure } from '../wallet/manual-mining.fixture.ts'
import { type CoreScans, createCoreScans } from './core-scan.ts'

type Deferred = { resolve(answer: unknown): void; reject(error: unknown): void }

let running: { readonly address: string; readonly done: Deferred }[]
let pauses: { readonly ms: number; end(): void }[]
let calls: string[]
let isBusy: boolean
let scans: CoreScans

const found = { success: true, height: 1, unspents: [] }
const settle = () => new Promise((resolve) => setImmediate(resolve))
const endPause = async (ms: number) => {
  const at = pauses.findIndex((one) => one.ms === ms)
  pauses.splice(at, 1)[0]?.end()
  await settle()
}

beforeEach(() => {
  running = []
  pauses = []
  calls = []
  isBusy = false
  const call: JsonRpc['call'] = async (_method, params) => {
    const [action, objects] = params as readonly [string, readonly string[] | undefined]
    calls.push(action)
    if (action === 'status') return isBusy || running.length > 0 ? { progress: 42.7 } : null
    if (action === 'abort') {
      for (const { done } of running.splice(0)) done.resolve({ success: false })
      return true
    }
    if (isBusy || running.length > 0) throw new Refusal(-8, 'Scan already in progress, use action "abort" or "status"')
    return new Promise((resolve, reject) => running.push({ address: objects?.[0] ?? '', done: { resolve, reject } })).finally(() => {
      running = []
    })
  }
  const pause = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      pauses.push({ ms, end: resolve })
      signal.addEventListener('abort', () => resolve())
    })
  scans = createCoreScans({ call, batch: async () => [] }, { pause })
})

describe('a scan of the UTXO set', () => {
  it('that takes minutes does not hold its caller, who reads how far it is, and is not asked for twice', async () => {
    const scan = scans.scan('one')
    const waiting = scans.patiently(scan).catch((error: unknown) => error)
    await settle()
    await endPause(5_000)
    expect(await waiting).toMatchObject({
      kind: 'would-fail',
      retryAfterMs: 30_000,
      message: expect.stringMatching(/takes minutes \(42 % done\): wait, or add an endpoint "esplora"/),
    })
    running[0]?.done.resolve(found)
    expect(await scans.patiently(scan)).toEqual(found)
    expect(calls).toEqual(['start', 'status'])
  })

  it('runs alone: the next one begins when it has ended', async () => {
    const [first, second] = [scans.scan('one'), scans.scan('two')]
    await settle()
    expect(running.map(({ address }) => address)).toEqual(['addr(one)'])
    running[0]?.done.resolve(found)
    await first
    await settle()
    expect(running.map(({ address }) => address)).toEqual(['addr(two)'])
    running[0]?.done.resolve(found)
    expect(await second).toEqual(found)
  })

  it('waits while the node is busy with that of another program, and never aborts it', async () => {
    isBusy = true
    const scan = scans.scan('one')
    await settle()
    for (let i = 0; i < 3; i++) await endPause(5_000)
    isBusy = false
    await endPause(5_000)
    expect(running.map(({ address }) => address)).toEqual(['addr(one)'])
    running[0]?.done.resolve(found)
    expect(await scan).toEqual(found)
    expect(calls).toEqual(['start', 'status', 'status', 'status', 'status', 'start'])
  })

  it('is aborted when the client closes, and only then', async () => {
    await scans.close()
    expect(calls).toEqual([])
    const scan = scans.scan('one')
    await settle()
    expect(running).toEqual([])
    await expect(scan).rejects.toThrow(failure('unreachable'))
  })

  it('that is under way is aborted when the client closes', async () => {
    const scan = scans.scan('one')
    const waiting = scan.catch((error: unknown) => error)
    await settle()
    await scans.close()
    expect(calls).toEqual(['start', 'abort'])
    expect(await waiting).toEqual(failure('unreachable', /was aborted/))
  })

  it('that the node refuses or breaks off fails, and the next one is tried', async () => {
    const broken = scans.scan('one')
    const refused = broken.catch((error: unknown) => error)
    await settle()
    running[0]?.done.reject(new Refusal(-5, 'Invalid descriptor'))
    expect(await refused).toEqual(failure('unreachable', /cannot list coins now: Invalid descriptor/))
    const next = scans.scan('one')
    await settle()
    running[0]?.done.resolve(found)
    expect(await next).toEqual(found)
  })
})
