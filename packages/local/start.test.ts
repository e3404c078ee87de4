/** Tests how the local stack starts and stops its parts, and the example quotes of chosen chains. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { exampleQuote } from './example-quote.ts'
import { giveBackMemory } from './give-back-memory.ts'
import { createRestartable } from './stack.ts'

function createProbe() {
  const said: string[] = []
  let count = 0
  let trouble: Error | null = null
  const restartable = createRestartable(async () => {
    count += 1
    const name = count
    said.push(`starting ${name}`)
    await new Promise((resolve) => setImmediate(resolve))
    if (trouble !== null) throw trouble
    said.push(`started ${name}`)
    return {
      name,
      async stop() {
        said.push(`stopping ${name}`)
        await new Promise((resolve) => setImmediate(resolve))
        if (trouble !== null) throw trouble
        said.push(`stopped ${name}`)
      },
    }
  })
  const setTrouble = (error: Error | null) => {
    trouble = error
  }
  return { restartable, said, setTrouble }
}

test('changes are made one at a time, in the order of the calls', async () => {
  const { restartable, said } = createProbe()
  await Promise.all([true, true, false, true].map((running) => restartable.setRunning(running)))
  expect(said).toEqual(['starting 1', 'started 1', 'stopping 1', 'stopped 1', 'starting 2', 'started 2'])
  expect(restartable.current()?.name).toBe(2)
  await restartable.setRunning(false)
  expect(restartable.current()).toBeNull()
})

test('a start or stop that fails rejects for its caller, and the next one still works', async () => {
  const { restartable, said, setTrouble } = createProbe()
  setTrouble(new Error('no'))
  await expect(restartable.setRunning(true)).rejects.toThrow('no')
  expect(restartable.current()).toBeNull()
  setTrouble(null)
  await restartable.setRunning(true)
  setTrouble(new Error('no'))
  await expect(restartable.setRunning(false)).rejects.toThrow('no')
  setTrouble(null)
  await restartable.setRunning(true)
  expect(said.at(-1)).toBe('started 3')
})

test('memory that nothing refers to is given back', async () => {
  const garbage = new WeakRef({ text: 'x'.repeat(1000) })
  await turn()
  giveBackMemory()
  expect(garbage.deref()).toBeUndefined()
  expect('gc' in globalThis).toBe(false)
})

test.each([
  { chains: ['bitcoin_regtest', 'litecoin_regtest', 'ethereum_localnet'], from: 'bitcoin_regtest:btc', to: 'ethereum_localnet:wbtc' },
  { chains: ['bitcoin_regtest', 'litecoin_regtest'], from: 'bitcoin_regtest:btc', to: 'litecoin_regtest:ltc' },
  { chains: ['tron_localnet'], from: 'tron_localnet:usdt', to: 'tron_localnet:wbtc' },
])('on $chains: from $from to $to', ({ chains, from, to }) => {
  expect(exampleQuote(chains)).toMatch(new RegExp(`^from=${from}&to=${to}&from_amount=[1-9][0-9]*$`))
})

test('one asset alone cannot be swapped', () => {
  expect(exampleQuote(['bitcoin_regtest'])).toBeNull()
})
