/** Tests that no secret and no control character gets into the log. */
import { spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chooseLogLevel, createLogger, type Problem, withProblems } from './log.ts'

const capture = (pretty: boolean): { logger: ReturnType<typeof createLogger>; output: () => string } => {
  const written: string[] = []
  const logger = createLogger({ name: 'watcher', level: 'debug', pretty, destination: { write: (line) => void written.push(line) } })
  return { logger, output: () => written.join('') }
}

const SECRET_NAMES = [
  ...['secret', 'sourceSecret', 'private_key', 'privateKey', 'key', 'signing-key', 'keys', 'seed', 'mnemonic', 'password', 'passphrase'],
  ...['authorization', 'Authorization', 'app_id', 'appId', 'service-app-id', 'wif', 'xprv', 'cookie', 'set-cookie', 'api_key'],
]

for (const pretty of [true, false]) {
  const format = pretty ? 'pretty' : 'JSON'

  test.each(SECRET_NAMES)(`${format}: what is called %s is never written, at any depth, in bindings and in errors`, (name) => {
    const { logger, output } = capture(pretty)
    const treasure = { [name]: 'TREASURE', beside: 'visible' }
    logger.info(treasure, 'top')
    logger.info({ a: { b: [{ c: treasure }] }, map: new Map([[name, 'TREASURE']]), list: new Set([treasure]) }, 'deep')
    logger.info({ [name]: ['TREASURE', { x: 'TREASURE' }] }, 'whole branch')
    logger.child({ wallet: treasure }).info('binding')
    const cause = Object.assign(new Error('inner'), treasure)
    logger.error({ err: Object.assign(new Error('outer', { cause }), treasure) }, 'error')
    logger.error(Object.assign(new Error('bare'), treasure))
    logger.info({ request: { toJSON: () => treasure } }, 'own form')
    expect(output()).toContain('visible')
    expect(output()).toContain('inner')
    expect(output()).not.toContain('TREASURE')
  })

  test(`${format}: passwords in addresses and raw bytes are not written`, () => {
    const { logger, output } = capture(pretty)
    logger.info({ url: 'postgresql://tandem:TREASURE@host/db', rpc: new URL('http://u:TREASURE@host/') }, 'to http://u:TREASURE@host')
    logger.info('%s connects to %s', 'x', 'http://u:TREASURE@host')
    logger.error({ err: new Error('cannot reach http://u:TREASURE@host') })
    logger.info({ bytes: new Uint8Array([1, 2, 3]) })
    expect(output()).not.toContain('TREASURE')
    expect(output()).toContain('[3 bytes]')
  })

  test(`${format}: public facts stay readable`, () => {
    const { logger, output } = capture(pretty)
    logger.info({
      secretHash: 'aa11',
      secret_hash: 'bb22',
      publicKey: 'cc33',
      pubkey: 'dd44',
      amount: 12345678901234567890n,
      token: '0xee',
    })
    for (const fact of ['aa11', 'bb22', 'cc33', 'dd44', '12345678901234567890', '0xee']) expect(output()).toContain(fact)
  })

  test(`${format}: circular values do not throw`, () => {
    const { logger, output } = capture(pretty)
    const loop: Record<string, unknown> = { fine: 'yes' }
    loop.self = loop
    logger.info({ loop }, 'round')
    expect(output()).toContain('[circular]')
  })
}

test('pretty: one line per event, with time, level, name, message and fields', () => {
  const { logger, output } = capture(true)
  logger.info({ chain: 'bitcoin_regtest', note: 'two words', blocks: [1, 2] }, 'block 120')
  expect(output()).toMatch(/^\d\d:\d\d:\d\d info {2}watcher {2}block 120 chain=bitcoin_regtest note="two words" blocks=\[1,2\]\n$/)
})

test('pretty: a child logger may have its own name', () => {
  const { logger, output } = capture(true)
  logger.child({ name: 'executor' }).warn('slow')
  expect(output()).toMatch(/^\S+ warn {2}executor slow\n$/)
})

test('pretty: logged text cannot start a new line or control the terminal', () => {
  const { logger, output } = capture(true)
  logger.info({ from: 'a\nb\u001b[2J' }, 'one\n12:00:00 info forged\u001b[31m')
  expect(output().trimEnd()).not.toMatch(/\p{Cc}/u)
})

test('pretty: an error shows its message in the line and its stack below', () => {
  const { logger, output } = capture(true)
  logger.error({ err: new TypeError('no route') }, 'quote failed')
  const [line, frame] = output().split('\n')
  expect(line).toContain('quote failed err="TypeError: no route"')
  expect(frame).toMatch(/^ +at /)
})

test('JSON: every line is an object with level, time, name and msg', () => {
  const { logger, output } = capture(false)
  logger.debug({ height: 3 }, 'tip')
  expect(JSON.parse(output())).toMatchObject({ level: 'debug', name: 'watcher', msg: 'tip', height: 3, time: expect.stringContaining('T') })
})

test('levels below the configured one are not logged', () => {
  const { logger, output } = capture(false)
  logger.trace('x')
  expect(output()).toBe('')
})

test('a listener gets the warnings and errors of a logger and its children, without secrets, and no other lines', () => {
  const { logger } = capture(false)
  const problems: Problem[] = []
  const own = withProblems(logger.child({ party: 'service' }), (problem) => problems.push(problem))
  own.info('fine')
  logger.error('of another party')
  own.child({ chain: 'bitcoin' }).warn({ private_key: 'TREASURE', err: new Error('no http://u:TREASURE@host') }, 'cannot read chain')
  own.error(new Error('broken'))
  own.warn('plain')
  expect(problems.map(({ level, message }) => [level, message])).toEqual([
    ['warn', 'cannot read chain'],
    ['error', 'broken'],
    ['warn', 'plain'],
  ])
  expect(problems[0]?.fields).toMatchObject({ party: 'service', chain: 'bitcoin', private_key: '[hidden]' })
  expect(JSON.stringify(problems)).not.toContain('TREASURE')
})

test.each([
  ['a full disk', 'json', () => openSync('/dev/full', 'w')],
  ['a full disk', 'pretty', () => openSync('/dev/full', 'w')],
  ['a pipe that nobody reads', 'json', () => 'pipe' as const],
])('%s as standard error neither ends nor stops the process (%s)', async (_, format, standardError) => {
  const script = join(import.meta.dirname, 'log.fixture.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', script, format], { stdio: ['ignore', 'pipe', standardError()] })
  const said = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (text: Buffer) => resolve(String(text)))
    child.once('exit', (code, signal) => reject(new Error(`it ended: ${code ?? signal}`)))
  })
  expect(said).toBe('alive\n')
})

test('the log level: the option wins, then the variable, then the configuration', () => {
  const before = process.env.TANDEM_LOG_LEVEL
  try {
    delete process.env.TANDEM_LOG_LEVEL
    expect([chooseLogLevel(undefined), chooseLogLevel(undefined, 'warn')]).toEqual(['info', 'warn'])
    process.env.TANDEM_LOG_LEVEL = 'debug'
    expect([chooseLogLevel(undefined, 'warn'), chooseLogLevel('error', 'warn')]).toEqual(['debug', 'error'])
    expect(() => chooseLogLevel('loud')).toThrow('one of trace, debug, info')
  } finally {
    if (before === undefined) delete process.env.TANDEM_LOG_LEVEL
    else process.env.TANDEM_LOG_LEVEL = before
  }
})
