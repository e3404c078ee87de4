// Plays the steps that concern deposit addresses, beside a model of what lies at each. Each call must end as it does in the model.
import { type Address, encodeFunctionData, type Hex, isAddressEqual, parseEventLogs, type RpcLog, zeroAddress } from 'viem'
import { expect } from 'vitest'
import { depositAccount } from './artifacts/deposit-account.ts'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { testToken } from './artifacts/test-token.ts'
import { tronDepositAccount } from './artifacts/tron-deposit-account.ts'
import {
  type DepositCalls,
  type DepositStep,
  type DepositTerms,
  type DepositTwist,
  type DrawnDeposit,
  type Money,
  nextAccount,
  type Part,
} from './deposit-steps.fixture.ts'
import type { HtlcKind, HtlcSetup } from './htlc.fixture.ts'
import { computeDepositAddress, htlcCall, type OrderDeposit } from './htlc-order.fixture.ts'
import type { HtlcRun } from './htlc-run.fixture.ts'
import type { Account } from './htlc-steps.fixture.ts'
import type { InnerCall } from './one-transaction.fixture.ts'

export interface DepositRunOptions {
  readonly drawn: readonly DrawnDeposit[]
  readonly otherToken: Address
  sideOf(kind: HtlcKind): { readonly setup: HtlcSetup; readonly run: HtlcRun<Account> }
  addressOf(account: Account): Address
  now(): bigint
  mine(caller: Account, to: Address, data: Hex, value?: bigint): Promise<string | null>
  give(token: Address, owner: Address, amount: bigint): void
  balanceOf(token: Address, owner: Address): Promise<bigint>
  /** The caller pays what a contract pays. Each result is the error of a call, or null. */
  together(caller: Account, by: 'contract' | 'key with code', calls: readonly InnerCall[]): Promise<readonly (string | null)[]>
  /** What all contracts have logged since the run began. */
  logs(): Promise<readonly RpcLog[]>
}

interface KnownDeposit extends DepositTerms {
  readonly deposit: OrderDeposit
  readonly address: Address
  /** By token: all that came, and what is still there. */
  readonly paid: Map<Address, bigint>
  readonly held: Map<Address, bigint>
  /** What went into its order. */
  locked: bigint
}

const parts: Readonly<Record<Part, (amount: bigint) => bigint>> = {
  all: (amount) => amount,
  half: (amount) => amount / 2n,
  otherHalf: (amount) => amount - amount / 2n,
  surplus: (amount) => amount + 7n,
}
const OTHER_CHAIN = 99
const add = (sums: Map<Address, bigint>, token: Address, amount: bigint) => sums.set(token, (sums.get(token) ?? 0n) + amount)

