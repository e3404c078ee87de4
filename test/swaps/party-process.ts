/** A party of a story gets another process on the same database and keys. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The configuration file of a party has these settings here. */
export type PartyConfig = {
  readonly listen: unknown
  readonly chains: Readonly<Record<string, { readonly endpoints: Readonly<Record<string, string>> }>>
}

export interface PartyProcess {
  readonly signal: (name: NodeJS.Signals) => void
  /** The promise has the exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>
  stop(): Promise<void>
}

let count = 0

/** Resolves when the process runs. `change` edits the configuration of the first process; by default it sets another port. */
export async function startPartyProcess(
  command: readonly string[],
  configFile: string,
  change: (config: PartyConfig) => Partial<PartyConfig> = () => ({}),
): Promise<PartyProcess> {
  const config = JSON.parse(await readFile(configFile, 'utf8')) as PartyConfig
  count += 1
  const ownFile = configFile.replace('.json', `-${count}.json`)
  await writeFile(ownFile, JSON.stringify({ ...config, listen: { host: '127.0.0.1', port: 0 }, ...change(config) }))
  const launcher = fileURLToPath(new URL('../../bin/tandem.js', import.meta.url))
  const child = spawn(process.execPath, [launcher, ...command, '--config', ownFile], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      output += chunk
      if (output.includes('is running')) resolve()
    })
    child.once('exit', () => reject(new Error(`${command.join(' ')} ended: ${output}`)))
  })
  return {
    signal: (name) => void child.kill(name),
    ended,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
