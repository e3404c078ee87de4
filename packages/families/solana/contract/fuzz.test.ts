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
import { createHtlc, type HtlcFixture, kinds, type TestOrder } from './testing/order.ts'
import { isOpen } from './testing/scenario.ts'

const cases = 10_000

it.each(kinds)(`${cases / 2} malformed instructions for %s`, { timeout: 600_000 }, async (kind) => {
  const htlc = await createHtlc(kind)
  // The runtime then decides by the message alone who signed, so only the attacker's keys are named as signers.
  htlc.svm.withSigverify(false).withTransactionHistory(0n)
  const victim = await htlc.open({ timelock: 1_000_000n })
  const settled = await htlc.open({ timelock: 1_000_000n })
  await htlc.sendSigned([htlc.redeem(settled)])
  // More than the amount, so that a part is left whatever an attacker may do.
  const pending = htlc.newOrder({ timelock: 1_000_000n })
  await htlc.deposit(pending, 2n * pending.terms.amount)
  // Anyone may return this one. Whenever it is empty, it is filled again.
  const late = htlc.newOrder({}, htlc.clock().time - 1n)
  await htlc.deposit(late, late.terms.amount)
  let refills = 0n
  const { initiator, redeemer, funder, rentPayer, stranger, relayer } = htlc.keys
  const attackers = [stranger.address, relayer.address]
  const protectedParties = [initiator, redeemer, funder, rentPayer].map(({ address }) => address)
  const owner = initiator.address
  /** Anyone may lock the deposit in its order, and may then return the rest: its owner has all of it, or the order has it. */
  const entrusted = () => {
    const places = [owner, ...[pending, late].flatMap(({ deposit, depositTokens }) => [deposit, depositTokens])]
    const lamports = places.reduce((sum, address) => sum + htlc.balance(address), lockedLamports(htlc, pending))
    const accounts = [htlc.tokensOf(owner), pending.depositTokens, late.depositTokens, pending.vault]
    const tokens = accounts.reduce((sum, address) => sum + htlc.tokens(address), 0n)
    const { amount } = late.terms
    return kind === 'SOL' ? [lamports - refills * amount, tokens] : [lamports - refills * htlc.rent(165), tokens - refills * amount]
  }
  function refill(): void {
    if (htlc.deposited(late) > 0n) return
    if (kind === 'SOL') htlc.putAccount(late.deposit, systemProgram, new Uint8Array(0), late.terms.amount)
    else htlc.putTokens(late.depositTokens, htlc.mint, late.deposit, late.terms.amount)
    refills += 1n
  }
  const possessions = () => [
    entrusted(),
    ...protectedParties.filter((party) => party !== owner).map((party) => [htlc.balance(party), htlc.tokens(htlc.tokensOf(party))]),
    ...[victim, settled].map(({ address, vault }) => [htlc.balance(address), htlc.data(address), htlc.tokens(vault), htlc.balance(vault)]),
  ]
  const before = possessions()
  const isLocked = () => htlc.state(pending) !== null
  expect(isLocked()).toBe(false)

  const ownOrder = htlc.newOrder({ initiator: stranger.address })
  const valid: readonly HtlcInstruction[] = [
    htlc.initiate(ownOrder, stranger.address, stranger.address),
    htlc.redeem(victim),
    htlc.refund(victim),
    htlc.instantRefund(victim),
    htlc.consentedRefund(victim),
    htlc.close(settled),
    htlc.initiateDeposited(pending, stranger.address),
    htlc.returnDeposit(pending),
    htlc.returnDeposit(late),
    htlc.returnDeposit(pending, { of: kind === 'SOL' ? { mint: htlc.mint } : 'SOL' }),
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
    ...[pending, late].flatMap(({ address, vault, deposit, depositTokens }) => [address, vault, deposit, depositTokens]),
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

  const tagOf = kind === 'SOL' ? { initiate: 0, initiateDeposited: 9 } : { initiate: 4, initiateDeposited: 10 }
  const accepted: Record<number, number> = {}
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
    const tag = Number(instruction.data?.[0])
    accepted[tag] = (accepted[tag] ?? 0) + 1
    expect(possessions()).toEqual(before)
    refill()
  })
  fc.assert(property, { numRuns: cases / 2 })
  expect(possessions()).toEqual(before)
  isOpen(htlc, victim)
  // The attacker's own order and that of the deposit are each initiated once or not at all. Else only what strangers may return is accepted.
  const { [tagOf.initiate]: own = 0, [tagOf.initiateDeposited]: locked = 0, 11: _sol, 12: _tokens, ...others } = accepted
  expect([own <= 1, locked <= 1, isLocked(), others]).toEqual([true, true, locked === 1, {}])
})

function lockedLamports(htlc: HtlcFixture, order: TestOrder): bigint {
  return htlc.kind === 'SOL' && htlc.state(order) !== null ? htlc.balance(order.address) - htlc.rent(168) : 0n
}

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
