/** Tests that keys sign on EVM chains what their purpose says, and nothing that a thief of everything but the key would ask for. */

import { localChains } from '@tandem/families/registry.ts'
import { SigningRefused } from '@tandem/keys/permit.ts'
import { type OrderPurpose, orderPurpose, type Purpose, type SignedVerb } from '@tandem/keys/purpose.ts'
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import fc from 'fast-check'
import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  maxUint256,
  slice,
  type TransactionSerializable,
  type TransactionSerializableEIP1559,
  zeroAddress,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { accountOf } from '../terms/address.ts'
import { allowancesOf } from '../terms/allowance.ts'
import { approvalCall } from '../terms/approval-call.ts'
import { initiateDepositData, reclaimDepositedData } from '../terms/deposit.ts'
import {
  type Contracts,
  initiateData,
  initiateWithSignatureData,
  instantRefundData,
  redeemBatchData,
  redeemData,
  redeemWithGasData,
  refundData,
  revokeData,
} from '../terms/htlc.ts'
import { initiateByAuthorizationData } from '../terms/one-signature.ts'
import { distributorOf } from './distributor-address.ts'
import { feeModelOf } from './fees/fees.ts'
import { batchGas } from './fees/gas.ts'
import { createPermit } from './permit.ts'

const found = localChains.find(({ id }) => id === 'ethereum_localnet')
if (found === undefined) throw new Error('there is no local EVM chain')
const chain = found
const address = (byte: string) => `0x${byte.repeat(20)}` as Address
const [TOKEN, NATIVE] = ['ethereum_localnet:wbtc', 'ethereum_localnet:eth'] as const
const htlcs = {
  [TOKEN]: { chainId: 31337, address: address('a1'), token: address('a2') },
  [NATIVE]: { chainId: 31337, address: address('b1'), token: null },
} as const
const contracts = { all: Object.values(htlcs), of: (asset: keyof typeof htlcs) => htlcs[asset] } as unknown as Contracts
/** The largest swaps are of a million units. */
const HIGHEST_ALLOWANCE = 4_000_000n
const permit = createPermit(chain, contracts, allowancesOf([TOKEN, NATIVE].map((id) => ({ id, maxAmount: HIGHEST_ALLOWANCE / 4n }))))

const key = createSecp256k1Key('42'.repeat(32))
const own = accountOf(key)
const [user, thief] = [address('c1'), address('d1')]
const secret = createSecret()
const signature: Hex = `0x${'ab'.repeat(65)}`

/** We are the initiator of what we pay, and the redeemer of what we are paid. */
const paying: HtlcTerms = { asset: TOKEN, initiator: own, redeemer: user, amount: 1_000n, timelock: 600n, secretHash: hashSecret(secret) }
const payingCoin: HtlcTerms = { ...paying, asset: NATIVE }
const paid: HtlcTerms = { ...paying, initiator: user, redeemer: own }
const otherSecret = createSecret()
const alsoPaid: HtlcTerms = { ...paid, amount: 77n, secretHash: hashSecret(otherSecret) }

const purposeOf = (verb: SignedVerb, terms: HtlcTerms, gas?: bigint): OrderPurpose =>
  orderPurpose(chain.id, { order: 'order', leg: 'source', verb, terms, ...(gas !== undefined && { gas }) })

type Call = { readonly to: Address; readonly data: Hex; readonly value: bigint }
const unsigned = (call: Call): TransactionSerializableEIP1559 => ({
  type: 'eip1559',
  chainId: 31337,
  nonce: 7,
  gas: 100_000n,
  maxFeePerGas: 2n,
  maxPriorityFeePerGas: 1n,
  ...call,
})
const ask = (purpose: Purpose, transaction: TransactionSerializableEIP1559, by = key) =>
  permit({ key: by, purpose, operation: 'transaction', args: [transaction] })
const on = (asset: keyof typeof htlcs, data: Hex, value = 0n): Call => ({ to: htlcs[asset].address, data, value })

/** We are neither. */
const relayed: HtlcTerms = { ...paid, redeemer: address('e1') }

const swap = { terms: paid, deadline: 1_900_000_000n }
const batch = [
  { terms: paid, secret },
  { terms: alsoPaid, secret: otherSecret },
]
const batchPurpose: OrderPurpose = {
  kind: 'order',
  chain: chain.id,
  actions: [
    { order: 'one', leg: 'source', verb: 'redeem', terms: paid },
    { order: 'other', leg: 'source', verb: 'redeem', terms: alsoPaid },
  ],
}

