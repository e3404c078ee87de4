/** `npm run demo` prints real swaps on the local stack step by step. Its exit code is 0 only if every balance is right. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startClaimedStack } from '@tandem/local/claimed-stack.ts'
import type { LocalJson } from '@tandem/local/local-json.ts'
import { LOCAL_FOLDER } from '@tandem/runtime/local-stack.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { createLocalClient } from './client/local-client.ts'
import { playAll } from './play-all.ts'
import { createStoryTeller } from './story-teller.ts'
import { chainsOf, swaps } from './swaps.ts'

const HELP = `npm run demo [-- --json]

Performs eight swaps on the local stack (started if none is running). Swaps whose chains do not run are skipped.
--json  one line for each swap: transactions, and milliseconds for each step
`

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
})
if (values.help) process.stdout.write(HELP)
else process.exitCode = await run(values.json)

async function run(json: boolean): Promise<number> {
  const write = (text: string) => process.stdout.write(text)
  const needed = [...new Set(swaps.flatMap(chainsOf))]
  const { info, release } = await findStack(needed, (what) => {
    if (!json) write(`${what} …\n`)
  })
  try {
    const { summary, ok } = await playAll(createLocalClient(info), createStoryTeller({ json, write }))
    if (!json) write(`\n${summary}\n`)
    return ok ? 0 : 1
  } finally {
    await release()
  }
}

/** The stack runs already, or starts with the chains that the demo needs. */
type FoundStack = {
  readonly info: LocalJson
  /** The stack stops if it was started here. */
  release(): Promise<void>
}

async function findStack(chains: readonly string[], onProgress: (what: string) => void): Promise<FoundStack> {
  const info = await findRunning()
  if (info !== null) return { info, release: async () => undefined }
  onProgress('no stack is running: starting one for the demo')
  const stack = await startClaimedStack({ port: 0, chains, log: createLogger({ name: 'demo', level: 'warn' }) })
  return { info: stack.info, release: stack.stop }
}

async function findRunning(): Promise<LocalJson | null> {
  let info: LocalJson
  try {
    info = JSON.parse(await readFile(join(LOCAL_FOLDER, 'local.json'), 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  try {
    const answer = await fetch(new URL('/livez', info.base_url))
    return answer.ok ? info : null
  } catch {
    // A refused connection means that a killed stack left the file behind.
    return null
  }
}
