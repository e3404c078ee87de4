/** Shows the engines of a database to a process that runs none, which asks for work by signals and reads their reports. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Logger } from 'pino'
import type { EngineReport } from '../store/actions/engine-report.ts'
import { followEngines } from '../store/actions/engines.ts'
import { releaseLeases } from '../store/actions/leases.ts'
import type { Database } from '../store/database/database.ts'
import { openSignals } from '../store/database/signals.ts'
import { createAdmission, logOverload } from './admission.ts'
import type { Engine } from './engine.ts'
import type { ChainStatus } from './engine-report.ts'
import { readReported } from './engine-report.ts'
import { DERIVED, ORDERS, WAKE } from './engine-signals.ts'
import { createLoop } from './loop.ts'
import { LEASE_RENEWAL_MS, LEASE_SECONDS, LINK_READY_POLL_MS, READY_TIMEOUT_MS } from './times.ts'

export interface EngineLink extends Pick<Engine, 'expectOrders' | 'wake' | 'ready' | 'chainHealthy' | 'admits' | 'chainStatus' | 'stop'> {
  /** The reason why nobody would redeem a new swap; null while an engine lives. */
  problem(): string | null
}

export type EngineLinkOptions = {
  readonly db: Database
  readonly log: Logger
  readonly onDerived: () => void
}

const NO_ENGINE = 'no engine is running: nobody would redeem or refund; the operator runs `tandem start --role engine`'

export function openEngineLink({ db, log, onDerived }: EngineLinkOptions): EngineLink {
  const holder = randomUUID()
  let engines: readonly (EngineReport | null)[] = []
  let readAtMs = Number.NEGATIVE_INFINITY
  let isMissing = false
  let isFailing = false

  /** An engine whose lease has ended since the last reading is dropped up to a second late. */
  const living = () => (performance.now() - readAtMs < LEASE_SECONDS * 1000 ? engines : [])
  const reports = () => living().filter((report) => report !== null)
  const admission = createAdmission(() => Math.max(0, ...reports().map(({ waitMs }) => waitMs)), logOverload(log))

  const loop = createLoop({
    intervalMs: LEASE_RENEWAL_MS,
    async run() {
      const askedAtMs = performance.now()
      engines = await followEngines(db, holder, LEASE_SECONDS)
      readAtMs = askedAtMs
      isFailing = false
      if (isMissing !== (engines.length === 0)) {
        isMissing = !isMissing
        if (isMissing) log.error(NO_ENGINE)
        else log.info({ engines: engines.length }, 'an engine is running')
      }
      return false
    },
    onError(error) {
      if (!isFailing) log.warn({ err: error }, 'cannot see the engines; will retry')
      isFailing = true
    },
  })
  const signals = openSignals(db, (signal) => {
    if (signal === DERIVED) onDerived()
  })

  function chainStatus(chain: ChainId): ChainStatus | null {
    const all = reports().flatMap(({ chains: { [chain]: reported } }) => (reported === undefined ? [] : [readReported(reported)]))
    return all.find(({ isLeasedElsewhere }) => !isLeasedElsewhere) ?? all[0] ?? null
  }

  return {
    expectOrders: (chains) => signals.send(`${ORDERS}${[...new Set(chains)].join(' ')}`),
    wake: () => signals.send(WAKE),
    async ready() {
      const limit = performance.now() + READY_TIMEOUT_MS
      while (reports().length === 0 && performance.now() < limit) await sleep(LINK_READY_POLL_MS)
    },
    problem: () => (living().length === 0 ? NO_ENGINE : null),
    chainHealthy: (chain) => reports().some(({ chains }) => chains[chain]?.isHealthy === true),
    chainStatus,
    admits: admission.admits,
    async stop() {
      await loop.stop()
      await signals.close()
      await releaseLeases(db, holder)
    },
  }
}
