// These tests show that the client and the wallets' SDK give the same ids, digests, calldata and events.
import fc from 'fast-check'
import { CallData, cairo, hash, num, shortString as sdkShortString, typedData } from 'starknet'
import { describe, expect, it } from 'vitest'
import {
  approveCall,
  type Call,
  domainNameCall,
  initiateCall,
  initiatedAtCall,
  initiateOnBehalfCall,
  initiateWithSignatureCall,
  instantRefundCall,
  redeemCall,
  refundCall,
  selectors,
  tokenCall,
  transferCall,
} from './calls.ts'
import { decodeEvent, encodeEvent, eventKeys } from './events.ts'
import { type Felt, felt, fieldPrime, poseidon, selectorOf, shortString } from './felt.ts'
import { type Deployment, hexOfWords, type OrderTerms, orderId, wordsOf } from './order.ts'
import { domainName, initiateDigest, initiateTypedData, refundDigest, refundTypedData } from './typed-data.ts'

const deployment: Deployment = {
  chainId: shortString('SN_SEPOLIA'),
  address: '0x6e8b0f4b6f7a6f2d6b7a1cf0a5e7d1c0b5f2d7e8c9a0b1c2d3e4f5061728394',
}
const terms: OrderTerms = {
  initiator: '0xa11ce',
  redeemer: '0x17e3d6a2f1c4b5a697887766554433221100ffeeddccbbaa99887766554433',
  timelock: 1728n,
  amount: 123456789012345678901234567890123456789012n,
  secretHash: '4bb06f8e4e3a7715d201d573d0aa423762e5dabd61a20f7f5c2a9c6cffffffff',
}
const secret = '0700000000000001000000020000000300000004000000050000000600000007'
const words = wordsOf(terms.secretHash)
const amount = cairo.uint256(terms.amount)

const anyFelt = fc.bigInt({ min: 0n, max: fieldPrime - 1n }).map(felt)
const anyAddress = fc.bigInt({ min: 2n, max: 2n ** 251n - 257n }).map(felt)
const anyHex = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'))
const anyTerms = fc.record({
  initiator: anyAddress,
  redeemer: anyAddress,
  timelock: fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
  amount: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  secretHash: anyHex,
})
const anyDeployment = fc.record({ chainId: fc.constantFrom('SN_MAIN', 'SN_SEPOLIA').map(shortString), address: anyAddress })

describe('felts', () => {
  it('hash as the SDK does', () => {
    fc.assert(
      fc.property(fc.array(anyFelt, { maxLength: 7 }), (elements) => {
        expect(poseidon(elements)).toBe(hash.computePoseidonHashOnElements(elements))
      }),
      { numRuns: 20 },
    )
    expect(selectorOf('initiate_on_behalf')).toBe(hash.getSelectorFromName('initiate_on_behalf'))
  })

  it('are numbers of the field, and texts of at most 31 characters', () => {
    expect(() => felt(fieldPrime)).toThrow('field')
    expect(() => felt(-1n)).toThrow('field')
    expect(shortString('SN_MAIN')).toBe(sdkShortString.encodeShortString('SN_MAIN'))
    for (const text of ['', 'x'.repeat(32), 'ü']) expect(() => shortString(text)).toThrow('short string')
  })
})

describe('an order', () => {
  it('has an id of all its terms, its contract and its chain', () => {
    const layout = [
      deployment.chainId,
      deployment.address,
      terms.initiator,
      terms.redeemer,
      terms.timelock,
      amount.low,
      amount.high,
      ...words,
    ]
    expect(orderId(deployment, terms)).toBe(hash.computePoseidonHashOnElements(layout.map((value) => num.toHex(value))))
    const other = '0x77' as Felt
    const variants = [
      orderId({ ...deployment, chainId: other }, terms),
      orderId({ ...deployment, address: other }, terms),
      ...[{ initiator: other }, { redeemer: other }, { timelock: 1729n }, { amount: terms.amount + 1n }, { secretHash: secret }].map(
        (change) => orderId(deployment, { ...terms, ...change }),
      ),
    ]
    expect(new Set([orderId(deployment, terms), ...variants]).size).toBe(8)
  })

  it('has hashes of exactly 32 bytes and numbers of a fixed size', () => {
    expect(words.slice(0, 2)).toEqual([0x4bb06f8e, 0x4e3a7715])
    expect(hexOfWords(words.map(BigInt))).toBe(terms.secretHash)
    for (const hex of ['', terms.secretHash.slice(2), `0x${terms.secretHash}`]) expect(() => wordsOf(hex)).toThrow('64 hex digits')
    expect(hexOfWords([2n ** 32n, 0n, 0n, 0n, 0n, 0n, 0n, 0n])).toBeNull()
    expect(() => orderId(deployment, { ...terms, timelock: 2n ** 128n })).toThrow('128 bits')
    expect(() => orderId(deployment, { ...terms, amount: 2n ** 256n })).toThrow('128 bits')
  })
})

