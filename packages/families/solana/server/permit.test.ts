/** Tests that keys sign on Solana what their purpose says, and nothing that a thief of everything but the key would ask for. */
import {
  AccountRole,
  type Address,
  type AddressesByLookupTableAddress,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  getAddressDecoder,
  getAddressEncoder,
  getI64Encoder,
  getU64Encoder,
  type Instruction,
  pipe,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageComputeUnitPrice,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { getAdvanceNonceAccountInstruction, getTransferSolInstruction } from '@solana-program/system'
import { getCreateAssociatedTokenIdempotentInstruction, getTransferInstruction } from '@solana-program/token'
import { localChains } from '@tandem/families/registry.ts'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import { SigningRefused } from '@tandem/keys/permit.ts'
import { type OrderPurpose, orderPurpose, type Purpose, type SignedVerb, type WithdrawPurpose } from '@tandem/keys/purpose.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { consentMessage } from '../contract/client/consent.ts'
import { closeOrder, instantRefundSol } from '../contract/client/instructions.ts'
import { computeBudgetProgram, tokenProgram } from '../contract/client/programs.ts'
import { accountOf } from '../terms/address.ts'
import { initiateDepositedInstruction, returnDepositInstruction } from '../terms/deposit.ts'
import { type HtlcContract, swapIdOf } from '../terms/htlc.ts'
import {
  initiateInstruction,
  instantRefundInstructions,
  redeemInstructions,
  refundInstructions,
  tokenAccountOf,
} from '../terms/instructions.ts'
import { relayedTransaction } from '../terms/relayed-transaction.ts'
import { buildTransaction, type MessageFrame, parseMessage, priorityFeeOf } from '../terms/send/transaction.ts'
import { createPermit } from './permit.ts'

const found = localChains.find(({ id }) => id === 'solana_localnet')
if (found === undefined) throw new Error('there is no local Solana chain')
const chain = found
const key = createEd25519Key('42'.repeat(32))
const own = accountOf(key)
const [user, thief, mint, program, otherProgram, third] = ['c1', 'd1', 'e1', 'e2', 'e3', 'e4'].map((byte) =>
  accountOf(createEd25519Key(byte.repeat(32))),
) as [Address, Address, Address, Address, Address, Address]
const token = { asset: 'solana_localnet:usdc', program, mint, decimals: 6 } satisfies HtlcContract
const sol = { asset: 'solana_localnet:sol', program, mint: null, decimals: 9 } satisfies HtlcContract
const contracts = { all: [sol, token], of: (asset: string) => (asset === sol.asset ? sol : token) }
const permit = createPermit(chain, contracts)

const secret = createSecret()
const otherSecret = createSecret()
/** No other part of a message has these bytes. */
const blockhash = getAddressDecoder().decode(new Uint8Array(32).fill(0x5b)) as string as Blockhash
const DEADLINE = 1_876_543_210n
const initiation = { initiatedSlot: 987_654_321n, initiateBefore: DEADLINE }
const signature = new Uint8Array(64).fill(0xab)
const GAS = 2_345_678n

/** We are the initiator of what we pay, and the redeemer of what we are paid. */
const paying: HtlcTerms = {
  asset: token.asset,
  initiator: own,
  redeemer: user,
  amount: 1_000n,
  timelock: 600n,
  secretHash: hashSecret(secret),
}
const payingSol: HtlcTerms = { ...paying, asset: sol.asset }
const paid: HtlcTerms = { ...paying, initiator: user, redeemer: own }
const paidSol: HtlcTerms = { ...paid, asset: sol.asset }
/** We are neither. */
const others: HtlcTerms = { ...paid, redeemer: third }
const othersSol: HtlcTerms = { ...others, asset: sol.asset }

const purposeOf = (verb: SignedVerb, terms: HtlcTerms, gas?: bigint): OrderPurpose =>
  orderPurpose(chain.id, { order: 'order', leg: 'source', verb, terms, ...(gas !== undefined && { gas }) })

/** An instant refund by `consent` of the redeemer. */
const refundByConsent = (contract: HtlcContract, terms: HtlcTerms, creator: Address | null = null) => {
  const message = consentMessage(swapIdOf(contract, terms) as Address, initiation)
  return instantRefundInstructions(contract, terms, { message, signature }, creator)
}
const lock = (contract: HtlcContract, terms: HtlcTerms, by: { funder?: Address; rentPayer?: Address } = {}) =>
  initiateInstruction(contract, terms, { funder: own, rentPayer: own, initiateBefore: DEADLINE, ...by })
const accountFor = (owner: Address, payer = own): Instruction =>
  getCreateAssociatedTokenIdempotentInstruction({
    payer: { address: payer } as never,
    ata: tokenAccountOf(owner, mint),
    owner,
    mint,
    tokenProgram,
  })
const coins = (destination: Address, amount: bigint): Instruction =>
  getTransferSolInstruction({ source: { address: own } as never, destination, amount })
const signedBy = (all: readonly Instruction[]): readonly Instruction[] =>
  all.map((one) => ({
    ...one,
    accounts: one.accounts?.map((meta) => (meta.address === own ? { address: own, role: AccountRole.WRITABLE_SIGNER } : meta)) ?? [],
  }))
const close = (contract: HtlcContract, terms: HtlcTerms, rentPayer: Address) =>
  closeOrder(program, swapIdOf(contract, terms) as Address, rentPayer)
const swap = (terms: HtlcTerms) => ({ terms, deadline: DEADLINE })
const i64 = (value: bigint) => Uint8Array.from(getI64Encoder().encode(value))

type Case = readonly [
  what: string,
  purpose: OrderPurpose,
  instructions: readonly Instruction[],
  maxFee: bigint,
  /** Others may choose these bytes. */
  free: readonly Uint8Array[],
]
const [time, slot] = [i64(DEADLINE), Uint8Array.from(getU64Encoder().encode(initiation.initiatedSlot))]
const consentParts = [signature, slot, time]
const rentPayerOf = (address: Address) => [Uint8Array.from(getAddressEncoder().encode(address))]

const ALLOWED: readonly Case[] = [
  ['a lock of tokens', purposeOf('initiate', paying), [lock(token, paying)], 100_000n, [time]],
  [
    'a lock that also makes the account of its redeemer',
    purposeOf('initiate', paying),
    [accountFor(user), lock(token, paying)],
    100_000n,
    [time],
  ],
  ['a lock of SOL', purposeOf('initiate', payingSol), [lock(sol, payingSol)], 100_000n, [time]],
  ['a relay of what the user signed', purposeOf('relay', others), [lock(token, others, { funder: user })], 20_000n, [time]],
  [
    'a relay of tokens from a deposit address',
    purposeOf('relay', others),
    [initiateDepositedInstruction(token, swap(others), own)],
    100_000n,
    [],
  ],
  [
    'a relay of SOL from a deposit address',
    purposeOf('relay', othersSol),
    [initiateDepositedInstruction(sol, swap(othersSol), own)],
    100_000n,
    [],
  ],
  ['a redeem for another', purposeOf('redeem', others), redeemInstructions(token, others, secret, null), 5_000_000n, []],
  ['a redeem for us', purposeOf('redeem', paid), redeemInstructions(token, paid, secret, own), 5_000_000n, []],
  ['a redeem of SOL', purposeOf('redeem', paidSol), redeemInstructions(sol, paidSol, secret, null), 5_000_000n, []],
  [
    'a redeem with gas',
    purposeOf('redeem', others, GAS),
    [...redeemInstructions(token, others, secret, null), coins(third, GAS)],
    5_000_000n,
    [],
  ],
  [
    'a redeem without the gas of its order',
    purposeOf('redeem', others, GAS),
    redeemInstructions(token, others, secret, null),
    5_000_000n,
    [],
  ],
  ['a refund to us', purposeOf('refund', paying), refundInstructions(token, paying, own), 5_000_000n, []],
  ['a refund to another', purposeOf('refund', others), refundInstructions(token, others, null), 5_000_000n, []],
  ['a refund of SOL', purposeOf('refund', payingSol), refundInstructions(sol, payingSol, null), 5_000_000n, []],
  ['an instant refund', purposeOf('instant-refund', others), refundByConsent(token, others), 5_000_000n, consentParts],
  ['an instant refund of SOL', purposeOf('instant-refund', paidSol), refundByConsent(sol, paidSol), 5_000_000n, consentParts],
  ['an instant refund to us', purposeOf('instant-refund', paying), refundByConsent(token, paying, own), 5_000_000n, consentParts],
  ['a return from a deposit address', purposeOf('reclaim', others), [returnDepositInstruction(token, swap(others))], 20_000n, []],
  [
    'a return of SOL from a deposit address',
    purposeOf('reclaim', othersSol),
    [returnDepositInstruction(sol, swap(othersSol))],
    20_000n,
    [],
  ],
  ['a close', purposeOf('close', paying), [close(token, paying, own)], 5_000n, []],
  ['a close for whoever paid the rent', purposeOf('close', othersSol), [close(sol, othersSol, user)], 5_000n, rentPayerOf(user)],
]

/** The fee of the frame is the highest one. */
function frameOf(maxFee: bigint, over: Partial<MessageFrame> = {}): MessageFrame {
  return { feePayer: own, blockhash, unitLimit: 100_000, unitPrice: maxFee * 10n, ...over }
}
function bytesOf(instructions: readonly Instruction[], frame: MessageFrame): Uint8Array {
  return Uint8Array.from(buildTransaction(instructions, frame).messageBytes)
}
const ask = (purpose: Purpose, message: Uint8Array, by = key) => permit({ key: by, purpose, operation: 'transaction', args: [message] })
const isAllowed = (purpose: Purpose, message: Uint8Array): boolean => {
  try {
    ask(purpose, message)
    return true
  } catch (error) {
    if (error instanceof SigningRefused) return false
    throw error
  }
}

describe('a transaction', () => {
  test.each(ALLOWED)('may be %s', (_, purpose, instructions, maxFee) => {
    expect(() => ask(purpose, bytesOf(instructions, frameOf(maxFee)))).not.toThrow()
    expect(() => ask(purpose, bytesOf(instructions, frameOf(0n)))).not.toThrow()
  })

  test.each(ALLOWED)('may not be %s with any bit of it changed', (_, purpose, instructions, maxFee, free) => {
    const message = bytesOf(instructions, frameOf(maxFee))
    const harmless = [Uint8Array.from(getAddressEncoder().encode(blockhash as string as Address)), ...free].flatMap((part) =>
      placesOf(message, part),
    )
    const budget = budgetIn(message)
    fc.assert(
      fc.property(fc.nat(message.length - 1), fc.nat(7), (at, bit) => {
        const other = message.slice()
        other[at] = (other[at] ?? 0) ^ (1 << bit)
        expect(isAllowed(purpose, other)).toBe(harmless.includes(at) || (budget.includes(at) && isCheap(other, maxFee)))
      }),
      { numRuns: 80 },
    )
  })

  test.each(ALLOWED)('may not be %s that is longer or shorter', (_, purpose, instructions, maxFee) => {
    const message = bytesOf(instructions, frameOf(maxFee))
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(message.length - 1), (more, length) => {
        expect(isAllowed(purpose, Uint8Array.from([...message, ...more]))).toBe(false)
        expect(isAllowed(purpose, message.slice(0, length))).toBe(false)
      }),
      { numRuns: 10 },
    )
  })

  test.each(ALLOWED)('may not be %s with other instructions', (_, purpose, instructions, maxFee) => {
    const refused = (all: readonly Instruction[], what: string) =>
      expect(isAllowed(purpose, bytesOf(all, frameOf(maxFee))), what).toBe(false)
    const extra = [
      coins(thief, 1n),
      coins(user, 1n),
      accountFor(thief),
      lock(token, { ...paying, redeemer: thief }),
      getTransferInstruction({
        source: tokenAccountOf(own, mint),
        destination: tokenAccountOf(thief, mint),
        authority: { address: own } as never,
        amount: 1n,
      }),
      { programAddress: thief, accounts: [{ address: own, role: AccountRole.WRITABLE_SIGNER }], data: new Uint8Array() },
      ...instructions,
    ]
    for (const one of extra) {
      refused([one, ...instructions], 'one more before')
      refused([...instructions, one], 'one more behind')
    }
    // A lock needs no account of its redeemer, and a redeem gives no gas if it cannot.
    const isOptional = (index: number) =>
      instructions.length === 2 &&
      ((purpose.actions[0].verb === 'initiate' && index === 0) || (purpose.actions[0].gas !== undefined && index === 1))
    for (const index of instructions.keys()) if (!isOptional(index)) refused(instructions.toSpliced(index, 1), 'one fewer')
    if (instructions.length > 1) refused(instructions.toReversed(), 'another order')
  })

  test.each(ALLOWED)('may not be %s with another account, flag or program', (_, purpose, instructions, maxFee) => {
    for (const [index, one] of instructions.entries()) {
      const refused = (changed: Instruction, what: string) =>
        expect(isAllowed(purpose, bytesOf(instructions.with(index, changed), frameOf(maxFee))), what).toBe(false)
      refused({ ...one, programAddress: otherProgram }, 'another program')
      const accounts = one.accounts ?? []
      refused({ ...one, accounts: [...accounts, { address: own, role: AccountRole.WRITABLE_SIGNER }] }, 'one more account')
      for (const [place, meta] of accounts.entries()) {
        const isRentPayer = purpose.actions[0].verb === 'close' && place === 1
        if (!isRentPayer) refused({ ...one, accounts: accounts.with(place, { ...meta, address: thief }) }, `another account ${place}`)
        refused({ ...one, accounts: accounts.toSpliced(place, 1) }, `no account ${place}`)
        // The fee payer signs and is writable in any case.
        if (meta.address === own) continue
        for (const role of [AccountRole.READONLY, AccountRole.WRITABLE, AccountRole.READONLY_SIGNER, AccountRole.WRITABLE_SIGNER])
          if (role !== meta.role && !isWrittenElsewhere(instructions, meta.address, role))
            refused({ ...one, accounts: accounts.with(place, { ...meta, role }) }, `another role ${role} of account ${place}`)
      }
    }
  })

  test.each(ALLOWED)('may not be %s paid by another, by another key, or dearer', (_, purpose, instructions, maxFee) => {
    expect(isAllowed(purpose, bytesOf(instructions, frameOf(maxFee, { feePayer: thief })))).toBe(false)
    expect(isAllowed(purpose, bytesOf(signedBy(instructions), frameOf(maxFee, { feePayer: user })))).toBe(false)
    const otherKey = createEd25519Key('43'.repeat(32))
    expect(() => ask(purpose, bytesOf(instructions, frameOf(maxFee)), otherKey)).toThrow(SigningRefused)
    const dear = bytesOf(instructions, frameOf(maxFee, { unitPrice: maxFee * 10n + 1n }))
    expect(() => ask(purpose, dear)).toThrow(`its priority fee would be ${maxFee + 1n} lamports, and may be ${maxFee}`)
  })

  test.each(ALLOWED)('may not be %s with a nonce, a lookup table or a second budget', (_, purpose, instructions, maxFee) => {
    const nonce = getAdvanceNonceAccountInstruction({ nonceAccount: thief, nonceAuthority: { address: own } as never })
    const frame = frameOf(maxFee)
    expect(isAllowed(purpose, bytesOf([nonce, ...instructions], frame))).toBe(false)
    const budgets = parseBudgets(instructions, frame)
    for (const budget of budgets) expect(isAllowed(purpose, bytesOf([...instructions, budget], frame))).toBe(false)
    expect(isAllowed(purpose, withLookupTable(instructions, frame))).toBe(false)
    expect(isAllowed(purpose, legacy(instructions, frame))).toBe(false)
  })

  test.each(ALLOWED)('may not be %s on another chain, or for a purpose that is not an order', (_, purpose, instructions, maxFee) => {
    const message = bytesOf(instructions, frameOf(maxFee))
    expect(() => ask({ ...purpose, chain: 'solana' }, message)).toThrow('signs on solana_localnet')
    const { terms } = purpose.actions[0]
    const wrong: readonly Purpose[] = [
      { kind: 'deploy', chain: chain.id, asset: terms.asset },
      { kind: 'rescue', chain: chain.id, terms },
      { kind: 'claim', chain: chain.id, asset: terms.asset, recipient: user, total: 1n },
      { kind: 'fund', chain: chain.id, asset: terms.asset, contract: program, amount: 1n },
      { kind: 'withdraw', chain: chain.id, asset: terms.asset, recipient: user, amount: terms.amount },
    ]
    for (const one of wrong) expect(() => ask(one, message), one.kind).toThrow(SigningRefused)
    expect(() => ask({ ...purpose, actions: [purpose.actions[0], purpose.actions[0]] }, message)).toThrow('one order')
  })

  const verbs = {
    initiate: true,
    redeem: true,
    refund: true,
    reclaim: true,
    close: true,
    relay: true,
    cancel: true,
    fill: true,
    'instant-refund': true,
    'cosigned-redeem': true,
  } satisfies Record<SignedVerb, true>
  test.each(ALLOWED)('may be %s for its own verb and terms only', (_, purpose, instructions, maxFee) => {
    const message = bytesOf(instructions, frameOf(maxFee))
    const [action] = purpose.actions
    for (const verb of Object.keys(verbs) as SignedVerb[])
      if (verb !== action.verb) expect(isAllowed({ ...purpose, actions: [{ ...action, verb }] }, message), verb).toBe(false)
    const { terms } = action
    const changes: readonly Partial<HtlcTerms>[] = [
      { asset: terms.asset === sol.asset ? token.asset : sol.asset },
      { initiator: thief },
      { redeemer: thief },
      { amount: terms.amount + 1n },
      { timelock: terms.timelock + 1n },
      { secretHash: hashSecret(otherSecret) },
    ]
    for (const change of changes)
      expect(
        isAllowed({ ...purpose, actions: [{ ...action, terms: { ...terms, ...change } }] }, message),
        JSON.stringify(Object.keys(change)),
      ).toBe(false)
  })

  const twin: HtlcContract = { ...token, program: otherProgram }
  test.each<readonly [string, OrderPurpose, readonly Instruction[]]>([
    ['nothing', purposeOf('cancel', paying), []],
    ['coins to ourselves', purposeOf('cancel', paying), [coins(own, 0n)]],
    ['coins to the redeemer', purposeOf('initiate', payingSol), [coins(user, 1_000n)]],
    ['a lock whose refund goes to another', purposeOf('initiate', paid), [lock(token, paid)]],
    ['a lock of our tokens that is said to be the user’s', purposeOf('relay', paying), [lock(token, paying)]],
    ['a relay of SOL', purposeOf('relay', othersSol), [lock(sol, othersSol, { funder: user })]],
    ['a relay that we fund', purposeOf('relay', others), [lock(token, others)]],
    ['a relay with an account for somebody', purposeOf('relay', others), [accountFor(third), lock(token, others, { funder: user })]],
    ['a lock with an account for somebody else', purposeOf('initiate', paying), [accountFor(thief), lock(token, paying)]],
    ['a lock with an account, of SOL', purposeOf('initiate', payingSol), [accountFor(user), lock(sol, payingSol)]],
    ['a redeem that makes an account for another', purposeOf('redeem', others), redeemInstructions(token, others, secret, own)],
    ['a redeem that shows another secret', purposeOf('redeem', paid), redeemInstructions(token, paid, otherSecret, own)],
    ['a refund that makes an account for another', purposeOf('refund', others), refundInstructions(token, others, own)],
    [
      'a consent by our signature of the transaction',
      purposeOf('instant-refund', paidSol),
      [instantRefundSol(program, swapIdOf(sol, paidSol) as Address, user, own)],
    ],
    [
      'gas beyond the order',
      purposeOf('redeem', others, GAS),
      [...redeemInstructions(token, others, secret, null), coins(third, GAS + 1n)],
    ],
    [
      'gas that the order does not have',
      purposeOf('redeem', others),
      [...redeemInstructions(token, others, secret, null), coins(third, 1n)],
    ],
    ['gas for another', purposeOf('redeem', others, GAS), [...redeemInstructions(token, others, secret, null), coins(user, GAS)]],
    ['gas alone', purposeOf('redeem', others, GAS), [coins(third, GAS)]],
    ['gas in SOL for SOL', purposeOf('redeem', othersSol, GAS), [...redeemInstructions(sol, othersSol, secret, null), coins(third, GAS)]],
    ['a close that pays the order', purposeOf('close', paying), [close(token, paying, swapIdOf(token, paying) as Address)]],
    ['an order of another program', purposeOf('initiate', paying), [lock(twin, paying)]],
  ])('may not be %s', (_, purpose, instructions) => {
    expect(() => ask(purpose, bytesOf(instructions, frameOf(0n)))).toThrow(SigningRefused)
  })

  test('may not ask for more units than there are', () => {
    const [purpose, message] = [purposeOf('refund', others), bytesOf(refundInstructions(token, others, null), frameOf(0n))]
    const [at = 0] = placesOf(message, Uint8Array.of(2, ...new Uint8Array(new Uint32Array([100_000]).buffer)))
    const unitsOf = (units: number) =>
      message
        .with(at + 1, units & 255)
        .with(at + 2, (units >> 8) & 255)
        .with(at + 3, units >> 16)
    expect(isAllowed(purpose, unitsOf(1_400_000))).toBe(true)
    expect(() => ask(purpose, unitsOf(1_400_001))).toThrow('1400001 units')
  })

  test('may be what we issued to the user, and nothing that is not a message', () => {
    const issued = relayedTransaction(token, swap(others), own, { blockhash, unitPrice: 300_000n })
    expect(() => ask(purposeOf('relay', others), Uint8Array.from(issued.transaction.messageBytes))).not.toThrow()
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(isAllowed(purposeOf('relay', others), bytes)).toBe(false)
      }),
    )
    expect(isAllowed(purposeOf('instant-refund', paid), consentMessage(swapIdOf(token, paid) as Address, initiation))).toBe(false)
  })
})

