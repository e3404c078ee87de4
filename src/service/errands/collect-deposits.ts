/** Notices what users paid to the address of their order, where a chain has such addresses, so that the playbook initiates with it. */
import type { ChainClient } from '../../chains/family.ts'
import type { ChainId } from '../../protocol/chain.ts'
import type { Order } from '../../protocol/order.ts'
import { RELAY_SECONDS } from '../../protocol/playbook.ts'
import { addGrant } from '../../store/grants.ts'
import { listUnfundedAfter, listUnfundedLast, type UnfundedPlace } from '../../store/unfunded-orders.ts'
import type { Errand, ErrandContext } from './errands.ts'

/** In one look: the newest, and as many of the others in turn. However many orders nobody funds, each has its turn. */
const PAGE = 50
const PAUSE_MS = 1_000
/** Most users pay at once or not at all: the longer an order waits, the less often it is looked at. */
const LOOKS_PER_AGE = 10
const LONGEST_PAUSE_MS = 30_000
const MAX_REMEMBERED = 10_000

type PaidGrant = NonNullable<NonNullable<ChainClient['gasless']>['paidGrant']>

/** Remembers when it looked; forgetting it costs a look. */
export function createCollectErrands(context: ErrandContext): () => readonly Errand[] {
  const collectors = [...context.clients].flatMap(([chain, { gasless }]) =>
    gasless?.paidGrant === undefined ? [] : [createCollector(context, chain, gasless.paidGrant)],
  )
  return () => collectors.flatMap((collector) => collector.due())
}

function createCollector({ db, log, wake, now }: ErrandContext, chain: ChainId, paidGrant: PaidGrant) {
  const lookedAt = new Map<string, number>()
  let startedAt = 0
  let place: UnfundedPlace | null = null

  function isDue({ id, createdAt }: Order): boolean {
    const pauseMs = Math.min(Number(now() - createdAt) * (1000 / LOOKS_PER_AGE), LONGEST_PAUSE_MS)
    return Date.now() - (lookedAt.get(id) ?? 0) >= pauseMs
  }

  async function look({ id, source }: Order): Promise<void> {
    if (lookedAt.size >= MAX_REMEMBERED) lookedAt.clear()
    lookedAt.set(id, Date.now())
    const signature = await paidGrant(source.terms)
    if (signature === null || !(await addGrant(db, id, { kind: 'initiate', signature }))) return
    log.info({ order: id }, 'the deposit is there: initiating with it')
    wake()
  }

  async function run(): Promise<'done'> {
    startedAt = Date.now()
    // What could not be mined in time any more is for its owner to take back.
    const soonest = now() + RELAY_SECONDS
    const newest = await listUnfundedLast(db, chain, soonest, PAGE)
    const from = place !== null && place.deadline > soonest ? place : { deadline: soonest + 1n, seq: -1n }
    const { orders: others, end } = await listUnfundedAfter(db, chain, from, PAGE)
    place = end
    const due = new Map([...newest, ...others].filter(isDue).map((order) => [order.id, order]))
    await Promise.all([...due.values()].map(look))
    return 'done'
  }

  return { due: (): readonly Errand[] => (Date.now() - startedAt < PAUSE_MS ? [] : [{ key: `collect ${chain}`, run }]) }
}
