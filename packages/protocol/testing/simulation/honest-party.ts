/** An honest service or solver follows the playbook by what it sees, with lag, missed polls and crashes. */
import type { Fill, RecordedFill } from '../../fill.ts'
import { judgeFill, proposeFill, withFill } from '../../fill-rules.ts'
import type { ActionVerb, Grant, Leg, Order, Role, SignedInstantRefund } from '../../order.ts'
import { instantRefunds, mayRefundInstantly, maySignInstantRefund, playbook, redeemable, refundable } from '../../playbook.ts'
import { deriveOrder, isStray, type OrderFacts, type OrderState } from '../../state.ts'
import type { ChainModel, ModelTx, View } from './chain-model.ts'
import { depositId, SECRET, START } from './model-order.ts'

/** The times are seconds since the start; `until` is exclusive. */
export type Span = { readonly from: number; readonly until: number }

export type Conduct = {
  /** The party's view of the chains has this age. */
  readonly lagSeconds: number
  /** The party polls the chains in the steps that are true. The list repeats. */
  readonly polls: readonly boolean[]
  readonly down: readonly Span[]
  /** The node of one chain is stuck at an old block. It recovers as soon as the party has committed. */
  readonly blind: (Span & { readonly leg: Leg }) | null
  /** Miners ignore each transaction for this time. The list repeats. */
  readonly delays: readonly number[]
  /** It stops for one poll right after recording the redeem that holds the secret. */
  readonly crashesAfterSigning: boolean
}

export type HonestParty = {
  readonly role: Role
  poll(now: bigint): void
  lastState(): OrderState | null
  secretShown(): boolean
  /** The service takes the client's secret if the playbook could use it now. */
  offerSecret(): void
  /** The service proposes the deposits that the solver should pay for. */
  proposesFill(): Fill | null
  /** The service records that the solver signed it, or declined (null), which is final. */
  recordFill(fill: Fill | null): void
  /** Returns null if the solver refuses or does not answer. */
  signFill(fill: Fill, now: bigint): 'signed' | 'declined' | null
  /** The service names the deposits for which it would ask the solver to sign an instant refund. */
  wantsBack(): readonly string[]
  /** The service records the solver's signatures as a grant. */
  grantRefunds(refunds: readonly SignedInstantRefund[]): void
  /** The solver signs, unless it has committed to pay or its chains forbid it. Returns null if it refuses or does not answer. */
  signRefunds(deposits: readonly string[], now: bigint): readonly SignedInstantRefund[] | null
}

type World = {
  readonly order: Order
  readonly chains: Readonly<Record<Leg, ChainModel>>
  viewAt(leg: Leg, seconds: number): View
  readonly granted: boolean
  readonly clientSecret: boolean
}

