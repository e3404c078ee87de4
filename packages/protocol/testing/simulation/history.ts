/** A history plays one order to its end on two model chains, with honest parties and adversaries as the plan says. */
import type { Leg, SignedInstantRefund } from '../../order.ts'
import { playbook } from '../../playbook.ts'
import { fund, solverCheats, userCheats } from './adversaries.ts'
import { type ChainModel, createChainModel, type Settled, type View } from './chain-model.ts'
import { createHonestParty, type HonestParty } from './honest-party.ts'
import { blockSeconds, createModelOrder, modelChains, REORG_DEPTH, SECRET, START, STEP_SECONDS } from './model-order.ts'
import type { Plan, Undo } from './plan.ts'

export type Outcome = {
  readonly source: readonly Settled[]
  readonly destination: readonly Settled[]
  readonly secretShown: boolean
  readonly broken: readonly string[]
}

type Chains = Readonly<Record<Leg, ChainModel>>

const LEGS = ['source', 'destination'] as const
const SECONDS_BETWEEN_REORGS = 300n
const MAX_SECONDS = 4500
/** A cheating user keeps a signed refund for this time before using it. */
const HOARDING_SECONDS = 900

export function playHistory(plan: Plan): Outcome {
  const order = createModelOrder(plan.kinds)
  const modelOf = (leg: Leg) => createChainModel(modelChains[plan.kinds[leg]], order[leg].terms, SECRET, START)
  const chains: Chains = { source: modelOf('source'), destination: modelOf('destination') }
  const shown: Readonly<Record<Leg, View[]>> = { source: [chains.source.view()], destination: [chains.destination.view()] }
  const viewAt = (leg: Leg, seconds: number): View => shown[leg][Math.floor(seconds / STEP_SECONDS)] ?? chains[leg].view()
  const world = {
    order,
    chains,
    viewAt,
    granted: plan.granted && plan.kinds.source === 'seconds',
    clientSecret: plan.revealsAt !== null,
  }
  const service = plan.service === 'colludes with the user' ? null : createHonestParty('service', plan.service, world)
  const solver = plan.solver === 'dishonest' ? null : createHonestParty('solver', plan.solver, world)
  const parties = [service, solver].filter((party) => party !== null)
  const refunds = createInstantRefunds(service, solver, chains)
  const adversaries = [service === null ? 'user' : '', solver === null ? 'solver' : '']
  const quietUntil = { source: START, destination: START }
  const lastPlanned = Math.max(0, ...plan.reorgs.map((r) => r.at), ...plan.userDeposits.map((d) => d.at + d.waits)) + 2 * STEP_SECONDS
  const blocks = { source: { next: 0, mined: 0 }, destination: { next: 0, mined: 0 } }
  const broken = new Set<string>()
  let fundedAt: number | null = null

  for (let seconds = STEP_SECONDS; seconds <= MAX_SECONDS; seconds += STEP_SECONDS) {
    const now = START + BigInt(seconds)
    for (const leg of LEGS) {
      const planned = plan.reorgs.find((r) => r.leg === leg && r.at === seconds)
      const undo = plan.undoes[leg]
      const undone = undo !== null && isMinedAt(chains[leg], undo.what, now - BigInt(undo.after))
      if ((planned !== undefined || undone) && now >= quietUntil[leg]) {
        quietUntil[leg] = now + SECONDS_BETWEEN_REORGS
        chains[leg].reorg(REORG_DEPTH, now, (tx) => (planned?.drops === true || undo?.drops === true) && adversaries.includes(tx.by))
      }
      const schedule = blocks[leg]
      if (seconds >= schedule.next) {
        chains[leg].mine(now)
        schedule.next = seconds + intervalOf(plan, leg, schedule.mined)
        schedule.mined += 1
      }
      shown[leg].push(chains[leg].view())
    }
    fundedAt ??= chains.source.deposits().length > 0 ? seconds : null
    for (const party of parties) party.poll(now)
    if (service !== null) checkShown(service, broken)
    if (service !== null && plan.revealsAt !== null && seconds >= plan.revealsAt) service.offerSecret()
    if (plan.takesBackAt !== null && seconds >= plan.takesBackAt) refunds.ask(now)
    refunds.use(now)
    agreeOnFill(service, solver, chains.source, now)
    fund(chains.source, 'user', plan.userDeposits, seconds, now)
    if (service === null) userCheats(plan.userRedeems, chains, now)
    if (fundedAt !== null)
      fund(chains.destination, solver === null ? 'solver' : 'stranger', plan.destinationDeposits, seconds - fundedAt, now)
    if (solver === null) solverCheats(chains, now)
    if (seconds > lastPlanned && fundedAt !== null && seconds > fundedAt + 600 && isSettled(chains)) break
  }
  return {
    source: chains.source.deposits(),
    destination: chains.destination.deposits(),
    secretShown: service?.secretShown() ?? true,
    broken: [...broken],
  }
}

