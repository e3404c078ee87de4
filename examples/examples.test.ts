import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStory, type Story } from '../test/swaps/story.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')

const clients = [
  { file: 'curl.sh', needs: ['bash', 'curl'], command: ['bash', 'examples/curl.sh'] },
  { file: 'client.ts', needs: [], command: [process.execPath, '--import', 'tsx', 'examples/client.ts'] },
  { file: 'client.py', needs: ['python3'], command: ['python3', 'examples/client.py'] },
] as const

const missingOf = async (programs: readonly string[]): Promise<readonly string[]> => {
  const found = await Promise.all(programs.map((program) => run(program, ['--version']).then(() => true, isMissing)))
  return programs.filter((_, index) => found[index] === false)
}

/** False when there is no such program; every other failure is a failure of the test. */
const isMissing = (error: NodeJS.ErrnoException): false => {
  if (error.code === 'ENOENT') return false
  throw error
}

let story: Story
let folder: string
let localJson: string
beforeAll(async () => {
  story = await openStory({ chains: ['bitcoin_regtest', 'ethereum_localnet', 'arbitrum_localnet'] })
  folder = await mkdtemp(join(tmpdir(), 'tandem-examples-'))
  localJson = join(folder, 'local.json')
  await writeFile(localJson, JSON.stringify(story.info))
})
afterAll(async () => {
  await story.close()
  await rm(folder, { recursive: true, force: true })
})

for (const { file, needs, command } of clients) {
  const missing = await missingOf(needs)
  if (missing.length > 0) {
    process.stderr.write(`\nSKIPPED: examples/${file}: ${missing.join(', ')} is not installed\n`)
    describe.skip(`examples/${file} [skipped: ${missing.join(', ')} is not installed]`, () => it('swaps', () => undefined))
    continue
  }
  describe(`examples/${file}`, () => {
    it('makes one swap and says how the user was paid', async () => {
      const [program, ...args] = command
      const { stdout } = await run(program, args, { cwd: root, env: { ...process.env, TANDEM_LOCAL_JSON: localJson } })
      expect(stdout).toMatch(/^paid in (0x)?[0-9a-f]{64}$/m)
      const orderId = /order ([0-9a-f]{64})/.exec(stdout)?.[1] ?? ''
      const order = await story.until(orderId, 'the user is paid', ({ destination_swap }) => destination_swap.redeem_tx_hash !== '')
      expect(stdout).toContain(order.destination_swap.redeem_tx_hash)
    })
  })
}
