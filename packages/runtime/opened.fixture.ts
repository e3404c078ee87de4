/** What the tests of a file share, such as a store or a service, without a hook in each file. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

type Closable = { close(): unknown }

/** Opened before the first test and closed after the last. Its members are there from the first test on. */
export function opened<T extends Closable>(open: () => Promise<T>): T {
  const { shared, set } = forwarder<T>()
  beforeAll(async () => set(await open()))
  afterAll(() => shared.close())
  return shared
}

/** Opened and closed for each test. */
export function openedForEach<T extends Closable>(open: () => Promise<T>): T {
  const { shared, set } = forwarder<T>()
  beforeEach(async () => set(await open()))
  afterEach(() => shared.close())
  return shared
}

/** Stands for an object that is not open yet. A test that writes a member writes to that object. */
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