describe('a transfer of inventory', () => {
  const withdrawal = (asset: AssetId): WithdrawPurpose => ({ kind: 'withdraw', chain: chain.id, asset, recipient: user, amount: 5n })
  const tokens = (to: Address, amount: bigint, source = own) =>
    getTransferInstruction({
      source: tokenAccountOf(source, mint),
      destination: tokenAccountOf(to, mint),
      authority: { address: own } as never,
      amount,
    })

  test('is exactly that of its purpose', () => {
    const may = (asset: AssetId, instructions: readonly Instruction[], maxFee = 100_000n) =>
      isAllowed(withdrawal(asset), bytesOf(instructions, frameOf(maxFee)))
    expect(may(sol.asset, [coins(user, 5n)])).toBe(true)
    expect(may(token.asset, [tokens(user, 5n)])).toBe(true)
    expect(may(token.asset, [accountFor(user), tokens(user, 5n)])).toBe(true)
    const wrongSol = [[coins(thief, 5n)], [coins(user, 6n)], [coins(user, 4n)], [coins(user, 5n), coins(user, 5n)], [], [tokens(user, 5n)]]
    for (const instructions of wrongSol) expect(may(sol.asset, instructions)).toBe(false)
    const wrongTokens = [
      [tokens(thief, 5n)],
      [tokens(user, 6n)],
      [tokens(user, 5n, user)],
      [accountFor(thief), tokens(user, 5n)],
      [accountFor(user)],
      [tokens(user, 5n), accountFor(user)],
      [accountFor(user), accountFor(user), tokens(user, 5n)],
      [coins(user, 5n)],
    ]
    for (const instructions of wrongTokens) expect(may(token.asset, instructions)).toBe(false)
    expect(may(sol.asset, [coins(user, 5n)], 100_001n)).toBe(false)
    expect(isAllowed(purposeOf('redeem', paid), bytesOf([coins(user, 5n)], frameOf(0n)))).toBe(false)
    expect(() => ask({ ...withdrawal(sol.asset), chain: 'solana' }, bytesOf([coins(user, 5n)], frameOf(0n)))).toThrow('signs on')
  })

  test('may not have any bit of it changed', () => {
    const message = bytesOf([accountFor(user), tokens(user, 5n)], frameOf(100_000n))
    const harmless = placesOf(message, Uint8Array.from(getAddressEncoder().encode(blockhash as string as Address)))
    const budget = budgetIn(message)
    fc.assert(
      fc.property(fc.nat(message.length - 1), fc.nat(7), (at, bit) => {
        const other = message.slice()
        other[at] = (other[at] ?? 0) ^ (1 << bit)
        expect(isAllowed(withdrawal(token.asset), other)).toBe(harmless.includes(at) || (budget.includes(at) && isCheap(other, 100_000n)))
      }),
      { numRuns: 80 },
    )
  })
})

