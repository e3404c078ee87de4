/** Tests that signals stop a command cleanly, also under npm. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OF_STACK } from '@tandem/runtime/local-stack.ts'
import { afterAll, describe, expect, test } from 'vitest'

const program = join(import.meta.dirname, 'run-until-stopped.fixture.ts')

type Running = {
  readonly said: (what: string) => Promise<void>
  readonly signal: (name: NodeJS.Signals) => void
  readonly ended: Promise<unknown>
}

const NODE = { file: process.execPath, args: ['--import', 'tsx', program], cwd: process.cwd(), env: process.env }

/** Signals go to the process that is started. `close` comes when all processes that write to its pipes have ended. */
async function run(args: readonly string[], drive: (on: Running) => Promise<void>, { file, args: first, cwd, env } = NODE) {
  const child = spawn(file, [...first, ...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  let [output, errors] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const ended = once(child, 'close')
  const said = async (what: string) => {
    while (!output.includes(`${what}\n`))
      await Promise.race([once(child.stdout, 'data'), ended.then(() => Promise.reject(new Error(errors)))])
  }
  try {
    await drive({ said, signal: (name) => void child.kill(name), ended })
    const [code] = await ended
    return { code, output, errors }
  } finally {
    child.kill('SIGKILL')
  }
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s stops it cleanly', async (name) => {
  const result = await run([], async ({ said, signal }) => {
    await said('running')
    signal(name)
  })
  expect(result).toEqual({ code: 0, output: 'running\nstopping\nstopped\n', errors: '' })
})

test('a second signal exits at once', async () => {
  const { code, output } = await run(['hang'], async ({ said, signal, ended }) => {
    await said('running')
    signal('SIGINT')
    await said('stopping')
    const again = setInterval(() => signal('SIGINT'), 50)
    await ended.finally(() => clearInterval(again))
  })
  expect({ code, output }).toEqual({ code: 130, output: 'running\nstopping\n' })
})

test('a Ctrl-C that arrives twice counts once', async () => {
  const result = await run(['stop after another'], async ({ said, signal }) => {
    await said('running')
    signal('SIGINT')
    await said('stopping')
    signal('SIGINT')
  })
  expect(result).toEqual({ code: 0, output: 'running\nstopping\nstopped\n', errors: '' })
})

describe('under npm', () => {
  const root = join(import.meta.dirname, '../../..')
  const folder = mkdtempSync(join(tmpdir(), 'tandem-npm-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)('%s to npm stops the command cleanly', async (name) => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const start = scripts.start.replace('node bin/tandem.js start', 'node --import "$LOADER" "$PROGRAM"')
    expect(start).toContain('$PROGRAM')
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start } }))
    const { output, errors } = await run(
      ['under npm'],
      async ({ said, signal }) => {
        await said('running')
        signal(name)
      },
      {
        file: 'npm',
        args: ['start', '--silent', '--'],
        cwd: folder,
        env: { ...process.env, LOADER: import.meta.resolve('tsx'), PROGRAM: program },
      },
    )
    expect({ output, errors }).toEqual({ output: 'running\nstopping\nstopped\n', errors: '' })
  })
})

test.each([
  ['of the local stack', { [OF_STACK]: '1' }, true],
  ['of a supervisor', {}, false],
])(
  'whether it ends with the channel %s',
  async (_, env, ends) => {
    const child = spawn(NODE.file, NODE.args, { stdio: ['pipe', 'pipe', 'inherit', 'ipc'], env: { ...process.env, ...env } })
    const [said, messages]: [unknown[], unknown[]] = [[], []]
    child.stdout?.on('data', (text) => said.push(text))
    child.on('message', (message) => messages.push(message))
    const ended = once(child, 'exit')
    try {
      await expect.poll(() => (ends ? messages : said).length, { timeout: 60_000 }).toBeGreaterThan(0)
      child.disconnect()
      if (!ends) child.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
      expect(messages).toEqual(ends ? ['running'] : [])
    } finally {
      child.kill('SIGKILL')
    }
  },
  90_000,
)

test('an error is one line, and the exit code is 1', async () => {
  const { code, errors } = await run(['fail'], async () => undefined)
  expect({ code, errors }).toEqual({ code: 1, errors: 'tandem: the chain is on fire\n' })
})

test('an error while stopping is one line, too, and the exit code is 1', async () => {
  const { code, errors } = await run(['fail to stop'], async ({ said, signal }) => {
    await said('running')
    signal('SIGTERM')
  })
  expect({ code, errors }).toEqual({ code: 1, errors: 'tandem: it does not stop\n' })
})

test('a port that is taken: the error names it and says how to choose another', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const { code, errors } = await run(['listen', String(port)], async () => undefined)
  await new Promise((resolve) => server.close(resolve))
  expect(code).toBe(1)
  expect(errors).toMatch(new RegExp(`^tandem: Port ${port} is taken\\. .*--port`))
})
