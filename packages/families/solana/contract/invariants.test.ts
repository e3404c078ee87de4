// These tests play random sequences on a real SVM against a model: what orders hold, who was paid, and that nothing is stuck.
import { type Address, type Instruction, lamports } from '@solana/kit'
import { getTransferInstruction } from '@solana-program/token'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeInstruction } from './client/decode.ts'
import type { HtlcInstruction } from './client/instructions.ts'
import { createModel, type HtlcModel } from './testing/model.ts'
import { createHtlc, type HtlcFixture, type Kind, kinds, sha256, type TestOrder, withAccount } from './testing/order.ts'
import { orderSize } from './testing/scenario.ts'
import { type DrawnTerms, type Step, steps } from './testing/steps.ts'
import { createSvm } from './testing/svm.ts'

/** A fixed seed, so that a failure is reproducible; `SEQUENCES=500` plays that many random ones. */
const { SEQUENCES } = process.env
const parameters = SEQUENCES === undefined ? { numRuns: 80, seed: 1 } : { numRuns: Number(SEQUENCES) }
const giftOfLamports = 1_000_000n
const giftOfTokens = 7n
const emptyAccount = 890_880n

/** All sequences share one SVM, because creating one takes as long as a sequence. They share no secret. */
const chain = createSvm()
const both = Promise.all([createHtlc('SOL', chain), createHtlc('token', chain)])
let secrets = 0

