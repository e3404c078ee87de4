// Tests random sequences of calls by several users against the HTLC for tokens of HyperCore: money in equals money out and what is held,
// also in accounts, no order is paid twice, a revoked one never opens, an account serves its owner only, and nothing is stuck.

import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { computeOrderId, type HtlcDomain, type HtlcOrder } from '@tandem/evm/contract/htlc-order.fixture.ts'
import { createHtlcModel, createHtlcRun } from '@tandem/evm/contract/htlc-run.fixture.ts'
import {
  type Account,
  account,
  type HtlcCalls,
  htlcSteps,
  pick,
  type StepFrom,
  type StepOf,
  stepsOf,
  type Terms,
} from '@tandem/evm/contract/htlc-steps.fixture.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import fc from 'fast-check'
import { type Address, decodeErrorResult, encodeFunctionData, erc20Abi, type Hex, hexToBigInt, numberToHex, zeroAddress } from 'viem'
import { beforeAll, expect, it } from 'vitest'
import { coreTokens } from '../local/core-state-machine.ts'
import { CORE_WRITER, spotSendData } from '../terms/core.ts'
import { accountAt } from '../terms/htlc.ts'
import { crossing, reclaiming, transfer, withdrawing } from './htlc-core-order.fixture.ts'
import { createHypercoreFixture, EVM_PER_CORE, ON_EVM, type TestParty } from './hypercore.fixture.ts'

const sequences = 30
/** A consent ends this many seconds after the start. */
const DEADLINES = { soon: 50n, late: 100_000n }
const stranger: Address = `0x${'5a'.repeat(20)}`
const MAX_CORE = 2n ** 64n - 1n
const GAS = 1_000_000n
const HYPE = 10n ** 16n

/** 0, 1 and 2 are the user, the solver and the relay, who have accounts on HyperCore. 3 has none there, 4 is the zero address. */
type Party = Account | 3 | 4
type OnAccount = { readonly caller: Account; readonly owner: Account }
type Payment = OnAccount & { readonly amount: bigint }
type OnConsent = OnAccount & { readonly pick: number }

interface CoreCalls {
  /** The amount is in units of the ERC-20. */
  readonly payOnEvm: Payment
  /** The amount is in units of HyperCore. */
  readonly payOnCore: Payment
  readonly cross: OnAccount
  readonly initiateFromAccount: { readonly caller: Account; readonly terms: Terms<Party>; readonly late: boolean }
  readonly initiateConsented: OnConsent
  readonly reclaim: OnConsent
  readonly withdraw: { readonly caller: Account }
  /** If true, HyperCore has enough for payouts to reach spot accounts. */
  readonly fillBridge: { readonly isFull: boolean }
  readonly wait: { readonly seconds: bigint }
}

type Calls = HtlcCalls<Party> & CoreCalls

const terms: fc.Arbitrary<Terms<Party>> = fc.record({
  initiator: account,
  redeemer: fc.oneof({ weight: 12, arbitrary: fc.constantFrom<Party>(0, 1, 2, 3) }, { weight: 1, arbitrary: fc.constant<Party>(4) }),
  timelock: fc.oneof({ weight: 10, arbitrary: fc.constantFrom(5n, 60n) }, { weight: 1, arbitrary: fc.constant(0n) }),
  amount: fc.oneof({ weight: 12, arbitrary: fc.constantFrom(1n, 1_000n) }, { weight: 1, arbitrary: fc.constantFrom(0n, 2n ** 64n) }),
  secret: fc.nat(1),
})
const onAccount = { caller: account, owner: account }
const step = stepsOf<CoreCalls>()
const steps = fc.array(
  fc.oneof(
    ...htlcSteps(terms),
    step(3, 'payOnEvm', { ...onAccount, amount: fc.constantFrom(1n, 10n ** 13n, 1_000n * 10n ** 13n, 3n * 10n ** 13n + 7n) }),
    step(3, 'payOnCore', { ...onAccount, amount: fc.constantFrom(1n, 999n, 1_000n, 2_500n) }),
    step(2, 'cross', onAccount),
    step(4, 'initiateFromAccount', { caller: account, terms, late: fc.boolean() }),
    step(4, 'initiateConsented', { ...onAccount, pick }),
    step(3, 'reclaim', { ...onAccount, pick }),
    step(1, 'withdraw', { caller: account }),
    step(1, 'fillBridge', { isFull: fc.boolean() }),
    step(2, 'wait', { seconds: fc.constantFrom(4n, 60n, 4_000n) }),
  ),
  { minLength: 8, maxLength: 20 },
)

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

const addressOf = (party: Party): Address => (party === 4 ? zeroAddress : party === 3 ? stranger : callers[party].address)
const owners = () => [...callers.map(({ address }) => address), stranger]
/** The sum of both sides is in units of the ERC-20. Where a payout arrives is tested elsewhere. */
const wealthOf = async (owner: Address) => (await fixture.spotBalance(owner)) * EVM_PER_CORE + (await fixture.evmBalance(owner))

