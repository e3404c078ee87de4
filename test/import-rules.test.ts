/** Tests that the import checker reports each forbidden import and no allowed one. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageFolders } from '../workspaces.ts'
import { checkImports } from './import-rules.ts'

// Each row is [file, its import, the rule that it breaks]. One project breaks every rule.
const FORBIDDEN = [
  ['packages/protocol/a.ts', 'packages/chain-kit/port/leaf.ts', 'protocol-imports-its-dependencies'],
  ['packages/protocol/b.ts', 'node:fs', 'browser-code-uses-no-node-built-in'],
  ['packages/protocol/c.ts', 'typebox', 'protocol-uses-hashes-only'],
  ['packages/protocol/d.ts', 'viem', 'libraries-are-listed'],
  ['packages/keys/a.ts', 'packages/chain-kit/port/leaf.ts', 'keys-imports-its-dependencies'],
  ['packages/chain-kit/port/a.ts', 'packages/chain-kit/providers/leaf.ts', 'kit-parts-know-only-the-port'],
  ['packages/chain-kit/port/b.ts', 'packages/families/evm/server/leaf.ts', 'chain-kit-imports-its-dependencies'],
  ['packages/families/bitcoin/server/a.ts', 'packages/party/store/leaf.ts', 'bitcoin-imports-its-dependencies'],
  ['packages/families/bitcoin/server/b.ts', 'packages/families/evm/server/leaf.ts', 'bitcoin-imports-its-dependencies'],
  ['packages/families/bitcoin/server/c.ts', 'packages/families/index.ts', 'bitcoin-imports-its-dependencies'],
  ['packages/families/bitcoin/server/d.ts', 'viem', 'libraries-are-listed'],
  ['packages/families/bitcoin/terms/a.ts', 'node:crypto', 'browser-code-uses-no-node-built-in'],
  ['packages/families/bitcoin/terms/b.ts', 'packages/families/bitcoin/server/leaf.ts', 'terms-and-browser-parts-need-no-server'],
  ['packages/families/bitcoin/browser/a.ts', 'packages/families/bitcoin/local/leaf.ts', 'terms-and-browser-parts-need-no-server'],
  ['packages/families/bitcoin/server/e.ts', 'packages/families/bitcoin/local/leaf.ts', 'server-needs-no-local-chain'],
  ['packages/families/bitcoin/local/a.ts', 'packages/families/bitcoin/server/leaf.ts', 'simulators-share-no-code-with-what-they-judge'],
  ['packages/families/bitcoin/local/b.ts', 'packages/keys/leaf.ts', 'simulators-share-no-code-with-what-they-judge'],
  ['packages/families/tron/local/a.ts', 'packages/families/evm/terms/leaf.ts', 'simulators-share-no-code-with-what-they-judge'],
  ['packages/families/tron/server/a.ts', 'packages/families/bitcoin/server/leaf.ts', 'tron-imports-its-dependencies'],
  ['packages/families/evm/server/a.ts', '@nomicfoundation/edr', 'production-needs-no-development-library'],
  ['packages/families/evm/server/b.ts', 'tronweb', 'libraries-are-listed'],
  ['packages/families/evm/terms/facts.ts', 'viem', 'family-facts-need-no-library'],
  ['packages/families/local.ts', 'packages/families/evm/local/leaf.ts', 'families-load-when-used'],
  ['packages/party/store/a.ts', 'packages/party/engine/leaf.ts', 'party-store-imports'],
  ['packages/party/store/b.ts', 'packages/party/store/missing.ts', 'everything-resolves'],
  ['packages/party/engine/a.ts', 'packages/families/evm/server/leaf.ts', 'party-imports-its-dependencies'],
  ['packages/party/engine/b.ts', 'packages/service/leaf.ts', 'party-imports-its-dependencies'],
  ['packages/party/engine/c.ts', 'pg', 'database-libraries-stay-in-store'],
  ['packages/party/engine/d.ts', 'packages/chain-kit/providers/leaf.ts', 'family-is-used-through-its-port'],
  ['packages/party/engine/e.ts', 'packages/party/engine/f.ts', 'no-cycles'],
  ['packages/party/engine/type-circle.ts', 'packages/party/engine/types-back.ts', 'no-cycles'],
  ['packages/party/engine/g.ts', 'packages/sdk/src/leaf.ts', 'party-imports-its-dependencies'],
  ['packages/party/prices/a.ts', 'packages/party/engine/leaf.ts', 'party-prices-imports'],
  ['packages/service/a.ts', 'packages/solver/leaf.ts', 'service-imports-its-dependencies'],
  ['packages/service/b.ts', 'packages/chain-kit/testing/leaf.ts', 'shipped-code-imports-no-test'],
  ['packages/service/c.ts', 'packages/local/leaf.ts', 'service-imports-its-dependencies'],
  ['packages/service/e.ts', 'packages/keys/held-keys.ts', 'keys-are-held-in-their-package'],
  ['packages/service/d.ts', 'packages/reference/leaf.ts', 'service-imports-its-dependencies'],
  ['packages/solver/a.ts', 'packages/service/leaf.ts', 'solver-imports-its-dependencies'],
  ['packages/solver/b.ts', 'packages/families/bitcoin/server/leaf.ts', 'solver-imports-its-dependencies'],
  ['packages/local/a.ts', 'test/leaf.ts', 'shipped-code-imports-no-test'],
  ['packages/local/b.ts', 'viem', 'libraries-are-listed'],
  ['packages/cli/a.ts', 'demo/leaf.ts', 'shipped-code-imports-no-test'],
  ['packages/sdk/src/a.ts', 'packages/party/engine/leaf.ts', 'sdk-imports-its-dependencies'],
  ['packages/sdk/src/b.ts', 'packages/families/evm/terms/leaf.ts', 'sdk-families-load-when-used'],
  ['packages/sdk/src/c.ts', 'node:fs', 'browser-code-uses-no-node-built-in'],
  ['packages/web/pages/a.ts', 'packages/sdk/src/leaf.ts', 'web-knows-what-integrators-know'],
  ['packages/web/pages/b.ts', 'esbuild', 'web-uses-few-libraries'],
] as const

const ALLOWED = [
  ['packages/protocol/wire/ok.ts', 'typebox'],
  ['packages/protocol/ok.ts', '@noble/hashes/sha2.js'],
  ['packages/protocol/ok.test.ts', 'fast-check'],
  ['packages/families/evm/server/ok.ts', 'packages/families/evm/contract/artifacts/leaf.ts'],
  ['packages/families/evm/server/ok2.ts', 'viem'],
  ['packages/families/evm/server/ok3.ts', 'packages/keys/leaf.ts'],
  ['packages/families/evm/local/ok.ts', '@nomicfoundation/edr'],
  ['packages/families/tron/server/ok.ts', 'packages/families/evm/server/leaf.ts'],
  ['packages/families/tron/server/ok2.ts', 'viem'],
  ['packages/families/tron/local/ok.ts', 'tronweb'],
  ['packages/families/tron/local/ok2.ts', 'packages/families/evm/local/leaf.ts'],
  ['packages/families/tron/local/ok3.ts', 'packages/families/evm/contract/artifacts/leaf.ts'],
  ['packages/families/tron/local/ok4.ts', 'packages/chain-kit/local/leaf.ts'],
  ['packages/families/bitcoin/server/ok.ts', 'packages/chain-kit/providers/leaf.ts'],
  ['packages/families/bitcoin/server/ok2.ts', '@scure/btc-signer'],
  ['packages/families/index.ts', 'packages/families/bitcoin/terms/facts.ts'],
  ['packages/families/bitcoin/terms/facts.ts', '@scure/base'],
  ['packages/party/store/ok.ts', 'packages/protocol/leaf.ts'],
  ['packages/party/store/ok2.ts', 'pg'],
  ['packages/party/engine/ok.ts', 'packages/chain-kit/port/leaf.ts'],
  ['packages/party/engine/ok2.ts', 'packages/party/store/leaf.ts'],
  ['packages/party/engine/ok.test.ts', 'test/leaf.ts'],
  ['packages/service/ok.ts', 'packages/party/engine/leaf.ts'],
  ['packages/reference/ok.ts', 'packages/service/leaf.ts'],
  ['packages/reference/ok2.ts', '@fastify/swagger'],
  ['packages/solver/ok.ts', 'packages/party/prices/leaf.ts'],
  ['packages/local/ok.ts', 'packages/solver/leaf.ts'],
  ['packages/local/ok2.ts', 'packages/chain-kit/local/leaf.ts'],
  ['packages/web/pages/ok.ts', 'preact'],
] as const

const FOLDERS_WITH_LEAVES = [
  ...['keys', 'local', 'protocol', 'reference', 'service', 'solver', 'sdk/src'],
  ...['chain-kit/local', 'chain-kit/port', 'chain-kit/providers', 'chain-kit/testing'],
  ...[
    'families/bitcoin/local',
    'families/bitcoin/server',
    'families/evm/contract/artifacts',
    'families/evm/local',
    'families/evm/server',
    'families/evm/terms',
  ],
  ...['party/engine', 'party/prices', 'party/store'],
].map((folder) => `packages/${folder}`)
const LEAVES = [...[...FOLDERS_WITH_LEAVES, 'test', 'demo'].map((folder) => `${folder}/leaf.ts`), 'packages/keys/held-keys.ts']

const repositoryDir = join(import.meta.dirname, '..')
let folder: string
let violations: readonly string[]
let modules: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-imports-'))
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  for (const leaf of LEAVES) await write(leaf, 'export const leaf = 1\n')
  await write('packages/party/engine/f.ts', "export * from './e.ts'\n")
  await write('packages/party/engine/types-back.ts', "import type { used } from './type-circle.ts'\nexport type Used = typeof used\n")
  for (const [from, to] of [...FORBIDDEN, ...ALLOWED]) {
    const isOurs = to.endsWith('.ts')
    const path = isOurs ? relative(dirname(from), to) : to
    await write(from, `import * as imported from '${isOurs && !path.startsWith('.') ? `./${path}` : path}'\nexport const used = imported\n`)
  }
  const packages = [...packageFolders(repositoryDir).values()].map((path) => relative(repositoryDir, join(path, 'package.json')))
  for (const name of ['tsconfig.json', 'package.json', 'node_modules', ...packages]) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await symlink(join(repositoryDir, name), join(folder, name))
  }
  const report = await checkImports(folder)
  violations = report.violations
  modules = report.modules
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the tool sees every file', () => {
  expect(modules).toBeGreaterThanOrEqual(new Set([...FORBIDDEN, ...ALLOWED].map(([from]) => from)).size)
})

test.each(FORBIDDEN)('%s must not import %s (%s)', (from, _to, rule) => {
  expect(violations.filter((violation) => violation.startsWith(`${rule}: ${from} → `))).toHaveLength(1)
})

test.each(ALLOWED)('%s may import %s', (from) => {
  expect(violations.filter((violation) => violation.includes(`: ${from} → `))).toEqual([])
})
