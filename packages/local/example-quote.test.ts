import { expect, test } from 'vitest'
import { exampleQuote } from './example-quote.ts'

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