export function createHonestParty(role: Role, conduct: Conduct, world: World): HonestParty {
  const { chains } = world
  let { order } = world
  let fill: RecordedFill | null = null
  let declined: string | null = null
  let shown = false
  let seenSecret: string | null = null
  let polls = 0
  let sent = 0
  let last: OrderState | null = null
  let seen: Readonly<Record<Leg, View>> | null = null
  let unfinished = false
  /** The commitment to pay or to refund is durable, so it survives a crash. */
  let commitment: 'locked' | 'refund_signed' | null = null
  let grants: readonly Grant[] = world.granted ? [{ kind: 'initiate', leg: 'source', consent: { kind: 'signature', signature: '' } }] : []

  const committed = () => (role === 'solver' ? chains.destination.has('solver initiates') : shown)
  const isDown = (seconds: number) => conduct.down.some((span) => span.from <= seconds && seconds < span.until)

  const viewOf = (leg: Leg, seconds: number): View => {
    const { blind } = conduct
    const stuck = blind !== null && blind.leg === leg && blind.from <= seconds && seconds < blind.until && !committed()
    return world.viewAt(leg, Math.max(0, (stuck ? blind.from : seconds) - conduct.lagSeconds))
  }

  type Sent = Pick<ModelTx, 'id' | 'kind' | 'deposit' | 'bothSigned'>
  const send = (leg: Leg, tx: Sent, now: bigint): void => {
    if (chains[leg].has(tx.id)) return
    const delay = conduct.delays[sent % conduct.delays.length] ?? 0
    sent += 1
    chains[leg].broadcast({ ...tx, amount: order[leg].terms.amount, by: role, notBefore: now + BigInt(delay) })
  }

  const act = (state: OrderState, leg: Leg, verb: ActionVerb, now: bigint): void => {
    if (verb === 'reclaim' || verb === 'close') throw new Error('nothing is paid beside an HTLC here')
    if (verb === 'initiate') {
      if (role === 'solver' && commitment === 'refund_signed') return
      if (role === 'solver') commitment = 'locked'
      send(leg, { id: `${role} initiates`, kind: 'initiated', deposit: depositId(chains[leg].chain, `by ${role}`) }, now)
      return
    }
    if (verb === 'refund') {
      for (const { id } of refundable(state, leg)) send(leg, { id: `${role} refunds ${id}`, kind: 'refunded', deposit: id }, now)
      if (role === 'service') {
        for (const { deposit } of instantRefunds(state))
          send(leg, { id: `both refund ${deposit}`, kind: 'refunded', deposit, bothSigned: true }, now)
      }
      return
    }
    if (role === 'service' && !shown) {
      shown = true
      unfinished = conduct.crashesAfterSigning
      if (unfinished) return
    }
    for (const { id } of redeemable(state, leg)) send(leg, { id: `${role} redeems ${id}`, kind: 'redeemed', deposit: id }, now)
  }

  const factsIn = (views: Readonly<Record<Leg, View>>, now: bigint): OrderFacts => ({
    order,
    chains: { source: chains.source.chain, destination: chains.destination.chain },
    tips: { source: views.source.tip, destination: views.destination.tip },
    events: { source: views.source.events, destination: views.destination.events },
    grants,
    fill,
    declined,
    prefund: 0n,
    clientSecret: world.clientSecret,
    secretShown: shown,
    seenSecret,
    now,
  })
  const derive = (views: Readonly<Record<Leg, View>>, now: bigint) => deriveOrder(factsIn(views, now))

  const agree = (signed: Fill): void => {
    fill = { ...signed, signature: 'signed' }
    order = withFill(order, signed)
    unfinished = true
  }

  const addRefunds = (refunds: readonly SignedInstantRefund[]): void => {
    const known = grants.flatMap((grant) => (grant.kind === 'instant-refund' ? grant.refunds.map((r) => r.deposit) : []))
    const fresh = refunds.filter(({ deposit }) => !known.includes(deposit))
    if (fresh.length === 0) return
    grants = [...grants, { kind: 'instant-refund', leg: 'source', refunds: fresh, transaction: null }]
    unfinished = true
  }

  return {
    role,
    poll(now) {
      const seconds = Number(now - START)
      if (isDown(seconds)) return
      polls += 1
      if (conduct.polls[polls % conduct.polls.length] === false) return
      const views = { source: viewOf('source', seconds), destination: viewOf('destination', seconds) }
      // Without a new view, time alone never adds an action.
      if (views.source === seen?.source && views.destination === seen.destination && !unfinished) return
      seen = views
      unfinished = false
      last = derive(views, now)
      if (last.secret !== null) seenSecret = SECRET
      for (const rule of playbook) {
        if (rule.who === role && rule.holds(last)) act(last, rule.leg, rule.verb, now)
      }
    },
    lastState: () => last,
    secretShown: () => shown,
    offerSecret() {
      if (last === null || grants.some((grant) => grant.kind === 'redeem')) return
      const given: readonly Grant[] = [...grants, { kind: 'redeem', leg: 'destination' }]
      const state = { ...last, grants: given }
      if (!playbook.some((rule) => rule.who === 'service' && rule.verb === 'redeem' && rule.holds(state))) return
      grants = given
      unfinished = true
    },
    proposesFill: () => (last === null || fill !== null ? null : proposeFill(last)),
    recordFill(signed) {
      if (signed !== null) agree(signed)
      else declined = 'declined'
      unfinished = true
    },
    signFill(proposed, now) {
      const seconds = Number(now - START)
      if (isDown(seconds)) return null
      if (fill !== null) return fill.deposits.join() === proposed.deposits.join() ? 'signed' : 'declined'
      if (commitment === 'refund_signed') return 'declined'
      const facts = factsIn({ source: viewOf('source', seconds), destination: viewOf('destination', seconds) }, now)
      const judgement = judgeFill(facts, proposed, { minAmount: 1n, maxAmount: 1000n, maxNow: null })
      if (judgement.kind !== 'sign') return judgement.kind === 'decline' ? 'declined' : null
      agree(proposed)
      return 'signed'
    },
    wantsBack() {
      const state = last
      if (state === null) return []
      return state.source.deposits
        .filter((d) => d.block !== null && d.spend?.block == null && mayRefundInstantly(state, d.id))
        .map((d) => d.id)
    },
    grantRefunds: addRefunds,
    signRefunds(deposits, now) {
      const seconds = Number(now - START)
      if (isDown(seconds)) return null
      const state = derive({ source: viewOf('source', seconds), destination: viewOf('destination', seconds) }, now)
      if (!deposits.every((deposit) => maySignInstantRefund(state, deposit))) return null
      const paysForOne = !deposits.every((deposit) => isStray(state, deposit))
      if (paysForOne && commitment === 'locked') return null
      if (paysForOne) commitment = 'refund_signed'
      const refunds = deposits.map((deposit) => ({ deposit, amount: 0n, to: '', pays: 0n, signature: '' }))
      addRefunds(refunds)
      return refunds
    },
  }
}
