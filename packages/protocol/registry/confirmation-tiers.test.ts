/** Tests how many confirmations an amount needs, and which addresses of assets are refused. */
import { assertAddress } from '@tandem/families/assert-address.fixture.ts'
import { environments } from '@tandem/families/registry.ts'
import { describe, expect, it, test } from 'vitest'
import { requiredConfirmations } from '../confirmations.ts'
import { raiseTiers } from './confirmation-tiers.ts'

const { chains, assets } = environments.mainnet
const chain = chains.find(({ id }) => id === 'ethereum')
if (chain === undefined) throw new Error('there is no ethereum')
const asset = assets.find(({ id }) => id === 'ethereum:wbtc')
if (asset === undefined) throw new Error('there is no wbtc')
const waits = (of: typeof asset, amounts: readonly bigint[]) => amounts.map((amount) => requiredConfirmations(chain, of, amount, 'source'))

test('on EVM chains a larger deposit waits for more blocks; a payment of the solver does not', () => {
  const { maxAmount } = asset
  expect(waits(asset, [1n, maxAmount / 10n - 1n, maxAmount / 10n, maxAmount / 2n - 1n, maxAmount / 2n, maxAmount])).toEqual([
    6, 6, 12, 12, 30, 30,
  ])
  expect(requiredConfirmations(chain, asset, maxAmount, 'destination')).toBe(6)
})

test('every asset of an EVM chain has tiers that ascend and begin with those of its chain', () => {
  for (const { chains: all, assets: listed } of Object.values(environments)) {
    for (const { chain: id, confirmationTiers = [] } of listed) {
      const of = all.find((one) => one.id === id)
      if (of?.family !== 'evm') continue
      expect(confirmationTiers[0]).toEqual({ from: 0n, confirmations: of.requiredConfirmations })
      expect(confirmationTiers.length).toBe(3)
      expect(confirmationTiers.every((tier, n) => n === 0 || tier.from > (confirmationTiers[n - 1]?.from ?? 0n))).toBe(true)
    }
  }
})

test('an operator may raise the confirmations of any amount, and lower none', () => {
  const asked = [
    { from: 0n, confirmations: 2 },
    { from: 1000n, confirmations: 9 },
    { from: 90_000_000n, confirmations: 20 },
  ]
  const [raised] = raiseTiers(chains, [asset], { 'ethereum:wbtc': asked })
  expect(waits(raised ?? asset, [1n, 999n, 1000n, 10_000_000n, 50_000_000n, 90_000_000n])).toEqual([6, 6, 9, 12, 30, 30])
  const bitcoin = assets.find(({ id }) => id === 'starknet:wbtc')
  if (bitcoin === undefined) throw new Error('there is no starknet:wbtc')
  const [without] = raiseTiers(chains, [bitcoin], { 'starknet:wbtc': [{ from: 5n, confirmations: 40 }] })
  expect(without?.confirmationTiers?.map(({ from, confirmations }) => [from, confirmations > 39])).toEqual([
    [0n, false],
    [5n, true],
  ])
})

describe('the check of addresses', () => {
  it.each([
    ['evm', '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33bf'],
    ['evm', '0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf'],
    ['solana', 'cbbtcf3aa214zXHbiAZQwf4122FBYbraNdFqgw4iMi'],
    ['solana', 'cbbtcf3aa214zXHbiAZQwf4122FBYbraNdFqgw4iMi0'],
    ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T'],
    ['tron', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
    ['starknet', '0x3fe2b97c1fd336e750087d68b9b867997fd64a2661ff3ca5a7c771641e8e7ac'],
    ['starknet', `0x${'f'.repeat(64)}`],
    ['bitcoin', 'bc1q'],
  ] as const)('refuses on %s the address %s', (family, address) => {
    expect(() => assertAddress(family, address)).toThrow()
  })
})
