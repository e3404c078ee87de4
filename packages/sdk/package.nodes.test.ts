/** The package as a stranger gets it: packed, installed into an empty project, compiled, bundled and run. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startChromium } from '../../test/browser/chromium.ts'
import { describeWithBrowser } from '../../test/nodes/describe-with-node.ts'
import { describeWithNodeVersion } from '../../test/nodes/node-versions.ts'

const REPOSITORY = join(import.meta.dirname, '..', '..')
const MAX_CORE_BYTES = 15_000

type Manifest = Readonly<Record<'dependencies' | 'peerDependencies' | 'exports', Readonly<Record<string, unknown>>>> & {
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>
  readonly [name: string]: unknown
}

/** A project without chain libraries, and one with all of them. */
let [home, bare, full, packed] = ['', '', '', '']
let manifest: Manifest

const run = async (cwd: string, program: string, ...args: readonly string[]) =>
  (await promisify(execFile)(program, args, { cwd, maxBuffer: 1 << 26 })).stdout
const textOf = (path: string) => readFile(join(packed, path), 'utf8')

/** Uses the SDK without anything of Node. The result has an address for each chain, or the message of its error. */
const USE = `
export async function use(sdk) {
  const addresses = {}
  for (const [chain, text] of Object.entries(${JSON.stringify(addresses())}))
    addresses[chain] = await sdk.parseAddress(chain, text).catch((error) => error.message)
  const fetch = async () => new Response(JSON.stringify({ status: 'Ok', result: 'Online' }))
  const storage = sdk.memoryStorage()
  const tandem = sdk.createTandem({ baseUrl: 'https://service.example/v2', appId: 'app', fetch, storage })
  const { phrase, keys } = await sdk.newRescueKeys(storage)
  const again = await sdk.rescueKeys(phrase, sdk.memoryStorage())
  return { addresses, health: await tandem.client.health(), isSameSecret: (await keys.secretFor(7)) === (await again.secretFor(7)) }
}
`
/** One chain of each family, and an address in its canonical form. */
function addresses() {
  return {
    ethereum: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    hypercore_testnet: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    tron: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    bitcoin: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    solana: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    sui_testnet: `0x${'fa'.repeat(32)}`,
    starknet: '0x04718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d',
    xrpl_testnet: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
  }
}
const missing = (specifier: string, packages = specifier) =>
  `@tandem/sdk could not load ${specifier}, which this chain needs: npm install ${packages}`
const WORKS = { addresses: addresses(), health: 'Online', isSameSecret: true }
const WORKS_WITHOUT_PEERS = {
  ...WORKS,
  addresses: {
    ...addresses(),
    ...Object.fromEntries(['ethereum', 'hypercore_testnet', 'tron'].map((chain) => [chain, missing('viem')])),
    bitcoin: missing('@scure/btc-signer'),
    solana: missing('@solana-program/token', '@solana-program/token @solana/kit'),
    sui_testnet: missing('@mysten/sui/bcs', '@mysten/sui'),
  },
}

/** What a program prints that uses both entries. */
async function usedBy(node: string, project: string): Promise<unknown> {
  await writeFile(
    join(project, 'program.mjs'),
    `import * as sdk from '@tandem/sdk'
    import { fileStorage } from '@tandem/sdk/node'
    import { use } from './use.mjs'
    const nodeError = (() => { try { fileStorage('package.json') } catch (error) { return error instanceof sdk.StorageError } })()
    console.log(JSON.stringify({ ...(await use(sdk)), nodeError }))`,
  )
  return JSON.parse(await run(project, node, 'program.mjs'))
}

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'tandem-sdk-')))
  ;[bare, full] = [join(home, 'bare'), join(home, 'full')]
  await mkdir(bare)
  const [{ filename }] = JSON.parse(await run(import.meta.dirname, 'npm', 'pack', '--json', '--pack-destination', home)) as [
    { readonly filename: string },
  ]
  await writeFile(join(bare, 'package.json'), '{ "name": "app", "private": true, "type": "module" }')
  await run(bare, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', join(home, filename))
  packed = join(bare, 'node_modules', '@tandem', 'sdk')
  manifest = JSON.parse(await textOf('package.json')) as Manifest
  await writeFile(join(bare, 'use.mjs'), USE)
  await writeFile(
    join(bare, 'app.js'),
    `import * as sdk from '@tandem/sdk'
    import { use } from './use.mjs'
    use(sdk).then(postMessage, (error) => postMessage(String(error)))`,
  )
  await writeFile(join(bare, 'page.js'), `new Worker(new URL('./app.js', import.meta.url), { type: 'module' })`)
  await cp(bare, full, { recursive: true })
  for (const name of Object.keys(manifest.peerDependencies)) {
    await mkdir(dirname(join(full, 'node_modules', name)), { recursive: true })
    await symlink(join(REPOSITORY, 'node_modules', name), join(full, 'node_modules', name))
  }
}, 240_000)
afterAll(() => rm(home, { recursive: true, force: true }))

