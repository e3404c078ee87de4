// This test sends 10,000 malformed instructions from an attacker with two keys: nothing of others moves, and the program never crashes.
import {
  type AccountRole,
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { HtlcInstruction } from './client/instructions.ts'
import { instructionsSysvar, systemProgram, tokenProgram } from './client/programs.ts'
import { createHtlc, type HtlcFixture, kinds } from './testing/order.ts'
import { isOpen } from './testing/scenario.ts'

const cases = 10_000

it.each(kinds)(`${cases / 2} malformed instructions for %s`, { timeout: 600_000 }, async (kind) => {
  const htlc = await createHtlc(kind)
  // The runtime then decides by the message alone who signed, so only the attacker's keys are named as signers.
  htlc.svm.withSigverify(false).withTransactionHistory(0n)
  const victim = await htlc.open({ timelock: 1_000_000n })
  const settled = await htlc.open({ timelock: 1_000_000n })
  await htlc.sendSigned([htlc.redeem(settled)])
  const { initiator, redeemer, funder, rentPayer, stranger, relayer } = htlc.keys
  const attackers = [stranger.address, relayer.address]
  const protectedParties = [initiator, redeemer, funder, rentPayer].map(({ address }) => address)
  const possessions = () => [
    ...protectedParties.map((party) => [htlc.balance(party), htlc.tokens(htlc.tokensOf(party))]),
    ...[victim, settled].map(({ address, vault }) => [htlc.balance(address), htlc.data(address), htlc.tokens(vault), htlc.balance(vault)]),
  ]
  const before = possessions()

  const ownOrder = htlc.newOrder({ initiator: stranger.address })
  const valid: readonly HtlcInstruction[] = [
    htlc.initiate(ownOrder, stranger.address, stranger.address),
    htlc.redeem(victim),
    htlc.refund(victim),
    htlc.instantRefund(victim),
    htlc.consentedRefund(victim),
    htlc.close(settled),
  ].map((instruction) => ({
    ...instruction,
    data: instruction.data.map((byte, index) => (instruction.data.length === 40 && index >= 8 ? 0 : byte)),
  }))
  const known = [
    ...protectedParties,
    ...attackers,
    ...protectedParties.map(htlc.tokensOf),
    htlc.tokensOf(stranger.address),
    ...[victim, settled, ownOrder].flatMap(({ address, vault }) => [address, vault]),
    htlc.mint,
    systemProgram,
    tokenProgram,
    instructionsSysvar,
  ]
  const meta = fc.record({ address: fc.constantFrom(...known), role: fc.constantFrom(0, 1, 2, 3) })
  const flips = fc.array(fc.tuple(fc.nat(120), fc.nat(255)), { maxLength: 4 })
  const drawn = fc.record({
    base: fc.constantFrom(...valid),
    flips,
    cut: fc.option(fc.nat(110), { freq: 4 }),
    tail: fc.option(fc.uint8Array({ maxLength: 12 }), { freq: 4 }),
    noise: fc.option(fc.uint8Array({ maxLength: 128 }), { freq: 6 }),
    replaced: fc.array(fc.tuple(fc.nat(8), meta), { maxLength: 3 }),
    added: fc.array(meta, { maxLength: 2 }),
    dropped: fc.option(fc.nat(8), { freq: 4 }),
  })

  let accepted = 0
  const property = fc.property(drawn, ({ base, flips, cut, tail, noise, replaced, added, dropped }) => {
    const data = Uint8Array.from(noise ?? base.data)
    for (const [at, value] of flips) if (at < data.length) data[at] = value
    const accounts = base.accounts.map((usual, index) => replaced.find(([at]) => at === index)?.[1] ?? usual)
    const named = [...accounts.filter((_, index) => index !== dropped), ...added]
    const instruction: Instruction = {
      programAddress: htlc.program,
      accounts: named.map(({ address, role }) => ({ address, role: allowedRole(role, attackers.includes(address)) })),
      data: Uint8Array.of(...data.slice(0, cut ?? data.length), ...(tail ?? [])),
    }
    const { error } = htlc.submit(unsigned(htlc, instruction))
    // The runtime ends a program that accesses memory outside of its own.
    if (error === 'ProgramFailedToComplete') throw new Error('the program crashed')
    if (error !== null) return
    accepted += 1
    expect(possessions()).toEqual(before)
  })
  fc.assert(property, { numRuns: cases / 2 })
  expect(possessions()).toEqual(before)
  isOpen(htlc, victim)
  // The attacker's own order is accepted once or not at all: everything else must be refused.
  expect(accepted).toBeLessThanOrEqual(1)
})

function allowedRole(role: number, maySign: boolean): AccountRole {
  return (maySign ? role : role & 1) as AccountRole
}

function unsigned(htlc: HtlcFixture, instruction: Instruction) {
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(htlc.keys.relayer.address, empty),
    (unlimited) =>
      setTransactionMessageLifetimeUsingBlockhash({ blockhash: htlc.svm.latestBlockhash(), lastValidBlockHeight: 2n ** 63n }, unlimited),
    (bare) => appendTransactionMessageInstructions([instruction], bare),
  )
  const transaction = compileTransaction(message)
  const signatures = Object.fromEntries(Object.keys(transaction.signatures).map((address) => [address, new Uint8Array(64)]))
  return { ...transaction, signatures } as typeof transaction
}
