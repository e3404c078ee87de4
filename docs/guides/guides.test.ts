/** Runs the code of every guide: what is marked `sh`, `ts` or `json` works as it is shown; `console` is shown only. */
import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkConfig } from '../../src/config/load-config.ts'
import { ServiceConfig, SolverConfig } from '../../src/config/schema.ts'
import { guideNames } from '../../src/service/reference/guides.ts'
import { readGuide } from '../../src/service/reference/read-markdown.ts'
import { signWebhook } from '../../src/service/webhooks/sign.ts'
import { sampleIn } from '../../test/swaps/sample-code.ts'
import { openStory, type Story } from '../../test/swaps/story.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

type GuideName = (typeof guideNames)[number]

/** All code of one language in a guide, as one program. */
async function codeOf(name: GuideName, language: 'sh' | 'ts' | 'json'): Promise<string> {
  const { blocks } = readGuide(await readFile(join(import.meta.dirname, `${name}.md`), 'utf8'))
  const parts = blocks.flatMap((block) => (block.kind === 'code' && block.language === language ? [block.text] : []))
  if (parts.length === 0) throw new Error(`${name}.md has no code in ${language}`)
  return parts.join('\n\n')
}

test('every file of the folder is a guide of the reference, and all of its code is run or only shown', async () => {
  const files = (await readdir(import.meta.dirname)).filter((file) => file.endsWith('.md'))
  expect(files.toSorted()).toEqual(guideNames.map((name) => `${name}.md`).toSorted())
  for (const file of files) {
    const { blocks } = readGuide(await readFile(join(import.meta.dirname, file), 'utf8'))
    for (const block of blocks) if (block.kind === 'code') expect(['sh', 'ts', 'json', 'console'], file).toContain(block.language)
  }
})

describe('guides with the local stack', () => {
  let story: Story
  let folder: string
  let environment: NodeJS.ProcessEnv
  beforeAll(async () => {
    story = await openStory({ chains: ['bitcoin_regtest', 'ethereum_localnet'] })
    await mkdir(join(root, '.tandem'), { recursive: true })
    folder = await mkdtemp(join(root, '.tandem', 'guides-'))
    environment = { ...process.env, TANDEM_LOCAL_JSON: join(folder, 'local.json') }
    await writeFile(join(folder, 'local.json'), JSON.stringify(story.info))
  })
  afterAll(async () => {
    await story.close()
    await rm(folder, { recursive: true, force: true })
  })

  async function runTypeScript(name: GuideName): Promise<readonly string[]> {
    const file = join(folder, `${name}.ts`)
    await writeFile(file, sampleIn(folder, await codeOf(name, 'ts')))
    const { stdout } = await run(process.execPath, ['--import', 'tsx', file], { cwd: root, env: environment })
    return stdout.trim().split('\n')
  }

  test('first-swap: the user is paid', async () => {
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', await codeOf('first-swap', 'sh')], { cwd: root, env: environment })
    expect(stdout).toMatch(/^paid in 0x[0-9a-f]{64}$/m)
  })

  test('gasless: the service sends what the user signed', async () => {
    const before = await story.balance('bitcoin_regtest:btc')
    const lines = await runTypeScript('gasless')
    expect(lines.slice(0, 3)).toEqual(['quoted', 'ordered', 'paid'])
    expect(lines).toContain('received')
    expect(await story.balance('bitcoin_regtest:btc')).toBeGreaterThan(before + 900_000n)
  })

  test('client-held-secret: the phrase finishes the swap from an empty storage', async () => {
    const before = await story.balance('bitcoin_regtest:btc')
    const lines = await runTypeScript('client-held-secret')
    expect(lines[0]).toBe('12 words to write down')
    expect(lines).toContain('received')
    expect(await story.balance('bitcoin_regtest:btc')).toBeGreaterThan(before + 900_000n)
  })
})

test('webhooks: the server takes a signed message once, and refuses a forged or old one', async () => {
  await mkdir(join(root, '.tandem'), { recursive: true })
  const folder = await mkdtemp(join(root, '.tandem', 'webhooks-'))
  await writeFile(join(folder, 'server.ts'), await codeOf('webhooks', 'ts'))
  const [port, secret] = [await freePort(), `whsec_${Buffer.alloc(24, 7).toString('base64')}`]
  const child = spawn(process.execPath, ['--import', 'tsx', join(folder, 'server.ts')], {
    cwd: root,
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (text: Buffer) => {
      printed += text.toString('utf8')
      if (printed.includes('listening')) resolve()
    })
  })
  try {
    const body = JSON.stringify({ type: 'order.status_changed', data: { order_id: 'abc', status: 'initiated' } })
    const now = BigInt(Math.floor(Date.now() / 1000))
    const send = async (headers: Readonly<Record<string, string>>) =>
      (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status
    const signed = signWebhook('msg_1', now, body, [`whsec_${Buffer.alloc(24, 1).toString('base64')}`, secret])
    expect(await send(signed)).toBe(204)
    expect(await send(signed)).toBe(204)
    expect(await send({ ...signed, 'webhook-id': 'msg_2' })).toBe(401)
    expect(await send(signWebhook('msg_3', now - 3600n, body, [secret]))).toBe(401)
    expect(await send(signWebhook('msg_4', now, body, ['whsec_AAAA']))).toBe(401)
    expect(await send({})).toBe(401)
    expect(await send(signWebhook('msg_5', now, body, [secret]))).toBe(204)
    expect(printed.match(/abc initiated/g)).toHaveLength(2)
  } finally {
    child.kill()
    await rm(folder, { recursive: true, force: true })
  }
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('run-a-solver and run-your-own: the configurations pass the loader', async () => {
  const solver: unknown = JSON.parse(await codeOf('run-a-solver', 'json'))
  expect((await checkConfig(SolverConfig, 'solver.json', solver)).config).toBe(solver)
  const service: unknown = JSON.parse(await codeOf('run-your-own', 'json'))
  expect((await checkConfig(ServiceConfig, 'service.json', service)).config).toBe(service)
})