describe('the tarball', () => {
  test('holds modules, their source maps, one file of types for each entry, and what a reader needs', async () => {
    const files = (await readdir(packed, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(packed.length + 1))
    expect(files.filter((file) => !/^dist\/[\w-]+\.js(\.map)?$/.test(file)).toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'dist/index.d.ts',
      'dist/node.d.ts',
      'package.json',
    ])
    const modules = files.filter((file) => file.endsWith('.js') && !/^dist\/(peer|load)-/.test(file))
    expect(modules).toContain('dist/index.js')
    for (const file of modules) {
      const map = JSON.parse(await textOf(`${file}.map`)) as {
        readonly sources: readonly string[]
        readonly sourcesContent: readonly string[]
      }
      expect(map.sourcesContent).toHaveLength(map.sources.length)
      expect(await textOf(file), file).toContain(`//# sourceMappingURL=${file.slice('dist/'.length)}.map`)
    }
    const index = await textOf('dist/index.js')
    expect(index).toContain('function createTandem(options) {\n')
    expect(index.split('\n').length).toBeGreaterThan(500)
    const { sources } = JSON.parse(await textOf('dist/index.js.map')) as { readonly sources: readonly string[] }
    expect(sources.some((source) => source.endsWith('/src/tandem.ts'))).toBe(true)
  })

  test('types name none of our folders, and need no library', async () => {
    for (const file of ['dist/index.d.ts', 'dist/node.d.ts']) {
      const text = await textOf(file)
      expect(text.replaceAll(/\/\*.*?\*\//gs, '')).not.toMatch(/packages\/|@tandem\/|\.ts'/)
      expect([...text.matchAll(/\b(?:from|import\() ?'([^']+)'/g)].map(([, path]) => path).filter((path) => path !== './index.js')).toEqual(
        [],
      )
    }
  })

  test('its package.json has what npm shows; every chain library is an optional peer, and every library is used', async () => {
    expect(manifest).toMatchObject({
      name: '@tandem/sdk',
      type: 'module',
      sideEffects: false,
      license: 'Apache-2.0',
      engines: { node: expect.any(String) },
      homepage: expect.stringContaining('https://'),
      bugs: expect.stringContaining('https://'),
      repository: { type: 'git', url: expect.stringContaining('git+https://'), directory: 'packages/sdk' },
      keywords: expect.arrayContaining(['atomic-swap']),
    })
    for (const entry of ['.', './node']) expect(Object.keys(manifest.exports[entry] as object)).toEqual(['types', 'default'])
    const peers = Object.keys(manifest.peerDependencies)
    expect(Object.keys(manifest.peerDependenciesMeta)).toEqual(peers)
    expect(Object.values(manifest.peerDependenciesMeta).every(({ optional }) => optional)).toBe(true)
    const modules = (await readdir(join(packed, 'dist'))).filter((file) => file.endsWith('.js'))
    const imported = (await Promise.all(modules.map((file) => textOf(`dist/${file}`)))).flatMap((text) =>
      [...text.matchAll(/^(?:import .*|} )from "([^."][^"]*)";$|await import\("([^."][^"]*)"\)/gm)].map(
        ([, one, other]) => one ?? other ?? '',
      ),
    )
    const packages = imported.filter((path) => !path.startsWith('node:')).map((path) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0])
    expect([...new Set(packages)].toSorted()).toEqual([...Object.keys(manifest.dependencies), ...peers].toSorted())
  })
})

describe('in Node', () => {
  test('all chains work with their libraries', async () => {
    expect(await usedBy(process.execPath, full)).toEqual({ ...WORKS, nodeError: true })
  })

  test('without them the core works, and so do chains that need none; the others name the package to install', async () => {
    expect(await usedBy(process.execPath, bare)).toEqual({ ...WORKS_WITHOUT_PEERS, nodeError: true })
  })
})

for (const major of [22, 24])
  await describeWithNodeVersion(major, `in Node ${major}`, (node) => {
    test('all chains work', async () => {
      expect(await run(full, node, '--version')).toMatch(new RegExp(`^v${major}\\.`))
      expect(await usedBy(node, full)).toEqual({ ...WORKS, nodeError: true })
    })
  })

test('a strict project compiles against the types without any library, and so does the sample of the README', async () => {
  const [, sample = ''] = /```ts\n(.*?)```/s.exec(await textOf('README.md')) ?? []
  expect(sample).toContain('createTandem')
  await writeFile(join(bare, 'sample.ts'), sample)
  await writeFile(
    join(bare, 'consumer.ts'),
    `import { createTandem, memoryStorage, PriceMovedError, type OrderRecord, type SwapStep, type Tandem, type Wallet } from '@tandem/sdk'
    import { fileStorage } from '@tandem/sdk/node'
    const options = { baseUrl: 'https://service.example/v2', appId: 'app' }
    export const tandem: Tandem = createTandem({ ...options, storage: fileStorage('swaps.json') })
    createTandem({ ...options, storage: memoryStorage() })
    export const chainOf = (order: OrderRecord): string => order.source_swap.chain
    export const codeOf = (error: PriceMovedError): string => error.code
    export async function* swap(wallet: Wallet): AsyncGenerator<SwapStep> {
      const request = { from: 'ethereum:wbtc', to: 'bitcoin:btc', recipient: 'bc1', fromAmount: 1n }
      yield* tandem.swap({ ...request, minToAmount: 1n }, wallet)
      // @ts-expect-error The user's own limit is missing.
      yield* tandem.swap(request, wallet)
    }
    // @ts-expect-error A record is no number: the types are not any.
    export const wrong = async (): Promise<number> => (await tandem.client.order('id')).source_swap.chain
    // @ts-expect-error It is a type alone.
    export { OrderRecord } from '@tandem/sdk'`,
  )
  const compilerOptions = {
    ...{ strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true, types: [] },
    ...{ target: 'es2022', lib: ['es2023', 'dom'], module: 'nodenext', isolatedModules: true },
  }
  await writeFile(join(bare, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts', 'sample.ts'] }))
  const compiler = join(REPOSITORY, 'node_modules', 'typescript-7', 'bin', 'tsc')
  expect(await run(bare, process.execPath, compiler, '-p', '.').catch(({ stdout }) => stdout)).toBe('')
})

/** Minified, as an app for browsers does. Rejects if anything needs a Node built-in. */
const bundle = (project: string, code = `export * from './app.js'`) =>
  build({
    stdin: { contents: code, resolveDir: project },
    absWorkingDir: project,
    outdir: join(project, 'esbuild'),
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent',
  })

/** The files that an app loads at once. */
function firstLoad({ outputs }: Metafile): readonly string[] {
  const files = new Set<string>()
  const add = (file: string): void => {
    if (files.has(file)) return
    files.add(file)
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') add(path)
  }
  add('esbuild/stdin.js')
  return [...files]
}

describe('bundled by esbuild', () => {
  test('the core is small, contains no family, and uses nothing that only Node has', async () => {
    const { metafile, warnings } = await bundle(full, `export * from '@tandem/sdk'`)
    expect(warnings).toEqual([])
    const core = firstLoad(metafile)
    const inputs = core.flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}))
    expect(inputs).toContain('node_modules/@tandem/sdk/dist/index.js')
    expect(inputs.filter((input) => !/^<stdin>$|^node_modules\/@tandem\/sdk\/dist\/(index|chunk-\w+)\.js$/.test(input))).toEqual([])
    const contents = await Promise.all(core.map((file) => readFile(join(full, file))))
    expect(contents.filter((content) => /\bBuffer\b|\bprocess\./.test(content.toString()))).toEqual([])
    expect(contents.reduce((sum, content) => sum + gzipSync(content).length, 0)).toBeLessThanOrEqual(MAX_CORE_BYTES)
  })

  test('an app without chain libraries bundles too', async () => {
    expect((await bundle(bare)).errors).toEqual([])
    expect(await readdir(join(bare, 'esbuild'))).toContain('stdin.js')
  })
})

