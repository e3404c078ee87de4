/** Tests that keys sign on Tron what their purpose says, and nothing that a thief of everything but the key would ask for. */

import { allowancesOf } from '@tandem/evm/terms/allowance.ts'
import { approvalCall } from '@tandem/evm/terms/approval-call.ts'
import { initiateDepositData, reclaimDepositedData } from '@tandem/evm/terms/deposit.ts'
import {
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
import { createKeyring } from '@tandem/keys/keyring.ts'
import { SigningRefused } from '@tandem/keys/permit.ts'
import { type OrderPurpose, orderPurpose, type Purpose, type SignedVerb } from '@tandem/keys/purpose.ts'
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import fc from 'fast-check'
import { utils } from 'tronweb'
import { type Address, type Hex, hexToBytes, maxUint256, slice } from 'viem'
import { describe, expect, test } from 'vitest'
import { accountOf, fromEvmAddress, toEvmAddress } from '../terms/address.ts'
import { type FeeVerb, feeCapSun } from '../terms/fees/limits.ts'
import { evmTerms, tokenOf, tronContracts } from '../terms/htlc.ts'
import { splitTransaction } from './nodes/wire.ts'
import { createPermit } from './permit.ts'
import { prefixed, type TransactionFrame, type TronCall } from './send/raw-data.ts'
import { signCall, signCreation } from './send/transaction.ts'

const found = localChains.find(({ id }) => id === 'tron_localnet')
if (found === undefined) throw new Error('there is no local Tron')
const chain = found
const at = (byte: string) => fromEvmAddress(`0x${byte.repeat(20)}`)
const [USDT, WBTC]: readonly [AssetId, AssetId] = ['tron_localnet:usdt', 'tron_localnet:wbtc']
const deployments = new Map([
  [USDT, { htlc: at('a1'), token: at('a2') }],
  [WBTC, { htlc: at('b1'), token: at('b2') }],
])
const assets = localAssets.flatMap((asset) => {
  const deployment = deployments.get(asset.id)
  return deployment === undefined ? [] : [{ ...asset, maxAmount: 1_000_000n, deployment }]
})
const contracts = tronContracts(chain, assets)
const permit = createPermit(chain, contracts, allowancesOf(assets))
const htlc = contracts.of(USDT)
const token = tokenOf(htlc)
const HIGHEST_ALLOWANCE = 4_000_000n

const key = createSecp256k1Key('42'.repeat(32))
const own = accountOf(key)
const [user, thief] = [at('c1'), at('d1')]
const secret = createSecret()
const signature: Hex = `0x${'ab'.repeat(65)}`

/** We are the initiator of what we pay, and the redeemer of what we are paid. */
const paying: HtlcTerms = { asset: USDT, initiator: own, redeemer: user, amount: 1_000n, timelock: 600n, secretHash: hashSecret(secret) }
const paid: HtlcTerms = { ...paying, initiator: user, redeemer: own }
const otherSecret = createSecret()
const alsoPaid: HtlcTerms = { ...paid, amount: 77n, secretHash: hashSecret(otherSecret) }
/** We are neither. */
const relayed: HtlcTerms = { ...paid, redeemer: at('e1') }
const swap = { terms: evmTerms(paid), deadline: 1_900_000_000n }

const purposeOf = (verb: SignedVerb, terms: HtlcTerms, gas?: bigint): OrderPurpose =>
  orderPurpose(chain.id, { order: 'order', leg: 'source', verb, terms, ...(gas !== undefined && { gas }) })

const on = (data: Hex, value = 0n, to: Address = htlc.address): TronCall => ({ to, data, value })
const initiation = (terms: HtlcTerms) => initiateData(evmTerms(terms), toEvmAddress(own))

const reference = { height: 0x12345678n, hash: `0x0000000012345678${'ab'.repeat(24)}` }
const frame: TransactionFrame = { reference, nowMs: 1_700_000_000_123n, ttlMs: 60_000n, feeLimitSun: 27_000_000n, energyPriceSun: 100n }
const ask = (purpose: Purpose, call: unknown, framed: unknown = frame, by = key) =>
  permit({ key: by, purpose, operation: 'call', args: [call, framed] })

type Allowed = readonly [what: string, purpose: OrderPurpose, call: TronCall, fee: FeeVerb]
const ALLOWED: readonly Allowed[] = [
  ['a lock', purposeOf('initiate', paying), on(initiation(paying)), 'initiate'],
  ['an approval for a lock', purposeOf('initiate', paying), approvalCall(token, htlc.address, HIGHEST_ALLOWANCE), 'approve'],
  ['a reset of an allowance', purposeOf('initiate', paying), approvalCall(token, htlc.address, 0n), 'approve'],
  ['a redeem', purposeOf('redeem', paid), on(redeemData(evmTerms(paid), secret)), 'redeem'],
  ['a redeem with gas', purposeOf('redeem', paying, 5n), on(redeemWithGasData(evmTerms(paying), secret), 5n), 'redeem'],
  ['a refund', purposeOf('refund', paying), on(refundData(evmTerms(paying))), 'refund'],
  ['an instant refund', purposeOf('instant-refund', paid), on(instantRefundData(evmTerms(paid), signature)), 'refund'],
  ['an instant refund, after the timelock', purposeOf('refund', relayed), on(instantRefundData(evmTerms(relayed), signature)), 'refund'],
  ['a relay', purposeOf('relay', paid), on(initiateWithSignatureData(evmTerms(paid), signature)), 'initiate'],
  ['a relay from a deposit address', purposeOf('relay', paid), on(initiateDepositData(htlc, swap)), 'initiate'],
  ['a return from a deposit address', purposeOf('reclaim', paid), on(reclaimDepositedData(htlc, swap, token)), 'reclaim'],
]

describe('a call', () => {
  test.each(ALLOWED)('may be %s', (_, purpose, call) => {
    expect(() => ask(purpose, call)).not.toThrow()
  })

  test.each(ALLOWED)('may not be %s with anything of it changed', (_, purpose, call) => {
    const bytes = (call.data.length - 4) / 2
    const changed = fc.oneof(
      fc.constant({ ...call, to: toEvmAddress(thief) }),
      fc.constant({ ...call, to: call.to.toUpperCase().replace('0X', '0x') }),
      fc.bigInt({ min: 1n, max: 10n ** 30n }).map((more) => ({ ...call, value: call.value + more })),
      fc
        .uint8Array({ minLength: 1, maxLength: 40 })
        .map((more) => ({ ...call, data: `${call.data}${Buffer.from(more).toString('hex')}` as Hex })),
      fc.nat(bytes).map((place) => ({ ...call, data: flipped(call.data, place) })),
      fc.nat(bytes).map((length) => ({ ...call, data: call.data.slice(0, 2 + 2 * length) as Hex })),
    )
    fc.assert(
      fc.property(changed, (other) => {
        fc.pre(!isHarmless(call, other as TronCall))
        expect(() => ask(purpose, other)).toThrow(SigningRefused)
      }),
      { numRuns: 200 },
    )
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
    const [first] = purpose.actions
    for (const verb of verbs.filter((one) => one !== first.verb && !(isRefund(one) && isRefund(first.verb))))
      expect(() => ask({ ...purpose, actions: [{ ...first, verb }] }, call), verb).toThrow(SigningRefused)
  })

  test.each(ALLOWED)('may not be %s on another chain, of another key, or for a purpose that is not an order', (what, purpose, call) => {
    expect(() => ask({ ...purpose, chain: 'tron' }, call)).toThrow('signs on tron_localnet')
    const claim = { kind: 'claim', chain: chain.id, asset: USDT, recipient: user, total: 1n } as const
    expect(() => ask(claim, call)).toThrow('only orders')
    expect(() => ask({ kind: 'deploy', chain: chain.id, asset: USDT }, call)).toThrow('only orders')
    // Only a lock is about the account that sends it.
    if (what === 'a lock') expect(() => ask(purpose, call, frame, createSecp256k1Key('43'.repeat(32)))).toThrow('not named')
  })

  test.each(ALLOWED)('may cost for %s what we pay at most', (_, purpose, call, fee) => {
    expect(() => ask(purpose, call, { ...frame, feeLimitSun: feeCapSun[fee] })).not.toThrow()
    expect(() => ask(purpose, call, { ...frame, feeLimitSun: feeCapSun[fee] + 1n })).toThrow('its energy could cost')
  })

  test.each<readonly [string, object, object]>([
    ['a fee limit of another kind', {}, { feeLimitSun: '1e30' }],
    ['no fee limit', {}, { feeLimitSun: undefined }],
    ['a negative fee limit', {}, { feeLimitSun: -1n }],
    ['a time that a number cannot hold', {}, { nowMs: 2n ** 60n }],
    ['an expiry of another kind', {}, { ttlMs: 60_000 }],
    ['a value of another kind', { value: '1e30' }, {}],
    ['no value', { value: undefined }, {}],
    ['no calldata', { data: undefined }, {}],
    ['no contract', { to: undefined }, {}],
  ])('may not have %s', (_, called, framed) => {
    const call = { ...on(redeemData(evmTerms(paid), secret)), ...called }
    expect(() => ask(purposeOf('redeem', paid), call, { ...frame, ...framed })).toThrow(SigningRefused)
  })

  test.each<readonly [string, OrderPurpose, TronCall]>([
    ['a transfer of tokens', purposeOf('initiate', paying), transferCall(token, toEvmAddress(thief), 1n)],
    ['TRX to somebody', purposeOf('redeem', paid, 5n), on('0x', 5n, toEvmAddress(thief))],
    ['an unlimited approval', purposeOf('initiate', paying), approvalCall(token, htlc.address, maxUint256)],
    ['an approval of more', purposeOf('initiate', paying), approvalCall(token, htlc.address, HIGHEST_ALLOWANCE + 1n)],
    ['an approval of another spender', purposeOf('initiate', paying), approvalCall(token, toEvmAddress(thief), 1n)],
    ['an approval of another token', purposeOf('initiate', paying), approvalCall(tokenOf(contracts.of(WBTC)), htlc.address, 1n)],
    ['an approval for a redeem', purposeOf('redeem', paid), approvalCall(token, htlc.address, 1n)],
    ['a lock for another redeemer', purposeOf('initiate', paying), on(initiation({ ...paying, redeemer: thief }))],
    ['a lock whose refund goes to another', purposeOf('initiate', paying), on(initiation({ ...paying, initiator: thief }))],
    [
      'a lock for terms whose refund goes to another',
      purposeOf('initiate', { ...paying, initiator: thief }),
      on(initiation({ ...paying, initiator: thief })),
    ],
    ['a lock of more', purposeOf('initiate', paying), on(initiation({ ...paying, amount: 1_001n }))],
    ['a lock with TRX', purposeOf('initiate', paying, 5n), on(initiation(paying), 1n)],
    ['a redeem that shows another secret', purposeOf('redeem', paid), on(redeemData(evmTerms(paid), otherSecret))],
    ['a batch, which we never send here', purposeOf('redeem', paid), on(redeemBatchData([{ terms: evmTerms(paid), secret }]))],
    ['the gift of a deposit that we are to redeem', purposeOf('redeem', paid), on(instantRefundData(evmTerms(paid), signature))],
    ['its own consent to a refund as a refund', purposeOf('refund', paid), on(instantRefundData(evmTerms(paid), signature))],
    ['a revocation', purposeOf('initiate', paying), on(revokeData(evmTerms(paying)))],
    [
      'an order at the HTLC of another asset',
      purposeOf('refund', paying),
      on(refundData(evmTerms(paying)), 0n, contracts.of(WBTC).address),
    ],
    ['a gift of gas beyond the order', purposeOf('redeem', paying, 5n), on(redeemWithGasData(evmTerms(paying), secret), 6n)],
    ['a gift of gas that the order does not have', purposeOf('redeem', paying), on(redeemWithGasData(evmTerms(paying), secret), 1n)],
    [
      'a signature that costs more bandwidth',
      purposeOf('relay', paid),
      on(initiateWithSignatureData(evmTerms(paid), longSignature(4_800))),
    ],
  ])('may not be %s', (_, purpose, call) => {
    expect(() => ask(purpose, call)).toThrow(SigningRefused)
  })

  test('may carry the longest signature of a contract account', () => {
    const call = on(initiateWithSignatureData(evmTerms(paid), longSignature(4_096)))
    expect(() => ask(purposeOf('relay', paid), call)).not.toThrow()
  })
})

describe('a transfer of inventory', () => {
  const withdrawal = (asset: AssetId) => ({ kind: 'withdraw', chain: chain.id, asset, recipient: user, amount: 5n }) as const
  const tokens = (to: string, amount: bigint, of: Address = token) => transferCall(of, toEvmAddress(to), amount)

  test('is exactly that of its purpose', () => {
    expect(() => ask(withdrawal(USDT), tokens(user, 5n))).not.toThrow()
    const others = [
      tokens(thief, 5n),
      tokens(user, 6n),
      tokens(user, 5n, tokenOf(contracts.of(WBTC))),
      { ...tokens(user, 5n), value: 1n },
      on('0x', 5n, toEvmAddress(user)),
      on('0x', 0n, toEvmAddress(own)),
    ]
    for (const call of others) expect(() => ask(withdrawal(USDT), call)).toThrow('not the transfer')
    expect(() => ask(withdrawal(chain.nativeAsset), on('0x', 5n, toEvmAddress(user)))).toThrow('is not sent')
    const expensive = { ...frame, feeLimitSun: feeCapSun.transfer + 1n }
    expect(() => ask(withdrawal(USDT), tokens(user, 5n), expensive)).toThrow('its energy could cost')
    expect(() => ask(purposeOf('redeem', paid), tokens(user, 5n))).toThrow('it would call the token')
  })
})

describe('a consent to a refund', () => {
  const consent = (purpose: Purpose, terms: HtlcTerms, contract: HtlcContract = htlc) =>
    permit({ key, purpose, operation: 'refundConsent', args: [contract, evmTerms(terms)] })

  test('is for the order of its purpose alone', () => {
    const purpose = purposeOf('instant-refund', paid)
    expect(() => consent(purpose, paid)).not.toThrow()
    expect(() => consent(purpose, alsoPaid)).toThrow('another order')
    expect(() => consent(purpose, paid, contracts.of(WBTC))).toThrow('another order')
    expect(() => consent(purpose, paid, { ...htlc, chainId: 1 })).toThrow('another order')
    expect(() => consent(purpose, paid, { ...htlc, token: null })).toThrow('another order')
    expect(() => consent(purposeOf('refund', paid), paid)).toThrow('another order')
    const [action] = purpose.actions
    expect(() => consent({ ...purpose, actions: [action, action] }, paid)).toThrow('one order')
  })
})

test.each(['', 'toString', 'creation', 'transaction', 'claim'])('nothing else is signed: "%s"', (operation) => {
  expect(() => permit({ key, purpose: purposeOf('redeem', paid), operation, args: [] })).toThrow('no rule')
})

describe('the key of a client', () => {
  const signerFor = (purpose: Purpose) => createKeyring([key]).of({ chain, curve: 'secp256k1', permitSigning: permit }).signerFor(purpose)

  test.each(ALLOWED)('signs for %s these bytes alone', async (_, purpose, call) => {
    const { raw } = await signCall(signerFor(purpose), call, frame)
    const { rawData } = splitTransaction(hexToBytes(raw as Hex))
    const read = utils.deserializeTx.deserializeTransaction('TriggerSmartContract', Buffer.from(rawData).toString('hex'))
    const value = {
      owner_address: prefixed(toEvmAddress(own)).toUpperCase(),
      contract_address: prefixed(call.to).toUpperCase(),
      data: call.data.slice(2).toUpperCase(),
      call_value: Number(call.value),
      call_token_value: 0,
      token_id: 0,
    }
    expect(read.contract).toHaveLength(1)
    const [contract] = read.contract
    expect(contract.parameter.value).toEqual(value)
    expect(contract.Permission_id ?? 0).toBe(0)
    expect({ ...read, contract: [] }).toEqual({
      contract: [],
      // There is no memo.
      data: '',
      auths: [],
      scripts: '',
      ref_block_bytes: '5678',
      ref_block_hash: 'AB'.repeat(8),
      expiration: 1_700_000_060_123,
      timestamp: 1_700_000_000_123,
      fee_limit: 27_000_000,
    })
  })

  test('makes no contract', async () => {
    const creation = { initCode: '0x00', name: 'Thief', callersSharePercent: 100, originEnergy: 1 } as const
    const purpose = { kind: 'deploy', chain: chain.id, asset: USDT } as const
    await expect(signCreation(signerFor(purpose), creation, frame)).rejects.toThrow(SigningRefused)
    expect((await signCreation(key.signerFor(purpose), creation, frame)).tx).toMatch(/^[0-9a-f]{64}$/)
  })
})

function longSignature(bytes: number): Hex {
  return `0x${'ab'.repeat(bytes)}`
}

/** The one may be sent again for the other. */
function isRefund(verb: SignedVerb): boolean {
  return verb === 'refund' || verb === 'instant-refund'
}

function flipped(data: Hex, place: number): Hex {
  const bytes = Buffer.from(data.slice(2), 'hex')
  bytes[place] = (bytes[place] ?? 0) ^ 0x01
  return `0x${bytes.toString('hex')}`
}

/** What a user signed may be anything, since the HTLC decides about it. A lower allowance only makes the next approval come sooner. */
function isHarmless(call: TronCall, other: TronCall): boolean {
  if (other.to !== call.to || other.value !== call.value || other.data.length !== call.data.length) return false
  if (call.to === token) return other.data.slice(0, -64) === call.data.slice(0, -64) && BigInt(slice(other.data, -32)) <= HIGHEST_ALLOWANCE
  const fixed = 2 + 8 + 5 * 64
  if (call.data.includes('ab'.repeat(65))) return other.data.slice(0, fixed) === call.data.slice(0, fixed)
  // The chain and the deadline of a deposit and the token of a return lead to another address, where nothing of ours is.
  const isDeposit = [initiateDepositData(htlc, swap), reclaimDepositedData(htlc, swap, token)].includes(call.data)
  return isDeposit && other.data.slice(0, 10) === call.data.slice(0, 10) && ofTerms(other.data) === ofTerms(call.data)
}

const ofTerms = (data: Hex) => data.slice(10 + 64, 10 + 6 * 64)
