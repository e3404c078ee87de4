/** The playbook's test walks through every combination of legs, grants, secrets and times. */

import { factsOf, normalTimes } from './example-order.fixture.ts'
import { signedGrant } from './grants.fixture.ts'
import { deriveOrder, type OrderState } from './state.ts'
import type { Deposit, Phase, Spend, SwapState } from './swap-state.ts'

/**
 * Every phase, in every form it can have. `+` has a block, `-` has none. "part": too little, some of it refunded.
 * "parts": the agreed amount in two deposits.
 * "deep": at the required confirmations. "half": as deep, but half of it was refunded.
 */
export const ways = {
  waiting: 'waiting',
  mismatched: 'mismatched',
  'mismatched part': 'mismatched',
  'seen -': 'seen',
  'seen +': 'seen',
  initiated: 'initiated',
  'initiated parts': 'initiated',
  redeeming: 'redeeming',
  redeemed: 'redeemed',
  'redeemed deep': 'redeemed',
  'redeemed half': 'redeemed',
  refunding: 'refunding',
  'refunding mismatched': 'refunding',
  refunded: 'refunded',
  'refunded mismatched': 'refunded',
} as const satisfies Record<string, Phase>
export type Way = keyof typeof ways

export type Combination = {
  readonly source: Way
  readonly destination: Way
  readonly granted: boolean
  readonly shown: boolean
  readonly secretKnown: boolean
  /** A relayed initiation can be mined before the deadline. */
  readonly timeToRelay: boolean
  readonly fundedInTime: boolean
  readonly gapSafe: boolean
  readonly timeToReveal: boolean
  readonly alive: boolean
  readonly sourceExpired: boolean
  readonly destinationExpired: boolean
  readonly addressKnown: boolean
  /** Before the secret is public, these parties have it. The service has it if it made it, or once the client gave it. */
  readonly secretWith: 'service' | 'client' | 'client and service'
  /** The solver signed an instant refund of the first source deposit. */
  readonly instantRefundSigned: boolean
  /** The solver signed for the deposits that count. */
  readonly agreed: boolean
  /** The user's own keys are in the terms. */
  readonly clientKeys: boolean
  /** The prefund is none, just below the least amount worth returning, or just enough. */
  readonly prefund: 'none' | 'dust' | 'worth'
  readonly late: boolean
  readonly rent: boolean
}

const flags = [
  'granted',
  'shown',
  'secretKnown',
  'timeToRelay',
  'fundedInTime',
  'gapSafe',
  'timeToReveal',
  'alive',
  'sourceExpired',
  'destinationExpired',
  'addressKnown',
] as const satisfies readonly (keyof Combination)[]

const wayNames = Object.keys(ways) as Way[]
const block = { height: 1n, hash: 'hash', time: 1n }

function swapIn(way: Way, expired: boolean): SwapState {
  const spendOf = (kind: Spend['kind'], mined: boolean): Spend => ({
    kind,
    tx: 'spend',
    block: mined ? block : null,
    confirmations: mined ? 1n : 0n,
    isFinal: false,
    paid: null,
  })
  const depositOf = (id: string, spend: Spend | null): Deposit => ({
    id,
    amount: 1n,
    tx: id,
    block: way === 'seen -' ? null : block,
    confirmations: 1n,
    unitsLeft: way === 'seen -' ? null : expired ? 0n : 1n,
    spend,
    writtenOff: false,
  })
  const spends: Partial<Record<Phase, Spend>> = {
    redeeming: spendOf('redeemed', false),
    redeemed: spendOf('redeemed', true),
    refunding: spendOf('refunded', false),
    refunded: spendOf('refunded', true),
  }
  const phase = ways[way]
  const spend = spends[phase] ?? null
  const isDeep = way === 'redeemed deep' || way === 'redeemed half'
  const deposit = depositOf('a', isDeep && spend !== null ? { ...spend, confirmations: 100n, isFinal: true } : spend)
  const refundedPart = depositOf('b', { ...spendOf('refunded', true), confirmations: 100n, isFinal: true })
  const parts: Partial<Record<Way, readonly Deposit[]>> = {
    waiting: [],
    'mismatched part': [deposit, refundedPart],
    'redeemed half': [deposit, refundedPart],
    'initiated parts': [deposit, depositOf('b', null)],
  }
  const deposits = parts[way] ?? [deposit]
  const counted = way === 'waiting' || way.includes('mismatched') ? [] : deposits
  return { phase, deposits, ignoredDeposits: 0, counted, isComplete: true, filledAmount: 1n, confirmations: 1n, secret: null }
}

const template = deriveOrder(factsOf(normalTimes('waiting', 'waiting')))
const swaps = new Map(wayNames.flatMap((way) => [false, true].map((expired) => [`${way} ${expired}`, swapIn(way, expired)])))
const swapLike = (way: Way, expired: boolean) => swaps.get(`${way} ${expired}`) ?? template.source

