import { environments } from '@tandem/families/registry.ts'
import { describe, expect, it } from 'vitest'
import { requiredConfirmations } from './confirmations.ts'

const chain = environments.mainnet.chains.find(({ id }) => id === 'bitcoin')
if (chain === undefined) throw new Error('bitcoin is missing')
const confirmationTiers = [
  { from: 0n, confirmations: 1 },
  { from: 10n, confirmations: 2 },
  { from: 100n, confirmations: 5 },
]

describe('the confirmations that an amount waits for', () => {
  it.each([
    { amount: 0n, source: 1, destination: 1 },
    { amount: 9n, source: 1, destination: 1 },
    { amount: 10n, source: 2, destination: 2 },
    { amount: 99n, source: 2, destination: 2 },
    { amount: 100n, source: 5, destination: 2 },
    { amount: 10n ** 18n, source: 5, destination: 2 },
  ])('$amount: $source before the solver pays, $destination before the secret is shown', ({ amount, source, destination }) => {
    expect(requiredConfirmations(chain, { confirmationTiers }, amount, 'source')).toBe(source)
    expect(requiredConfirmations(chain, { confirmationTiers }, amount, 'destination')).toBe(destination)
  })

  it('without tiers are those of the chain', () => {
    for (const leg of ['source', 'destination'] as const) expect(requiredConfirmations(chain, {}, 1n, leg)).toBe(2)
  })

  it('are at least one', () => {
    for (const leg of ['source', 'destination'] as const)
      expect(requiredConfirmations(chain, { confirmationTiers: [{ from: 0n, confirmations: 0 }] }, 1n, leg)).toBe(1)
  })
})
