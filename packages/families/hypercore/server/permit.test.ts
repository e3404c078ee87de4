/** Tests that keys sign for swaps of HyperCore what their purpose says, and nothing that a thief of everything but the key would ask for. */

import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { accountOf } from '@tandem/evm/terms/address.ts'
import { allowancesOf } from '@tandem/evm/terms/allowance.ts'
import { approvalCall } from '@tandem/evm/terms/approval-call.ts'
import {
  createContracts,
  type HtlcContract,
  initiateData,
  initiateWithSignatureData,
  instantRefundData,
  redeemBatchData,
  redeemData,
  redeemWithGasData,
  refundData,
  revokeData,
} from '@tandem/evm/terms/htlc.ts'
import { transferCall } from '@tandem/evm/terms/transfer-call.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { SigningRefused } from '@tandem/keys/permit.ts'
import { type OrderPurpose, orderPurpose, type Purpose, type SignedVerb } from '@tandem/keys/purpose.ts'
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import fc from 'fast-check'
import { type Address, concat, encodeFunctionData, type Hex, maxUint256, slice, type TransactionSerializableEIP1559 } from 'viem'
import { describe, expect, test } from 'vitest'
import { maxErc20AllowancesOf } from '../terms/allowance.ts'
import { CORE_WRITER, coreWriterAbi, MAX_CROSSING_VALUE, type SpotSend, spotSendData, systemAddressOf } from '../terms/core.ts'
import { crossData, initiateConsentedData, initiateFromAccountData, reclaimData, withdrawData } from '../terms/htlc.ts'
import { EVM_PER_CORE } from './hypercore.fixture.ts'
import { createPermit } from './permit.ts'

const [found, listed] = [
  localChains.find(({ id }) => id === 'hypercore_localnet'),
  localAssets.find(({ chain }) => chain === 'hypercore_localnet'),
]
if (found === undefined || listed === undefined) throw new Error('there is no local HyperCore')
const chain = found
const address = (byte: string) => `0x${byte.repeat(20)}` as Address
const token = address('a2')
const assets = [{ ...listed, maxAmount: 1_000_000n, deployment: { htlc: address('a1'), token } }]
const contracts = createContracts(chain, assets)
const htlc = contracts.of(listed.id)
const permit = createPermit(chain, contracts, maxErc20AllowancesOf(assets, allowancesOf(assets)))
const HIGHEST_ALLOWANCE = 4_000_000n * EVM_PER_CORE

const key = createSecp256k1Key('42'.repeat(32))
const own = accountOf(key)
const [user, thief] = [address('c1'), address('d1')]
const secret = createSecret()
const signature: Hex = `0x${'ab'.repeat(65)}`

/** We are the initiator of what we pay, and the redeemer of what we are paid. */
const paying: HtlcTerms = {
  asset: listed.id,
  initiator: own,
  redeemer: user,
  amount: 1_000n,
  timelock: 600n,
  secretHash: hashSecret(secret),
}
const paid: HtlcTerms = { ...paying, initiator: user, redeemer: own }
const otherSecret = createSecret()
const alsoPaid: HtlcTerms = { ...paid, amount: 77n, secretHash: hashSecret(otherSecret) }
const swap = { terms: paid, deadline: 1_900_000_000n, payer: null }
const byAnother = { ...swap, payer: address('e1') }

const purposeOf = (verb: SignedVerb, terms: HtlcTerms, gas?: bigint): OrderPurpose =>
  orderPurpose(chain.id, { order: 'order', leg: 'source', verb, terms, ...(gas !== undefined && { gas }) })

type Call = { readonly to: Address; readonly data: Hex; readonly value: bigint }
const on = (data: Hex, value = 0n): Call => ({ to: htlc.address, data, value })
const send = (more: Partial<SpotSend> = {}): Call => ({
  to: CORE_WRITER,
  data: spotSendData({ to: systemAddressOf(1n), token: 1n, amount: 20_000n, ...more }),
  value: 0n,
})
const action = (bytes: Hex): Call => ({
  to: CORE_WRITER,
  data: encodeFunctionData({ abi: coreWriterAbi, functionName: 'sendRawAction', args: [bytes] }),
  value: 0n,
})
const unsigned = (call: Call): TransactionSerializableEIP1559 => ({
  type: 'eip1559',
  chainId: htlc.chainId,
  nonce: 7,
  gas: 100_000n,
  maxFeePerGas: 2n,
  maxPriorityFeePerGas: 1n,
  ...call,
})
const ask = (purpose: Purpose, transaction: TransactionSerializableEIP1559) =>
  permit({ key, purpose, operation: 'transaction', args: [transaction] })

