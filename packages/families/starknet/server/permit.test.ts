/** Tests that keys sign on Starknet what their purpose says, and nothing that a thief of everything but the key would ask for. */

import { localAssets, localChains } from '@tandem/families/registry.ts'
import { SigningRefused } from '@tandem/keys/permit.ts'
import { type OrderPurpose, orderPurpose, type Purpose, type SignedVerb } from '@tandem/keys/purpose.ts'
import { createStarkKey } from '@tandem/keys/stark.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { htlcClass } from '../contract/artifacts/htlc.ts'
import { approveCall, type Call, transferCall } from '../contract/client/calls.ts'
import { type Felt, felt, fieldPrime, selectorOf } from '../contract/client/felt.ts'
import { addressOfFelt, feltOf } from '../terms/address.ts'
import { starknetDataOf } from '../terms/chain-data.ts'
import {
  approvalCallOf,
  chainIdOf,
  createContracts,
  type HtlcContract,
  initiateCallOf,
  instantRefundCallOf,
  redeemCallOf,
  refundCallOf,
  signedInitiateCallOf,
} from '../terms/htlc.ts'
import { outsideCall, outsideExecutionOf } from '../terms/outside-execution.ts'
import { transferCallOf } from '../terms/transfer-call.ts'
import { accountOf } from './account.ts'
import { deployCall, ownDeployment } from './deploy/contents.ts'
import { maxFeeOf, usualRedeemGas } from './fees/gas.ts'
import { createPermit } from './permit.ts'
import { executeCalldata, noopCall } from './send/transaction.ts'
import type { AccountDeployment, Envelope } from './send/transaction-hash.ts'

const chain = orThrow(localChains.find(({ id }) => id === 'starknet_localnet'))
const wbtc = orThrow(localAssets.find(({ id }) => id === 'starknet_localnet:wbtc'))
const [TOKEN, NATIVE] = [wbtc.id, chain.nativeAsset]
const { accountClass, feeToken, maxPerGas } = starknetDataOf(chain)
const address = (byte: string) => addressOfFelt(`0x${byte.repeat(31)}`)
const contracts = createContracts(chain, [
  { ...wbtc, deployment: { htlc: address('a1'), token: address('a2') } },
  { ...wbtc, id: NATIVE, deployment: { htlc: address('b1'), token: feeToken } },
])
const [htlc, nativeHtlc] = [contracts.of(TOKEN), contracts.of(NATIVE)]
const permit = createPermit(chain, contracts)

const key = createStarkKey('01'.repeat(32))
const otherKey = createStarkKey('02'.repeat(32))
const own = accountOf(key, accountClass)
const [user, thief, third] = [address('c1'), address('d1'), address('e1')]
const secret = createSecret()
const otherSecret = createSecret()
const signature: readonly Felt[] = ['0x111', '0x222']

/** We are the initiator of what we pay, and the redeemer of what we are paid. */
const paying: HtlcTerms = { asset: TOKEN, initiator: own, redeemer: user, amount: 1_000n, timelock: 600n, secretHash: hashSecret(secret) }
const payingCoin: HtlcTerms = { ...paying, asset: NATIVE }
const paid: HtlcTerms = { ...paying, initiator: user, redeemer: own }
/** We are neither. */
const relayed: HtlcTerms = { ...paid, redeemer: third }

const purposeOf = (verb: SignedVerb, terms: HtlcTerms, gas?: bigint): OrderPurpose =>
  orderPurpose(chain.id, { order: 'order', leg: 'source', verb, terms, ...(gas !== undefined && { gas }) })

const envelopeOf = (by = key): Envelope => ({
  chainId: chainIdOf(chain),
  sender: feltOf(accountOf(by, accountClass)),
  nonce: 7n,
  gas: { l1Gas: 0n, l1DataGas: 200n, l2Gas: 2_000_000n },
  fees: { prices: { l1Gas: 10n ** 14n, l1DataGas: 10n ** 13n, l2Gas: 6n * 10n ** 10n }, tip: 10n ** 9n },
})
type Calls = readonly Call[]
const askRaw = (purpose: Purpose, calldata: readonly Felt[], { by = key, envelope = envelopeOf() } = {}) =>
  permit({ key: by, purpose, operation: 'invoke', args: [envelope, calldata] })
const ask = (purpose: Purpose, calls: Calls, how?: Parameters<typeof askRaw>[2]) => askRaw(purpose, executeCalldata({ calls }), how)

