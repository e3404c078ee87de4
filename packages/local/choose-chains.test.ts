import { localChains } from '@tandem/families/registry.ts'
import { expect, test } from 'vitest'
import { chooseChains } from './choose-chains.ts'

const idsOf = (...names: readonly string[]) => chooseChains(names).map(({ id }) => id)

test('all local chains run unless some are named', () => {
  expect(chooseChains(undefined)).toEqual(localChains)
})

test('a chain is named by its id or a prefix of it', () => {
  expect(idsOf('ethereum_localnet', 'bitcoin')).toEqual(['bitcoin_regtest', 'ethereum_localnet'])
  expect(idsOf(' ARB', 'tron')).toEqual(['arbitrum_localnet', 'tron_localnet'])
})

test('a chain that is named twice runs once', () => {
  expect(idsOf('bitcoin', 'bitcoin_regtest')).toEqual(['bitcoin_regtest'])
})

test.each([
  { name: 'moon', error: /there is no local chain "moon"; there are bitcoin_regtest, .*tron_localnet/ },
  { name: 'bitcoin_regtset', error: /do you mean "bitcoin_regtest"\?; there are/ },
  { name: '', error: /there is no local chain ""/ },
  { name: 'regtest', error: /there is no local chain/ },
])('"$name" is refused, and the error lists the local chains', ({ name, error }) => {
  expect(() => chooseChains(['ethereum', name])).toThrow(error)
})

test('an ambiguous prefix is refused', () => {
  const twins = localChains.slice(0, 2).map((chain, index) => ({ ...chain, id: `twin_${index}` }))
  expect(() => chooseChains(['twin'], twins)).toThrow('"twin" is ambiguous: it may be twin_0 or twin_1')
})