const ALLOWED: readonly (readonly [what: string, purpose: OrderPurpose, call: Call])[] = [
  ['a lock of a token', purposeOf('initiate', paying), on(TOKEN, initiateData(paying, own))],
  ['a lock of the coin', purposeOf('initiate', payingCoin), on(NATIVE, initiateData(payingCoin, own), 1_000n)],
  ['an approval for a lock', purposeOf('initiate', paying), approvalCall(htlcs[TOKEN].token, htlcs[TOKEN].address, HIGHEST_ALLOWANCE)],
  ['a reset of an allowance', purposeOf('initiate', paying), approvalCall(htlcs[TOKEN].token, htlcs[TOKEN].address, 0n)],
  ['a redeem', purposeOf('redeem', paid), on(TOKEN, redeemData(paid, secret))],
  ['a redeem with gas', purposeOf('redeem', paying, 5n), on(TOKEN, redeemWithGasData(paying, secret), 5n)],
  ['a redeem of a batch', batchPurpose, on(TOKEN, redeemBatchData(batch))],
  ['a batch of which one order is left', purposeOf('redeem', paid), on(TOKEN, redeemBatchData(batch))],
  ['a refund', purposeOf('refund', paying), on(TOKEN, refundData(paying))],
  ['an instant refund', purposeOf('instant-refund', paid), on(TOKEN, instantRefundData(paid, signature))],
  ['an instant refund that is bumped after the timelock', purposeOf('refund', relayed), on(TOKEN, instantRefundData(relayed, signature))],
  ['a relay', purposeOf('relay', paid), on(TOKEN, initiateWithSignatureData(paid, signature))],
  ['a relay of an authorization', purposeOf('relay', paid), on(TOKEN, initiateByAuthorizationData(paid, 9n, signature))],
  ['a relay from a deposit address', purposeOf('relay', paid), on(TOKEN, initiateDepositData(htlcs[TOKEN], swap))],
  ['a return from a deposit address', purposeOf('reclaim', paid), on(TOKEN, reclaimDepositedData(htlcs[TOKEN], swap, htlcs[TOKEN].token))],
  ['nothing, for a cancellation', purposeOf('cancel', paying), { to: own, data: '0x', value: 0n }],
]

