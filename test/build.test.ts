/** The compiled command line works without a loader, and has everything that it reads at run time. */
import { spawnSync } from 'node:child_process'
import { readdir, rm } from 'node:fs/promises'
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
