/** The compiled command line works without a loader, and has everything that it reads at run time. */
import { spawnSync } from 'node:child_process'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const folder = `.tandem/build-test-${process.pid}`
const out = join(root, folder)

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  return { status, stdout, stderr }
}

beforeAll(() => {
  const build = ['--import', 'tsx', 'build.ts', folder]
  expect(run(...build)).toMatchObject({ status: 0, stderr: '' })
}, 180_000)
afterAll(() => rm(out, { recursive: true, force: true }))

test('it prints help', () => {
  expect(run(join(out, 'packages', 'cli', 'cli.js'), '--help')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Usage: tandem'),
  })
})

test('a command loads its code', () => {
  const { status, stdout } = run(join(out, 'packages', 'cli', 'cli.js'), 'config', '--schema', 'service')
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toHaveProperty('properties')
})

test('the local chains are part of it', () => {
  const code = `const { loadLocalFamily } = await import('./${folder}/packages/families/local.js'); await loadLocalFamily('evm')`
  expect(run('--input-type=module', '--eval', code)).toMatchObject({ status: 0, stderr: '' })
})

test('a production build has no local chains, and says so', async () => {
  const production = `${folder}-production`
  try {
    expect(run('--import', 'tsx', 'build.ts', production, '--production')).toMatchObject({ status: 0, stderr: '' })
    const files = await readdir(join(root, production), { recursive: true })
    expect(files.filter((file) => /(^|\/)local\/|embedded|commands\/local-stack/.test(file))).toEqual([])
    for (const command of ['start', 'devnet'])
      expect(run(join(root, production, 'packages', 'cli', 'cli.js'), command)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^tandem: this installation has no local chains .*--config/),
      })
    expect(run(join(root, production, 'packages', 'cli', 'cli.js'), 'start', '--config', 'none.json').stderr).toContain('none.json')
  } finally {
    await rm(join(root, production), { recursive: true, force: true })
  }
}, 180_000)

test('its worker threads run, without a loader', () => {
  const code = `
    const { createPool } = await import('./${folder}/packages/runtime/workers/pool.js')
    const { pathToFileURL } = await import('node:url')
    const module = pathToFileURL('${folder}/packages/families/bitcoin/server/cosign/checking-jobs.js').href
    console.log(await createPool().run({ module, name: 'isOffer', args: ['[]', 0] }))`
  expect(run('--input-type=module', '--eval', code)).toMatchObject({ status: 0, stdout: 'true\n', stderr: '' })
})

test('it has every migration', async () => {
  const migrations = (...path: readonly string[]) => readdir(join(...path, 'packages', 'party', 'store', 'migrations'), { recursive: true })
  expect((await migrations(out)).sort()).toEqual((await migrations(root)).sort())
})

test('it serves the reference from built files, and has no code that writes them', async () => {
  const page = '<p>Send it to {{origin}}</p>'
  const manifest = { pages: {}, files: {}, reference: { '/docs': { file: 'docs.html', placeholders: ['origin'] } } }
  await mkdir(join(out, 'pages'))
  await writeFile(join(out, 'pages', 'docs.html'), page)
  await writeFile(join(out, 'pages', 'manifest.json'), JSON.stringify(manifest))
  const code = `
    const { createApi } = await import('./${folder}/packages/service/api/app.js')
    const { createLogger } = await import('./${folder}/packages/runtime/log.js')
    const log = createLogger({ name: 'test', pretty: false, level: 'silent' })
    const registry = { chains: [], assets: [] }
    const load = { level: () => 0, begin: () => () => {}, read: () => ({ delayMs: 0, inFlight: 0 }), stop() {} }
    const api = createApi({ db: {}, registry, clients: new Map(), solvers: [], load, log, settings: { environment: 'production' } })
    console.log((await api.inject({ url: '/docs', headers: { host: 'swap.example' } })).body)
    await api.close()`
  expect(run('--input-type=module', '--eval', code)).toMatchObject({
    status: 0,
    stdout: '<p>Send it to http://swap.example</p>\n',
    stderr: '',
  })
  const compiled = await readdir(join(out, 'packages'), { recursive: true })
  expect(compiled).toContain('service/web/reference-routes.js')
  expect(compiled.filter((file) => /^(reference|web)\/|openapi/.test(file))).toEqual([])
})
