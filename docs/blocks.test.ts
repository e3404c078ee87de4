/** Every fenced block of every page has a verdict, and what can run runs as it is written, on the stack that a newcomer has. */
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { freePort } from '@tandem/local/free-port.ts'
import type { LocalJson } from '@tandem/local/local-json.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLocalClient } from '../demo/client/local-client.ts'
import { reasonWithout } from '../test/nodes/describe-with-node.ts'
import { fetchPackages } from '../test/nodes/fetch.ts'
import { type Clone, makeClone } from './blocks/clone.ts'
import { type PageSettings, type Running, runPage } from './blocks/page-run.ts'
import { type Block, blocksOf, readBlocks } from './blocks/read-blocks.ts'
import { makeRefundable } from './blocks/refundable.ts'
import type { Terminal } from './blocks/terminal.ts'
import { type Stack, verdicts } from './blocks/verdicts.ts'

const root = join(import.meta.dirname, '..')
const blocks = readBlocks(root)
const pages = [...new Set(blocks.map(({ page }) => page))]
const ofPage = (page: string) => blocks.filter((block) => block.page === page)
/** The limit only ends a page that hangs: pages wait for each other. */
const LIMIT_MS = 1_200_000

test('every block has a verdict', () => {
  const counts = (of: (page: string) => number) => Object.fromEntries(pages.map((page) => [page, of(page)]))
  expect(Object.keys(verdicts).toSorted()).toEqual(pages.toSorted())
  expect(counts((page) => verdicts[page]?.length ?? 0)).toEqual(counts((page) => ofPage(page).length))
})

