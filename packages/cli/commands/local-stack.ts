/** The local stack runs as a whole, or only its chains and databases. A production build has no such file. */
import { createServer } from 'node:net'
import { relative } from 'node:path'
import { startClaimedStack } from '@tandem/local/claimed-stack.ts'
import { exampleQuote } from '@tandem/local/example-quote.ts'
import { giveBackMemory } from '@tandem/local/give-back-memory.ts'
import type { LocalStack } from '@tandem/local/stack.ts'
import { LOCAL_FOLDER } from '@tandem/runtime/local-stack.ts'
import { chooseLogLevel, createLogger } from '@tandem/runtime/log.ts'
import type { Role } from '@tandem/service/role.ts'
import { databaseServer } from './config-path.ts'
import { runUntilStopped } from './run-until-stopped.ts'
import { readSignerStatus } from './signer.ts'

export type LocalStackOptions = {
  readonly port: number
  readonly chains?: readonly string[]
  readonly role?: Role
  readonly split?: boolean
  readonly logLevel?: string
}

export type DevnetOptions = { readonly port: number; readonly chains?: readonly string[] }

/** After this time every chain was polled, and caches are filled. */
const SETTLED_MS = 5_000

export async function runLocalStack({ port, chains, role, split, logLevel }: LocalStackOptions): Promise<void> {
  const log = createLogger({ name: 'tandem' })
  await runUntilStopped(log, async () => {
    const startedAt = performance.now()
    log.level = chooseLogLevel(logLevel)
    if (role !== undefined)
      throw new Error('--role needs --config; for the local stack, --split runs API, engine and signer as processes of their own')
    await assertPortFree(port)
    const stack = await startClaimedStack({
      port,
      log,
      solvers: 3,
      livePrices: {},
      onProgress: (what) => process.stdout.write(`starting ${what} …\n`),
      split: split ?? false,
      ...(chains !== undefined && { chains }),
      ...databaseServer(),
    })
    process.stdout.write(welcome(stack, await describeSigner(stack), performance.now() - startedAt))
    setTimeout(giveBackMemory, SETTLED_MS).unref()
    return stack
  })
}

export async function runDevnet({ port, chains }: DevnetOptions): Promise<void> {
  const log = createLogger({ name: 'devnet' })
  await runUntilStopped(log, async () => {
    const stack = await startClaimedStack({
      port,
      log,
      startParties: false,
      livePrices: {},
      ...databaseServer(),
      ...(chains !== undefined && { chains }),
    })
    const file = (path: string) => relative(process.cwd(), path)
    process.stdout.write(`
Local chains and databases are running. Ctrl-C stops them.

Start the two parties, each in its own terminal:
  npm run tandem -- solver --config ${file(stack.configs.solverFile)}
  npm run tandem -- start --config ${file(stack.configs.serviceFile)}

App id ${stack.info.app_id}; the rest is in ${file(LOCAL_FOLDER)}/local.json

`)
    return stack
  })
}

/** Null means that the solver has its keys itself. */
async function describeSigner({ signer, configs }: LocalStack): Promise<string | null> {
  const running = signer?.current() ?? null
  if (running === null) return null
  const { keys, entries, open, held } = await readSignerStatus(configs.solverFile)
  const state = held === null ? `${open.locks} open locks, ${entries} entries in its journal` : `it holds: ${held}`
  return `process ${running.pid} has the keys of local-solver for ${Object.keys(keys).length} chains; ${state}`
}

function welcome({ info, network }: LocalStack, signer: string | null, ms: number): string {
  const example = exampleQuote(network.chains)
  const curl = `curl -s -H 'service-app-id: ${info.app_id}' '${info.base_url}/quote?${example}'`
  const quote = example === null ? '' : `Ask for a quote:\n  ${curl}\n\n`
  return `
Tandem is running (${(ms / 1000).toFixed(1)} s). Ctrl-C stops all of it.

  Swap     ${new URL('/', info.base_url)}   open it in a browser: play coins, real swaps
  API      ${info.base_url}
  Docs     ${new URL('/docs', info.base_url)}
  Operator ${info.operator_url}
${signer === null ? '' : `  Signer   ${signer}\n`}  Chains   ${network.chains.join(', ')}
  App id   ${info.app_id}
  Details  ${relative(process.cwd(), LOCAL_FOLDER)}/local.json (chains, contracts, faucet, funded wallets)

${quote}Watch real swaps, in another terminal:
  npm run demo

`
}

/** The port is checked first, because starting the stack takes seconds. */
function assertPortFree(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve()))
  })
}
