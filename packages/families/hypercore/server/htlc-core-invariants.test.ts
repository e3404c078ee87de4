// Random sequences of calls by several users against the HTLC for tokens of HyperCore: money in equals money out and what is held, also in accounts, no
// order is paid twice, a revoked one never opens, an account serves its owner only, and nothing is stuck.

import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { createHtlcModel } from '@tandem/evm/contract/htlc-model.fixture.ts'
import {
  computeOrderId,
  createOrder,
  type HtlcDomain,
  type HtlcOrder,
  htlcCall,
  initiateTypedData,
  refundTypedData,
} from '@tandem/evm/contract/htlc-order.fixture.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import fc from 'fast-check'
import { type Address, decodeErrorResult, encodeFunctionData, erc20Abi, type Hex, hexToBigInt, numberToHex, toHex, zeroAddress } from 'viem'
import { beforeAll, expect, it } from 'vitest'
import { coreTokens } from '../local/core-state-machine.ts'
import { CORE_WRITER, spotSendData } from '../terms/core.ts'
import { accountAt } from '../terms/htlc.ts'
import { crossing, reclaiming, transfer, withdrawing } from './htlc-core-order.fixture.ts'
import { type Caller, type CoreStep, type CoreStepOf, type CoreTerms, coreSteps, type Payee } from './htlc-core-steps.fixture.ts'
import { createHypercoreFixture, EVM_PER_CORE, ON_EVM, type TestParty } from './hypercore.fixture.ts'

const sequences = 30
/** Seconds after the start: until then a consent holds. */
const DEADLINES = { soon: 50n, late: 100_000n }
/** Without an account on HyperCore. */
const stranger: Address = `0x${'5a'.repeat(20)}`
const MOST_CORE = 2n ** 64n - 1n
const GAS = 1_000_000n
/** More than a transfer to HyperEVM costs. */
const HYPE = 10n ** 16n

const fixture = opened(createHypercoreFixture)
let domain: HtlcDomain
let callers: readonly [TestParty, TestParty, TestParty]
let snapshot: unknown

beforeAll(async () => {
  const { address, chainId, token } = fixture.contract
  domain = { name: 'HTLC-ERC20', chainId, verifyingContract: address }
  callers = [fixture.user, fixture.solver, fixture.relay]
  await fixture.sendAs(fixture.user, { to: token, data: transfer(fixture.relay.address, (ON_EVM / 2n) * EVM_PER_CORE) })
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [address, 2n ** 255n] })
  for (const party of callers) await fixture.sendAs(party, { to: token, data: approve })
  await fixture.mine()
  snapshot = await fixture.local.request({ method: 'evm_snapshot' })
})

const addressOf = (payee: Payee): Address => (payee === 4 ? zeroAddress : payee === 3 ? stranger : callers[payee].address)
const owners = () => [...callers.map(({ address }) => address), stranger]
/** On both sides, in units of the ERC-20: where a payout arrives is not the question here. */
const wealthOf = async (owner: Address) => (await fixture.spotBalance(owner)) * EVM_PER_CORE + (await fixture.evmBalance(owner))

const ask = async (to: Address, data: Hex) => (await fixture.local.request({ method: 'eth_call', params: [{ to, data }, 'latest'] })) as Hex

