/** The tests of a file share an object, such as a store or a service, without a hook in each file. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

type Closable = { close(): unknown }

/** The object is opened before the first test and closed after the last. Its members are there from the first test on. */
export function opened<T extends Closable>(open: () => Promise<T>): T {
  const { shared, set } = forwarder<T>()
  beforeAll(async () => set(await open()))
  afterAll(() => shared.close())
  return shared
}

/** The object is opened for each test, and closed after it if it has `close`. */
export function openedForEach<T extends object>(open: () => Promise<T>): T {
  const { shared, set } = forwarder<T>()
  beforeEach(async () => set(await open()))
  afterEach(async () => {
    if ('close' in shared && typeof shared.close === 'function') await shared.close()
  })
  return shared
}

/** The result stands for an object that is not open yet. A test that writes a member writes to that object. */
function forwarder<T extends object>(): { readonly shared: T; set(open: T): void } {
  let current: T | undefined
  const of = (): T => {
    if (current === undefined) throw new Error('it is opened before the first test, not while tests are defined')
    return current
  }
  const shared = new Proxy({} as T, {
    get: (_, key) => Reflect.get(of(), key),
    set: (_, key, value) => Reflect.set(of(), key, value),
    has: (_, key) => Reflect.has(of(), key),
    ownKeys: () => Reflect.ownKeys(of()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(of(), key),
  })
  return {
    shared,
    set(open) {
      current = open
    },
  }
}
