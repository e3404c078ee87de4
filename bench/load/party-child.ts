/** A service, a solver or a signer runs in a process of its own, which measures itself. */
import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { ServiceConfig, SolverConfig } from '@tandem/party/config/schema.ts'
import { SignerConfig } from '@tandem/party/config/signer-schema.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { startService } from '@tandem/service/main.ts'
import { startSigner } from '@tandem/signer/main.ts'
import { startSolver } from '@tandem/solver/main.ts'
import pg from 'pg'
import { readInput, tellParent } from '../api/child.ts'

export type PartyInput = {
  readonly party: 'service' | 'solver' | 'signer'
  readonly configFile: string
  readonly nodeHosts: readonly string[]
}

export type PartyReport = {
  readonly cpuMicros: number
  /** The figures cover the time since the last report. */
  readonly loopDelayP99Ms: number
  readonly nodeRequests: number
  readonly statements: number
}

const { party, configFile, nodeHosts } = readInput<PartyInput>()
const log = createLogger({ name: party, level: 'error' })
const delay = monitorEventLoopDelay({ resolution: 5 })
let nodeRequests = 0
const statements = countStatements()

const START = {
  service: async () => startService(await loadConfig(ServiceConfig, configFile), log),
  solver: async () => startSolver(await loadConfig(SolverConfig, configFile), log),
  signer: async () => startSigner(await loadConfig(SignerConfig, configFile), log),
}

const running = await START[party]()
subscribe('http.client.request.start', (message) => {
  const { request } = message as { readonly request: ClientRequest }
  if (nodeHosts.includes(String(request.getHeader('host')))) nodeRequests += 1
})
delay.enable()
process.on('message', (question) => {
  if (question !== 'report') {
    running.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
    return
  }
  const { user, system } = process.cpuUsage()
  const report: PartyReport = {
    cpuMicros: user + system,
    loopDelayP99Ms: delay.percentile(99) / 1e6,
    nodeRequests,
    statements: statements.take(),
  }
  delay.reset()
  nodeRequests = 0
  tellParent(report)
})
tellParent({ url: running.url })

function countStatements(): { take(): number } {
  const { query } = pg.Client.prototype
  let count = 0
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    count += 1
    return Reflect.apply(query, this, args)
  } as typeof query
  return {
    take() {
      const taken = count
      count = 0
      return taken
    },
  }
}