async function latestTime(): Promise<bigint> {
  const latest = (await fixture.local.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { timestamp: Hex }
  return hexToBigInt(latest.timestamp)
}

/** One sequence from a fresh state: the chain and the model side by side. */
async function createRun() {
  await fixture.local.request({ method: 'evm_revert', params: [snapshot] })
  snapshot = await fixture.local.request({ method: 'evm_snapshot' })
  const { address: htlc, token } = fixture.contract
  const start = await latestTime()
  const deadlineOf = (late: boolean) => start + (late ? DEADLINES.late : DEADLINES.soon)
  let waited = 0n
  let now = start
  const model = createHtlcModel((order) => computeOrderId(domain, order))
  const mentioned: HtlcOrder[] = []
  const revoked = new Set<string>()
  /** By owner; `evm` in units of the ERC-20. */
  const accounts = new Map(
    callers.map(({ address }): [Address, { evm: bigint; core: bigint; busyUntil: bigint }] => [
      address,
      { evm: 0n, core: 0n, busyUntil: 0n },
    ]),
  )
  /** By owner and order. */
  const consents = new Map<string, bigint>()
  const due = new Map<Address, bigint>()
  for (const owner of owners()) due.set(owner, await wealthOf(owner))
  const strandedBefore = await fixture.spotBalance(htlc)
  const give = (to: Address, evmAmount: bigint) => due.set(to, (due.get(to) ?? 0n) + evmAmount)

  const orderOf = (terms: CoreTerms): HtlcOrder => {
    const secret = toHex(terms.secret, { size: 32 })
    const order = createOrder({ ...terms, initiator: addressOf(terms.initiator), redeemer: addressOf(terms.redeemer), secret })
    mentioned.push(order)
    return order
  }
  const picked = (pick: number): HtlcOrder =>
    mentioned[pick % mentioned.length] ?? orderOf({ initiator: 0, redeemer: 1, timelock: 60n, amount: 1n, secret: 0 })
  const accountOf = (owner: Address) => {
    const account = accounts.get(owner)
    if (account === undefined) throw new Error(`${owner} has no account`)
    return account
  }
  const consentKey = (owner: Address, order: HtlcOrder) => `${owner} ${computeOrderId(domain, order)}`
  const argsOf = ({ initiator, redeemer, timelock, amount, secretHash }: HtlcOrder) =>
    [initiator, redeemer, timelock, amount, secretHash] as const

  /** All of it. It arrives with the block after. */
  async function crossed(owner: Address): Promise<void> {
    const account = accountOf(owner)
    account.evm += account.core * EVM_PER_CORE
    account.core = 0n
    await fixture.mine()
  }

  function emptied(owner: Address): void {
    const account = accountOf(owner)
    give(owner, account.evm + account.core * EVM_PER_CORE)
    account.evm = 0n
    account.core = 0n
  }

  /** What is wrong with the terms, or that the order is known, without opening it. */
  function whyNotNow(order: HtlcOrder): string | null {
    if (order.amount > MOST_CORE) return 'HTLC__AmountTooLarge'
    return createHtlcModel(() => '0x').open(order, now) ?? (model.storedState(order) === 0n ? null : 'HTLC__DuplicateOrder')
  }

  /** Called before the model is asked: its answer depends on the time of the block. */
  async function nextBlock(): Promise<void> {
    now = (await latestTime()) + 1n + waited
    waited = 0n
  }

  async function mine(caller: Caller, to: Address, data: Hex, value = 0n): Promise<string | null> {
    const hash = await fixture.sendAs(callers[caller], { to, data, gas: GAS, value })
    await fixture.local.request({ method: 'evm_setNextBlockTimestamp', params: [numberToHex(now)] })
    await fixture.mine()
    const receipt = (await fixture.local.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as { status: Hex }
    return receipt.status === '0x1' ? null : revertName(hash)
  }

  function whyNotOpened(order: HtlcOrder): string | null {
    return order.amount > MOST_CORE ? 'HTLC__AmountTooLarge' : model.open(order, now)
  }

  async function open(caller: Caller, payer: Address, order: HtlcOrder, data: Hex, refusal: string | null = null): Promise<void> {
    const expected = refusal ?? whyNotOpened(order)
    const error = await mine(caller, htlc, data)
    expect(error).toBe(expected)
    if (error === null) give(payer, -order.amount * EVM_PER_CORE)
  }

  async function settle(caller: Caller, payee: Address, amount: bigint, data: Hex, expected: string | null): Promise<void> {
    expect(await mine(caller, htlc, data)).toBe(expected)
    if (expected === null) give(payee, amount * EVM_PER_CORE)
  }

  const actions: { readonly [Call in CoreStep['call']]: (step: CoreStepOf<Call>) => Promise<void> } = {
    async initiate({ caller, terms }) {
      const order = orderOf({ ...terms, initiator: caller })
      await open(caller, order.initiator, order, htlcCall.initiate(order))
    },
    async initiateOnBehalf({ caller, terms }) {
      const order = orderOf(terms)
      await open(caller, addressOf(caller), order, htlcCall.initiateOnBehalf(order))
    },
    async initiateWithSignature({ caller, signer, terms }) {
      const order = orderOf(terms)
      const signature = await callers[signer].account.signTypedData(initiateTypedData(domain, order))
      const refusal = signer === terms.initiator ? null : 'HTLC__InvalidSignature'
      const account = accountOf(order.initiator)
      const isFromAccount = account.evm >= order.amount * EVM_PER_CORE
      const expected = refusal ?? whyNotOpened(order)
      expect(await mine(caller, htlc, htlcCall.initiateWithSignature(order, signature))).toBe(expected)
      if (expected !== null) return
      if (isFromAccount) account.evm -= order.amount * EVM_PER_CORE
      else give(order.initiator, -order.amount * EVM_PER_CORE)
    },
    async payOnEvm({ caller, owner, amount }) {
      const to = accountAt(fixture.contract, addressOf(owner))
      expect(await mine(caller, token, transfer(to, amount))).toBeNull()
      give(addressOf(caller), -amount)
      accountOf(addressOf(owner)).evm += amount
    },
    async payOnCore({ caller, owner, amount }) {
      const to = accountAt(fixture.contract, addressOf(owner))
      expect(await mine(caller, CORE_WRITER, spotSendData({ to, token: coreTokens.purr, amount }))).toBeNull()
      give(addressOf(caller), -amount * EVM_PER_CORE)
      accountOf(addressOf(owner)).core += amount
    },
    async cross({ caller, owner }) {
      const { core } = accountOf(addressOf(owner))
      const expected = core === 0n ? 'HTLC__NothingToCross' : null
      expect(await mine(caller, htlc, crossing(addressOf(owner)), HYPE)).toBe(expected)
      if (expected === null) await crossed(addressOf(owner))
    },
    async initiateFromAccount({ caller, terms, late }) {
      const [order, deadline, owner] = [orderOf(terms), deadlineOf(late), addressOf(caller)]
      const account = accountOf(owner)
      const isHeld = account.evm >= order.amount * EVM_PER_CORE
      const isKnown = model.storedState(order) !== 0n
      const wrong = order.amount > MOST_CORE ? 'HTLC__AmountTooLarge' : isHeld ? whyNotNow(order) : isKnown ? 'HTLC__DuplicateOrder' : null
      const expected = now > deadline ? 'HTLC__TooLate' : wrong
      const data = encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiateFromAccount', args: [...argsOf(order), deadline] })
      expect(await mine(caller, htlc, data, HYPE)).toBe(expected)
      if (expected !== null) return
      if (isHeld) {
        expect(model.open(order, now)).toBeNull()
        account.evm -= order.amount * EVM_PER_CORE
        return
      }
      consents.set(consentKey(owner, order), deadline)
      if (deadline > account.busyUntil) account.busyUntil = deadline
      await crossed(owner)
    },
    async initiateConsented({ caller, pick, owner }) {
      const [order, payer] = [picked(pick), addressOf(owner)]
      const account = accountOf(payer)
      const hasConsent = now <= (consents.get(consentKey(payer, order)) ?? 0n)
      const isHeld = account.evm >= order.amount * EVM_PER_CORE
      const expected = hasConsent ? (whyNotNow(order) ?? (isHeld ? null : 'HTLC__TransferFailed')) : 'HTLC__NoConsent'
      const data = encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiateConsented', args: [payer, ...argsOf(order)] })
      expect(await mine(caller, htlc, data)).toBe(expected)
      if (expected !== null) return
      expect(model.open(order, now)).toBeNull()
      account.evm -= order.amount * EVM_PER_CORE
    },
    async reclaim({ caller, pick, owner }) {
      const [order, payer] = [picked(pick), addressOf(owner)]
      const { evm, core, busyUntil } = accountOf(payer)
      const key = consentKey(payer, order)
      const isInTime = now > busyUntil && now - (consents.get(key) ?? 0n) <= 7n * 86_400n
      const expected = isInTime && evm + core > 0n ? null : 'HTLC__NotReclaimable'
      expect(await mine(caller, htlc, reclaiming(computeOrderId(domain, order), payer))).toBe(expected)
      if (expected !== null) return
      consents.delete(key)
      emptied(payer)
    },
    async withdraw({ caller }) {
      expect(await mine(caller, htlc, withdrawing(coreTokens.purr))).toBeNull()
      emptied(addressOf(caller))
    },
    async redeem({ caller, pick }) {
      const order = picked(pick)
      await settle(caller, order.redeemer, order.amount, htlcCall.redeem(order), model.redeem(order))
    },
    async redeemBatch({ caller, redeemer, picks }) {
      const orders = picks.map(picked)
      const to = addressOf(redeemer)
      await settle(caller, to, model.redeemBatch(to, orders), htlcCall.redeemBatch(to, orders), null)
    },
    async refund({ caller, pick }) {
      const order = picked(pick)
      await settle(caller, order.initiator, order.amount, htlcCall.refund(order), model.refund(order, now))
    },
    async instantRefund({ caller, pick, signer }) {
      const order = picked(pick)
      const signature = await callers[signer].account.signTypedData(refundTypedData(domain, order))
      const hasConsent = [addressOf(signer), addressOf(caller)].includes(order.redeemer)
      const expected = model.instantRefund(order, hasConsent)
      await settle(caller, order.initiator, order.amount, htlcCall.instantRefund(order, signature), expected)
    },
    async revoke({ caller, terms }) {
      const order = orderOf({ ...terms, initiator: caller })
      const expected = model.revoke(order)
      expect(await mine(caller, htlc, htlcCall.revoke(order))).toBe(expected)
      if (expected === null) revoked.add(computeOrderId(domain, order))
    },
    async fillBridge({ isFull }) {
      await fixture.local.setBridgeBalance(coreTokens.purr, isFull ? 2n ** 60n : 1n)
    },
    async wait({ seconds }) {
      waited += seconds
    },
  }

  async function storedState(order: HtlcOrder): Promise<bigint> {
    const data = encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiatedAt', args: [computeOrderId(domain, order)] })
    return hexToBigInt(await ask(htlc, data))
  }

  return {
    async take<Call extends CoreStep['call']>(step: CoreStepOf<Call>): Promise<void> {
      await nextBlock()
      await actions[step.call](step)
    },
    /** The contract holds the amounts of open orders and nothing else, on neither side; each account what was paid to it. */
    async checkHeld(): Promise<void> {
      expect(await fixture.evmBalance(htlc)).toBe(model.locked() * EVM_PER_CORE)
      expect(await fixture.spotBalance(htlc)).toBe(strandedBefore)
    },
    async checkPaid(): Promise<void> {
      for (const owner of owners()) expect(await wealthOf(owner)).toBe(due.get(owner))
      for (const [owner, { evm, core }] of accounts) {
        const at = accountAt(fixture.contract, owner)
        expect([await fixture.evmBalance(at), await fixture.spotBalance(at)]).toEqual([evm, core])
      }
    },
    async checkStates(): Promise<void> {
      for (const order of mentioned) expect(await storedState(order)).toBe(model.storedState(order))
      for (const order of mentioned.filter((one) => revoked.has(computeOrderId(domain, one)))) expect(await storedState(order)).toBe(2n)
    },
    /** Nothing is stuck: in the end every open order can be refunded and every account emptied by its owner, and no settled order is paid again. */
    async windUp(): Promise<void> {
      waited += DEADLINES.late
      for (const order of model.openOrders()) {
        await nextBlock()
        await settle(2, order.initiator, order.amount, htlcCall.refund(order), model.refund(order, now))
      }
      for (const order of model.knownOrders()) {
        await nextBlock()
        const otherWay = model.storedState(order) === 1n ? htlcCall.refund(order) : htlcCall.redeem(order)
        await settle(2, order.redeemer, order.amount, otherWay, 'HTLC__OrderSettled')
      }
      for (const caller of [0, 1, 2] as const) {
        await nextBlock()
        await actions.withdraw({ call: 'withdraw', caller })
      }
      expect([model.locked(), [...accounts.values()].every(({ evm, core }) => evm + core === 0n)]).toEqual([0n, true])
    },
  }
}

it(`holds its invariants in ${sequences} random sequences of calls`, { timeout: 600_000 }, async () => {
  const property = fc.asyncProperty(coreSteps, async (sequence) => {
    const run = await createRun()
    for (const step of sequence) {
      await run.take(step)
      await run.checkHeld()
    }
    await run.checkPaid()
    await run.checkStates()
    await run.windUp()
    await run.checkHeld()
    await run.checkPaid()
    await run.checkStates()
  })
  await fc.assert(property, { numRuns: sequences })
})

/** A receipt has no revert data, so it is read from the trace. */
async function revertName(hash: Hex): Promise<string> {
  const options = { disableStorage: true, disableMemory: true, disableStack: true }
  const trace = (await fixture.local.request({ method: 'debug_traceTransaction', params: [hash, options] })) as { returnValue: string }
  const data: Hex = trace.returnValue.startsWith('0x') ? (trace.returnValue as Hex) : `0x${trace.returnValue}`
  return data.length < 10 ? 'no reason' : decodeErrorResult({ abi: htlcCore.abi, data }).errorName
}
