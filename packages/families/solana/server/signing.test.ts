/** Tests that of two locks which are signed for one order, at most one can ever count: a signer compares what they use up. */
import type { Address, Blockhash } from '@solana/kit'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import { findSigning } from '@tandem/keys/signing-families.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { expect, test } from 'vitest'
import { accountOf } from '../terms/address.ts'
import { initiateInstruction, redeemInstructions } from '../terms/instructions.ts'
import { buildTransaction } from '../terms/send/transaction.ts'
// It lists the operations when it is loaded.
import './signing.ts'

const [own, user, program, mint] = ['42', 'c1', 'e1', 'e2'].map((byte) => accountOf(createEd25519Key(byte.repeat(32)))) as [
  Address,
  Address,
  Address,
  Address,
]
const htlcs = {
  sol: { asset: 'solana_localnet:sol', program, mint: null, decimals: 9 },
  token: { asset: 'solana_localnet:usdc', program, mint, decimals: 6 },
} as const
const secret = createSecret()
const frame = { unitLimit: 200_000, unitPrice: 1n, feePayer: own, blockhash: own as string as Blockhash }

const signing = findSigning(['solana'], 'operation', 'transaction')

const usedUpBy = (instructions: Parameters<typeof buildTransaction>[0]) =>
  signing?.usedUp([Uint8Array.from(buildTransaction(instructions, frame).messageBytes)])

test.each(Object.values(htlcs))('a lock of $asset uses up the time before which it must be mined', (htlc) => {
  const terms: HtlcTerms = {
    asset: htlc.asset,
    initiator: own,
    redeemer: user,
    amount: 1_000n,
    timelock: 600n,
    secretHash: hashSecret(secret),
  }
  const lockBefore = (initiateBefore: bigint) => [initiateInstruction(htlc, terms, { funder: own, rentPayer: own, initiateBefore })]
  expect(usedUpBy(lockBefore(1_900_000_000n))).toEqual(['initiation before 1900000000'])
  expect(usedUpBy(lockBefore(1_900_000_001n))).toEqual(['initiation before 1900000001'])
  expect(usedUpBy(redeemInstructions(htlc, { ...terms, initiator: user, redeemer: own }, secret, null))).toEqual([])
  expect(signing?.locksOnce).toBe(false)
})
