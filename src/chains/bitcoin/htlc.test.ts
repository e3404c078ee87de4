import { bytesToHex } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { createSigner } from '../../engine/signer.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { hashSecret } from '../../protocol/secret.ts'
import { htlcOf } from './htlc.ts'
import { identityOf } from './identity.ts'
import { networkOf } from './networks.ts'

const initiator = identityOf(createSigner('01'.repeat(32)))
const redeemer = identityOf(createSigner('02'.repeat(32)))
const terms: HtlcTerms = {
  asset: 'bitcoin_regtest:btc',
  initiator,
  redeemer,
  amount: 100_000n,
  secretHash: hashSecret('03'.repeat(32)),
  timelock: 144n,
}

// Frozen: money is waiting under these addresses. The leaves were accepted by bitcoind, redeemed and refunded.
const I = '1b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f'
const R = '4d4b6cd1361032ca9bd2aeb9d900aa4d45d9ead80ac9423374c451a7254d0766'
const H = '648aa5c579fb30f38af744d97d6ec840c7a91277a499a0d780f3e7314eca090b'
const NUMS = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0'

const vectors = [
  ['bitcoin:regtest', 1n, '51', 'bcrt1pu6pcluwef7ej69qmpv3gespafflzcrfrrj6sr54f0v77m7qh76cqzn8uuy'],
  ['bitcoin:regtest', 16n, '60', 'bcrt1pcjmzk3nrrrj76md9v70tpernag35hnnd54ww2srsrxf8g8p3zqjq45feet'],
  ['bitcoin:regtest', 17n, '0111', 'bcrt1pzxxvca4z370qkwfhs5eluvk6f4jadc0azk0n0hm09kdm82vnhtfs2jxls8'],
  ['bitcoin:regtest', 144n, '029000', 'bcrt1pu7ne549udlhzjnzc3xs37dmccrh9x0nutkagsv9g64z55kjth4uskkmqf0'],
  ['bitcoin:mainnet', 144n, '029000', 'bc1pu7ne549udlhzjnzc3xs37dmccrh9x0nutkagsv9g64z55kjth4usv88fx6'],
  ['bitcoin:testnet', 65_535n, '03ffff00', 'tb1pdjtj6sswgutrzzm5n94tpethutdwv0tldqg2dryv3dvtedeq03hsv6wr9j'],
] as const

describe('the HTLC output', () => {
  it.each(vectors)('on %s with a timelock of %s blocks', (reference, timelock, push, address) => {
    const htlc = htlcOf({ ...terms, timelock }, networkOf(reference))
    expect(bytesToHex(htlc.refund.script)).toBe(`${push}b27520${I}ac`)
    expect(bytesToHex(htlc.redeem.script)).toBe(`82012088a820${H}8820${R}ac`)
    expect(bytesToHex(htlc.instantRefund.script)).toBe(`20${I}ac20${R}ba529c`)
    expect(htlc.address).toBe(address)
  })

  it('proves its leaves: redeem at depth 1, the others at depth 2, under the unspendable key', () => {
    const { redeem, refund, instantRefund } = htlcOf(terms, networkOf('bitcoin:regtest'))
    const proofs = [redeem, refund, instantRefund].map((leaf) => bytesToHex(leaf.controlBlock))
    expect(proofs).toEqual([
      `c0${NUMS}9efe3c331411668a04a967d3e14854881b35b7502ea369d3975886d9ae9cc52b`,
      `c0${NUMS}75d72a0553de2ed05c0d0614e6cf41e2d881790bf6b996d0b5ce8186c02eacb3076489c3f034a40bc47d39a9fca15ee8326742e79d443699f6a1012e49f7d32c`,
      `c0${NUMS}d64bb3d08fc325df2cb872ac9d87ee20eeb97ea2d6aace0dcc2579c81e626cb2076489c3f034a40bc47d39a9fca15ee8326742e79d443699f6a1012e49f7d32c`,
    ])
  })

  it('does not depend on amount and asset, which the output itself carries', () => {
    const network = networkOf('bitcoin:regtest')
    expect(htlcOf({ ...terms, amount: 5n, asset: 'other:btc' }, network).address).toBe(htlcOf(terms, network).address)
  })

  it.each([
    ['a timelock of 0 blocks', { timelock: 0n }],
    ['a timelock beyond 16 bits', { timelock: 65_536n }],
    ['an initiator that is no key', { initiator: 'f'.repeat(64) }],
    ['a redeemer in upper case', { redeemer: redeemer.toUpperCase() }],
    ['a redeemer with a parity byte', { redeemer: `02${redeemer}` }],
    ['a short secret hash', { secretHash: '00' }],
  ])('refuses %s', (_, wrong) => {
    expect(() => htlcOf({ ...terms, ...wrong }, networkOf('bitcoin:regtest'))).toThrow(expect.objectContaining({ code: 'bad_request' }))
  })
})
