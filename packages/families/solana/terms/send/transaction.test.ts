/** Tests signed transactions against @solana/web3.js, and the size of their instructions. */
import { VersionedTransaction } from '@solana/web3.js'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { describe, expect, it } from 'vitest'
import { consentInstruction } from '../../contract/client/consent.ts'
import { signTransaction } from '../../server/send/sign.ts'
import { accountOf } from '../address.ts'
import type { HtlcContract } from '../htlc.ts'
import { initiateInstruction, redeemInstructions, refundInstructions } from '../instructions.ts'
import { attemptOf, buildTransaction, expiresAfterOf, feeOf, parseMessage, priorityFeeOf, readAttempt, wireOf } from './transaction.ts'

const [sender, user, mint, program] = ['01', '02', '03', '04'].map((byte) => createEd25519Key(byte.repeat(32)))
if (sender === undefined || user === undefined || mint === undefined || program === undefined) throw new Error('four keys are needed')
const contract: HtlcContract = { asset: 'solana_localnet:usdc', program: accountOf(program), mint: accountOf(mint), decimals: 6 }
const secret = createSecret()
const terms = {
  asset: contract.asset,
  initiator: accountOf(user),
  redeemer: accountOf(sender),
  amount: 7n,
  timelock: 9n,
  secretHash: hashSecret(secret),
}
const frame = { feePayer: accountOf(sender), blockhash: accountOf(mint) as string as never, unitLimit: 40_000, unitPrice: 123n }
const signed = async () => {
  const instructions = redeemInstructions(contract, terms, secret, accountOf(sender))
  return { instructions, transaction: await signTransaction(sender.signerFor(testPurpose), buildTransaction(instructions, frame)) }
}

describe('a signed transaction', () => {
  it('is read by @solana/web3.js as what was signed', async () => {
    const { transaction } = await signed()
    const read = VersionedTransaction.deserialize(Buffer.from(wireOf(transaction), 'base64'))
    expect(read.version).toBe(0)
    const keys = read.message.staticAccountKeys.map(String)
    expect(keys[0]).toBe(frame.feePayer)
    expect([read.message.recentBlockhash, read.message.addressTableLookups]).toEqual([frame.blockhash, []])
    expect(read.message.compiledInstructions.map(({ programIdIndex }) => keys[programIdIndex])).toEqual([
      'ComputeBudget111111111111111111111111111111',
      'ComputeBudget111111111111111111111111111111',
      'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
      contract.program,
    ])
    expect(Buffer.from(read.serialize()).toString('base64')).toBe(wireOf(transaction))
  })

  it('is parsed from the recorded attempt alone', async () => {
    const { transaction, instructions } = await signed()
    const attempt = { ...attemptOf(transaction, frame, 1_150n), at: 5n }
    expect(attempt).toMatchObject({ slots: ['expires:1150'], nonce: 1_150n, feeRate: 123n })
    const read = readAttempt(attempt)
    expect(read).toMatchObject({ tx: attempt.tx, wire: wireOf(transaction), expiresAfter: 1_150n, at: 5n })
    expect(read.budget).toEqual({ unitLimit: 40_000, unitPrice: 123n })
    // 40,000 × 123 micro-lamports are 4.92 lamports, rounded up.
    expect(read.feeLamports).toBe(5_005n)
    const plain = (all: typeof read.call.instructions) =>
      all.map(({ programAddress, accounts = [], data }) => [
        programAddress,
        accounts.map(({ address }) => address),
        Buffer.from(data ?? []),
      ])
    expect(plain(read.call.instructions)).toEqual(plain(instructions))
    expect(buildTransaction(read.call.instructions, frame).messageBytes).toEqual(transaction.messageBytes)
  })

  it('is not recorded without all signatures, nor read without its expiry', async () => {
    const { transaction } = await signed()
    const unsigned = buildTransaction((await signed()).instructions, frame)
    expect(() => attemptOf(unsigned, frame, 1n)).toThrow(/without all of its signatures/)
    expect(() => expiresAfterOf({ ...attemptOf(transaction, frame, 1n), slots: [] })).toThrow(/no expiry/)
  })
})

describe('instructions', () => {
  it('fit in a transaction with all that they may need, and have one form only', async () => {
    const [payer, other] = [accountOf(sender), accountOf(user)]
    const initiation = { funder: accountOf(user), rentPayer: payer, initiateBefore: 2n ** 40n }
    const native = { ...contract, mint: null }
    for (const of of [contract, native]) {
      for (const instructions of [
        [initiateInstruction(of, terms, initiation)],
        redeemInstructions(of, terms, secret, other),
        refundInstructions(of, terms, other),
      ]) {
        const build = () => buildTransaction(instructions, { ...frame, unitPrice: 2n ** 64n - 1n })
        expect(Buffer.from(wireOf(build()), 'base64').length).toBeLessThanOrEqual(1232)
        expect(build().messageBytes).toEqual(build().messageBytes)
        expect(parseMessage(build().messageBytes).instructions).toHaveLength(instructions.length)
      }
    }
  })

  it('create an account only for tokens, and only if somebody pays for it', async () => {
    const count = (of: HtlcContract, creator: typeof frame.feePayer | null) => [
      redeemInstructions(of, terms, secret, creator).length,
      refundInstructions(of, terms, creator).length,
    ]
    expect(count(contract, null)).toEqual([1, 1])
    expect(count(contract, accountOf(sender))).toEqual([2, 2])
    expect(count({ ...contract, mint: null }, accountOf(sender))).toEqual([1, 1])
  })
})

describe('a fee', () => {
  it('is 5,000 lamports a signature and the priority fee, rounded up', async () => {
    const { transaction } = await signed()
    expect(feeOf(transaction, [], { unitLimit: 1, unitPrice: 0n })).toBe(5_000n)
    const verified = consentInstruction(accountOf(user), new Uint8Array(64), new Uint8Array(80))
    expect(feeOf(transaction, [verified], { unitLimit: 1, unitPrice: 0n })).toBe(10_000n)
    expect([0n, 1n, 1_000_000n, 1_000_001n].map((unitPrice) => priorityFeeOf({ unitLimit: 1, unitPrice }))).toEqual([0n, 1n, 1n, 2n])
  })
})