const locked = (contract: HtlcContract, terms: HtlcTerms): Calls => [
  approvalCallOf(contract, terms.amount),
  initiateCallOf(contract, terms, own),
]
const noop = noopCall(feltOf(feeToken), feltOf(own)).calls
const gift = (to: string, amount: bigint) => transferCall(feltOf(feeToken), feltOf(to), amount)
const redeem = redeemCallOf(htlc, paying, secret)
const outside = outsideExecutionOf(htlc, paid, own, 1_900_000_000n)
const withdrawal = { kind: 'withdraw', chain: chain.id, asset: TOKEN, recipient: user, amount: 5n } as const
const withdrawalOfCoin = { ...withdrawal, asset: NATIVE }
const deployment = { kind: 'deploy', chain: chain.id, asset: TOKEN } as const

/** What a user or a redeemer signed may be anything: the account decides about it. `free` counts its felts, which are the last. */
type Free = { readonly last: number; readonly deadline?: true }
type Allowed = readonly [what: string, purpose: Purpose, calls: Calls, free: Free]
const nothing: Free = { last: 0 }
const ofSignature: Free = { last: signature.length }
const ofOutside: Free = { ...ofSignature, deadline: true }
/** Before the call's own felts are the number of calls, an address, a selector and a count; before the execution's end are three of its felts. */
const DEADLINE_AT = 1 + 3 + 3

const ALLOWED: readonly Allowed[] = [
  ['a lock of a token', purposeOf('initiate', paying), locked(htlc, paying), nothing],
  ['a lock of the coin', purposeOf('initiate', payingCoin), locked(nativeHtlc, payingCoin), nothing],
  ['a redeem', purposeOf('redeem', paid), [redeemCallOf(htlc, paid, secret)], nothing],
  ['a redeem with gas', purposeOf('redeem', paying, 5n), [redeem, gift(user, 5n)], nothing],
  ['a redeem without the gas of the order', purposeOf('redeem', paying, 5n), [redeem], nothing],
  ['a refund', purposeOf('refund', paying), [refundCallOf(htlc, paying)], nothing],
  ['an instant refund', purposeOf('instant-refund', relayed), [instantRefundCallOf(htlc, relayed, signature)], ofSignature],
  ['an instant refund that is bumped', purposeOf('refund', relayed), [instantRefundCallOf(htlc, relayed, signature)], ofSignature],
  ['a refund that is bumped', purposeOf('instant-refund', relayed), [refundCallOf(htlc, relayed)], nothing],
  ['a relay', purposeOf('relay', paid), [signedInitiateCallOf(htlc, paid, signature)], ofSignature],
  ['a newer outside execution', purposeOf('relay', paid), [outsideCall('outside-execution-v2', user, outside, signature)], ofOutside],
  ['an older outside execution', purposeOf('relay', paid), [outsideCall('outside-execution-v1', user, outside, signature)], ofOutside],
  ['nothing, for a cancellation', purposeOf('cancel', paying), noop, nothing],
  ['nothing, in a fee bump of a cancellation', purposeOf('initiate', paying), noop, nothing],
  ['a transfer of inventory', withdrawal, [transferCallOf(chain, contracts, withdrawal)], nothing],
  ['a transfer of the coin', withdrawalOfCoin, [gift(user, 5n)], nothing],
  ['nothing, to free the nonce of a transfer', withdrawal, noop, nothing],
  ['the deployment of an HTLC', deployment, [deployCall(htlcClass.classHash, [htlc.token])], nothing],
]

const anyFelt = fc.bigInt({ min: 0n, max: fieldPrime - 1n }).map(felt)
const isNoop = (calls: Calls) => calls === noop