test('the sample of the README has 25 lines or less', () => {
  const [sample] = ofPage('README.md').filter(({ language }) => language === 'ts')
  expect(sample?.text.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(25)
})

test('a block that does not end is an error', () => {
  expect(blocksOf('a.md', '```sh\nls\n```\n\n  ```\n  picture\n  ```')).toEqual([
    { page: 'a.md', line: 1, language: 'sh', text: 'ls' },
    { page: 'a.md', line: 5, language: '', text: '  picture' },
  ])
  expect(() => blocksOf('a.md', 'text\n```sh\nls')).toThrow('a.md:2')
})

const judged = (page: string) =>
  ofPage(page).flatMap((block, index) => {
    const verdict = verdicts[page]?.[index]
    return verdict === undefined ? [] : [{ block, verdict }]
  })

test('shell blocks are run, and programs are run; only pictures, messages and what this machine lacks are not', () => {
  const notRun = pages.flatMap((page) => judged(page).filter(({ verdict }) => verdict.kind === 'shown'))
  const shells = notRun.filter(({ block }) => ['sh', 'bash', 'console', 'ts', 'js', 'py'].includes(block.language))
  expect(shells.map(({ block }) => block.page)).toEqual([
    'docs/sdk.md',
    'packages/families/starknet/contract/README.md',
    'packages/families/sui/contract/README.md',
    'packages/sdk/README.md',
    'packages/sdk/README.md',
  ])
})

for (const page of pages)
  for (const { block, verdict } of judged(page))
    if (verdict.kind === 'checked') test(`${page}:${block.line}: ${verdict.because}`, () => verdict.by(block.text))

const has = (page: string, stack: Stack) => judged(page).some(({ verdict }) => 'stack' in verdict && verdict.stack === stack)

const withoutPython = await reasonWithout('python-ecdsa')
const isSkipped = (page: string) => withoutPython !== null && ofPage(page).some(({ text }) => text.includes('python3'))

describe('in a clone', () => {
  let clone: Clone
  beforeAll(async () => {
    const packages = withoutPython === null ? await fetchPackages('python-ecdsa') : ''
    clone = await makeClone(join(packages, 'usr', 'lib', 'python3', 'dist-packages'))
    await inTerminal((terminal) => terminal.run('npm link'))
  })
  afterAll(() => clone.remove())

  async function inTerminal<T>(work: (terminal: Terminal) => Promise<T>): Promise<T> {
    const terminal = clone.openTerminal()
    try {
      return await work(terminal)
    } finally {
      await terminal.close()
    }
  }

  const readLocal = async (): Promise<LocalJson> => JSON.parse(await readFile(join(clone.folder, '.tandem', 'local.json'), 'utf8'))

  /** The files of the local stack stand for the reader's own, which are in the folder where the reader is. */
  async function writeOwnFiles(): Promise<void> {
    for (const name of ['service.json', 'service-api.json', 'solver.json']) {
      const text = await readFile(join(clone.folder, '.tandem', name), 'utf8')
      const config = JSON.parse(text, (key, value) =>
        key === 'file' || key === 'release_log' ? join(clone.folder, '.tandem', value) : value,
      )
      await writeFile(join(clone.folder, name), JSON.stringify(config))
    }
    for (const name of ['deployer.key', 'treasury.key']) await writeFile(join(clone.folder, name), randomBytes(32).toString('hex'))
  }

  /** The page's stand-ins for things of the reader's own, with their values here. */
  const fillsOf = (page: string, { chains }: LocalJson): PageSettings['fills'] => [
    [/--chain base(_sepolia)?\b/g, '--chain ethereum_localnet --config service.json'],
    [/\b(base|ethereum)_sepolia\b/g, 'ethereum_localnet'],
    [/\bbase:usdc\b/g, 'ethereum_localnet:usdc'],
    [/https:\/\/esplora\.example\/api/g, String(chains.bitcoin_regtest?.esplora_url)],
    // Each page has an app of its own.
    [/\bmy-shop\b/g, `my-shop-${pages.indexOf(page)}`],
  ]

  describe('by npm start', () => {
    const running: Running = new Map()
    const build = 'npm ci && npm run build'
    const receiver = createServer((_, response) => void response.writeHead(204).end())
    let local: LocalJson
    beforeAll(async () => {
      const start = ofPage('README.md').flatMap(({ text }) => text.split('\n').filter((line) => line.startsWith('npm ci && npm start')))
      const [task] = await Promise.all([clone.start(start[0] ?? '', /Tandem is running/), inTerminal((terminal) => terminal.run(build))])
      running.set('npm start', task)
      await writeOwnFiles()
      local = await readLocal()
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    }, LIMIT_MS)
    afterAll(async () => {
      receiver.close()
      for (const task of running.values()) await task.close()
    })

    const portOf = (server: Server) => (server.address() as AddressInfo).port
    const settingsOf: Readonly<Record<string, () => Promise<Partial<PageSettings>>>> = {
      'docs/add-a-chain.md': async () => ({ values: { family: 'evm' } }),
      'docs/affiliates.md': async () => ({ before: [`APP=${local.app_id}`, `API=${local.base_url}`], values: { transaction: '0x01' } }),
      'docs/destination-gas.md': async () => ({ before: [`APP=${local.app_id}`, `API=${local.base_url}`] }),
      'docs/events.md': async () => ({
        fills: [[/https:\/\/shop\.example\/hook/g, `http://127.0.0.1:${portOf(receiver)}/hook`]],
        before: ['tandem apps create my-shop'],
      }),
      'docs/guides/webhooks.md': async () => {
        const port = await freePort()
        return {
          fills: [
            [/https:\/\/shop\.example\/hook/g, `http://127.0.0.1:${port}/hook`],
            [/WEBHOOK_SECRET=/g, `PORT=${port} WEBHOOK_SECRET=`],
          ],
        }
      },
      'docs/sdk.md': async () => ({
        fills: [
          [/'bc1…'/g, `'${createLocalClient(local).ownerOf('bitcoin_regtest:btc')}'`],
          [/\/var\/lib\/shop\/swaps\.json/g, join(clone.folder, 'swaps.json')],
          [/'0x…'/g, `'${createLocalClient(local).ownerOf('ethereum_localnet:eth')}'`],
          [/\b(?=bitcoin:)bitcoin/g, 'bitcoin_regtest'],
          [/\b(?=ethereum:)ethereum/g, 'ethereum_localnet'],
        ],
        done: ['npm run build'],
        before: ['mkdir ../my-app', `echo '{"type": "module"}' > ../my-app/package.json`],
        after: [[`node -e "import('@tandem/sdk').then(({ createTandem }) => console.log(typeof createTandem))"`, /^function$/m]],
      }),
      'docs/guides/run-your-own.md': async () => ({ done: [build] }),
      'docs/solver-protocol.md': async () => ({ before: ['rm -rf keys'] }),
      'docs/guides/run-a-solver.md': async () => ({ before: ['rm -rf keys'] }),
    }

    /** Pages that share a key or a file run one after the other. */
    const queues = new Map<string, Promise<void>>()
    const queueOf = (page: string) => {
      const text = ofPage(page).map((block) => block.text)
      return text.some((one) => one.includes('keys create')) ? 'keys' : text.some((one) => /viem|client\.ts/.test(one)) ? 'wallet' : page
    }
    async function queued(page: string): Promise<void> {
      const before = queues.get(queueOf(page)) ?? Promise.resolve()
      const mine = before.then(async () => {
        const settings = (await settingsOf[page]?.()) ?? {}
        const fills = [...(settings.fills ?? []), ...fillsOf(page, local)]
        await runPage(clone, 'start', judged(page), running, { ...settings, fills })
      })
      queues.set(
        queueOf(page),
        mine.catch(() => undefined),
      )
      return mine
    }

    for (const page of pages.filter((one) => has(one, 'start'))) test.skipIf(isSkipped(page)).concurrent(page, () => queued(page), LIMIT_MS)
  })

  describe('by tandem devnet', () => {
    const running: Running = new Map()
    beforeAll(async () => {
      running.set(
        'tandem devnet',
        await clone.start('tandem devnet --chains bitcoin,ethereum,arbitrum', /Local chains and databases are running/),
      )
      await writeOwnFiles()
    }, LIMIT_MS)
    afterAll(() => stop(/./))

    async function stop(names: RegExp): Promise<void> {
      for (const [name, task] of running) {
        if (!names.test(name)) continue
        await task.close()
        running.delete(name)
      }
    }
    const PARTIES = /tandem (solver|start)|solver\.py/
    const play = async (page: string, change: Partial<PageSettings> = {}): Promise<void> => {
      const fills = [...(change.fills ?? []), ...fillsOf(page, await readLocal())]
      await runPage(clone, 'devnet', judged(page), running, { ...change, fills })
    }

    async function refundables(count: number) {
      const made = await makeRefundable(await readLocal(), count, () => stop(PARTIES))
      await writeFile(join(clone.folder, 'refund.json'), made[0]?.answer ?? '')
      return made
    }

    test('README.md', async () => {
      const between = async ({ text }: Block): Promise<void> => {
        if (text.includes('tandem refund')) await refundables(1)
      }
      // No other page needs this chain.
      await play('README.md', { between, fills: [[/halt ethereum_sepolia/g, 'halt arbitrum_localnet']] })
    })

    test('docs/guides/run-a-solver.md', async () => {
      const between = async ({ text }: Block): Promise<void> => {
        if (text.includes('--config solver.json')) await stop(PARTIES)
      }
      await play('docs/guides/run-a-solver.md', { between })
    })

    test('docs/guides/run-your-own.md', () => play('docs/guides/run-your-own.md'))

    test('docs/refunds.md', async () => {
      const values: Record<string, string> = {}
      const between = async ({ text }: Block): Promise<void> => {
        if (!text.includes('--package')) return
        const [first, second] = await refundables(2)
        const { txid, vout, value } = first?.deposit ?? {}
        Object.assign(values, { txid, vout: String(vout), amount: String(value), order_id: second?.orderId })
      }
      await play('docs/refunds.md', { between, values })
    })

    test.skipIf(isSkipped('examples/python-solver/README.md'))('examples/python-solver/README.md', async () => {
      await stop(PARTIES)
      const { base_url: api, app_id: app } = await readLocal()
      const quote = `curl -s -H 'service-app-id: ${app}' '${api}/quote?from=ethereum_localnet:eth&to=arbitrum_localnet:usdc&from_amount=100000000000000000'`
      await play('examples/python-solver/README.md', { after: [[quote, /"solver_id":"python-solver"/]] })
      // The reader starts it again after a restart.
      await stop(PARTIES)
      await play('examples/python-solver/README.md', { after: [[quote, /"solver_id":"python-solver"/]] })
    })

    test('docs/scale.md', async () => {
      await stop(PARTIES)
      const between = async ({ text }: Block): Promise<void> => {
        if (text.includes('npm start')) await stop(/./)
      }
      await play('docs/scale.md', { between, fills: [[/--split\b/g, '--split --chains bitcoin,ethereum']] })
    })

    test('every page was played', () => {
      const played = ['README.md', 'docs/guides/run-a-solver.md', 'docs/guides/run-your-own.md', 'docs/refunds.md', 'docs/scale.md']
      expect(pages.filter((page) => has(page, 'devnet')).toSorted()).toEqual([...played, 'examples/python-solver/README.md'])
    })
  })
})
