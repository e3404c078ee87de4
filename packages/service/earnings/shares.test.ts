/** Tests the shares of affiliates in an order. */
import { localRegistry } from '@tandem/families/local-registry.fixture.ts'
import { localChains } from '@tandem/families/registry.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { completeSettings } from '../context.ts'
import { createFakeChain } from '../testing/fake-chain.fixture.ts'
import { alice, bob, btc, deployments, eth, inactive, wbtc } from '../testing/service.fixture.ts'
import { affiliateFees, parseShares } from './shares.ts'

const registry = localRegistry(deployments)
const usdc = 'ethereum_localnet:usdc'
const clients = new Map(localChains.map((chain) => [chain.id, createFakeChain(chain, 'account')]))
const source = registry.asset(btc)
const contextWith = (payers: readonly string[], affiliateAsset: AssetId | null = null) => ({
  registry,
  clients,
  claims: { paysOn: (chain: string) => payers.includes(chain), read: async () => [] },
  settings: { ...completeSettings({ environment: 'local' }), affiliateAsset },
})
const parse = (context: ReturnType<typeof contextWith>, ...given: Parameters<typeof parseShares>[1] & object) =>
  parseShares(context, given, source).map(({ address, asset, feeBips }) => [address, asset.id, feeBips])
const paying = contextWith(['ethereum_localnet'], usdc)

test('each affiliate may name what it is paid in; the rest is paid in the asset of the configuration, or in the source asset', () => {
  const mixed = `0x${'A1'.repeat(20)}`
  expect(
    parse(paying, { address: mixed, fee: 10 }, { address: bob, fee: 5, asset: eth.toUpperCase() }, { address: bob, fee: 5, asset: wbtc }),
  ).toEqual([
    [alice, usdc, 10],
    [bob, eth, 5],
    [bob, wbtc, 5],
  ])
  expect(parse(contextWith([]), { address: mixed, fee: 10, asset: null })).toEqual([[alice, btc, 10]])
  expect(parseShares(paying, null, source)).toEqual([])
})

test.each<[string, Parameters<typeof parse>[1], string, RegExp]>([
  [
    'an asset that no contract pays',
    { address: bob, fee: 1, asset: btc },
    'bad_request',
    /affiliate_fees\.0\.asset: .*bitcoin_regtest:btc.*ethereum_localnet:eth/,
  ],
  ['an inactive asset', { address: bob, fee: 1, asset: inactive }, 'unsupported_pair', /affiliate_fees\.0\.asset/],
  [
    'an address of another chain',
    { address: 'friend', fee: 1 },
    'invalid_address',
    /affiliate_fees\.0\.address: this affiliate is paid in ethereum_localnet:usdc, and .*friend/,
  ],
])('%s is refused', (_, given, code, words) => {
  const error = expect.objectContaining({ code, message: expect.stringMatching(words) })
  expect(() => parse(paying, given)).toThrow(error)
  expect(() => parse(paying, given)).toThrow(TandemError)
})

test('an address is checked also where no contract pays', () => {
  expect(() => parse(contextWith([]), { address: 'friend', fee: 1 })).toThrow(
    /affiliate_fees\.0\.address: this affiliate is paid in bitcoin_regtest:btc/,
  )
})

test('a payout is converted at the prices of the order, rounded down once, and never worth more than the fee', () => {
  const share = (asset: AssetId, feeBips: number) => ({ address: 'a', asset: registry.asset(asset), feeBips })
  const amounts = (amount: bigint, ...shares: ReturnType<typeof share>[]) =>
    affiliateFees(shares, { asset: source, amount, price: 6_000_000_000_000n }, () => 100_000_000n).map((fee) => fee.amount)
  // One bip of 19,999 satoshi is 1.9999 satoshi, or 0.00119994 dollars.
  expect(amounts(19_999n, share(btc, 1), share(usdc, 1), share(usdc, 0))).toEqual(['1', '1199', '0'])
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 30n), fc.bigInt(1n, 10n ** 14n), fc.bigInt(1n, 10n ** 14n), fc.nat(1000), (amount, from, to, bips) => {
      const [fee] = affiliateFees([share(eth, bips)], { asset: source, amount, price: from }, () => to)
      const [paid, owed] = [BigInt(fee?.amount ?? 0) * to * 10n ** 8n * 10_000n, amount * BigInt(bips) * from * 10n ** 18n]
      expect(paid <= owed && paid + to * 10n ** 8n * 10_000n > owed).toBe(true)
    }),
  )
})
