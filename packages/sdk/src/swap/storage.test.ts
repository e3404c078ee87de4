/** Tests where swaps are stored, and that none begins without a storage. */
import { afterEach, expect, test, vi } from 'vitest'
import { createTandem } from '../tandem.ts'
import { defaultStorage, memoryStorage, StorageError } from './storage.ts'

afterEach(() => vi.unstubAllGlobals())

const request = { from: 'ethereum:usdc', to: 'bitcoin:btc', fromAmount: 1n, minToAmount: 1n, recipient: 'anywhere' }
const wallet = { families: ['evm'] as const, address: async () => '0x' }

async function swapHere(): Promise<unknown> {
  const asked: string[] = []
  const fetch = async (input: Parameters<typeof globalThis.fetch>[0]) => {
    asked.push(String(input))
    return new Response('{}', { status: 500 })
  }
  const steps = createTandem({ baseUrl: 'https://service.example/v2', appId: 'app', fetch, retries: 0 }).swap(request, wallet as never)
  const failure = await steps.next().catch((error: unknown) => error)
  return failure instanceof StorageError ? { message: failure.message, asked } : failure
}

test('without localStorage a swap is refused before anything is asked, and says what to do', async () => {
  expect(await swapHere()).toEqual({ message: expect.stringContaining('fileStorage(path) of @tandem/sdk/node'), asked: [] })
})

test('reading without keys needs no storage', async () => {
  const fetch = async () => Response.json({ status: 'Ok', error: null, result: { order_id: 'x', status: 'refunded' } })
  const { watch } = createTandem({ baseUrl: 'https://service.example/v2', appId: 'app', fetch })
  expect(await watch('x').next()).toMatchObject({ value: { status: 'refunded' } })
})

test('Node’s own localStorage is not used: it warns, throws or keeps nothing', async () => {
  const touched = vi.fn(() => {
    throw new Error('a file was not named')
  })
  vi.stubGlobal('localStorage', undefined)
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, get: touched })
  expect(await swapHere()).toMatchObject({ message: expect.stringContaining('memoryStorage()') })
  expect(touched).not.toHaveBeenCalled()
})

test('a page uses its localStorage; one that forbids it refuses', async () => {
  const items = memoryStorage()
  vi.stubGlobal('document', {})
  vi.stubGlobal('localStorage', items)
  expect(defaultStorage()).toBe(items)
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    get() {
      throw new DOMException('denied', 'SecurityError')
    },
  })
  expect(await swapHere()).toMatchObject({ message: expect.stringContaining('createTandem({ storage })') })
})

test('a memory forgets with its process, and two of them share nothing', async () => {
  const [one, other] = [memoryStorage(), memoryStorage()]
  await one.setItem('a', '1')
  expect([await one.getItem('a'), await one.getItem('b'), await other.getItem('a')]).toEqual(['1', null, null])
})