describe('typed data', () => {
  it('are accepted by the SDK, after a trip through JSON, and hash to what the contract computes', () => {
    fc.assert(
      fc.property(anyDeployment, anyTerms, (where, order) => {
        const asked = JSON.parse(JSON.stringify([initiateTypedData(where, order), refundTypedData(where, order)]))
        for (const data of asked) expect(typedData.validateTypedData(data)).toBe(true)
        expect(initiateDigest(where, order)).toBe(typedData.getMessageHash(asked[0], order.initiator))
        expect(refundDigest(where, order)).toBe(typedData.getMessageHash(asked[1], order.redeemer))
      }),
      { numRuns: 5 },
    )
  })

  it('name the deployment in the domain', () => {
    expect(domainName(deployment)).toBe('HTLC-7e8c9a0b1c2d3e4f5061728394')
    expect(domainName({ ...deployment, address: '0xabc' })).toBe(`HTLC-${'0'.repeat(23)}abc`)
    expect(initiateTypedData(deployment, terms).domain).toEqual({
      name: domainName(deployment),
      version: '0x31',
      chainId: '0x534e5f5345504f4c4941',
      revision: 1,
    })
  })

  it('have the message and the types to the letter', () => {
    const { message, types, primaryType } = initiateTypedData(deployment, terms)
    expect(primaryType).toBe('Initiate')
    expect(message).toEqual({
      redeemer: terms.redeemer,
      amount: { low: num.toHex(amount.low), high: num.toHex(amount.high) },
      timelock: '1728',
      secretHash: words,
    })
    expect(types.Initiate.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      'redeemer: ContractAddress',
      'amount: u256',
      'timelock: u128',
      'secretHash: u128*',
    ])
    expect(types.StarknetDomain.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      'name: shortstring',
      'version: shortstring',
      'chainId: shortstring',
      'revision: shortstring',
    ])
  })
})

describe('calls', () => {
  const { initiator, redeemer, timelock } = terms
  const order = [initiator, redeemer, timelock, amount]
  const htlc = deployment.address
  const signature: readonly Felt[] = ['0x1', '0x2', '0x3']

  it.each<[string, Call, unknown[]]>([
    ['approve', approveCall(htlc, htlc, terms.amount), [htlc, amount]],
    ['transfer', transferCall(htlc, redeemer, terms.amount), [redeemer, amount]],
    ['initiate', initiateCall(htlc, terms), [redeemer, timelock, amount, ...words]],
    ['initiate_on_behalf', initiateOnBehalfCall(htlc, terms), [...order, ...words]],
    ['initiate_with_signature', initiateWithSignatureCall(htlc, terms, signature), [...order, ...words, [...signature]]],
    ['redeem', redeemCall(htlc, terms, secret), [...order, ...wordsOf(secret)]],
    ['refund', refundCall(htlc, terms), [...order, ...words]],
    ['instant_refund', instantRefundCall(htlc, terms, []), [...order, ...words, []]],
    ['token', tokenCall(htlc), []],
    ['initiated_at', initiatedAtCall(htlc, '0x5'), ['0x5']],
    ['domain_name', domainNameCall(htlc), []],
  ])('%s has the calldata that the SDK makes', (name, { to, selector, calldata }, values) => {
    expect(to).toBe(htlc)
    expect(selector).toBe(hash.getSelectorFromName(name))
    expect(calldata).toEqual(CallData.compile(values as never).map((value) => num.toHex(value)))
  })

  it('have one selector each', () => {
    expect(new Set(Object.values(selectors)).size).toBe(Object.keys(selectors).length)
  })
})

describe('events', () => {
  it('are read as they are written', () => {
    fc.assert(
      fc.property(anyFelt, anyTerms, anyHex, (id, anyOrder, anySecret) => {
        for (const event of [
          { kind: 'initiated', orderId: id, terms: anyOrder },
          { kind: 'redeemed', orderId: id, secret: anySecret },
          { kind: 'refunded', orderId: id },
        ] as const) {
          const { keys, data } = encodeEvent(event)
          expect(decodeEvent(keys, data)).toEqual(event)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('are refused if the contract cannot have emitted them', () => {
    const { keys, data } = encodeEvent({ kind: 'initiated', orderId: '0x5', terms })
    expect(decodeEvent(keys.slice(0, 1), data)).toBeNull()
    expect(decodeEvent([...keys, '0x1'], data)).toBeNull()
    expect(decodeEvent([selectorOf('Transfer'), '0x5'], data)).toBeNull()
    expect(decodeEvent(keys, data.slice(1))).toBeNull()
    expect(decodeEvent(keys, [...data, '0x0'])).toBeNull()
    for (const index of [2, 3, 4, 5]) expect(decodeEvent(keys, data.with(index, felt(2n ** 128n)))).toBeNull()
    expect(decodeEvent([eventKeys.refunded, '0x5'], ['0x1'])).toBeNull()
    expect(decodeEvent([eventKeys.redeemed, '0x5'], ['0x1'])).toBeNull()
  })

  it('have the keys of their names, padded by a node or not', () => {
    expect(eventKeys.redeemed).toBe(hash.getSelectorFromName('Redeemed'))
    const padded = `0x${eventKeys.refunded.slice(2).padStart(64, '0')}`
    expect(decodeEvent([padded, '0x05'], [])).toEqual({ kind: 'refunded', orderId: '0x5' })
  })
})