async function createRun() {
  secrets += 1
  const salt = secrets
  const [sol, token] = await both
  const htlcs = { SOL: sol, token } as const
  const { keys, clock, moveTo, balance, tokens } = htlcs.SOL
  const models: Readonly<Record<Kind, HtlcModel>> = { SOL: createModel(), token: createModel() }
  const mentioned: Record<Kind, TestOrder[]> = { SOL: [], token: [] }
  const due = { lamports: new Map<Address, bigint>(), tokens: new Map<Address, bigint>() }
  const give = (what: keyof typeof due, to: Address, amount: bigint) => due[what].set(to, (due[what].get(to) ?? 0n) + amount)
  const parties = Object.values(keys).filter(({ address }) => address !== keys.relayer.address)
  for (const { address } of parties) {
    give('lamports', address, balance(address))
    give('tokens', htlcs.token.tokensOf(address), tokens(htlcs.token.tokensOf(address)))
  }
  const { relayer } = keys
  htlcs.token.putTokens(htlcs.token.tokensOf(relayer.address), htlcs.token.mint, relayer.address, 10n ** 12n)
  const history: HtlcInstruction[] = []

  function mention(kind: Kind, { initiator, redeemer, secret: number, window, ...terms }: DrawnTerms): TestOrder {
    const htlc = htlcs[kind]
    const secret = sha256(Buffer.from(`${salt} ${number}`))
    const parties = { initiator: keys[initiator].address, redeemer: keys[redeemer].address }
    const order = { ...htlc.newOrder({ ...terms, ...parties, secretHash: sha256(secret) }, clock().time + window), secret }
    mentioned[kind].push(order)
    return order
  }

  const pickFrom = (kind: Kind, pick: number): TestOrder => {
    const known = mentioned[kind]
    return known[pick % known.length] ?? htlcs[kind].newOrder()
  }
  const attempt = async (
    htlc: HtlcFixture,
    instruction: HtlcInstruction,
    expected: string | null,
    before: readonly Instruction[] = [],
  ): Promise<boolean> => {
    const { error } = await htlc.sendSigned([...before, instruction])
    expect(error).toBe(expected)
    if (error === null) history.push(instruction)
    return error === null
  }

  async function initiate(kind: Kind, order: TestOrder, funder: Address, rentPayer: Address): Promise<void> {
    const htlc = htlcs[kind]
    const expected = models[kind].initiate(order, rentPayer, clock())
    if (!(await attempt(htlc, htlc.initiate(order, funder, rentPayer), expected))) return
    const { amount } = order.terms
    const rent = htlc.rent(orderSize(htlc))
    give('lamports', rentPayer, -rent)
    give('lamports', order.address, rent)
    if (kind === 'SOL') {
      give('lamports', funder, -amount)
      give('lamports', order.address, amount)
    } else {
      give('lamports', rentPayer, -htlc.rent(165))
      give('lamports', order.vault, htlc.rent(165))
      give('tokens', htlc.tokensOf(funder), -amount)
      give('tokens', order.vault, amount)
    }
  }

  async function settle(
    kind: Kind,
    order: TestOrder,
    instruction: HtlcInstruction,
    expected: string | null,
    payee: Address,
    before: readonly Instruction[] = [],
  ): Promise<void> {
    const htlc = htlcs[kind]
    if (!(await attempt(htlc, instruction, expected, before))) return
    if (kind === 'SOL') {
      give('lamports', order.address, -order.terms.amount)
      give('lamports', payee, order.terms.amount)
      return
    }
    const [held, rent] = [due.tokens.get(order.vault) ?? 0n, due.lamports.get(order.vault) ?? 0n]
    give('tokens', order.vault, -held)
    give('tokens', htlc.tokensOf(payee), held)
    give('lamports', order.vault, -rent)
    give('lamports', order.address, rent)
  }

  const refund = (kind: Kind, order: TestOrder) =>
    settle(kind, order, htlcs[kind].refund(order), models[kind].refund(order, clock()), order.terms.initiator)

  async function close(kind: Kind, order: TestOrder, rentPayer: Address): Promise<void> {
    const htlc = htlcs[kind]
    const expected = models[kind].close(order, rentPayer, clock())
    if (!(await attempt(htlc, htlc.close(order, rentPayer), expected))) return
    const held = due.lamports.get(order.address) ?? 0n
    give('lamports', order.address, -held)
    give('lamports', rentPayer, held)
  }

  const depositOf = (kind: Kind, { deposit, depositTokens }: TestOrder) =>
    kind === 'SOL' ? ({ of: 'lamports', at: deposit } as const) : ({ of: 'tokens', at: depositTokens } as const)
  /** The token account of a deposit has rent; none exists without it. */
  const hasDeposit = (kind: Kind, order: TestOrder) => (due.lamports.get(depositOf(kind, order).at) ?? 0n) > 0n

  async function deposit(kind: Kind, order: TestOrder, extra: bigint): Promise<void> {
    const { of, at } = depositOf(kind, order)
    const { amount } = order.terms
    const paid = extra + (kind === 'SOL' && amount < emptyAccount ? emptyAccount : amount)
    if (kind === 'token' && !hasDeposit(kind, order)) give('lamports', at, htlcs.token.rent(165))
    await htlcs[kind].deposit(order, paid)
    give(of, at, paid)
    // Strangers return it too early whenever they can try.
    if (models[kind].returnDeposit(order, false, clock()) !== null) await returnDeposit(kind, order, false)
  }

  async function initiateDeposited(kind: Kind, order: TestOrder, rentPayer: Address): Promise<void> {
    if (!hasDeposit(kind, order)) return
    const htlc = htlcs[kind]
    const { of, at } = depositOf(kind, order)
    const held = due[of].get(at) ?? 0n
    const expected = models[kind].initiateDeposited(order, held, rentPayer, clock())
    if (!(await attempt(htlc, htlc.initiateDeposited(order, rentPayer), expected))) return
    const { amount, initiator } = order.terms
    give('lamports', rentPayer, -htlc.rent(orderSize(htlc)))
    give('lamports', order.address, htlc.rent(orderSize(htlc)))
    give(of, at, -amount)
    give(of, kind === 'SOL' ? order.address : order.vault, amount)
    if (kind === 'token') {
      give('lamports', rentPayer, -htlc.rent(165))
      give('lamports', order.vault, htlc.rent(165))
    } else if (held - amount < emptyAccount) {
      give(of, at, amount - held)
      give(of, initiator, held - amount)
    }
  }

  async function returnDeposit(kind: Kind, order: TestOrder, isSigned: boolean): Promise<void> {
    if (!hasDeposit(kind, order)) return
    const htlc = htlcs[kind]
    const expected = models[kind].returnDeposit(order, isSigned, clock())
    if (!(await attempt(htlc, htlc.returnDeposit(order, { isSigned }), expected))) return
    const { of, at } = depositOf(kind, order)
    const { initiator } = order.terms
    const [held, rent] = [due[of].get(at) ?? 0n, htlc.rent(165)]
    give(of, at, -held)
    give(of, htlc.payee(initiator), held)
    if (kind === 'SOL') return
    give('lamports', at, -rent)
    give('lamports', initiator, rent)
  }

  async function donate(kind: Kind, order: TestOrder): Promise<void> {
    const htlc = htlcs[kind]
    // Two equal airdrops with one blockhash would be one transaction.
    htlc.svm.expireBlockhash()
    htlc.svm.airdrop(order.address, lamports(giftOfLamports))
    give('lamports', order.address, giftOfLamports)
    if (kind === 'SOL' || models.token.status(order) !== 'open') return
    const source = htlc.tokensOf(keys.relayer.address)
    const gift = getTransferInstruction({ source, destination: order.vault, authority: keys.relayer, amount: giftOfTokens })
    expect((await htlc.send([gift])).error).toBeNull()
    give('tokens', order.vault, giftOfTokens)
  }

  return {
    async take(step: Step): Promise<void> {
      const { kind } = step
      const [htlc, model] = [htlcs[kind], models[kind]]
      switch (step.do) {
        case 'initiate': {
          const order = mention(kind, step.terms)
          return initiate(kind, order, keys[step.funder].address, keys[step.rentPayer].address)
        }
        case 'initiate again':
          return initiate(kind, pickFrom(kind, step.pick), keys[step.funder].address, keys[step.rentPayer].address)
        case 'redeem': {
          const order = pickFrom(kind, step.pick)
          const { rightSecret, rightPayee } = step
          const redeem = htlc.redeem(rightSecret ? order : { ...order, secret: new Uint8Array(32) })
          const wrongPayee = htlc.payee(keys.funder.address)
          const instruction = rightPayee ? redeem : withAccount(redeem, kind === 'SOL' ? 1 : 2, wrongPayee)
          return settle(kind, order, instruction, model.redeem(order, { rightSecret, rightPayee }), order.terms.redeemer)
        }
        case 'refund':
          return refund(kind, pickFrom(kind, step.pick))
        case 'instant refund': {
          const order = pickFrom(kind, step.pick)
          if (step.isSigned && htlc.state(order) !== null) {
            const consent = htlc.consent(order, step.bySomebodyElse ? keys.funder.address : order.terms.redeemer)
            const expected = model.instantRefund(order, step.bySomebodyElse)
            const error = expected === 'NotTheRedeemer' ? 'MissingConsent' : expected
            return settle(kind, order, htlc.consentedRefund(order), error, order.terms.initiator, [consent])
          }
          const instant = htlc.instantRefund(order)
          const instruction = step.bySomebodyElse ? withAccount(instant, instant.accounts.length - 1, keys.funder.address) : instant
          return settle(kind, order, instruction, model.instantRefund(order, step.bySomebodyElse), order.terms.initiator)
        }
        case 'close': {
          const order = pickFrom(kind, step.pick)
          const paid = model.rentPayer(order) ?? keys.rentPayer.address
          return close(kind, order, step.toSomebodyElse ? keys.redeemer.address : paid)
        }
        case 'wait':
          return moveTo({ slot: clock().slot + step.slots, time: clock().time + step.seconds })
        case 'donate':
          return donate(kind, pickFrom(kind, step.pick))
        case 'deposit':
          return deposit(kind, step.terms === null ? pickFrom(kind, step.pick) : mention(kind, step.terms), step.extra)
        case 'initiate deposited':
          return initiateDeposited(kind, pickFrom(kind, step.pick), keys[step.rentPayer].address)
        case 'return deposit':
          return returnDeposit(kind, pickFrom(kind, step.pick), step.isSigned)
      }
    },
    /** Open orders must hold their amounts, and all orders their rent and what strangers sent them. */
    checkLocked(): void {
      const all = [...mentioned.SOL, ...mentioned.token]
      for (const { address, vault, deposit, depositTokens } of new Map(all.map((order) => [order.deposit, order])).values()) {
        expect(balance(address)).toBe(due.lamports.get(address) ?? 0n)
        if (due.tokens.has(vault)) expect(tokens(vault)).toBe(due.tokens.get(vault))
        for (const at of [deposit, depositTokens]) {
          expect(balance(at)).toBe(due.lamports.get(at) ?? 0n)
          expect(tokens(at)).toBe(due.tokens.get(at) ?? 0n)
        }
      }
    },
    checkPaid(): void {
      for (const [address, expected] of due.lamports) expect(balance(address)).toBe(expected)
      for (const [address, expected] of due.tokens) expect(tokens(address)).toBe(expected)
    },
    checkStates(): void {
      for (const kind of kinds) {
        const replayed = new Map<Address, string>()
        for (const { programAddress, accounts, data } of history) {
          const executed = { programAddress, accounts: accounts.map(({ address }) => address), data }
          const event = decodeInstruction(htlcs[kind].program, executed)
          if (event?.kind === 'closed') replayed.delete(event.order)
          else if (event !== null) replayed.set(event.order, event.kind === 'initiated' ? 'open' : event.kind)
        }
        for (const order of mentioned[kind]) {
          const status = models[kind].status(order)
          expect(htlcs[kind].state(order)?.status ?? null).toBe(status)
          expect(replayed.get(order.address) ?? null).toBe(status)
        }
      }
    },
    async windUp(): Promise<void> {
      moveTo({ slot: clock().slot + 1_000n, time: clock().time + 3_600n })
      for (const kind of kinds) {
        for (const order of models[kind].open()) await refund(kind, order)
        for (const order of models[kind].settled()) await close(kind, order, models[kind].rentPayer(order) ?? keys.rentPayer.address)
        for (const order of mentioned[kind]) {
          await returnDeposit(kind, order, false)
          expect(htlcs[kind].deposited(order)).toBe(0n)
          expect(htlcs[kind].state(order)).toBeNull()
          expect(tokens(order.vault)).toBe(0n)
          await initiate(kind, order, keys.funder.address, keys.rentPayer.address)
        }
      }
    },
  }
}

it(`holds its invariants in ${parameters.numRuns} random sequences`, { timeout: 600_000 }, async () => {
  const property = fc.asyncProperty(steps, async (sequence) => {
    const run = await createRun()
    for (const step of sequence) {
      await run.take(step)
      run.checkLocked()
    }
    run.checkPaid()
    run.checkStates()
    await run.windUp()
    run.checkPaid()
    run.checkStates()
  })
  await fc.assert(property, parameters)
})