describe('a transaction', () => {
  test.each(ALLOWED)('may be %s', (_, purpose, calls) => {
    expect(() => ask(purpose, calls)).not.toThrow()
  })

  test.each(ALLOWED)('may not be %s with anything of it changed', (_, purpose, calls, free) => {
    const calldata = executeCalldata({ calls })
    const at = fc.nat(calldata.length - 1)
    const isFree = (index: number) => index >= calldata.length - free.last || (free.deadline === true && index === DEADLINE_AT)
    const nearby = (index: number) => felt((BigInt(calldata[index] ?? '0x0') + 1n) % fieldPrime)
    const substituted = fc.oneof(
      fc.tuple(at, anyFelt),
      at.map((index): [number, Felt] => [index, nearby(index)]),
      fc.tuple(at, fc.constantFrom(feltOf(thief), selectorOf('transfer'), selectorOf('approve'), htlc.token, feltOf(feeToken))),
    )
    fc.assert(
      fc.property(substituted, ([index, value]) => {
        fc.pre(calldata[index] !== value)
        const other = calldata.with(index, value)
        if (isFree(index)) expect(() => askRaw(purpose, other)).not.toThrow()
        else expect(() => askRaw(purpose, other)).toThrow(SigningRefused)
      }),
      { numRuns: 150 },
    )
    const longerOrShorter = fc.oneof(
      at.map((index) => calldata.toSpliced(index, 1)),
      fc.tuple(at, anyFelt).map(([index, value]) => calldata.toSpliced(index, 0, value)),
      at.map((length) => calldata.slice(0, length)),
      fc.array(anyFelt, { minLength: 1, maxLength: 5 }).map((more) => [...calldata, ...more]),
    )
    fc.assert(
      fc.property(longerOrShorter, (other) => {
        fc.pre(other.join() !== calldata.join())
        expect(() => askRaw(purpose, other)).toThrow(SigningRefused)
      }),
      { numRuns: 100 },
    )
  })

  test.each(ALLOWED)('may not be %s in other letters', (_, purpose, calls) => {
    const calldata = executeCalldata({ calls })
    const spellings = (value: Felt): readonly unknown[] => [
      value.replace('0x', '0x0'),
      `0x${(BigInt(value) + fieldPrime).toString(16)}`,
      `${BigInt(value)}`,
      value.replace('0x', '0X'),
      BigInt(value),
      [value],
      null,
    ]
    for (const [index, value] of calldata.entries())
      for (const other of spellings(value)) expect(() => askRaw(purpose, calldata.with(index, other as Felt))).toThrow(SigningRefused)
    for (const other of [calldata.join(), [calldata.join()], { ...calldata, length: calldata.length }, undefined])
      expect(() => askRaw(purpose, other as readonly Felt[])).toThrow('not that of an account')
  })

  test.each(ALLOWED)('may not be %s with another call', (_, purpose, calls) => {
    const others = [gift(thief, 1n), approveCall(htlc.token, feltOf(thief), 1n), approvalCallOf(htlc, 1n), ...noop, ...calls]
    for (const other of others) {
      expect(() => ask(purpose, [...calls, other])).toThrow(SigningRefused)
      expect(() => ask(purpose, [other, ...calls])).toThrow(SigningRefused)
    }
    if (calls.length > 1) expect(() => ask(purpose, calls.toReversed())).toThrow(SigningRefused)
    expect(() => ask(purpose, [])).toThrow(SigningRefused)
  })

  test.each(ALLOWED)('may not be %s on another chain, or of another account', (_, purpose, calls) => {
    expect(() => ask({ ...purpose, chain: 'base' }, calls)).toThrow('signs on starknet_localnet')
    expect(() => ask(purpose, calls, { by: otherKey })).toThrow('its sender is')
    expect(() => ask(purpose, calls, { envelope: envelopeOf(otherKey) })).toThrow('its sender is')
    expect(() => ask(purpose, calls, { envelope: { ...envelopeOf(), chainId: '0x534e5f4d41494e' } })).toThrow('chain id')
  })

  test.each(ALLOWED)('may not be %s for a purpose of another kind', (_, purpose, calls) => {
    const kinds: readonly Purpose[] = [
      { kind: 'claim', chain: chain.id, asset: TOKEN, recipient: user, total: 1n },
      { kind: 'fund', chain: chain.id, asset: TOKEN, contract: htlc.address, amount: 1_000n },
      { kind: 'rescue', chain: chain.id, terms: paying },
      { kind: 'deploy', chain: chain.id, asset: null },
      { kind: 'deploy', chain: chain.id, asset: NATIVE },
      { ...withdrawal, amount: 6n },
      purposeOf('initiate', { ...paying, amount: 1n }),
    ]
    const isAllowed = (kind: Purpose) => isNoop(calls) && (kind.kind === 'withdraw' || kind.kind === 'order')
    for (const other of kinds.filter((kind) => !isAllowed(kind))) expect(() => ask(other, calls), other.kind).toThrow(SigningRefused)
    if (purpose.kind !== 'order') return
    const [action] = purpose.actions
    expect(() => ask({ ...purpose, actions: [action, action] }, calls)).toThrow(SigningRefused)
  })

  const verbs: readonly SignedVerb[] = [
    'initiate',
    'redeem',
    'refund',
    'reclaim',
    'close',
    'relay',
    'cancel',
    'fill',
    'instant-refund',
    'cosigned-redeem',
  ]
  test.each(ALLOWED)('may be %s for its own verb only', (_, purpose, calls) => {
    if (purpose.kind !== 'order' || isNoop(calls)) return
    const [action] = purpose.actions
    const others = verbs.filter((verb) => verb !== action.verb && !(isRefund(verb) && isRefund(action.verb)))
    for (const verb of others) expect(() => ask({ ...purpose, actions: [{ ...action, verb }] }, calls), verb).toThrow(SigningRefused)
  })

  test.each<readonly [string, OrderPurpose, Calls]>([
    ['a transfer of tokens', purposeOf('initiate', paying), [transferCall(htlc.token, feltOf(user), 1_000n)]],
    ['a lock without its approval', purposeOf('initiate', paying), [initiateCallOf(htlc, paying, own)]],
    ['an approval alone', purposeOf('initiate', paying), [approvalCallOf(htlc, 1_000n)]],
    ['an approval of more', purposeOf('initiate', paying), [approvalCallOf(htlc, 1_001n), initiateCallOf(htlc, paying, own)]],
    ['a lock of which another gets the refund', purposeOf('initiate', paid), locked(htlc, paid)],
    ['a lock on behalf of another', purposeOf('initiate', paying), locked(htlc, { ...paying, initiator: thief })],
    ['a lock at another HTLC', purposeOf('initiate', paying), locked(nativeHtlc, paying)],
    ['a redeem that shows another secret', purposeOf('redeem', paid), [redeemCallOf(htlc, paid, otherSecret)]],
    ['a redeem of another order', purposeOf('redeem', paid), [redeemCallOf(htlc, relayed, secret)]],
    ['gas beyond the order', purposeOf('redeem', paying, 5n), [redeem, gift(user, 6n)]],
    ['gas that the order does not have', purposeOf('redeem', paying), [redeem, gift(user, 1n)]],
    ['gas for another', purposeOf('redeem', paying, 5n), [redeem, gift(thief, 5n)]],
    ['gas before the redeem', purposeOf('redeem', paying, 5n), [gift(user, 5n), redeem]],
    ['gas without the redeem', purposeOf('redeem', paying, 5n), [gift(user, 5n)]],
    ['gas twice', purposeOf('redeem', paying, 5n), [redeem, gift(user, 5n), gift(user, 5n)]],
    ['gas in another token', purposeOf('redeem', paying, 5n), [redeem, transferCall(htlc.token, feltOf(user), 5n)]],
    ['the gift of a deposit that we are to redeem', purposeOf('redeem', paid), [instantRefundCallOf(htlc, paid, signature)]],
    ['our consent to a refund as a refund', purposeOf('refund', paid), [instantRefundCallOf(htlc, paid, signature)]],
    ['a relay of what we pay ourselves', purposeOf('relay', paying), [signedInitiateCallOf(htlc, paying, signature)]],
    [
      'an outside execution of our own account',
      purposeOf('relay', paying),
      [outsideCall('outside-execution-v2', own, outsideExecutionOf(htlc, paying, own, 9n), signature)],
    ],
    ['an outside execution at another account', purposeOf('relay', paid), [outsideCall('outside-execution-v2', thief, outside, signature)]],
    [
      'an outside execution for another caller',
      purposeOf('relay', paid),
      [outsideCall('outside-execution-v2', user, outsideExecutionOf(htlc, paid, thief, 9n), signature)],
    ],
    ['a look at the balance of another', purposeOf('cancel', paying), noopCall(feltOf(feeToken), feltOf(thief)).calls],
    ['an order at the HTLC of another asset', purposeOf('refund', paying), [refundCallOf(nativeHtlc, paying)]],
  ])('may not be %s', (_, purpose, calls) => {
    expect(() => ask(purpose, calls)).toThrow(SigningRefused)
  })

  test('may not be of an account of another key, even with the envelope of that account', () => {
    const how = { by: otherKey, envelope: envelopeOf(otherKey) }
    for (const [, purpose, calls] of ALLOWED.filter(([, , one]) => isNoop(one)))
      expect(() => ask(purpose, calls, how)).toThrow(SigningRefused)
    expect(() => ask(purposeOf('initiate', paying), locked(htlc, paying), how)).toThrow(SigningRefused)
    const execution = [outsideCall('outside-execution-v2', user, outside, signature)]
    expect(() => ask(purposeOf('relay', paid), execution, how)).toThrow(SigningRefused)
    // Anyone may send it, and the sender pays the fee only.
    expect(() => ask(purposeOf('redeem', paying), [redeem], how)).not.toThrow()
  })
})