describe('a consent to a refund', () => {
  const consent = (purpose: Purpose, order: string, by = key) =>
    permit({ key: by, purpose, operation: 'refundConsent', args: [order, initiation] })

  test('is for the order of its purpose alone, by its redeemer', () => {
    const [purpose, order] = [purposeOf('instant-refund', paid), swapIdOf(token, paid)]
    expect(() => consent(purpose, order)).not.toThrow()
    for (const other of [{ ...paid, amount: 77n }, { ...paid, initiator: thief }, paidSol])
      expect(() => consent(purpose, swapIdOf(contracts.of(other.asset), other))).toThrow('not the purpose')
    for (const verb of ['redeem', 'refund', 'initiate', 'fill', 'cosigned-redeem', 'relay', 'reclaim', 'close', 'cancel'] as const)
      expect(() => consent(purposeOf(verb, paid), order), verb).toThrow('not the purpose')
    expect(() => consent(purpose, order, createEd25519Key('43'.repeat(32)))).toThrow('not the purpose')
    expect(() => consent(purposeOf('instant-refund', others), swapIdOf(token, others))).toThrow('not the purpose')
    expect(() => consent({ ...purpose, actions: [purpose.actions[0], purpose.actions[0]] }, order)).toThrow('one order')
    expect(() => consent({ ...purpose, chain: 'solana' }, order)).toThrow('signs on solana_localnet')
    expect(() => consent({ kind: 'rescue', chain: chain.id, terms: paid }, order)).toThrow(SigningRefused)
  })
})

