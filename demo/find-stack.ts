/** Finds the local stack that is running, or starts one with the chains that the demo needs. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startClaimedStack } from '@tandem/local/claimed-stack.ts'
import { LOCAL_FOLDER } from '@tandem/local/local-folder.ts'
import type { LocalJson } from '@tandem/local/local-json.ts'
import { createLogger } from '@tandem/runtime/log.ts'

export type FoundStack = {
  readonly info: LocalJson
  /** Stops it if it was started here. */
  release(): Promise<void>
}

export async function findStack(chains: readonly string[], onProgress: (what: string) => void): Promise<FoundStack> {
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
    // Connection refused: a killed stack left the file behind.
    return null
  }
}