describe('bundled by Vite', () => {
  test.each(['full', 'bare'])('%s', async (name) => {
    const project = join(home, name)
    const { build: buildByVite } = await import('vite')
    await buildByVite({
      root: project,
      configFile: false,
      logLevel: 'silent',
      worker: { format: 'es' },
      build: { outDir: 'vite', minify: false, target: 'es2022', rollupOptions: { input: join(project, 'page.js') } },
    })
    const files = await readdir(join(project, 'vite', 'assets'))
    expect(files.length).toBeGreaterThan(10)
    for (const file of files)
      expect(await readFile(join(project, 'vite', 'assets', file), 'utf8'), file).not.toContain('__vite-browser-external')
  })
})

await describeWithBrowser('in a worker of Chromium', () => {
  const worker = async (folder: string, entry: string): Promise<unknown> => {
    const server = createServer(async (request, response) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname
      const type = extname(path) === '.js' ? 'text/javascript' : 'text/html'
      const content = path === '/' ? Buffer.from('<!doctype html>') : await readFile(join(folder, path)).catch(() => null)
      response.writeHead(content === null ? 404 : 200, { 'content-type': type }).end(content)
    }).listen(0, '127.0.0.1')
    const browser = await startChromium()
    try {
      const page = await (await browser.open()).newPage()
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      const code = `new Promise((resolve, reject) => {
        const worker = new Worker('/${entry}', { type: 'module' })
        worker.onmessage = ({ data }) => resolve(data)
        worker.onerror = ({ message }) => reject(new Error('the worker failed: ' + message))
      })`
      return await page.evaluate(code)
    } finally {
      await browser.close()
      server.close()
    }
  }

  test('the bundles of esbuild and Vite work, and name a package that is missing', async () => {
    await bundle(full)
    expect(await worker(join(full, 'esbuild'), 'stdin.js')).toEqual(WORKS)
    const entry = (await readdir(join(full, 'vite', 'assets'))).find((file) => file.startsWith('app-') && file.endsWith('.js'))
    expect(await worker(join(full, 'vite'), `assets/${entry}`)).toEqual(WORKS)
    await bundle(bare)
    expect(await worker(join(bare, 'esbuild'), 'stdin.js')).toEqual(WORKS_WITHOUT_PEERS)
  })
})
