/** The playbook is compared with an independent statement of the protocol, in every combination of legs, grants, secrets and times. */
import { beforeAll, describe, expect, it } from 'vitest'
import { playbook } from './playbook.ts'
import { type Combination, combinations, stateOf, type Way, ways } from './playbook-combinations.fixture.ts'
import type { OrderState } from './state.ts'

type Action =
  | 'service initiate source'
  | 'solver initiate destination'
  | 'service redeem destination'
  | 'solver redeem source'
  | 'solver refund destination'
  | 'service refund source'
  | 'service reclaim source'
  | 'service close source'
  | 'solver close destination'

const nameOf = new Map(playbook.map((rule) => [rule, `${rule.who} ${rule.verb} ${rule.leg}`]))
const wantedIn = (state: OrderState): readonly string[] =>
  playbook.filter((rule) => rule.holds(state)).map((rule) => nameOf.get(rule) ?? '')

const holdsMoney = (way: Way) => ['seen -', 'seen +', 'initiated', 'initiated parts', 'redeeming', 'refunding'].includes(way)
const isInitiated = (way: Way) => ways[way] === 'initiated'
const isMined = (way: Way) => way !== 'waiting' && way !== 'seen -'
const isRedeemed = (way: Way) => ways[way] === 'redeemed'
const isFinished = (c: Combination) => /^redeemed (deep|half)$/.test(c.source) && /^(redeemed (deep|half)|waiting)$/.test(c.destination)
/** Some deposit is unspent, of the agreed amount or not. */
const holdsAnything = (way: Way) => holdsMoney(way) || ['mismatched', 'mismatched part', 'refunding mismatched'].includes(way)

/** The signed instant refund can be sent: the deposit is unspent, the secret is not out, and the destination holds nothing for the user. */
const isInstantRefundSigned = (c: Combination) =>
  c.instantRefundSigned &&
  !c.shown &&
  !c.secretKnown &&
  (!c.sourceExpired || c.clientKeys) &&
  isMined(c.source) &&
  holdsAnything(c.source) &&
  (/^(waiting|mismatched)/.test(c.destination) || c.destination === 'refunding mismatched' || ways[c.destination] === 'refunded')

/** This is a second, independent statement of the protocol: for each action, exactly when it is wanted. */
const protocol: Readonly<Record<Action, (c: Combination) => boolean>> = {
  'service initiate source': (c) => c.granted && c.timeToRelay && !c.late && c.source === 'waiting',

  'solver initiate destination': (c) => {
    const willBePaid = c.agreed && c.alive && isInitiated(c.source) && c.fundedInTime && c.gapSafe
    const wasPaid = c.source === 'redeemed deep' && c.fundedInTime
    return !c.instantRefundSigned && (willBePaid || wasPaid) && ['waiting', 'mismatched', 'seen -'].includes(c.destination)
  },

  'service redeem destination': (c) => {
    if (c.clientKeys) return false
    if (c.shown || c.secretKnown) return holdsMoney(c.destination)
    const bothSides = isInitiated(c.source) && c.destination === 'initiated'
    return c.agreed && c.secretWith !== 'client' && c.alive && bothSides && c.fundedInTime && !c.sourceExpired && c.timeToReveal
  },

  'solver redeem source': (c) => c.secretKnown && holdsMoney(c.source) && ways[c.destination] !== 'refunded',

  'solver refund destination': (c) => {
    if (!c.destinationExpired || !isMined(c.destination) || !holdsAnything(c.destination)) return false
    const userMayTakeIt = holdsMoney(c.destination)
    const solverIsPaid = isRedeemed(c.source) || ((c.shown || c.secretKnown) && holdsMoney(c.source))
    return !(userMayTakeIt && solverIsPaid)
  },

  'service refund source': (c) => {
    if (isInstantRefundSigned(c)) return true
    if (c.clientKeys || !c.addressKnown || !c.sourceExpired || !isMined(c.source) || !holdsAnything(c.source)) return false
    const solverMayTakeIt = holdsMoney(c.source)
    const userIsPaid = isRedeemed(c.destination) || ((c.shown || c.secretKnown) && holdsMoney(c.destination))
    return !(solverMayTakeIt && userIsPaid)
  },

  'service reclaim source': (c) => c.prefund === 'worth' && (c.late || isMined(c.source)),

  'service close source': (c) => c.rent && isFinished(c),

  'solver close destination': (c) => c.rent && isFinished(c) && c.destination !== 'waiting',
}