const ALLOWED: readonly (readonly [what: string, purpose: OrderPurpose, call: Call])[] = [
  ['a lock', purposeOf('initiate', paying), on(initiateData(paying, own))],
  ['an approval for a lock', purposeOf('initiate', paying), approvalCall(token, htlc.address, HIGHEST_ALLOWANCE)],
  ['a reset of an allowance', purposeOf('initiate', paying), approvalCall(token, htlc.address, 0n)],
  ['a move to HyperEVM before a lock', purposeOf('initiate', paying), send()],
  ['a redeem', purposeOf('redeem', paid), on(redeemData(paid, secret))],
  ['a refund', purposeOf('refund', paying), on(refundData(paying))],
  ['an instant refund', purposeOf('instant-refund', paid), on(instantRefundData(paid, signature))],
  ['a relay', purposeOf('relay', paid), on(initiateWithSignatureData(paid, signature))],
  ['a relay out of an account', purposeOf('relay', paid), on(initiateConsentedData(swap))],
  ["a relay out of another payer's account", purposeOf('relay', paid), on(initiateConsentedData(byAnother))],
  ['a crossing before a relay', purposeOf('relay', paid), on(crossData(user), MAX_CROSSING_VALUE)],
  ["a crossing of another payer's account", purposeOf('relay', paid), on(crossData(byAnother.payer), MAX_CROSSING_VALUE)],
  ['a return from an account', purposeOf('reclaim', paid), on(reclaimData(htlc, swap))],
  ["a return from another payer's account", purposeOf('reclaim', paid), on(reclaimData(htlc, byAnother))],
  ['nothing, for a cancellation', purposeOf('cancel', paid), { to: own, data: '0x', value: 0n }],
]

/** These calls begin with the owner of an account. */
const NAMES_OWNER: ReadonlySet<Hex> = new Set(
  [swap, byAnother].flatMap((one) => [crossData(one.payer ?? user), initiateConsentedData(one), reclaimData(htlc, one)]),
)