describe('a transaction', () => {
  test('gives up nothing that we are to redeem, whatever other order its purpose names first', () => {
    const call = unsigned(on(TOKEN, instantRefundData(paid, signature)))
    const actions = [relayed, paid].map((terms) => ({ order: 'order', leg: 'source', verb: 'refund', terms }) as const)
    const [first, second] = actions
    if (first === undefined || second === undefined) throw new Error('there are two orders')
    expect(() => ask({ kind: 'order', chain: chain.id, actions: [first, second] }, call)).toThrow(/give up what we are to redeem/)
    expect(() => ask({ kind: 'order', chain: chain.id, actions: [second, first] }, call)).toThrow(/give up what we are to redeem/)
  })

  test.each(ALLOWED)('may be %s', (_, purpose, call) => {
    expect(() => ask(purpose, unsigned(call))).not.toThrow()
  })

  test.each(ALLOWED)('may not be %s with anything of it changed', (_, purpose, call) => {
    const isNothing = call.data === '0x'
    const changed = fc.oneof(
      fc.constant({ ...call, to: thief }),
      fc.bigInt({ min: 1n, max: 10n ** 30n }).map((more) => ({ ...call, value: call.value + more })),
      fc
        .uint8Array({ minLength: 1, maxLength: 40 })
        .map((bytes) => ({ ...call, data: `${call.data}${Buffer.from(bytes).toString('hex')}` as Hex })),
      ...(isNothing
        ? []
        : [
            fc.nat((call.data.length - 4) / 2).map((at) => ({ ...call, data: flipped(call.data, at) })),
            fc.nat((call.data.length - 4) / 2).map((length) => ({ ...call, data: call.data.slice(0, 2 + 2 * length) as Hex })),
          ]),
    )
    fc.assert(
      fc.property(changed, (other) => {
        fc.pre(!isHarmless(call, other))
        expect(() => ask(purpose, unsigned(other))).toThrow(SigningRefused)
      }),
      { numRuns: 200 },
    )
  })

  test.each(ALLOWED)('may not be %s on another chain, or for a purpose that is not an order', (_, purpose, call) => {
    expect(() => ask(purpose, { ...unsigned(call), chainId: 1 })).toThrow('chain id 1')
    expect(() => ask({ ...purpose, chain: 'base' }, unsigned(call))).toThrow('signs on ethereum_localnet')
    const claim = { kind: 'claim', chain: chain.id, asset: TOKEN, recipient: user, total: 1n } as const
    expect(() => ask(claim, unsigned(call))).toThrow('only orders')
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
  test.each(ALLOWED)('may be %s for its own verb only', (_, purpose, call) => {
    if (call.data === '0x') return
    const own = purpose.actions[0].verb
    for (const verb of verbs.filter((one) => one !== own && !(isRefund(one) && isRefund(own)))) {
      const [first, ...others] = purpose.actions.map((action) => ({ ...action, verb }))
      if (first !== undefined) expect(() => ask({ ...purpose, actions: [first, ...others] }, unsigned(call)), verb).toThrow(SigningRefused)
    }
  })

  const transfer = (to: Address) => encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 1n] })
  test.each<readonly [string, OrderPurpose, Call]>([
    ['a transfer of tokens', purposeOf('initiate', paying), { to: htlcs[TOKEN].token, data: transfer(thief), value: 0n }],
    ['an approval of another spender', purposeOf('initiate', paying), approvalCall(htlcs[TOKEN].token, thief, 1n)],
    ['an unlimited approval', purposeOf('initiate', paying), approvalCall(htlcs[TOKEN].token, htlcs[TOKEN].address, maxUint256)],
    ['an approval of more', purposeOf('initiate', paying), approvalCall(htlcs[TOKEN].token, htlcs[TOKEN].address, HIGHEST_ALLOWANCE + 1n)],
    ['an approval of another token', purposeOf('initiate', paying), approvalCall(thief, htlcs[TOKEN].address, 1n)],
    ['an approval for a redeem', purposeOf('redeem', paid), approvalCall(htlcs[TOKEN].token, htlcs[TOKEN].address, 1n)],
    ['coins to somebody', purposeOf('cancel', paying), { to: thief, data: '0x', value: 1n }],
    ['a lock for another redeemer', purposeOf('initiate', paying), on(TOKEN, initiateData({ ...paying, redeemer: thief }, own))],
    ['a lock whose refund goes to another', purposeOf('initiate', paying), on(TOKEN, initiateData({ ...paying, initiator: thief }, own))],
    [
      'a lock of ours whose refund goes to another',
      purposeOf('initiate', { ...paying, initiator: thief }),
      on(TOKEN, initiateData({ ...paying, initiator: thief }, own)),
    ],
    ['a lock of more', purposeOf('initiate', paying), on(TOKEN, initiateData({ ...paying, amount: 1_001n }, own))],
    ['a redeem that shows another secret', purposeOf('redeem', paid), on(TOKEN, redeemData(paid, otherSecret))],
    ['a batch of other orders', purposeOf('redeem', { ...paid, amount: 2n }), on(TOKEN, redeemBatchData(batch))],
    ['the gift of a deposit that we are to redeem', purposeOf('redeem', paid), on(TOKEN, instantRefundData(paid, signature))],
    ['its own consent to a refund as a refund', purposeOf('refund', paid), on(TOKEN, instantRefundData(paid, signature))],
    ['a revocation', purposeOf('initiate', paying), on(TOKEN, revokeData(paying))],
    ['an order at the HTLC of another asset', purposeOf('refund', paying), on(NATIVE, refundData(paying))],
    ['a gift of gas beyond the order', purposeOf('redeem', paying, 5n), on(TOKEN, redeemWithGasData(paying, secret), 6n)],
    ['a gift of gas that the order does not have', purposeOf('redeem', paying), on(TOKEN, redeemWithGasData(paying, secret), 1n)],
  ])('may not be %s', (_, purpose, call) => {
    expect(() => ask(purpose, unsigned(call))).toThrow(SigningRefused)
  })

  test.each<readonly [string, object]>([
    ['delegations of accounts', { type: 'eip7702', authorizationList: [{ address: thief, chainId: 31337, nonce: 8 }] }],
    ['delegations of accounts, by no type', { type: undefined, authorizationList: [{ address: thief, chainId: 31337, nonce: 8 }] }],
    ['blobs, which cost more', { type: 'eip4844', blobVersionedHashes: [`0x01${'00'.repeat(31)}`], maxFeePerBlobGas: 10n ** 18n }],
    ['a list of accesses, which costs more', { accessList: [{ address: thief, storageKeys: [] }] }],
  ])('may not have %s', (_, more) => {
    const transaction = { ...unsigned(on(TOKEN, redeemData(paid, secret))), ...more } as TransactionSerializableEIP1559
    expect(() => ask(purposeOf('redeem', paid), transaction)).toThrow(SigningRefused)
  })

  test('may be of the type without a priority fee', () => {
    const call = on(TOKEN, redeemData(paid, secret))
    const legacy: TransactionSerializable = { type: 'legacy', chainId: 31337, nonce: 7, gas: 100_000n, gasPrice: 2n, ...call }
    expect(() => permit({ key, purpose: purposeOf('redeem', paid), operation: 'transaction', args: [legacy] })).not.toThrow()
  })

  describe('has a highest fee', () => {
    const GWEI = 10n ** 9n

    test('which is that of its whole batch, of which one order is left', () => {
      const { maxPerGas } = feeModelOf(chain)
      const of = (orders: number) => {
        const items = Array.from({ length: orders }, (_, index) => ({ terms: { ...paid, amount: paid.amount + BigInt(index) }, secret }))
        return on(TOKEN, redeemBatchData(items))
      }
      const costing = (orders: number, gas: bigint) =>
        ask(purposeOf('redeem', paid), { ...unsigned(of(orders)), gas, maxFeePerGas: maxPerGas })
      expect(() => costing(50, 300_000n + batchGas(50))).not.toThrow()
      expect(() => costing(2, 300_000n + batchGas(50))).toThrow(/its fee could be/)
      expect(() => costing(500, 300_000n + batchGas(500))).toThrow(/its fee could be/)
    })

    const [purpose, call] = [purposeOf('redeem', paid), on(TOKEN, redeemData(paid, secret))]
    const paying = (fees: object) => ({ ...unsigned(call), ...fees }) as TransactionSerializableEIP1559

    test.each<readonly [string, object]>([
      ['for one gas', { gas: 1n, maxFeePerGas: 1_000n * GWEI + 1n }],
      ['for one gas, as a tip', { gas: 1n, maxPriorityFeePerGas: 1_000n * GWEI + 1n }],
      ['for one gas, without a tip', { type: 'legacy', gas: 1n, gasPrice: 1_000n * GWEI + 1n }],
      ['for all gas', { gas: 634_201n, maxFeePerGas: 1_000n * GWEI }],
      ['for all gas, at a price that no type has', { gas: 634_201n, gasPrice: 1_000n * GWEI }],
      ['by an amount of another kind', { gas: '0x' }],
    ])('%s', (_, fees) => {
      expect(() => ask(purpose, paying(fees))).toThrow(SigningRefused)
    })

    test('which no transaction of ours reaches', () => {
      expect(() => ask(purpose, paying({ gas: 634_200n, maxFeePerGas: 1_000n * GWEI, maxPriorityFeePerGas: 1_000n * GWEI }))).not.toThrow()
      // Where gas pays for the data too, there is much of it at a low price.
      expect(() => ask(purpose, paying({ gas: 20_000_000n, maxFeePerGas: 30n * GWEI }))).not.toThrow()
      const both = { ...unsigned(on(TOKEN, redeemBatchData(batch))), gas: 674_200n, maxFeePerGas: 1_000n * GWEI }
      expect(() => ask(batchPurpose, both)).not.toThrow()
      expect(() => ask(batchPurpose, { ...both, gas: 674_201n })).toThrow('its fee could be')
    })
  })

  test('may not make a contract', () => {
    const { to: _, ...creation } = unsigned(on(TOKEN, initiateData(paying, own)))
    expect(() => ask(purposeOf('initiate', paying), creation)).toThrow('would call null')
  })
})

