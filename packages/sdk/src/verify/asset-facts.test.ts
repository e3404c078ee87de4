/** Tests that the SDK knows assets without the service. */
import { expect, test } from 'vitest'
import { registryExample } from '../../../../docs/registry-example.ts'
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

test('an asset that the app pins is described as pinned, and only with it; what is not consistent is refused', async () => {
  const additions = registryExample({ dollar: `0x${'12'.repeat(20)}`, gold: 'So11111111111111111111111111111111111111112' })
  const registry = { environment: 'local', ...additions } as const
  expect(await assetFacts('own_localnet:ownd')).toBe(null)
  expect(await assetFacts('own_localnet:ownd', registry)).toEqual({
    id: 'own_localnet:ownd',
    symbol: 'OWND',
    decimals: 6,
    chain: 'own_localnet',
    chainName: 'Own Localnet',
    family: 'evm',
    explorerTxUrl: 'https://explorer.example/tx/{tx}',
    hasInstantRefund: true,
  })
  expect(await assetFacts('bitcoin:btc', registry)).toMatchObject({ chainName: 'Bitcoin' })
  const own = additions.chains.own_localnet
  const unsafe = { ...registry, chains: { own_localnet: { ...own, timelocks: { source: '1200', destination: '20' } } } }
  await expect(assetFacts('own_localnet:ownd', unsafe)).rejects.toThrow(
    'the option registry is not valid: /registry/chains/own_localnet: as a',
  )
  const script = { ...registry, chains: { own_localnet: { ...own, explorer_url: 'javascript:alert(1)' } } }
  await expect(assetFacts('own_localnet:ownd', script)).rejects.toThrow('its explorer must be an https URL')
})
