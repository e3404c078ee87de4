/** Tests which texts are an address or an X-address, against xrpl.js. */
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import { describe, expect, test } from 'vitest'
import { classicAddressToXAddress, deriveAddress, isValidClassicAddress, isValidXAddress, xAddressToClassicAddress } from 'xrpl'
import { accountOf, assertInitiator, parseAddress, partyOf, publicKeyHex } from './address.ts'
import { encodeTagged, isAccount, parseTagged } from './address-codec.ts'
import { networkField, networkIdOf } from './network.ts'

const mainnet = { id: 'xrpl', reference: 'xrpl:mainnet' }
const testnet = { id: 'xrpl_testnet', reference: 'xrpl:testnet' }
const ADDRESS = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'

describe('an address', () => {
  test('keeps a tag, also the tag 0, and drops nothing else of an X-address', () => {
    for (const tag of [0, 7, 2 ** 32 - 1]) {
      const tagged = classicAddressToXAddress(ADDRESS, tag, false)
      expect(parseAddress(mainnet, tagged)).toBe(tagged)
      expect(partyOf(tagged)).toEqual({ account: ADDRESS, tag })
    }
    expect(parseAddress(mainnet, classicAddressToXAddress(ADDRESS, false, false))).toBe(ADDRESS)
    expect(partyOf(ADDRESS)).toEqual({ account: ADDRESS, tag: null })
  })

  test('of another network is refused, and so is one of which nobody has the key', () => {
    expect(() => parseAddress(testnet, classicAddressToXAddress(ADDRESS, 7, false))).toThrow(
      /is for the main network, and xrpl_testnet is one/,
    )
    expect(() => parseAddress(mainnet, classicAddressToXAddress(ADDRESS, 7, true))).toThrow(/is for test networks, and xrpl is not/)
    expect(() => parseAddress(mainnet, 'rrrrrrrrrrrrrrrrrrrrrhoLvTp')).toThrow(/nobody has its key/)
    expect(() => parseAddress(mainnet, classicAddressToXAddress('rrrrrrrrrrrrrrrrrrrrBZbvji', 7, false))).toThrow(/nobody has its key/)
  })

  test('that is a secret seed is refused without repeating it', () => {
    for (const seed of ['snoPBrXtMeMyMHUVTgbuqAfg1SUTb', 'sEdTM1uX8pu2do5XvTnutH6HsouMaM2']) {
      expect(() => parseAddress(mainnet, seed)).toThrow(
        expect.objectContaining({ code: 'invalid_address', message: expect.not.stringContaining(seed) }),
      )
    }
  })
})

test('the codec agrees with xrpl.js, also on texts with one character changed', () => {
  for (let index = 1; index <= 20; index += 1) {
    const key = createEd25519Key(index.toString(16).padStart(64, '0'))
    const account = accountOf(key)
    expect(account).toBe(deriveAddress(publicKeyHex(key)))
    const [tag, isTest] = [index % 3 === 0 ? null : (index * 214_748_364) % 2 ** 32, index % 2 === 0]
    const tagged = encodeTagged({ account, tag, isTest })
    expect(tagged).toBe(classicAddressToXAddress(account, tag ?? false, isTest))
    expect(parseTagged(tagged)).toEqual({ account, tag, isTest })
    expect(xAddressToClassicAddress(tagged)).toEqual({ classicAddress: account, tag: tag ?? false, test: isTest })
    for (const text of [account, tagged]) {
      const changed = `${text.slice(0, index)}${text[index] === 'r' ? 'p' : 'r'}${text.slice(index + 1)}`
      expect([isAccount(changed), parseTagged(changed) !== null]).toEqual([isValidClassicAddress(changed), isValidXAddress(changed)])
    }
  }
})

test('an initiator has no tag and pays itself', () => {
  assertInitiator(ADDRESS, null)
  assertInitiator(ADDRESS, ADDRESS)
  expect(() => assertInitiator(classicAddressToXAddress(ADDRESS, 7, false), null)).toThrow(
    expect.objectContaining({ code: 'invalid_address' }),
  )
  expect(() => assertInitiator(ADDRESS, 'rQrFNnvPGNNMqRcVRMbtBK3hpYaPzoa8K9')).toThrow(expect.objectContaining({ code: 'bad_request' }))
})

test('transactions name networks above 1024 only', () => {
  expect(networkField({ id: 'x', reference: 'xrpl:1024' })).toEqual({})
  expect(networkField({ id: 'x', reference: 'xrpl:1025' })).toEqual({ NetworkID: 1025 })
  expect([mainnet, testnet].map(networkIdOf)).toEqual([0, 1])
  for (const reference of ['xrpl:nonet', 'evm:1', 'xrpl:'])
    expect(() => networkIdOf({ id: 'x', reference })).toThrow(/expected xrpl:<network>/)
})