describe('a transaction', () => {
  test.each(ALLOWED)('may be %s', (_, purpose, call) => {
    expect(() => ask(purpose, unsigned(call))).not.toThrow()
  })

  test.each(ALLOWED)('may not be %s with anything of it changed', (_, purpose, call) => {
    const bytes = (call.data.length - 4) / 2
    const changed = fc.oneof(
      fc.constant({ ...call, to: thief }),
      fc.bigInt({ min: 1n, max: 10n ** 30n }).map((more) => ({ ...call, value: call.value + more })),
      fc
        .uint8Array({ minLength: 1, maxLength: 40 })
        .map((more) => ({ ...call, data: `${call.data}${Buffer.from(more).toString('hex')}` as Hex })),
      ...(call.data === '0x'
        ? []
        : [
            fc.nat(bytes).map((place) => ({ ...call, data: flipped(call.data, place) })),
            fc.nat(bytes).map((length) => ({ ...call, data: call.data.slice(0, 2 + 2 * length) as Hex })),
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
    expect(() => ask({ ...purpose, chain: 'hypercore' }, unsigned(call))).toThrow('signs on hypercore_localnet')
    for (const kind of ['claim', 'withdraw'] as const) {
      const other = { kind, chain: chain.id, asset: paid.asset, recipient: user, total: 1n, amount: 1n } as const
      expect(() => ask(other, unsigned(call)), kind).toThrow('only orders')
    }
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
    const [first] = purpose.actions
    for (const verb of verbs.filter((one) => one !== first.verb && !(isRefund(one) && isRefund(first.verb))))
      expect(() => ask({ ...purpose, actions: [{ ...first, verb }] }, unsigned(call)), verb).toThrow(SigningRefused)
  })

  test.each<readonly [string, OrderPurpose, Call]>([
    ['a payment on HyperCore', purposeOf('initiate', paying), send({ to: thief })],
    ['a payment to the bridge of another token', purposeOf('initiate', paying), send({ to: systemAddressOf(2n) })],
    ['a move of more than twenty orders need', purposeOf('initiate', paying), send({ amount: 20_001n })],
    ['a move for a relay', purposeOf('relay', paid), send()],
    ['another action on HyperCore', purposeOf('initiate', paying), action(concat(['0x01000001', `0x${'00'.repeat(96)}`]))],
    ['a longer action on HyperCore', purposeOf('initiate', paying), action(concat([rawAction(send()), '0x00']))],
    ['a crossing that pays more than it costs', purposeOf('relay', paid), on(crossData(user), MAX_CROSSING_VALUE + 1n)],
    ['another order out of an account', purposeOf('relay', paid), on(initiateConsentedData({ ...swap, terms: alsoPaid }))],
    ['a return for another order', purposeOf('reclaim', paid), on(reclaimData(htlc, { ...swap, terms: alsoPaid }))],
    ['its own consent to an order', purposeOf('relay', paid), on(initiateFromAccountData(swap))],
    ['a withdrawal of its own account', purposeOf('reclaim', paid), on(withdrawData(1n))],
    ['a call of somebody else', purposeOf('relay', paid), on(encodeFunctionData({ abi: htlcCore.abi, functionName: 'recount' }))],
    ['a crossing at another contract', purposeOf('relay', paid), { ...on(crossData(user)), to: thief }],
    ['an unlimited approval', purposeOf('initiate', paying), approvalCall(token, htlc.address, maxUint256)],
    ['an approval of more', purposeOf('initiate', paying), approvalCall(token, htlc.address, HIGHEST_ALLOWANCE + 1n)],
    ['an approval of another spender', purposeOf('initiate', paying), approvalCall(token, thief, 1n)],
    ['a transfer of tokens', purposeOf('initiate', paying), transferCall(token, thief, 1n)],
    ['a lock of more', purposeOf('initiate', paying), on(initiateData({ ...paying, amount: 1_001n }, own))],
    [
      'a lock whose refund goes to another',
      purposeOf('initiate', { ...paying, initiator: thief }),
      on(initiateData({ ...paying, initiator: thief }, own)),
    ],
    ['a batch, which we never send here', purposeOf('redeem', paid), on(redeemBatchData([{ terms: paid, secret }]))],
    ['a gift of gas, which the HTLC does not have', purposeOf('redeem', paid, 5n), on(redeemWithGasData(paid, secret), 5n)],
    ['its own consent to a refund as a refund', purposeOf('refund', paid), on(instantRefundData(paid, signature))],
    ['a revocation', purposeOf('initiate', paying), on(revokeData(paying))],
  ])('may not be %s', (_, purpose, call) => {
    expect(() => ask(purpose, unsigned(call))).toThrow(SigningRefused)
  })

  test('has the highest fee of HyperEVM', () => {
    const [purpose, call] = [purposeOf('redeem', paid), unsigned(on(redeemData(paid, secret)))]
    const most = 1_000n * 10n ** 9n
    expect(() => ask(purpose, { ...call, gas: 634_200n, maxFeePerGas: most })).not.toThrow()
    expect(() => ask(purpose, { ...call, gas: 634_201n, maxFeePerGas: most })).toThrow('its fee could be')
    expect(() => ask(purpose, { ...call, maxFeePerGas: most + 1n })).toThrow('for one gas')
  })
})

describe('a consent to a refund', () => {
  const consent = (purpose: Purpose, terms: HtlcTerms, contract: HtlcContract = htlc) =>
    permit({ key, purpose, operation: 'refundConsent', args: [contract, terms] })

  test('is for the order of its purpose alone', () => {
    const purpose = purposeOf('instant-refund', paid)
    expect(() => consent(purpose, paid)).not.toThrow()
    expect(() => consent(purpose, alsoPaid)).toThrow('another order')
    expect(() => consent(purpose, paid, { ...htlc, address: thief })).toThrow('another order')
    expect(() => consent(purposeOf('refund', paid), paid)).toThrow('another order')
  })
})

test.each(['', 'toString', 'claim', 'call'])('nothing else is signed: "%s"', (operation) => {
  expect(() => permit({ key, purpose: purposeOf('redeem', paid), operation, args: [] })).toThrow('no rule')
})

/** The one may be a fee bump of the other. */
function isRefund(verb: SignedVerb): boolean {
  return verb === 'refund' || verb === 'instant-refund'
}

function rawAction({ data }: Call): Hex {
  return slice(data, 68, 168)
}

function flipped(data: Hex, place: number): Hex {
  const bytes = Buffer.from(data.slice(2), 'hex')
  bytes[place] = (bytes[place] ?? 0) ^ 0x01
  return `0x${bytes.toString('hex')}`
}

/**
 * What a user signed may be anything, since the HTLC decides about it, and so may the owner of an account, whose money it stays. A lower allowance, and a
 * move of less, only make the next one come sooner.
 */
function isHarmless(call: Call, other: Call): boolean {
  if (other.to !== call.to || other.data.length !== call.data.length) return false
  const isSameBut = (from: number, to: number) =>
    other.value <= call.value &&
    other.data.slice(0, 2 + 2 * from) === call.data.slice(0, 2 + 2 * from) &&
    other.data.slice(2 + 2 * to) === call.data.slice(2 + 2 * to)
  const end = (call.data.length - 2) / 2
  if (call.to === token) return isSameBut(end - 32, end) && BigInt(slice(other.data, -32)) <= HIGHEST_ALLOWANCE
  if (call.to === CORE_WRITER) return isSameBut(136, 168) && BigInt(slice(other.data, 136, 168)) <= 20_000n
  // An address has 20 bytes of its word.
  if (NAMES_OWNER.has(call.data)) return isSameBut(4 + 12, 4 + 32)
  return call.data.includes('ab'.repeat(65)) && isSameBut(4 + 5 * 32, end)
}
