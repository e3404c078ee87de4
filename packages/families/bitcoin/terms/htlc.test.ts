/** Tests the HTLC output against fixed vectors and a general implementation. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { p2tr } from '@scure/btc-signer'
import { keyAggExport, keyAggregate, sortKeys } from '@scure/btc-signer/musig2.js'
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import { describe, expect, it } from 'vitest'
import { htlcOf } from './htlc.ts'
import { networkOf } from './networks.ts'
import { identityOf } from './script/user-key.ts'

const initiator = identityOf(createSecp256k1Key('01'.repeat(32)))
const redeemer = identityOf(createSecp256k1Key('02'.repeat(32)))
const terms: HtlcTerms = {
  asset: 'bitcoin_regtest:btc',
  initiator,
  redeemer,
  amount: 100_000n,
  secretHash: hashSecret('03'.repeat(32)),
  timelock: 144n,
}

// These addresses are frozen: money is waiting under them. The leaves were accepted by bitcoind, redeemed and refunded.
const I = '1b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f'
const R = '4d4b6cd1361032ca9bd2aeb9d900aa4d45d9ead80ac9423374c451a7254d0766'
const H = '648aa5c579fb30f38af744d97d6ec840c7a91277a499a0d780f3e7314eca090b'
const BOTH = 'b35c01debe47329405cda71d5fcccce88ba797e8167b6accb15c8b45601d0162'

const vectors = [
  ['bitcoin:regtest', 1n, '51', 'bcrt1prp6lqhv3qkq0aqqs2dgng33h5dl4clr2k3wjg6rex345qtcxxp4ssg62f4'],
  ['bitcoin:regtest', 16n, '60', 'bcrt1prspdhkahsasf604wummm7sflgse8c4fsgnqwaa0dz4a5pap8zyqqjvr4ve'],
  ['bitcoin:regtest', 17n, '0111', 'bcrt1prq0mxc3w54u2peepkuxpn480cqm7mwmmxfxf07gufa3d7rdh36fqpc3sn8'],
  ['bitcoin:regtest', 144n, '029000', 'bcrt1pkfxsgmav7weale703nmehuecge54d782r3wdju4pjkzdurpfsm7qs83xev'],
  ['bitcoin:mainnet', 144n, '029000', 'bc1pkfxsgmav7weale703nmehuecge54d782r3wdju4pjkzdurpfsm7q2kd0ke'],
  ['bitcoin:testnet', 65_535n, '03ffff00', 'tb1pwt2xp9a68hr0xvhdssrh6dlj7y7pxzu87vl7h4ujs60x74z8fw6qr6ytjc'],
] as const

describe('the HTLC output', () => {
  it.each(vectors)('on %s with a timelock of %s blocks', (reference, timelock, push, address) => {
    const htlc = htlcOf({ ...terms, timelock }, networkOf(reference))
    expect(bytesToHex(htlc.refund.script)).toBe(`${push}b27520${I}ac`)
    expect(bytesToHex(htlc.redeem.script)).toBe(`82012088a820${H}8820${R}ac`)
    expect(bytesToHex(htlc.instantRefund.script)).toBe(`20${I}ac20${R}ba529c`)
    expect(htlc.address).toBe(address)
  })

  it('proves its leaves: redeem at depth 1, the others at depth 2, under the key of both parties', () => {
    const { redeem, refund, instantRefund } = htlcOf(terms, networkOf('bitcoin:regtest'))
    const proofs = [redeem, refund, instantRefund].map((leaf) => bytesToHex(leaf.controlBlock))
    expect(proofs).toEqual([
      `c1${BOTH}9efe3c331411668a04a967d3e14854881b35b7502ea369d3975886d9ae9cc52b`,
      `c1${BOTH}75d72a0553de2ed05c0d0614e6cf41e2d881790bf6b996d0b5ce8186c02eacb3076489c3f034a40bc47d39a9fca15ee8326742e79d443699f6a1012e49f7d32c`,
      `c1${BOTH}d64bb3d08fc325df2cb872ac9d87ee20eeb97ea2d6aace0dcc2579c81e626cb2076489c3f034a40bc47d39a9fca15ee8326742e79d443699f6a1012e49f7d32c`,
    ])
  })

  it.each([
    ['the initiator first', '11', '22'],
    ['the redeemer first', '22', '11'],
    ['one key twice', '33', '33'],
  ])('equals the result of a general implementation of BIP327 and BIP341: %s', (_, one, other) => {
    const network = networkOf('bitcoin:regtest')
    const [first, second] = [createSecp256k1Key(one.repeat(32)), createSecp256k1Key(other.repeat(32))]
    const htlc = htlcOf({ ...terms, initiator: identityOf(first), redeemer: identityOf(second) }, network)
    const even = ({ publicKey }: typeof first) => Uint8Array.of(2, ...publicKey.subarray(1))
    const internalKey = keyAggExport(keyAggregate(sortKeys([even(first), even(second)])))
    const [redeem, refund, instantRefund] = [htlc.redeem, htlc.refund, htlc.instantRefund].map(({ script }) => ({ script }))
    if (redeem === undefined || refund === undefined || instantRefund === undefined) throw new Error('expected three leaves')
    expect(htlc.address).toBe(p2tr(internalKey, [redeem, [refund, instantRefund]], network, true).address)
  })

  it('does not depend on amount and asset, which the output itself carries', () => {
    const network = networkOf('bitcoin:regtest')
    expect(htlcOf({ ...terms, amount: 5n, asset: 'other:btc' }, network).address).toBe(htlcOf(terms, network).address)
  })

  it('is not mixed up with other terms by the cache', () => {
    const network = networkOf('bitcoin:regtest')
    const others = [
      { initiator: redeemer, redeemer: initiator },
      { timelock: 145n },
      { secretHash: H.replace('6', '7') },
      { initiator: redeemer },
    ]
    const addresses = () => [terms, ...others.map((other) => ({ ...terms, ...other }))].map((one) => htlcOf(one, network).address)
    expect(new Set(addresses()).size).toBe(5)
    expect(addresses()).toEqual(addresses())
    expect(htlcOf(terms, networkOf('bitcoin:mainnet')).address).toMatch(/^bc1p/)
  })

  it.each([
    ['a timelock of 0 blocks', { timelock: 0n }],
    ['a timelock beyond 16 bits', { timelock: 65_536n }],
    ['an initiator that is not a key', { initiator: 'f'.repeat(64) }],
    ['a redeemer in upper case', { redeemer: redeemer.toUpperCase() }],
    ['a redeemer with a parity byte', { redeemer: `02${redeemer}` }],
    ['a short secret hash', { secretHash: '00' }],
  ])('refuses %s', (_, wrong) => {
    expect(() => htlcOf({ ...terms, ...wrong }, networkOf('bitcoin:regtest'))).toThrow(expect.objectContaining({ code: 'bad_request' }))
  })
})