test.each(['', 'toString', 'constructor', 'message'])('nothing else is signed: "%s"', (operation) => {
  expect(() => permit({ key, purpose: purposeOf('redeem', paid), operation, args: [] })).toThrow('no rule')
})

/** These are all places of the message at which these bytes stand. */
function placesOf(message: Uint8Array, part: Uint8Array): readonly number[] {
  const starts = [...message.keys()].filter((start) => part.every((byte, index) => message[start + index] === byte))
  return starts.flatMap((start) => [...part.keys()].map((index) => start + index))
}

/** These are the places of the limit of units and of their price. */
function budgetIn(message: Uint8Array): readonly number[] {
  const { unitLimit, unitPrice } = parseMessage(message).budget
  const limit = new Uint8Array(new Uint32Array([unitLimit]).buffer)
  const price = Uint8Array.from(getU64Encoder().encode(unitPrice))
  return [Uint8Array.of(2, ...limit), Uint8Array.of(3, ...price)].flatMap((part) => placesOf(message, part).slice(1))
}

/** A lower budget only costs less: the transaction has the same instructions, or fails for want of units. */
function isCheap(message: Uint8Array, maxFee: bigint): boolean {
  return priorityFeeOf(parseMessage(message).budget) <= maxFee
}

/** Another instruction of the message asks for this role already, so the flag is set in any case. */
function isWrittenElsewhere(instructions: readonly Instruction[], address: Address, role: AccountRole): boolean {
  const asked = instructions.flatMap(({ accounts = [] }) => accounts.filter((meta) => meta.address === address).map((meta) => meta.role))
  return asked.length > 1 && asked.reduce((all, one) => all | one, 0) === (asked.reduce((all, one) => all | one, 0) | role)
}

