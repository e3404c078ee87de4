/** What two parties must mean alike changes the digest; what each may choose does not. */
import { localRegistry } from '@tandem/families/local-registry.fixture.ts'
import { expect, test } from 'vitest'
import { assertSameListing, listingOf } from './listing-digest.ts'

const ID = 'ethereum_localnet:wbtc'
const registry = localRegistry({ [ID]: { htlc: '0x12', token: '0x34' } })
const [asset, chain] = [registry.asset(ID), registry.chain('ethereum_localnet')]
const withAsset = (changes: object) => listingOf({ chain: () => chain, asset: () => ({ ...asset, ...changes }) }, ID)
const withChain = (changes: object) => listingOf({ chain: () => ({ ...chain, ...changes }), asset: () => asset }, ID)
const known = listingOf(registry, ID)

test.each<readonly [what: string, digest: string]>([
  ['decimals', withAsset({ decimals: 9 })],
  ['HTLC', withAsset({ deployment: { htlc: '0x13', token: '0x34' } })],
  ['token', withAsset({ deployment: { htlc: '0x12', token: '0x35' } })],
  ['kind of HTLC', withAsset({ htlcSchema: 'other' })],
  ['kind of token', withAsset({ tokenSchema: 'other' })],
  ['reference', withChain({ reference: 'evm:1' })],
  ['family', withChain({ family: 'other' })],
  ['source timelock', withChain({ timelocks: { ...chain.timelocks, source: 1n } })],
  ['destination timelock', withChain({ timelocks: { ...chain.timelocks, destination: 1n } })],
  ['clock', withChain({ clock: { ...chain.clock, unit: 'blocks' } })],
  ['form of the expiry', withChain({ clock: { ...chain.clock, expiry: 'absolute' } })],
])('another %s is another listing, which a solver refuses', (_, digest) => {
  expect(digest).toMatch(/^[0-9a-f]{32}$/)
  expect(digest).not.toBe(known)
  expect(() => assertSameListing(registry, ID, digest)).toThrow(expect.objectContaining({ code: 'unsupported_pair' }))
})

test('names, limits and confirmations may differ, and a service that gives no digest is not compared', () => {
  expect(withAsset({ name: 'Other', minAmount: 1n, icon: { text: 'X', color: '#000000' } })).toBe(known)
  expect(withChain({ requiredConfirmations: 9, displayName: 'Other', explorerUrl: 'https://other.example' })).toBe(known)
  expect(() => assertSameListing(registry, ID, known)).not.toThrow()
  expect(() => assertSameListing(registry, ID, undefined)).not.toThrow()
})
