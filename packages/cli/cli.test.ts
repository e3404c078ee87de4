/** Tests the command line as a person uses it: output, exit codes, and options that contradict each other. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { localChains } from '@tandem/families/registry.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { type ConfigFixture, writeServiceConfig } from './commands/command.fixture.ts'

let database: TestDatabase
let fixture: ConfigFixture
let config: string
beforeAll(async () => {
  database = await createTestDatabase()
  fixture = await writeServiceConfig(database.url)
  config = fixture.config
})
afterAll(async () => {
  await database.drop()
  await fixture.remove()
})

/** The arguments are those that a person types in a terminal. */
const tandem = (...args: readonly string[]) => tandemWith({}, ...args)

async function tandemWith(env: NodeJS.ProcessEnv, ...args: readonly string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../bin/tandem.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let [answer, notes] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (answer += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (notes += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, answer, notes }
}

test('only the answer is on standard output', async () => {
  expect(await tandem('apps', 'create', 'shop', '-c', config)).toMatchObject({ code: 0, answer: expect.stringMatching(/^[0-9a-f]{64}\n$/) })
})

test('an error is one line, and the exit code is 1', async () => {
  expect(await tandem('apps', 'create', 'market', '-c', config, '--slippage', '501')).toEqual({
    code: 1,
    answer: '',
    notes: 'tandem: slippage must be a whole number from 0 to 500 (bips), got 501\n',
  })
})

test('an unknown local chain: the error lists the local chains', async () => {
  const { code, notes } = await tandem('start', '--port', '0', '--chains', 'bitcoin,etherium')
  expect(code).toBe(1)
  expect(notes).toContain('there is no local chain "etherium"')
  for (const { id } of localChains) expect(notes).toContain(id)
})

test('the help of start lists the local chains', async () => {
  const { answer } = await tandem('start', '--help')
  for (const { id } of localChains) expect(answer).toContain(id)
})

test('--chains is refused with --config, whose file names the chains', async () => {
  expect(await tandem('start', '--config', config, '--chains', 'bitcoin')).toMatchObject({
    code: 1,
    notes: expect.stringContaining('--chains is for the local stack'),
  })
})

test('--role needs --config, --split refuses it, and a role that does not exist is refused', async () => {
  const [alone, split, unknown] = await Promise.all([
    tandem('start', '--role', 'engine'),
    tandem('start', '-c', config, '--split'),
    tandem('start', '-c', config, '--role', 'watcher'),
  ])
  expect([alone.code, split.code, unknown.code]).toEqual([1, 1, 1])
  expect(alone.notes).toContain('--role needs --config')
  expect(split.notes).toContain('--split is for the local stack')
  expect(unknown.notes).toContain('Allowed choices are both, api, engine')
})

test('doctor exits with 1 if a check fails', async () => {
  const { code, answer } = await tandem('doctor', '--json', '--config', config)
  expect(code).toBe(1)
  expect(JSON.parse(answer)).toMatchObject({
    ok: false,
    party: 'service',
    findings: expect.arrayContaining([expect.objectContaining({ level: 'fail', check: 'secrets', about: 'vault_key' })]),
  })
  expect(answer).not.toContain(database.url)
})

test('config prints the JSON Schema of a configuration', async () => {
  const { code, answer } = await tandem('config', '--schema', 'solver')
  expect(code).toBe(0)
  expect(JSON.parse(answer)).toMatchObject({ type: 'object', additionalProperties: false, properties: { solver_id: { type: 'string' } } })
})

test.each([
  ['PORT', { PORT: '70000' }],
  ['TANDEM_PORT', { PORT: '1234', TANDEM_PORT: '70001' }],
])('the port may be in %s; a bad one is named', async (name, env) => {
  const { code, notes } = await tandemWith(env, 'start')
  expect(code).toBe(1)
  expect(notes).toContain(`from env '${name}' is invalid`)
})

test.each(['start', 'devnet'])('the help of %s says that DATABASE_URL names a server to use', async (command) => {
  expect((await tandem(command, '--help')).answer).toContain('DATABASE_URL')
})
