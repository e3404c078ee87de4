import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const program = join(import.meta.dirname, 'run-until-stopped.fixture.ts')

/** Runs node directly: a wrapper process would receive the signals. */
async function run(
  args: readonly string[],
  drive: (on: { said: (what: string) => Promise<void>; signal: (name: NodeJS.Signals) => void }) => Promise<void>,
) {
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  let [output, errors] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const ended = once(child, 'close')
  const said = async (what: string) => {
    while (!output.includes(`${what}\n`))
      await Promise.race([once(child.stdout, 'data'), ended.then(() => Promise.reject(new Error(errors)))])
  }
  try {
    await drive({ said, signal: (name) => void child.kill(name) })
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
  const { code, output } = await run(['hang'], async ({ said, signal }) => {
    await said('running')
    signal('SIGINT')
    await said('stopping')
    signal('SIGINT')
  })
  expect({ code, output }).toEqual({ code: 130, output: 'running\nstopping\n' })
})

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