const actions = Object.keys(protocol) as Action[]

type Law = { readonly says: string; readonly isBroken: (c: Combination, wants: (action: Action) => boolean) => boolean }

/** The safety laws are stated without the rules of the playbook. */
const laws: readonly Law[] = [
  {
    says: 'the secret is never shown unless both legs hold the agreed amount, the destination as one deposit, confirmed, in time, with time left on both',
    isBroken: (c, wants) =>
      wants('service redeem destination') &&
      !c.shown &&
      !c.secretKnown &&
      !(
        isInitiated(c.source) &&
        c.destination === 'initiated' &&
        c.fundedInTime &&
        c.timeToReveal &&
        !c.sourceExpired &&
        c.alive &&
        c.agreed
      ),
  },
  {
    says: 'for a user who kept the keys the service only sends an instant refund that both signed',
    isBroken: (c, wants) =>
      c.clientKeys && (wants('service redeem destination') || (wants('service refund source') && !c.instantRefundSigned)),
  },
  {
    says: 'the service does not redeem while only the client has the secret',
    isBroken: (c, wants) => c.secretWith === 'client' && !c.shown && !c.secretKnown && wants('service redeem destination'),
  },
  {
    says: 'the solver never initiates after it signed an instant refund',
    isBroken: (c, wants) => c.instantRefundSigned && wants('solver initiate destination'),
  },
  {
    says: 'no instant refund while the destination holds the amount or the secret is out',
    isBroken: (c, wants) =>
      wants('service refund source') &&
      (!c.sourceExpired || c.clientKeys) &&
      (holdsMoney(c.destination) || isRedeemed(c.destination) || c.shown || c.secretKnown),
  },
  {
    says: 'once the secret is out, the service redeems the destination as long as it can',
    isBroken: (c, wants) =>
      !c.clientKeys && (c.shown || c.secretKnown) && holdsMoney(c.destination) && !wants('service redeem destination'),
  },
  {
    says: 'the solver pays only for a source that is confirmed, in time, and outlives the destination, or that it has redeemed completely',
    isBroken: (c, wants) =>
      wants('solver initiate destination') &&
      c.source !== 'redeemed deep' &&
      !(isInitiated(c.source) && c.fundedInTime && c.gapSafe && c.alive && c.agreed),
  },
  {
    says: 'nobody initiates twice',
    isBroken: (c, wants) =>
      (wants('service initiate source') && c.source !== 'waiting') ||
      (wants('solver initiate destination') &&
        (['seen +', 'initiated', 'initiated parts'].includes(c.destination) || /part|redeem|refund/.test(c.destination))),
  },
  {
    says: 'a solver that knows the secret redeems the source, unless it refunded the destination',
    isBroken: (c, wants) => c.secretKnown && holdsMoney(c.source) && wants('solver redeem source') !== (ways[c.destination] !== 'refunded'),
  },
  {
    says: 'no refund before expiry or without a refund address, except instant refunds',
    isBroken: (c, wants) =>
      (wants('service refund source') && !c.instantRefundSigned && (!c.sourceExpired || !c.addressKnown)) ||
      (wants('solver refund destination') && !c.destinationExpired),
  },
  {
    says: 'no refund of a leg once the other leg is redeemed',
    isBroken: (c, wants) =>
      (wants('service refund source') && holdsMoney(c.source) && isRedeemed(c.destination)) ||
      (wants('solver refund destination') && holdsMoney(c.destination) && isRedeemed(c.source)),
  },
  {
    says: 'no party gets both legs: counted deposits are not refunded to a party while the other leg is redeemed for it',
    isBroken: (c, wants) =>
      (wants('service refund source') && holdsMoney(c.source) && wants('service redeem destination')) ||
      (wants('solver refund destination') && holdsMoney(c.destination) && wants('solver redeem source')),
  },
  {
    says: 'an expired deposit is refunded when no other party can redeem it',
    isBroken: (c, wants) =>
      (c.destinationExpired &&
        isMined(c.destination) &&
        holdsAnything(c.destination) &&
        !c.secretKnown &&
        !c.shown &&
        !wants('solver refund destination')) ||
      (c.sourceExpired &&
        !c.clientKeys &&
        c.addressKnown &&
        isMined(c.source) &&
        holdsAnything(c.source) &&
        c.destination === 'refunded' &&
        !wants('service refund source')),
  },
  {
    says: 'a prefund is not returned while the order can be initiated with it',
    isBroken: (c, wants) => wants('service reclaim source') && (wants('service initiate source') || (c.source === 'waiting' && !c.late)),
  },
  {
    says: 'a prefund that the order no longer needs is returned, unless it is dust',
    isBroken: (c, wants) =>
      (c.prefund === 'worth' && (c.late || ['initiated', 'redeemed', 'refunded'].includes(c.source)) && !wants('service reclaim source')) ||
      (c.prefund !== 'worth' && wants('service reclaim source')),
  },
  {
    says: 'no account is closed while anything of the order may still be paid or undone',
    isBroken: (c, wants) =>
      (wants('service close source') || wants('solver close destination')) &&
      [c.source, c.destination].some((way) => holdsAnything(way) || ['redeemed', 'refunded'].includes(way)),
  },
  {
    says: 'no action on a settled leg',
    isBroken: (c, wants) =>
      ((wants('service initiate source') || wants('solver redeem source') || wants('service refund source')) &&
        /^(redeemed|refunded)/.test(c.source)) ||
      ((wants('solver initiate destination') || wants('service redeem destination') || wants('solver refund destination')) &&
        /^(redeemed|refunded)/.test(c.destination)),
  },
]