export function createDepositRun(options: DepositRunOptions) {
  const { drawn, otherToken, sideOf, addressOf, now, mine, together, give, balanceOf, logs } = options
  const begin = now()
  const deposits = new Map<Address, KnownDeposit>()

  function twisted({ kind, terms, seconds }: DepositTerms, twist: DepositTwist): DepositTerms {
    if (twist === 'initiator') return { kind, terms: { ...terms, initiator: nextAccount[terms.initiator] }, seconds }
    if (twist === 'amount') return { kind, terms: { ...terms, amount: terms.amount + 1n }, seconds }
    return { kind, terms, seconds: twist === 'deadline' ? seconds + 1n : seconds }
  }

  const known = new Map<string, KnownDeposit>()
  function depositOf(pick: number, twist: DepositTwist): KnownDeposit {
    const index = pick % drawn.length
    const key = `${index} ${twist}`
    const before = known.get(key)
    if (before !== undefined) return before
    const terms = drawn[index]
    if (terms === undefined) throw new Error('a sequence has no deposit')
    const one = learn(twisted(terms, twist), twist === 'chain')
    known.set(key, one)
    return one
  }

  /** Deposits that were drawn alike are one. */
  function learn(terms: DepositTerms, isForOtherChain: boolean): KnownDeposit {
    const { setup, run } = sideOf(terms.kind)
    const chainId = isForOtherChain ? OTHER_CHAIN : setup.fixture.chainId
    const deposit = { chainId, order: run.orderOf(terms.terms), deadline: begin + terms.seconds }
    const accountCode = terms.kind === 'TRC-20' ? tronDepositAccount.bytecode : depositAccount.bytecode
    const address = computeDepositAddress(setup.htlc, deposit, { accountCode })
    const one = deposits.get(address) ?? { ...terms, deposit, address, paid: new Map(), held: new Map(), locked: 0n }
    deposits.set(address, one)
    return one
  }

  const assetOf = ({ kind }: KnownDeposit): Address => sideOf(kind).setup.token
  const tokenOf = (one: KnownDeposit, money: Money): Address =>
    money === 'asset' ? assetOf(one) : money === 'coin' ? zeroAddress : otherToken
  const heldOf = ({ held }: KnownDeposit, token: Address): bigint => held.get(token) ?? 0n
  const isForOtherChain = ({ kind, deposit }: KnownDeposit): boolean => deposit.chainId !== sideOf(kind).setup.fixture.chainId

  function refusalToOpen(one: KnownDeposit): string | null {
    const { order, deadline } = one.deposit
    if (isForOtherChain(one)) return 'HTLC__OtherChain'
    if (now() > deadline) return 'HTLC__TooLate'
    const refusal = sideOf(one.kind).run.model.refusalToOpen(order)
    return refusal ?? (heldOf(one, assetOf(one)) < order.amount ? 'HTLC__TransferFailed' : null)
  }

  function refusalToReturn(one: KnownDeposit, caller: Account, token: Address): string | null {
    const { order, deadline } = one.deposit
    const isForeign = one.kind !== 'native' && token !== assetOf(one)
    const mayStillOpen = now() <= deadline && !isForOtherChain(one) && sideOf(one.kind).run.model.storedState(order) === 0n
    if (addressOf(caller) !== order.initiator && !isForeign && mayStillOpen) return 'HTLC__NotReturnable'
    return heldOf(one, token) === 0n ? 'HTLC__NothingToReturn' : null
  }

  function giveBack(one: KnownDeposit, token: Address): void {
    give(token, one.deposit.order.initiator, heldOf(one, token))
    one.held.set(token, 0n)
  }

  async function pay(caller: Account, one: KnownDeposit, token: Address, amount: bigint): Promise<void> {
    const transfer = { abi: testToken.abi, functionName: 'transfer', args: [one.address, amount] } as const
    const error = token === zeroAddress ? mine(caller, one.address, '0x', amount) : mine(caller, token, encodeFunctionData(transfer))
    expect(await error).toBeNull()
    give(token, addressOf(caller), -amount)
    for (const sums of [one.paid, one.held]) add(sums, token, amount)
  }

  async function initiate(caller: Account, one: KnownDeposit): Promise<void> {
    const { setup, run } = sideOf(one.kind)
    const { order } = one.deposit
    const expected = refusalToOpen(one)
    expect(await mine(caller, setup.htlc, htlcCall.initiateDeposit(one.deposit))).toBe(expected)
    if (expected !== null) return
    run.model.open(order, now())
    add(one.held, assetOf(one), -order.amount)
    one.locked += order.amount
    giveBack(one, zeroAddress)
  }

  async function reclaim(caller: Account, one: KnownDeposit, token: Address): Promise<void> {
    const expected = refusalToReturn(one, caller, token)
    expect(await mine(caller, sideOf(one.kind).setup.htlc, htlcCall.reclaimDeposited(one.deposit, token))).toBe(expected)
    if (expected === null) for (const returned of new Set([token, zeroAddress])) giveBack(one, returned)
  }

  /** Coin that comes after an act in the same transaction would be burned, so nobody acts here, and all payments stay. */
  async function inOneTransaction({ caller, by, calls }: DepositCalls['inOneTransaction']): Promise<void> {
    const inner = calls.map(({ act, pick, twist, money, part }) => {
      const one = depositOf(pick, twist)
      const { deposit, address } = one
      const target = sideOf(one.kind).setup.htlc
      if (act === 'initiate') return { one, call: { target, value: 0n, data: htlcCall.initiateDeposit(deposit) } }
      if (act === 'reclaim') return { one, call: { target, value: 0n, data: htlcCall.reclaimDeposited(deposit, tokenOf(one, money)) } }
      return { one, call: { target: address, value: parts[part](deposit.order.amount), data: '0x' as const } }
    })
    const payments = inner.filter(({ one, call }) => call.target === one.address)
    const errors = await together(
      caller,
      by,
      inner.map(({ call }) => call),
    )
    expect(errors).toEqual(calls.map(({ act }) => (act === 'pay' ? null : 'HTLC__InsideTransaction')))
    for (const { one, call } of payments) for (const sums of [one.paid, one.held]) add(sums, zeroAddress, call.value)
  }

  async function callOnOrder({ caller, pick, name }: DepositCalls['callOnOrder']): Promise<void> {
    const { kind, terms, deposit } = depositOf(pick, 'none')
    const { actions, mentioned } = sideOf(kind).run
    if (name === 'initiateOnBehalf') await actions[name]({ call: name, caller, terms })
    else if (name === 'revoke') await actions[name]({ call: name, caller: terms.initiator, terms })
    else {
      const settling = { caller, pick: mentioned.indexOf(deposit.order), twist: 'none' } as const
      if (name === 'instantRefund') await actions[name]({ call: name, ...settling, signer: terms.redeemer })
      else if (name === 'redeem') await actions[name]({ call: name, ...settling })
      else await actions[name]({ call: name, ...settling })
    }
  }

  return {
    async begin(): Promise<void> {
      for (const [index, { first }] of drawn.entries()) {
        const one = depositOf(index, 'none')
        await pay(nextAccount[one.terms.redeemer], one, assetOf(one), parts[first](one.deposit.order.amount))
      }
    },
    async take(step: DepositStep): Promise<void> {
      if (step.call === 'callOnOrder') return callOnOrder(step)
      if (step.call === 'inOneTransaction') return inOneTransaction(step)
      const one = depositOf(step.pick, step.twist)
      if (step.call === 'payDeposit') await pay(step.caller, one, tokenOf(one, step.money), parts[step.part](one.deposit.order.amount))
      else if (step.call === 'initiateDeposit') await initiate(step.caller, one)
      else await reclaim(step.caller, one, tokenOf(one, step.money))
    },
    /** What came is still there, or went into the one order, or was returned with an event. */
    async check(): Promise<void> {
      const events = parseEventLogs({ abi: htlcErc20.abi, logs: [...(await logs())] })
      const opened = events.flatMap((event) => (event.eventName === 'Initiated' ? [event.args.orderId] : []))
      expect(new Set(opened).size).toBe(opened.length)
      const returns = events.flatMap((event) => (event.eventName === 'DepositReturned' ? [event.args] : []))
      for (const one of deposits.values()) {
        const ofThis = returns.filter(({ account }) => isAddressEqual(account, one.address))
        for (const token of new Set([assetOf(one), otherToken, zeroAddress])) {
          const left = await balanceOf(token, one.address)
          expect(left).toBe(heldOf(one, token))
          const returned = ofThis.filter((args) => isAddressEqual(args.token, token)).reduce((sum, { amount }) => sum + amount, 0n)
          expect(left + returned + (token === assetOf(one) ? one.locked : 0n)).toBe(one.paid.get(token) ?? 0n)
        }
      }
    },
    /** After all deadlines no deposit opens an order, and a stranger can return everything. */
    async windUp(): Promise<void> {
      for (const one of deposits.values()) {
        const stranger = nextAccount[one.terms.initiator]
        if (heldOf(one, assetOf(one)) !== 0n) await initiate(stranger, one)
        for (const token of new Set([assetOf(one), otherToken, zeroAddress]))
          if (heldOf(one, token) !== 0n) await reclaim(stranger, one, token)
        expect([...one.held.values()].every((amount) => amount === 0n)).toBe(true)
      }
    },
  }
}
