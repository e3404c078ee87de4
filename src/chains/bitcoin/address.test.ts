import { bytesToHex } from '@noble/hashes/utils.js'
import { bech32m } from '@scure/base'
import { describe, expect, it } from 'vitest'
import { parseBitcoinAddress, scriptOfAddress } from './address.ts'
import { networkOf } from './networks.ts'

const mainnet = networkOf('bitcoin:mainnet')
const testnet = networkOf('bitcoin:testnet')
const regtest = networkOf('bitcoin:regtest')

describe('addresses', () => {
  // Scripts from BIP173, BIP350 and Bitcoin Core's own vectors.
  it.each([
    [mainnet, 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    [
      testnet,
      'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
      '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
    ],
    [
      mainnet,
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
    [mainnet, '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac'],
    [mainnet, '3P14159f73E4gFr7JterCCQh9QjiTjiZrG', 'a914e9c3dd0c07aac76179ebc76a6c78d4d67c6c160a87'],
    [regtest, 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
  ])('pays %o %s by its script', (network, text, script) => {
    expect(bytesToHex(scriptOfAddress(text, network))).toBe(script)
  })

  it('prints segwit in lower case and base58 as it is', () => {
    expect(parseBitcoinAddress('BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', mainnet)).toBe('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
    expect(parseBitcoinAddress('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', mainnet)).toBe('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')
  })

  it.each([
    [mainnet, 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', /another network: expected "bc1/],
    [testnet, 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', /another network: expected "tb1/],
    [regtest, '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', /another network than regtest/],
    [mainnet, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5', /checksum/],
    [mainnet, 'bc1Qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', /mixes upper and lower/],
    // BIP350: version 1 with the checksum of version 0, and the reverse.
    [testnet, 'tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47', /wrong kind/],
    [mainnet, 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd', /wrong kind/],
    // A taproot output whose key is not on the curve, pay-to-anchor, and a later witness version.
    [mainnet, bech32m.encode('bc', [1, ...bech32m.toWords(new Uint8Array(32).fill(255))]), /not on the curve/],
    [mainnet, 'bc1pfeessrawgf', /not a known kind/],
    [mainnet, 'BC1SW50QGDZ25J', /not a known kind/],
    [mainnet, '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb', /neither bech32 nor base58/],
    [mainnet, '', /neither bech32 nor base58/],
    [mainnet, `bc1q${'q'.repeat(200)}`, /too long/],
  ])('on %o refuses %s', (network, text, reason) => {
    expect(() => parseBitcoinAddress(text, network)).toThrow(
      expect.objectContaining({ code: 'invalid_address', message: expect.stringMatching(reason) }),
    )
  })
})