describe('a transfer of inventory', () => {
  const withdrawal = (asset: keyof typeof htlcs) => ({ kind: 'withdraw', chain: chain.id, asset, recipient: user, amount: 5n }) as const
  const coins: Call = { to: user, data: '0x', value: 5n }
  const tokens = (to: Address, amount: bigint): Call => ({
    to: htlcs[TOKEN].token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] }),
    value: 0n,
  })

  test('is exactly that of its purpose', () => {
    expect(() => ask(withdrawal(TOKEN), unsigned(tokens(user, 5n)))).not.toThrow()
    expect(() => ask(withdrawal(NATIVE), unsigned(coins))).not.toThrow()
    expect(() => ask(withdrawal(TOKEN), unsigned({ to: own, data: '0x', value: 0n }))).not.toThrow()
    const others = [tokens(thief, 5n), tokens(user, 6n), { ...tokens(user, 5n), value: 1n }, { ...tokens(user, 5n), to: thief }, coins]
    for (const call of others) expect(() => ask(withdrawal(TOKEN), unsigned(call))).toThrow('not the transfer')
    for (const call of [{ ...coins, to: thief }, { ...coins, value: 6n }, { ...coins, data: '0x00' as Hex }, tokens(user, 5n)])
      expect(() => ask(withdrawal(NATIVE), unsigned(call))).toThrow('not the transfer')
    expect(() => ask(purposeOf('redeem', paid), unsigned(tokens(user, 5n)))).toThrow('it would call the token')
  })
})

