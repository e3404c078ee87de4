/** Tests that the SDK knows assets without the service. */
import { expect, test } from 'vitest'
import { assetFacts } from './asset-facts.ts'

test('an asset is described without the service, and an unknown one is not', async () => {
  expect(await assetFacts('bitcoin_regtest:btc')).toEqual({
    id: 'bitcoin_regtest:btc',
    symbol: 'BTC',
    decimals: 8,
    chain: 'bitcoin_regtest',
    chainName: 'Bitcoin Regtest',
    family: 'bitcoin',
    explorerTxUrl: '',
    hasInstantRefund: true,
  })
  expect(await assetFacts('bitcoin:btc')).toMatchObject({ chainName: 'Bitcoin', explorerTxUrl: expect.stringMatching(/^https:.*{tx}$/) })
  expect(await assetFacts('atlantis:gold')).toBe(null)
})
