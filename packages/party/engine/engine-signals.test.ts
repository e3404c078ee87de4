/** Tests that signals between processes reach their handlers. */
import { beforeEach, expect, test } from 'vitest'
import { takeSignal } from './engine-signals.ts'

let heard: unknown[]
beforeEach(() => {
  heard = []
})
const take = (signal: string) =>
  takeSignal(signal, {
    onOrders: (chains) => heard.push(chains),
    onChain: (chain) => heard.push(chain),
    onDerived: () => heard.push('something was derived'),
    onWake: () => heard.push('reconcile'),
    onFree: () => heard.push('take over'),
  })

test('each signal reaches its handler, and unknown ones none', () => {
  for (const signal of ['orders a b', 'chain a', 'derived', 'wake', 'free', 'wakened', '']) take(signal)
  expect(heard).toEqual([['a', 'b'], 'a', 'something was derived', 'reconcile', 'take over'])
})
