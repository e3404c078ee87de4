import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bundleNode, bundleSdk } from './build.ts'
import { noticesOf } from './notices.ts'

const MOST_CORE_BYTES = 15_000

/** The files that a page loads before it uses a family. */
function coreOf({ outputs }: Awaited<ReturnType<typeof bundleSdk>>['metafile']): ReadonlySet<string> {
  const files = new Set<string>()
  const add = (file: string): void => {
    if (files.has(file)) return
    files.add(file)
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') add(path)
  }
  add(Object.keys(outputs).find((file) => file.endsWith('/index.js') && outputs[file]?.entryPoint === 'packages/sdk/src/index.ts') ?? '')
  return files
}

test('the SDK is bundled for browsers without a Node built-in; its core is small and contains no family', async () => {
  const { metafile, outputFiles = [], warnings } = await bundleSdk(null)
  expect(warnings).toEqual([])
  const core = coreOf(metafile)
  const texts = outputFiles.filter(({ path }) => [...core].some((file) => path.endsWith(file)))
  expect(texts).toHaveLength(core.size)
  const inputs = [...core].flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}))
  expect(inputs).toContain('packages/sdk/src/swap/run.ts')
  expect(
    inputs.filter((input) => /^packages\/(families\/[a-z]+\/(?!browser\/(wallet|eip6963)\.ts$)|chain-kit\/(?!browser\/))/.test(input)),
  ).toEqual([])
  for (const { text } of texts) expect(text).not.toMatch(/\bBuffer\b|\bprocess\./)
  expect(texts.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0)).toBeLessThanOrEqual(MOST_CORE_BYTES)
})

test('what only Node has is a file of its own, and its errors are those of the bundle', async () => {
  const { metafile, outputFiles = [] } = await bundleNode(null)
  expect(Object.keys(metafile.inputs).every((input) => input.startsWith('packages/sdk/src/node/'))).toBe(true)
  expect(outputFiles.map(({ path }) => path.endsWith('/node.js'))).toEqual([true])
  expect(outputFiles[0]?.text).toMatch(/from"\.\/index\.js"/)
  const browser = await bundleSdk(null)
  expect(Object.keys(browser.metafile.inputs).filter((input) => input.startsWith('packages/sdk/src/node/'))).toEqual([])
})

test('the licences of all libraries inside go with the package', async () => {
  const { metafile } = await bundleSdk(null)
  const notices = await noticesOf(metafile, join(import.meta.dirname, '../..'))
  const inside = new Set(Object.keys(metafile.inputs).flatMap((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []))
  expect(inside.size).toBeGreaterThan(10)
  for (const name of inside) expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+`, 'm'))
  expect(notices).toContain('Copyright (c) 2023-present weth, LLC')
})

test('a package is never without its build', async () => {
  await rm(join(import.meta.dirname, 'dist'), { recursive: true, force: true })
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json'], { cwd: import.meta.dirname })
  const [{ files }] = JSON.parse(stdout) as [{ readonly files: readonly { readonly path: string }[] }]
  const paths = files.map(({ path }) => path)
  for (const needed of [
    'dist/index.js',
    'dist/types/packages/sdk/src/index.d.ts',
    'dist/node.js',
    'dist/types/packages/sdk/src/node/index.d.ts',
    'dist/THIRD-PARTY-NOTICES.txt',
    'dist/LICENSE',
  ])
    expect(paths).toContain(needed)
  // As an app does.
  const code =
    "const { StorageError } = await import('./dist/index.js'); const { fileStorage } = await import('./dist/node.js');" +
    "try { fileStorage('package.json') } catch (error) { console.log(error instanceof StorageError, error.name) }"
  const program = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd: import.meta.dirname })
  expect(program.stdout).toBe('true StorageError\n')
}, 120_000)
