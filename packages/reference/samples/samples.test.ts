/** Tests that samples in each language send the request of their example. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Block, Sample } from '../blocks.ts'
import { type Book, writeBook } from '../book.ts'
import { apiExamples } from '../document/examples.ts'
import { writeApiDocument } from '../document/openapi.ts'
import { APP_HEADER, APP_ID, ORIGIN } from '../placeholders.ts'
import { printValue, pythonStyle, typescriptStyle } from './print-value.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
const TEST_APP = 'ab'.repeat(32)

type Received = { readonly method: string; readonly url: string; readonly app: string | undefined; readonly body: unknown }

let book: Book
let recorder: Server
let origin: string
const received: Received[] = []
beforeAll(async () => {
  book = writeBook(await writeApiDocument())
  recorder = createServer(async (request, response) => {
    received.push(await recordOf(request))
    if (request.url?.endsWith('/events') === true)
      response.setHeader('content-type', 'text/event-stream').end('id: 1\ndata: {"status":"created"}\n\n')
    else response.setHeader('content-type', 'application/json').end('{"status":"Ok","error":null,"result":"seen"}')
  })
  await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`
})
afterAll(async () => {
  recorder.close()
})

async function recordOf(request: IncomingMessage): Promise<Received> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const body = Buffer.concat(parts).toString('utf8')
  const app = request.headers['service-app-id']
  return { method: request.method ?? '', url: request.url ?? '', app: app?.toString(), body: body === '' ? undefined : JSON.parse(body) }
}

type Placed = { readonly page: string; readonly example: string; readonly samples: readonly Sample[] }

function samplesIn(): readonly Placed[] {
  const find = (page: string, blocks: readonly Block[]): readonly Placed[] =>
    blocks.flatMap((block) => {
      if (block.kind === 'folded') return find(page, block.blocks)
      return block.kind === 'samples' ? [{ page, example: block.name, samples: block.samples }] : []
    })
  return book.pages.flatMap(({ path, blocks }) => find(path, blocks))
}

const textOf = ({ samples }: Placed, language: Sample['language']): string =>
  (samples.find((sample) => sample.language === language)?.text ?? '')
    .replaceAll(ORIGIN, origin)
    .replaceAll(APP_ID, TEST_APP)
    .replaceAll(APP_HEADER, 'service-app-id')

/** The request that the server must get: the recorded one of the example. */
function expected({ page, example }: Placed): Partial<Received> {
  const operationId = page.split('/').at(-1)
  const recorded = apiExamples.find((one) => one.operationId === operationId && one.name === example)
  return recorded === undefined ? {} : { body: recorded.request.body }
}

test('every endpoint has a sample in each language, for every successful example', () => {
  const samples = samplesIn()
  for (const { path, method } of book.pages) if (method !== null) expect(samples.map(({ page }) => page)).toContain(path)
  for (const { page, example, samples: each } of samples)
    expect(
      each.map(({ language }) => language),
      `${page} ${example}`,
    ).toEqual(['sh', 'ts', 'python'])
  const good = apiExamples.filter(({ response }) => response.status < 400)
  for (const { operationId, name } of good)
    expect(samples.map(({ page, example }) => `${page} ${example}`)).toContain(`/docs/api/${operationId} ${name}`)
})

test('the TypeScript samples compile against the SDK', async () => {
  await mkdir(join(root, '.tandem'), { recursive: true })
  const folder = await mkdtemp(join(root, '.tandem', 'samples-'))
  try {
    const samples = samplesIn()
    await Promise.all(samples.map((placed, index) => writeFile(join(folder, `sample-${index}.ts`), `${textOf(placed, 'ts')}\nexport {}\n`)))
    const options = { noUnusedLocals: false, incremental: false, paths: { '@tandem/sdk': [join(root, 'packages/sdk/src/index.ts')] } }
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions: options, include: ['*.ts'] }),
    )
    const compiler = join(root, 'node_modules/typescript-7/bin/tsc')
    const output = await run(process.execPath, [compiler, '-p', folder]).then(
      () => '',
      (error: { readonly stdout: string }) => error.stdout,
    )
    expect(output).toBe('')
    expect(samples.length).toBeGreaterThan(20)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

const programs = [
  {
    language: 'sh',
    program: 'curl',
    command: (text: string): [string, string[]] => ['bash', ['-c', text.replaceAll(/^curl /gm, 'curl -sS --fail-with-body ')]],
  },
  { language: 'python', program: 'python3', command: (text: string): [string, string[]] => ['python3', ['-c', text]] },
] as const

for (const { language, program, command } of programs) {
  const isMissing = await run(program, ['--version']).then(
    () => false,
    () => true,
  )
  if (isMissing) process.stderr.write(`\nSKIPPED: the ${language} samples of the reference: ${program} is not installed\n`)
  describe.skipIf(isMissing)(`the ${language} samples`, () => {
    test('each sends the request of its example', async () => {
      for (const placed of samplesIn()) {
        received.length = 0
        const { stdout } = await run(...command(textOf(placed, language)))
        const where = `${placed.page} ${placed.example}`
        expect(received, where).toHaveLength(1)
        expect(received[0], where).toMatchObject(expected(placed))
        const { method } = book.pages.find(({ path }) => path === placed.page) ?? { method: null }
        expect(received[0]?.method, where).toBe(method ?? 'GET')
        expect(received[0]?.app, where).toBe(received[0]?.url.startsWith('/v2') ? TEST_APP : undefined)
        expect(stdout, where).toMatch(/seen|created/)
      }
    })
  })
}

test('values are printed as each language writes them', () => {
  const value = { a: [true, null, "it's"], 'b-c': 'say "x"\n\\' }
  expect(printValue(value, typescriptStyle)).toBe(`{ a: [true, null, 'it\\'s'], 'b-c': 'say "x"\\n\\\\' }`)
  expect(printValue(value, pythonStyle)).toBe(`{"a": [True, None, "it's"], "b-c": "say \\"x\\"\\n\\\\"}`)
  expect(printValue({ long: 'x'.repeat(80) }, pythonStyle)).toBe(`{\n  "long": "${'x'.repeat(80)}",\n}`)
  expect(printValue({}, pythonStyle)).toBe('{}')
})
