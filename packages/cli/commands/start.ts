/** `tandem start`: the whole local stack, or the service alone. */
import { createServer } from 'node:net'
import { relative } from 'node:path'
import { startClaimedStack } from '@tandem/local/claimed-stack.ts'
import { exampleQuote } from '@tandem/local/example-quote.ts'
import { giveBackMemory } from '@tandem/local/give-back-memory.ts'
import { LOCAL_FOLDER } from '@tandem/local/local-folder.ts'
import type { LocalStack } from '@tandem/local/stack.ts'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { ServiceConfig } from '@tandem/party/config/schema.ts'
import { chooseLogLevel, createLogger } from '@tandem/runtime/log.ts'
import { startService } from '@tandem/service/main.ts'
import type { Role } from '@tandem/service/role.ts'
import { databaseServer } from './database-server.ts'
import { runUntilStopped } from './run-until-stopped.ts'

export type StartOptions = {
  readonly port: number
  readonly config?: string
  readonly chains?: readonly string[]
  readonly role?: Role
  readonly split?: boolean
  readonly quiet?: boolean
  readonly logLevel?: string
}

/** By then every chain was polled, and caches are filled. */
const SETTLED_MS = 5_000

export async function runStart(options: StartOptions): Promise<void> {
  const asked = options.logLevel ?? (options.quiet ? 'warn' : undefined)
  const log = createLogger({ name: 'tandem' })
  const { config, chains, role, split } = options
  if (config !== undefined) {
    await runUntilStopped(log, async () => {
      if (chains !== undefined) throw new Error('--chains is for the local stack; with --config, the file names the chains')
      if (split) throw new Error('--split is for the local stack; with --config, start two processes: --role api and --role engine')
      const loaded = await loadConfig(ServiceConfig, config)
      log.level = chooseLogLevel(asked, loaded.config.log_level)
      const service = await startService(loaded, log, role)
      if (service.url === null) log.info('engine is running; it serves no HTTP')
      else log.info({ url: `${service.url}/v2` }, role === 'api' ? 'API is running; engines are other processes' : 'service is running')
      return service
    })
    return
  }
  await runUntilStopped(log, async () => {
    const startedAt = performance.now()
    log.level = chooseLogLevel(asked)
    if (role !== undefined) throw new Error('--role needs --config; for the local stack, --split runs API and engine as two processes')
    await assertPortFree(options.port)
    const stack = await startClaimedStack({
      port: options.port,
      log,
      solvers: 3,
      livePrices: {},
      onProgress: (what) => process.stdout.write(`starting ${what} …\n`),
      split: split ?? false,
      ...(chains !== undefined && { chains }),
      ...databaseServer(),
    })
    process.stdout.write(welcome(stack, performance.now() - startedAt))
    setTimeout(giveBackMemory, SETTLED_MS).unref()
    return stack
  })
}

function welcome({ info, network }: LocalStack, ms: number): string {
  const example = exampleQuote(network.chains)
  const curl = `curl -s -H 'service-app-id: ${info.app_id}' '${info.base_url}/quote?${example}'`
  const quote = example === null ? '' : `Ask for a quote:\n  ${curl}\n\n`
  return `
Tandem is running (${(ms / 1000).toFixed(1)} s). Ctrl-C stops all of it.

  Swap     ${new URL('/', info.base_url)}   open it in a browser: play coins, real swaps
  API      ${info.base_url}
  Docs     ${new URL('/docs', info.base_url)}
  Operator ${info.operator_url}
  Chains   ${network.chains.join(', ')}
  App id   ${info.app_id}
  Details  ${relative(process.cwd(), LOCAL_FOLDER)}/local.json (chains, contracts, faucet, funded wallets)

${quote}Watch real swaps, in another terminal:
  npm run demo

`
}

/** Checked first, because starting the stack takes seconds. */
function assertPortFree(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve()))
  })
}