const signedRefund = { deposit: 'a', amount: 1n, to: 'user', pays: 1n, signature: '' }

/** Each value is made once for its key: making it for every combination would take most of the time. */
function remembered<T>(make: (c: Combination) => T, keyOf: (c: Combination) => string): (c: Combination) => T {
  const made = new Map<string, T>()
  return (c) => {
    const key = keyOf(c)
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(c)
    made.set(key, value)
    return value
  }
}

const grantsOf = remembered<OrderState['grants']>(
  (c) => [
    ...(c.granted ? [signedGrant('')] : []),
    ...(c.secretWith === 'client and service' ? [{ kind: 'redeem', leg: 'destination' } as const] : []),
    ...(c.instantRefundSigned ? [{ kind: 'instant-refund', leg: 'source', refunds: [signedRefund], transaction: null } as const] : []),
  ],
  ({ granted, secretWith, instantRefundSigned }) => `${granted} ${secretWith} ${instantRefundSigned}`,
)

const orderOf = remembered<OrderState['order']>(
  ({ addressKnown, clientKeys }) => {
    const { source, destination } = template.order
    return {
      ...template.order,
      source: {
        ...source,
        terms: { ...source.terms, amount: 1000n },
        userAddress: addressKnown ? 'user' : null,
        clientKey: clientKeys,
      },
      destination: { ...destination, clientKey: clientKeys },
    }
  },
  ({ addressKnown, clientKeys }) => `${addressKnown} ${clientKeys}`,
)

const prefunds = { none: 0n, dust: 9n, worth: 10n } as const

export function stateOf(c: Combination): OrderState {
  return {
    ...template,
    order: orderOf(c),
    isAgreed: c.agreed,
    source: swapLike(c.source, c.sourceExpired),
    destination: swapLike(c.destination, c.destinationExpired),
    grants: grantsOf(c),
    clientSecret: c.secretWith !== 'service',
    secretShown: c.shown,
    secret: c.secretKnown ? 'secret' : null,
    keepsRent: { source: c.rent, destination: c.rent },
    prefund: prefunds[c.prefund],
    now: template.order.deadline + (c.late ? 1n : c.timeToRelay ? -61n : -60n),
    fundedInTime: c.fundedInTime,
    gapSeconds: c.gapSafe ? 1n : 0n,
    revealSecondsLeft: c.timeToReveal ? 1n : 0n,
    chainsAlive: c.alive,
  }
}

const flagSets = Array.from(
  { length: 2 ** flags.length },
  (_, bits) => Object.fromEntries(flags.map((flag, i) => [flag, (bits & (1 << i)) !== 0])) as Record<(typeof flags)[number], boolean>,
)

const usual = {
  secretWith: 'service',
  instantRefundSigned: false,
  agreed: true,
  clientKeys: false,
  prefund: 'none',
  late: false,
  rent: false,
} as const
const unusual = [
  { ...usual, instantRefundSigned: true },
  { ...usual, secretWith: 'client' },
  { ...usual, secretWith: 'client and service', instantRefundSigned: true },
  { ...usual, agreed: false },
  { ...usual, secretWith: 'client', clientKeys: true },
  { ...usual, secretWith: 'client', clientKeys: true, instantRefundSigned: true },
  { ...usual, prefund: 'dust', late: true },
  { ...usual, prefund: 'worth' },
  { ...usual, prefund: 'worth', late: true, rent: true },
] as const

type Flags = (typeof flagSets)[number]

/** The fields are copied one by one, which is many times faster than spreading. */
const combine = (
  source: Way,
  destination: Way,
  set: Flags,
  other: Omit<Combination, keyof Flags | 'source' | 'destination'>,
): Combination => ({
  source,
  destination,
  granted: set.granted,
  shown: set.shown,
  secretKnown: set.secretKnown,
  timeToRelay: set.timeToRelay,
  fundedInTime: set.fundedInTime,
  gapSafe: set.gapSafe,
  timeToReveal: set.timeToReveal,
  alive: set.alive,
  sourceExpired: set.sourceExpired,
  destinationExpired: set.destinationExpired,
  addressKnown: set.addressKnown,
  secretWith: other.secretWith,
  instantRefundSigned: other.instantRefundSigned,
  agreed: other.agreed,
  clientKeys: other.clientKeys,
  prefund: other.prefund,
  late: other.late,
  rent: other.rent,
})

export function* combinations(): Generator<Combination> {
  for (const source of wayNames) {
    for (const destination of wayNames) {
      const redeemSeen = [source, destination].some((way) => ways[way] === 'redeeming' || ways[way] === 'redeemed')
      for (const set of flagSets) {
        // A redeem shows the secret, so this combination is impossible.
        if (redeemSeen && !set.secretKnown) continue
        yield combine(source, destination, set, usual)
        // The unusual cases do not depend on relaying or on the refund address, so one value of each is enough.
        if (set.granted && set.timeToRelay && set.addressKnown) for (const other of unusual) yield combine(source, destination, set, other)
      }
    }
  }
}