describe('a consent to a refund', () => {
  const consent = (purpose: Purpose, terms: HtlcTerms, htlc: (typeof htlcs)[keyof typeof htlcs] = htlcs[TOKEN]) =>
    permit({ key, purpose, operation: 'refundConsent', args: [htlc, terms] })

  test('is for the order of its purpose alone', () => {
    const purpose = purposeOf('instant-refund', paid)
    expect(() => consent(purpose, paid)).not.toThrow()
    expect(() => consent(purpose, alsoPaid)).toThrow('another order')
    expect(() => consent(purpose, paid, htlcs[NATIVE])).toThrow('another order')
    expect(() => consent(purposeOf('redeem', paid), paid)).toThrow('another order')
    expect(() => consent({ ...batchPurpose }, paid)).toThrow('one order')
  })
})

describe('a claim', () => {
  const purpose = { kind: 'claim', chain: chain.id, asset: TOKEN, recipient: user, total: 5n } as const
  const where = { chainId: 31337, verifyingContract: distributorOf(own) }
  const claim = (stated: Purpose, given: object, distributor: object = where, token: Address = htlcs[TOKEN].token) =>
    permit({ key, purpose: stated, operation: 'claim', args: [distributor, given, token] })

  test('is of what its purpose says', () => {
    const right = { recipient: user, asset: TOKEN, total: 5n }
    expect(() => claim(purpose, right)).not.toThrow()
    for (const change of [{ recipient: thief }, { asset: NATIVE }, { total: 6n }])
      expect(() => claim(purpose, { ...right, ...change })).toThrow('claim')
    expect(() => claim(purposeOf('redeem', paid), right)).toThrow('a claim of an affiliate')
    for (const change of [{ chainId: 1 }, { verifyingContract: thief }])
      expect(() => claim(purpose, right, { ...where, ...change })).toThrow('another distributor')
    expect(() => claim(purpose, right, where, thief)).toThrow('claim')
    const coins = { ...purpose, asset: NATIVE }
    expect(() => claim(coins, { ...right, asset: NATIVE }, where, zeroAddress)).not.toThrow()
    expect(() => claim(coins, { ...right, asset: NATIVE }, where, htlcs[TOKEN].token)).toThrow('claim')
  })
})

test.each(['', 'toString', 'constructor', 'digest'])('nothing else is signed: "%s"', (operation) => {
  expect(() => permit({ key, purpose: purposeOf('redeem', paid), operation, args: [] })).toThrow('no rule')
})

/** The one may be a fee bump of the other. */
function isRefund(verb: SignedVerb): boolean {
  return verb === 'refund' || verb === 'instant-refund'
}

function flipped(data: Hex, at: number): Hex {
  const bytes = Buffer.from(data.slice(2), 'hex')
  bytes[at] = (bytes[at] ?? 0) ^ 0x01
  return `0x${bytes.toString('hex')}`
}

/** One order of a batch is enough: all of them pay the same redeemer. */
function keepsRedeemer(data: Hex): boolean {
  const original = redeemBatchData(batch)
  const head = original.length - batch.length * 4 * 64
  return data.slice(0, head) === original.slice(0, head)
}

/** What a user signed may be anything, since the HTLC decides about it. A lower allowance only makes the next approval come sooner. */
function isHarmless(call: Call, other: Call): boolean {
  if (other.to !== call.to || other.value !== call.value || other.data.length !== call.data.length) return false
  if (call.to === htlcs[TOKEN].token)
    return other.data.slice(0, -64) === call.data.slice(0, -64) && BigInt(slice(other.data, -32)) <= HIGHEST_ALLOWANCE
  if (call.data === redeemBatchData(batch)) return keepsRedeemer(other.data)
  const fixed = 2 + 8 + 5 * 64
  const hasSignature = call.data.length > fixed && call.data.includes('ab'.repeat(65))
  const isDeposit = [initiateDepositData(htlcs[TOKEN], swap), reclaimDepositedData(htlcs[TOKEN], swap, htlcs[TOKEN].token)].includes(
    call.data,
  )
  if (hasSignature) return other.data.slice(0, fixed) === call.data.slice(0, fixed)
  // The deadline of a deposit and the token of a return lead to another address, where nothing of ours is.
  return isDeposit && other.data.slice(10 + 64, 10 + 6 * 64) === call.data.slice(10 + 64, 10 + 6 * 64)
}