function parseBudgets(instructions: readonly Instruction[], frame: MessageFrame): readonly Instruction[] {
  const transfer = coins(thief, 1n)
  const programAddress = computeBudgetProgram
  expect(parseMessage(bytesOf([...instructions, transfer], frame)).instructions).toHaveLength(instructions.length + 1)
  return [
    { programAddress, data: Uint8Array.of(1, 0, 0, 4, 0) },
    { programAddress, data: Uint8Array.of(2, 0, 0, 1, 0) },
    { programAddress, data: Uint8Array.of(3, 1, 0, 0, 0, 0, 0, 0, 0) },
    { programAddress, data: Uint8Array.of(4, 0, 0, 1, 0) },
  ]
}

function withLookupTable(instructions: readonly Instruction[], frame: MessageFrame): Uint8Array {
  const named = instructions.flatMap(({ accounts = [] }) => accounts.map(({ address }) => address))
  const tables: AddressesByLookupTableAddress = { [thief]: named }
  const compressed = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(frame.feePayer, empty),
    (paying) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: frame.blockhash, lastValidBlockHeight: 0n }, paying),
    (bare) => setTransactionMessageComputeUnitLimit(frame.unitLimit, bare),
    (limited) => setTransactionMessageComputeUnitPrice(frame.unitPrice, limited),
    (priced) => appendTransactionMessageInstructions(instructions, priced),
    (whole) => compressTransactionMessageUsingAddressLookupTables(whole, tables),
  )
  return Uint8Array.from(compileTransaction(compressed).messageBytes)
}

function legacy(instructions: readonly Instruction[], frame: MessageFrame): Uint8Array {
  const whole = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (empty) => setTransactionMessageFeePayer(frame.feePayer, empty),
    (paying) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: frame.blockhash, lastValidBlockHeight: 0n }, paying),
    (bare) => setTransactionMessageComputeUnitLimit(frame.unitLimit, bare),
    (limited) => setTransactionMessageComputeUnitPrice(frame.unitPrice, limited),
    (priced) => appendTransactionMessageInstructions(instructions, priced),
  )
  return Uint8Array.from(compileTransaction(whole).messageBytes)
}