describe('an envelope', () => {
  const allowed = (envelope: unknown) => ask(purposeOf('redeem', paying), [redeem], { envelope: envelope as Envelope })
  const { gas, fees } = envelopeOf()
  const highest = { ...maxPerGas, l2Gas: maxPerGas.l2Gas - 1n }

  test('may offer the highest prices, with the gas of a redeem', () => {
    expect(() => allowed({ ...envelopeOf(), gas: usualRedeemGas, fees: { prices: highest, tip: 1n } })).not.toThrow()
    expect(maxFeeOf(chain)).toBe(961_440n * 10n ** 15n)
  })

  test.each<readonly [string, object]>([
    ['L1 gas', { prices: { ...highest, l1Gas: highest.l1Gas + 1n }, tip: 0n }],
    ['L1 data gas', { prices: { ...highest, l1DataGas: highest.l1DataGas + 1n }, tip: 0n }],
    ['L2 gas', { prices: { ...highest, l2Gas: maxPerGas.l2Gas + 1n }, tip: 0n }],
    ['L2 gas with the tip', { prices: highest, tip: 2n }],
  ])('may not offer more for %s', (_, dear) => {
    expect(() => allowed({ ...envelopeOf(), gas: { l1Gas: 1n, l1DataGas: 1n, l2Gas: 1n }, fees: dear })).toThrow('it offers')
  })

  test.each(['l1Gas', 'l1DataGas', 'l2Gas'] as const)('may not cost more than the highest fee by its %s', (resource) => {
    const none = { l1Gas: 0n, l1DataGas: 0n, l2Gas: 0n }
    const most = maxFeeOf(chain) / maxPerGas[resource]
    const of = (amount: bigint) => ({ ...envelopeOf(), gas: { ...none, [resource]: amount }, fees: { prices: maxPerGas, tip: 0n } })
    expect(() => allowed(of(most))).not.toThrow()
    expect(() => allowed(of(most + 1n))).toThrow('it may cost')
  })

  test.each<readonly [string, object]>([
    ['data of a paymaster', { ...envelopeOf(), paymasterData: ['0x1'] }],
    ['modes of data availability', { ...envelopeOf(), nonceDataAvailabilityMode: 'L2' }],
    ['gas of a kind that is unknown', { ...envelopeOf(), gas: { ...gas, l3Gas: 1n } }],
    ['a price of a kind that is unknown', { ...envelopeOf(), fees: { ...fees, prices: { ...fees.prices, l3Gas: 1n } } }],
    ['another fee', { ...envelopeOf(), fees: { ...fees, more: 1n } }],
    ['no nonce', { ...envelopeOf(), nonce: undefined }],
    ['no tip', { ...envelopeOf(), fees: { prices: fees.prices } }],
    ['no gas', { ...envelopeOf(), gas: null }],
    ['no prices', { ...envelopeOf(), fees: { prices: null, tip: 0n } }],
    ['gas below zero', { ...envelopeOf(), gas: { ...gas, l1Gas: -1n } }],
    ['a price below zero', { ...envelopeOf(), fees: { ...fees, prices: { ...fees.prices, l1Gas: -1n } } }],
    ['a tip below zero', { ...envelopeOf(), fees: { ...fees, tip: -1n } }],
    ['a nonce below zero', { ...envelopeOf(), nonce: -1n }],
    ['gas that is a text', { ...envelopeOf(), gas: { ...gas, l2Gas: '1' } }],
    ['a tip that is a number', { ...envelopeOf(), fees: { ...fees, tip: 1 } }],
  ])('may not have %s', (_, envelope) => {
    expect(() => allowed(envelope)).toThrow('another form')
  })

  test('is of the own account in one form of writing', () => {
    const account = feltOf(own)
    for (const sender of [account.replace('0x', '0x0'), account.toUpperCase(), BigInt(own), `0x${(BigInt(own) + fieldPrime).toString(16)}`])
      expect(() => allowed({ ...envelopeOf(), sender })).toThrow('its sender is')
  })
})