/** A halted chain may only stop new commitments. For everything else the playbook is compared with the protocol. */
function stopsTooMuch(c: Combination, wants: (action: Action) => boolean): boolean {
  if (c.alive) return false
  const isNew = (action: Action) =>
    action === 'solver initiate destination' || (action === 'service redeem destination' && !c.shown && !c.secretKnown)
  const onLiveChains = { ...c, alive: true }
  return actions.some((action) => !isNew(action) && protocol[action](onLiveChains) && !wants(action))
}

/** This is many times the duration on an idle machine. */
const WALK_TIMEOUT_MS = 300_000

describe('in every combination', () => {
  const lastLaw = 'a halted chain stops new commitments and nothing else'
  const wrong = new Map<string, Combination[]>([...actions, ...laws.map((law) => law.says), lastLaw].map((name) => [name, []]))
  let count = 0

  // One walk serves all tests, because the combinations are too many to keep.
  beforeAll(() => {
    for (const combination of combinations()) {
      count += 1
      const wanted = wantedIn(stateOf(combination))
      const wants = (action: Action) => wanted.includes(action)
      for (const action of actions) if (wants(action) !== protocol[action](combination)) wrong.get(action)?.push(combination)
      for (const { says, isBroken } of laws) if (isBroken(combination, wants)) wrong.get(says)?.push(combination)
      if (stopsTooMuch(combination, wants)) wrong.get(lastLaw)?.push(combination)
    }
  }, WALK_TIMEOUT_MS)

  it('there are over 200,000, and one statement for each rule', () => {
    expect(count).toBeGreaterThan(200_000)
    expect([...nameOf.values()]).toEqual(actions)
  })

  it.each(actions)('"%s" is wanted exactly when the protocol says so', (action) => {
    expect(wrong.get(action)?.slice(0, 3)).toEqual([])
  })

  it.each([...laws.map((law) => law.says), lastLaw])('%s', (says) => {
    expect(wrong.get(says)?.slice(0, 3)).toEqual([])
  })
})
