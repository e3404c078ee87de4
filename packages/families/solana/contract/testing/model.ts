// Models the program without a chain, for tests that compare the program with it after each step.
import type { Address } from '@solana/kit'
import type { TestOrder } from './order.ts'

type Status = 'open' | 'redeemed' | 'refunded'

interface ModelOrder {
  readonly order: TestOrder
  readonly openedSlot: bigint
  readonly rentPayer: Address
  status: Status
}

export interface Moment {
  readonly slot: bigint
  readonly time: bigint
}

/** Each call returns the name of the error with which the program must refuse, or null if the program must succeed. */
export interface HtlcModel {
  initiate(order: TestOrder, rentPayer: Address, now: Moment): string | null
  /** `held` is what the deposit of the order has. */
  initiateDeposited(order: TestOrder, held: bigint, rentPayer: Address, now: Moment): string | null
  returnDeposit(order: TestOrder, isSigned: boolean, now: Moment): string | null
  redeem(order: TestOrder, how: { readonly rightSecret: boolean; readonly rightPayee: boolean }): string | null
  refund(order: TestOrder, now: Moment): string | null
  instantRefund(order: TestOrder, bySomebodyElse: boolean): string | null
  close(order: TestOrder, rentPayer: Address, now: Moment): string | null
  status(order: TestOrder): Status | null
  rentPayer(order: TestOrder): Address | null
  open(): readonly TestOrder[]
  settled(): readonly TestOrder[]
}

export function createModel(): HtlcModel {
  const orders = new Map<Address, ModelOrder>()
  const withStatus = (isWanted: (status: Status) => boolean) =>
    [...orders.values()].filter(({ status }) => isWanted(status)).map(({ order }) => order)

  function settle(order: TestOrder, status: Status, refusal: (known: ModelOrder) => string | null): string | null {
    const known = orders.get(order.address)
    if (known === undefined) return 'OrderNotInitiated'
    if (known.status !== 'open') return 'OrderSettled'
    const error = refusal(known)
    if (error === null) known.status = status
    return error
  }

  function refusalOf({ terms, address, initiateBefore }: TestOrder, { time }: Moment): string | null {
    if (terms.amount === 0n) return 'ZeroAmount'
    if (terms.timelock === 0n) return 'InvalidTimelock'
    if (initiateBefore <= time) return 'InitiateTooLate'
    if (terms.initiator === terms.redeemer) return 'SameInitiatorAndRedeemer'
    return orders.has(address) ? 'DuplicateOrder' : null
  }

  return {
    initiate(order, rentPayer, now) {
      const refusal = refusalOf(order, now)
      if (refusal === null) orders.set(order.address, { order, openedSlot: now.slot, rentPayer, status: 'open' })
      return refusal
    },
    initiateDeposited(order, held, rentPayer, now) {
      const { amount, mint } = order.terms
      if (held < amount) return mint === null ? 'DepositTooSmall' : (refusalOf(order, now) ?? 'code 1')
      return this.initiate(order, rentPayer, now)
    },
    returnDeposit: ({ address, initiateBefore }, isSigned, { time }) =>
      isSigned || orders.has(address) || time >= initiateBefore ? null : 'TooEarlyToReturn',
    redeem: (order, { rightSecret, rightPayee }) =>
      settle(order, 'redeemed', () => (rightSecret ? (rightPayee ? null : 'WrongPayee') : 'WrongSecret')),
    refund: (order, { slot }) =>
      settle(order, 'refunded', ({ openedSlot }) => (slot < openedSlot + order.terms.timelock ? 'OrderNotExpired' : null)),
    instantRefund: (order, bySomebodyElse) => settle(order, 'refunded', () => (bySomebodyElse ? 'NotTheRedeemer' : null)),
    close(order, rentPayer, { time }) {
      const known = orders.get(order.address)
      if (known === undefined) return 'OrderNotInitiated'
      if (known.status === 'open') return 'OrderOpen'
      if (known.rentPayer !== rentPayer) return 'WrongRentPayer'
      if (time < known.order.initiateBefore) return 'TooEarlyToClose'
      orders.delete(order.address)
      return null
    },
    status: ({ address }) => orders.get(address)?.status ?? null,
    rentPayer: ({ address }) => orders.get(address)?.rentPayer ?? null,
    open: () => withStatus((status) => status === 'open'),
    settled: () => withStatus((status) => status !== 'open'),
  }
}
