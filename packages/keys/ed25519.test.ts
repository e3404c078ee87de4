import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, test } from 'vitest'
import { createEd25519Key } from './ed25519.ts'
import { testPurpose } from './keys.fixture.ts'

// RFC 8032, 7.1: TEST 1 to 3.
const vectors = [
  {
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
  {
    seed: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    publicKey: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    message: 'af82',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
]

describe('an ed25519 key', () => {
  test.each(vectors)('signs as RFC 8032 says: "$message"', ({ seed, publicKey, message, signature }) => {
    const key = createEd25519Key(seed)
    expect(bytesToHex(key.publicKey)).toBe(publicKey)
    const signed = key.signerFor(testPurpose).signMessage(hexToBytes(message))
    expect(bytesToHex(signed)).toBe(signature)
    expect(ed25519.verify(signed, hexToBytes(message), key.publicKey)).toBe(true)
  })

  test('does not expose its private key', () => {
    const key = createEd25519Key('42'.repeat(32))
    for (const shown of [key, key.signerFor(testPurpose)]) expect(JSON.stringify(shown)).not.toContain('42'.repeat(32))
  })

  test.each(['', '42'.repeat(31), 'zz'.repeat(32)])('refuses "%s" without quoting it', (text) => {
    expect(() => createEd25519Key(text)).toThrow(/^a private key must be 32 bytes as hex and valid on ed25519$/)
  })
})
