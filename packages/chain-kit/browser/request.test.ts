/** Tests that requests to a node work with a browser's own `fetch`. */
import { afterEach, expect, test, vi } from 'vitest'
import { createClient } from '../../sdk/src/client/client.ts'
import { randomKeys } from '../../sdk/src/keys/keys.ts'
import { nodeOf } from '../../sdk/src/swap/context.ts'
import { memoryStorage } from '../../sdk/src/swap/storage.ts'
import { askNode } from './request.ts'

afterEach(() => void vi.unstubAllGlobals())

test('a node is asked by a fetch that refuses other receivers, as that of browsers does', async () => {
  vi.stubGlobal('fetch', async function (this: unknown) {
    if (this !== undefined && this !== globalThis) throw new TypeError('Illegal invocation')
    return new Response('ok')
  })
  const options = { baseUrl: 'http://service', appId: '', nodes: { chain: 'http://node' } }
  const storage = memoryStorage()
  const node = nodeOf({ client: createClient(options), options, storage, keys: randomKeys(storage) }, { id: 'chain' })
  if (node === null) throw new Error('there is a node')
  expect(await askNode(node, '/tip')).toBe('ok')
})