describe('the deployment of an account', () => {
  const ask = (purpose: Purpose, given: AccountDeployment, { by = key, envelope = envelopeOf() } = {}) =>
    permit({ key: by, purpose, operation: 'deployAccount', args: [envelope, given] })
  const right = ownDeployment(key, accountClass)

  test('is of the account of the key alone', () => {
    expect(() => ask(deployment, right)).not.toThrow()
    const [theirs] = ownDeployment(otherKey, accountClass).constructorCalldata
    const changes: readonly Partial<AccountDeployment>[] = [
      { classHash: htlcClass.classHash },
      { salt: '0x1' },
      { constructorCalldata: [] },
      { constructorCalldata: [theirs ?? '0x0'] },
      { constructorCalldata: [...right.constructorCalldata, '0x0'] },
    ]
    for (const change of changes) expect(() => ask(deployment, { ...right, ...change })).toThrow('another account')
    expect(() => ask(deployment, right, { by: otherKey })).toThrow('its sender is')
    expect(() => ask(deployment, right, { by: otherKey, envelope: envelopeOf(otherKey) })).toThrow('another account')
    expect(() => ask(deployment, right, { envelope: { ...envelopeOf(), chainId: '0x1' } })).toThrow('chain id')
    for (const [, purpose] of ALLOWED.filter(([, one]) => one.kind !== 'deploy'))
      expect(() => ask(purpose, right)).toThrow('would deploy an account')
  })
})

