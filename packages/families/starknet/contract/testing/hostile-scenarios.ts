// Plays scenarios of tokens and accounts that cheat, or call the contract while it calls them.
import type { Scenario } from './scenario.ts'
import {
  balances,
  calls,
  fault,
  forAccount,
  hook,
  initiate,
  initiateSigned,
  instantRefund,
  ofAccount,
  order,
  redeem,
  refund,
  rich,
  start,
  state,
} from './steps.ts'

const ofCarol = { ...order, initiator: 'carol' } as const
const ofToken = { ...order, initiator: 'token' } as const

export const hostileScenarios: readonly Scenario[] = [
  {
    name: 'a token that answers false, takes a fee or delivers nothing locks no order',
    steps: [
      rich('alice'),
      rich('carol'),
      initiate(ofCarol),
      fault('false'),
      initiate(order, 'HTLC: transfer failed'),
      fault('fee'),
      initiate(order, 'HTLC: amount not received'),
      fault('nothing'),
      initiate(order, 'HTLC: amount not received'),
      state(0n),
      balances({ alice: 5_000n, htlc: 700n }),
      fault('none'),
      initiate(),
    ],
  },
  {
    name: 'a payment that the token refuses leaves the order open',
    steps: [
      rich('alice'),
      initiate(),
      fault('false'),
      redeem(order, 'HTLC: transfer failed'),
      refund(order, 'HTLC: transfer failed'),
      state(start),
      fault('none'),
      redeem(),
      balances({ bob: 700n, htlc: 0n }),
    ],
  },
  {
    name: 'an initiation inside of another is refused, so that no money is measured twice',
    steps: [rich('alice'), rich('token'), hook('initiate', ofToken), fault('nothing'), initiate(order, 'HTLC: reentrant initiation')],
  },
  {
    name: 'after an initiation the next one is taken',
    steps: [rich('alice'), rich('carol'), initiate(), initiate(ofCarol), balances({ htlc: 1_400n })],
  },
  {
    name: 'an order that is redeemed while it is being paid for is not paid with the money of others',
    steps: [rich('alice'), rich('carol'), initiate(ofCarol), hook('redeem', order), initiate(order, 'HTLC: amount not received')],
  },
  {
    name: 'a redeem inside of the payment of a redeem finds the order settled',
    steps: [rich('alice'), rich('carol'), initiate(), initiate(ofCarol), hook('redeem', order), redeem(order, 'HTLC: order settled')],
  },
  {
    name: 'a redeem inside of the payment of a refund finds the order settled',
    steps: [rich('alice'), rich('carol'), initiate(), initiate(ofCarol), hook('redeem', order), refund(order, 'HTLC: order settled')],
  },
  {
    name: 'an account that redeems while it is asked for its signature of a refund is paid once',
    steps: [
      rich('alice'),
      rich('carol'),
      initiate(forAccount),
      initiate(ofCarol),
      instantRefund(forAccount, 'carol', calls('redeem', forAccount), 'HTLC: order settled'),
    ],
  },
  {
    name: 'an account that initiates while it is asked for its signature initiates once',
    steps: [rich('account'), initiateSigned(ofAccount, calls('initiate', ofAccount), 'HTLC: duplicate order')],
  },
]