async function latestTime(): Promise<bigint> {
  const latest = (await fixture.local.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { timestamp: Hex }
  return hexToBigInt(latest.timestamp)
}

async function createRun() {
  await fixture.local.request({ method: 'evm_revert', params: [snapshot] })
  snapshot = await fixture.local.request({ method: 'evm_snapshot' })
  const { address: htlc, token } = fixture.contract
  const start = await latestTime()
  const deadlineOf = (late: boolean) => start + (late ? DEADLINES.late : DEADLINES.soon)
  let waited = 0n
  let now = start
  const revoked = new Set<string>()
  /** The keys are owners. `evm` is in units of the ERC-20. */
  const accounts = new Map(
    callers.map(({ address }): [Address, { evm: bigint; core: bigint; busyUntil: bigint }] => [
      address,
      { evm: 0n, core: 0n, busyUntil: 0n },
    ]),
  )
  /** The key names owner and order. */
  const consents = new Map<string, bigint>()
  const due = new Map<Address, bigint>()
  for (const owner of owners()) due.set(owner, await wealthOf(owner))
  const strandedBefore = await fixture.spotBalance(htlc)
  const give = (to: Address, evmAmount: bigint) => due.set(to, (due.get(to) ?? 0n) + evmAmount)
  const refusal = ({ amount }: HtlcOrder) => (amount > MAX_CORE ? 'HTLC__AmountTooLarge' : null)

  const run = createHtlcRun<Party>({
    domain,
    accounts: [callers[0].account, callers[1].account, callers[2].account],
    addressOf,
    now: () => now,
    mine: (caller, data) => mine(caller, htlc, data),
    give: (owner, amount) => give(owner, amount * EVM_PER_CORE),
    refusal,
    takeSigned(initiator, amount) {
      const account = accountOf(initiator)
      const isHeld = account.evm >= amount * EVM_PER_CORE
      if (isHeld) account.evm -= amount * EVM_PER_CORE
      return isHeld
    },
  })
  const { model, orderOf, picked, mentioned } = run

  function accountOf(owner: Address) {
    const account = accounts.get(owner)
    if (account === undefined) throw new Error(`${owner} has no account`)
    return account
  }
  const consentKey = (owner: Address, order: HtlcOrder) => `${owner} ${computeOrderId(domain, order)}`
  const argsOf = ({ initiator, redeemer, timelock, amount, secretHash }: HtlcOrder) =>
    [initiator, redeemer, timelock, amount, secretHash] as const

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

  function whyNotNow(order: HtlcOrder): string | null {
    const isKnown = model.storedState(order) !== 0n
    return refusal(order) ?? createHtlcModel(() => '0x').open(order, now) ?? (isKnown ? 'HTLC__DuplicateOrder' : null)
  }

  /** The model's answer depends on the time of the block, so this is called before. */
  async function nextBlock(): Promise<void> {
    now = (await latestTime()) + 1n + waited
    waited = 0n
  }

  async function mine(caller: Account, to: Address, data: Hex, value = 0n): Promise<string | null> {
    const hash = await fixture.sendAs(callers[caller], { to, data, gas: GAS, value })
    await fixture.local.request({ method: 'evm_setNextBlockTimestamp', params: [numberToHex(now)] })
    await fixture.mine()
    const receipt = (await fixture.local.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as { status: Hex }
    return receipt.status === '0x1' ? null : revertName(hash)
  }

  const actions: { readonly [Call in keyof Calls]: (step: StepOf<Calls, Call>) => Promise<void> } = {
    ...run.actions,
    async revoke(step) {
      await run.actions.revoke(step)
      const order = orderOf({ ...step.terms, initiator: step.caller })
      if (model.storedState(order) === 2n) revoked.add(computeOrderId(domain, order))
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
      const wrong = refusal(order) ?? (isHeld ? whyNotNow(order) : isKnown ? 'HTLC__DuplicateOrder' : null)
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
    async fillBridge({ isFull }) {
      await fixture.local.setBridgeBalance(coreTokens.purr, isFull ? 2n ** 60n : 1n)
    },
    async wait({ seconds }) {
      waited += seconds
    },
  }

  async function storedState(order: HtlcOrder): Promise<bigint> {
    const data = encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiatedAt', args: [computeOrderId(domain, order)] })
    return hexToBigInt((await fixture.local.request({ method: 'eth_call', params: [{ to: htlc, data }, 'latest'] })) as Hex)
  }

  return {
    async take<Call extends keyof Calls>(step: StepOf<Calls, Call>): Promise<void> {
      await nextBlock()
      await actions[step.call](step)
    },
    /** The contract holds the amounts of open orders and nothing else, on neither side. Each account holds what was paid to it. */
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
    async windUp(): Promise<void> {
      waited += DEADLINES.late
      await run.windUp(nextBlock)
      for (const caller of [0, 1, 2] as const) {
        await nextBlock()
        await actions.withdraw({ call: 'withdraw', caller })
      }
      expect([...accounts.values()].every(({ evm, core }) => evm + core === 0n)).toBe(true)
    },
  }
}

it(`holds its invariants in ${sequences} random sequences of calls`, { timeout: 600_000 }, async () => {
  const property = fc.asyncProperty(steps, async (sequence) => {
    const run = await createRun()
    for (const step of sequence as readonly StepFrom<Calls>[]) {
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

/** A receipt has no revert data, so the name is read from the trace. */
async function revertName(hash: Hex): Promise<string> {
  const options = { disableStorage: true, disableMemory: true, disableStack: true }
  const trace = (await fixture.local.request({ method: 'debug_traceTransaction', params: [hash, options] })) as { returnValue: string }
  const data: Hex = trace.returnValue.startsWith('0x') ? (trace.returnValue as Hex) : `0x${trace.returnValue}`
  return data.length < 10 ? 'no reason' : decodeErrorResult({ abi: htlcCore.abi, data }).errorName
}
