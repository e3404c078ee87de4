/** Tests which addresses each network accepts, and how they are printed. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { bech32m } from '@scure/base'
import { describe, expect, it } from 'vitest'
import { networkOf } from '../networks.ts'
import { parseBitcoinAddress, scriptOfAddress } from './address.ts'

const mainnet = networkOf('bitcoin:mainnet')
const testnet = networkOf('bitcoin:testnet')
const regtest = networkOf('bitcoin:regtest')
const litecoin = networkOf('litecoin:mainnet')
const litecoinTestnet = networkOf('litecoin:testnet')
const litecoinRegtest = networkOf('litecoin:regtest')
const MWEB_ADDRESS =
  'tmweb1qqvf7g08z0lfvqyqm7awf4fyypx8cv2mj3me27hym35guf23qfkpnvq5csu80yd7n3w2s7644t2eq8jrtdfj0k2tz2smmfermvzc8n8xpfyckvl6l'

describe('addresses', () => {
  // The scripts are from BIP173, BIP350 and Bitcoin Core's own vectors.
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
    // Litecoin has the same scripts under its own prefixes. It reads two forms of a script hash.
    [litecoin, 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    [litecoin, 'LPUSYubqPVb46fGu88uGwR42u8jCBxqwqx', '76a9142e9df0aa5f77ef3e46cbf24d3f6d32288d5ca09388ac'],
    [litecoin, 'MVDCJxZd4A5VUm81QmeC1qf6U7LASsr7LT', 'a914e9c3dd0c07aac76179ebc76a6c78d4d67c6c160a87'],
    [litecoin, '3P14159f73E4gFr7JterCCQh9QjiTjiZrG', 'a914e9c3dd0c07aac76179ebc76a6c78d4d67c6c160a87'],
    [litecoinRegtest, 'rltc1q7lvdrrdq7xe7fh0a4lxc2krqrvd6pn6m6smag4', '0014f7d8d18da0f1b3e4ddfdafcd8558601b1ba0cf5b'],
    [litecoinRegtest, 'QWPTCBtUyHFyf8E8buYwXWBtQRD4SU5RPw', 'a9146b52758c5ee488b233947087974b48c2a21b726687'],
  ])('pays %o %s by its script', (network, text, script) => {
    expect(bytesToHex(scriptOfAddress(text, network))).toBe(script)
  })

  it('prints segwit in lower case and base58 as it is', () => {
    expect(parseBitcoinAddress('BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', mainnet)).toBe('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
    expect(parseBitcoinAddress('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', mainnet)).toBe('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')
  })

  it('prints the form that cannot be mistaken for Bitcoin if a network has two', () => {
    for (const text of ['3P14159f73E4gFr7JterCCQh9QjiTjiZrG', 'MVDCJxZd4A5VUm81QmeC1qf6U7LASsr7LT'])
      expect(parseBitcoinAddress(text, litecoin)).toBe('MVDCJxZd4A5VUm81QmeC1qf6U7LASsr7LT')
    expect(parseBitcoinAddress('2N2JD6wb56AfK4tfmM6PwdVmoYk2dCKf4Br', litecoinTestnet)).toMatch(/^Q/)
  })

  it.each([
    [mainnet, 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', /another network: expected "bc1/],
    [testnet, 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', /another network: expected "tb1/],
    [regtest, '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', /another network than regtest/],
    [mainnet, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5', /checksum/],
    [mainnet, 'bc1Qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', /mixes upper and lower/],
    // BIP350: these are version 1 with the checksum of version 0, and the reverse.
    [testnet, 'tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47', /wrong kind/],
    [mainnet, 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd', /wrong kind/],
    // These are a taproot output whose key is not on the curve, pay-to-anchor, and a later witness version.
    [mainnet, bech32m.encode('bc', [1, ...bech32m.toWords(new Uint8Array(32).fill(255))]), /not on the curve/],
    [mainnet, 'bc1pfeessrawgf', /not a known kind/],
    [mainnet, 'BC1SW50QGDZ25J', /not a known kind/],
    [mainnet, '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb', /neither bech32 nor base58/],
    [mainnet, '', /neither bech32 nor base58/],
    [mainnet, `bc1q${'q'.repeat(200)}`, /too long/],
    // Litecoin's addresses are not Bitcoin's, and the reverse. A confidential address cannot be paid from an HTLC.
    [mainnet, 'MVDCJxZd4A5VUm81QmeC1qf6U7LASsr7LT', /not a Bitcoin address that we can pay: it belongs to another network/],
    [mainnet, 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9', /another network: expected "bc1/],
    [litecoin, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', /not a Litecoin address that we can pay: .* expected "ltc1/],
    [litecoin, '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', /another network than mainnet/],
    [litecoinRegtest, 'LPUSYubqPVb46fGu88uGwR42u8jCBxqwqx', /another network than regtest/],
    [litecoinRegtest, MWEB_ADDRESS, /MWEB/],
    [mainnet, MWEB_ADDRESS.toUpperCase(), /MWEB/],
    [litecoin, 'ltcmweb1qq', /MWEB/],
  ])('on %o refuses %s', (network, text, reason) => {
    expect(() => parseBitcoinAddress(text, network)).toThrow(
      expect.objectContaining({ code: 'invalid_address', message: expect.stringMatching(reason) }),
    )
  })
})