describe('a consent to a refund', () => {
  const consent = (purpose: Purpose, terms: HtlcTerms, contract: HtlcContract = htlc, by = key) =>
    permit({ key: by, purpose, operation: 'refundConsent', args: [contract, terms] })
  const purpose = purposeOf('instant-refund', paid)

  test('is for the order of its purpose alone', () => {
    expect(() => consent(purpose, paid)).not.toThrow()
    expect(() => consent(purpose, paid, nativeHtlc)).toThrow('another order')
    expect(() => consent(purpose, paid, { ...htlc, chainId: '0x1' })).toThrow('another order')
    const changes = fc.oneof<fc.Arbitrary<Partial<HtlcTerms>>[]>(
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((amount) => ({ amount })),
      fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map((timelock) => ({ timelock })),
      anyFelt.map((initiator) => ({ initiator })),
      anyFelt.map((redeemer) => ({ redeemer })),
      fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => ({ secretHash: Buffer.from(bytes).toString('hex') })),
    )
    fc.assert(
      fc.property(changes, (change) => {
        fc.pre(Object.entries(change).some(([name, value]) => Reflect.get(paid, name) !== value))
        expect(() => consent(purpose, { ...paid, ...change })).toThrow('another order')
      }),
      { numRuns: 30 },
    )
    const [action] = purpose.actions
    expect(() => consent({ ...purpose, actions: [action, action] }, paid)).toThrow('only one instant refund')
    for (const verb of ['redeem', 'refund', 'relay', 'cancel'] as const)
      expect(() => consent(purposeOf(verb, paid), paid)).toThrow('only one instant refund')
    for (const other of [withdrawal, deployment]) expect(() => consent(other, paid)).toThrow('only one instant refund')
    expect(() => consent({ ...purpose, chain: 'base' }, paid)).toThrow('signs on')
  })

  test('is the redeemer’s', () => {
    expect(() => consent(purpose, paid, htlc, otherKey)).toThrow('only the redeemer')
    expect(() => consent(purposeOf('instant-refund', relayed), relayed)).toThrow('only the redeemer')
  })
})

test('a question is to our own account, before a consent', () => {
  const question = (purpose: Purpose, account: string, by = key) => permit({ key: by, purpose, operation: 'question', args: [account] })
  const purpose = purposeOf('instant-refund', paid)
  expect(() => question(purpose, own)).not.toThrow()
  expect(() => question(purpose, thief)).toThrow('another account')
  expect(() => question(purposeOf('redeem', paid), own)).toThrow('only one instant refund')
  expect(() => question(purposeOf('instant-refund', relayed), third)).toThrow('only the redeemer')
  expect(() => question(purpose, own, otherKey)).toThrow('only the redeemer')
})

test.each(['', 'toString', 'constructor', 'digest'])('nothing else is signed: "%s"', (operation) => {
  expect(() => permit({ key, purpose: purposeOf('redeem', paid), operation, args: [] })).toThrow('no rule')
})

/** The one may be a fee bump of the other. */
function isRefund(verb: SignedVerb): boolean {
  return verb === 'refund' || verb === 'instant-refund'
}

function orThrow<T>(found: T | undefined): T {
  if (found === undefined) throw new Error('the local registry has no starknet_localnet with WBTC')
  return found
}