/**
 * On chains with partial deposits the parties agree on the fill. A cheating user and service ask the solver to sign for any deposits they
 * like. A cheating solver signs everything.
 */
function agreeOnFill(service: HonestParty | null, solver: HonestParty | null, source: ChainModel, now: bigint): void {
  if (source.chain.deposits.kind === 'exact') return
  if (service === null) {
    const all = source.deposits()
    for (const chosen of [...all.map((one) => [one]), ...all.map((_, index) => all.slice(0, index + 1))]) {
      const destinationAmount = chosen.reduce((sum, { amount }) => sum + amount, 0n)
      solver?.signFill({ deposits: chosen.map(({ deposit }) => deposit), blockHash: '', destinationAmount }, now)
    }
    return
  }
  const proposed = service.proposesFill()
  if (proposed === null) return
  const answer = solver === null ? 'signed' : solver.signFill(proposed, now)
  if (answer !== null) service.recordFill(answer === 'signed' ? proposed : null)
}

/**
 * Instant refunds are made on chains that have them. A cheating user and service ask for every deposit, at any time, and keep the
 * signatures until the destination is theirs or time is up. A cheating solver signs everything, and then follows no rule.
 */
function createInstantRefunds(service: HonestParty | null, solver: HonestParty | null, { source, destination }: Chains) {
  let hoarded: readonly SignedInstantRefund[] = []
  const sign = (deposits: readonly string[], now: bigint) =>
    solver === null
      ? deposits.map((deposit) => ({ deposit, amount: 0n, to: '', pays: 0n, signature: '' }))
      : (solver.signRefunds(deposits, now) ?? [])
  return {
    ask(now: bigint): void {
      const all = service === null ? source.deposits().map((d) => d.deposit) : service.wantsBack()
      const deposits = all.filter((id) => !hoarded.some(({ deposit }) => deposit === id))
      if (source.chain.clock.unit !== 'blocks' || deposits.length === 0) return
      const signed = sign(deposits, now)
      if (service === null) hoarded = [...hoarded, ...signed]
      else if (signed.length > 0) service.grantRefunds(signed)
    },
    use(now: bigint): void {
      if (!destination.deposits().some((d) => d.spend !== null) && now < START + BigInt(HOARDING_SECONDS)) return
      for (const { deposit } of hoarded) {
        const refund = { id: `user and solver refund ${deposit}`, kind: 'refunded', deposit, amount: 0n, by: 'user' } as const
        source.broadcast({ ...refund, notBefore: now, tactic: 'outbids', bothSigned: true })
      }
    },
  }
}

function intervalOf(plan: Plan, leg: Leg, mined: number): number {
  const { min, max } = blockSeconds[plan.kinds[leg]]
  const percent = plan.pace[leg][mined % plan.pace[leg].length] ?? 0
  return min + Math.round(((max - min) * percent) / 100 / STEP_SECONDS) * STEP_SECONDS
}

function isMinedAt(chain: ChainModel, what: Undo['what'], time: bigint): boolean {
  return chain
    .deposits()
    .some((d) => (what === 'deposit' ? d.minedAt === time : d.spend?.kind === 'redeemed' && d.spend.block.time === time))
}

function isSettled(chains: Chains): boolean {
  return LEGS.every(
    (leg) => chains[leg].deposits().every((d) => d.spend !== null) && chains[leg].waiting().every((tx) => tx.kind !== 'initiated'),
  )
}

/** Once a node may have the secret, the service must want to redeem for as long as the destination can be redeemed. */
function checkShown(service: HonestParty, broken: Set<string>): void {
  const state = service.lastState()
  if (state === null || !state.secretShown) return
  const left = state.destination.counted.some((deposit) => deposit.spend === null || deposit.spend.block === null)
  const redeems = playbook.some((rule) => rule.who === 'service' && rule.verb === 'redeem' && rule.holds(state))
  if (left && !redeems) broken.add('the service stopped redeeming after the secret was shown')
}
