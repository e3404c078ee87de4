import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkImports } from './import-rules.ts'

// [file, its import, the rule that it breaks]: one project that breaks every rule once.
const FORBIDDEN = [
  ['src/protocol/a.ts', 'src/chains/port/leaf.ts', 'protocol-imports'],
  ['src/protocol/b.ts', 'node:fs', 'protocol-does-no-io'],
  ['src/protocol/c.ts', 'viem', 'protocol-uses-hashes-only'],
  ['src/protocol/d.ts', 'typebox', 'protocol-uses-hashes-only'],
  ['src/protocol/wire/a.ts', 'kysely', 'wire-uses-hashes-and-typebox-only'],
  ['src/chains/bitcoin/a.ts', 'src/store/leaf.ts', 'chains-imports'],
  ['src/chains/bitcoin/b.ts', 'src/chains/evm/leaf.ts', 'family-imports-no-family'],
  ['src/chains/bitcoin/c.ts', 'packages/families/index.ts', 'family-knows-only-its-interface'],
  ['src/chains/tron/a.ts', 'src/chains/bitcoin/leaf.ts', 'evm-relatives-import-evm-only'],
  ['src/chains/evm/a.ts', 'contracts/evm/leaf.ts', 'chains-imports'],
  ['src/chains/port/a.ts', 'src/chains/evm/leaf.ts', 'family-imports-no-family'],
  ['packages/families/evm/terms/facts.ts', 'viem', 'family-facts-need-no-library'],
  ['packages/families/local.ts', 'devnet/evm/leaf.ts', 'families-load-when-used'],
  ['src/keys/a.ts', 'src/chains/port/leaf.ts', 'keys-imports'],
  ['src/store/a.ts', 'src/chains/port/leaf.ts', 'store-imports'],
  ['src/engine/a.ts', 'src/chains/evm/leaf.ts', 'engine-imports'],
  ['src/engine/b.ts', 'src/service/leaf.ts', 'engine-imports'],
  ['src/engine/c.ts', 'viem', 'viem-stays-in-its-family'],
  ['src/local/c.ts', 'viem', 'viem-stays-in-its-family'],
  ['src/chains/bitcoin/d.ts', 'viem', 'viem-stays-in-its-family'],
  ['devnet/bitcoin/a.ts', 'viem', 'viem-stays-in-its-family'],
  ['src/chains/evm/b.ts', '@scure/btc-signer', '@scure/btc-signer-stays-in-its-family'],
  ['src/chains/evm/c.ts', 'tronweb', 'tronweb-stays-in-its-family'],
  ['src/commands/a.ts', '@nomicfoundation/edr', '@nomicfoundation-stays-in-its-family'],
  ['src/engine/d.ts', 'pg', 'database-libraries-stay-in-store'],
  ['src/service/a.ts', 'src/solver/leaf.ts', 'service-and-solver-are-strangers'],
  ['src/service/b.ts', 'src/chains/testing/leaf.ts', 'service-imports'],
  ['src/service/c.ts', 'devnet/leaf.ts', 'service-imports'],
  ['src/prices/a.ts', 'src/service/leaf.ts', 'prices-imports'],
  ['src/solver/a.ts', 'src/service/leaf.ts', 'solver-imports'],
  ['src/solver/b.ts', 'src/chains/bitcoin/leaf.ts', 'solver-imports'],
  ['src/local/a.ts', 'test/leaf.ts', 'src-imports-no-test'],
  ['packages/cli/cli.ts', 'demo/leaf.ts', 'src-imports-no-test'],
  ['devnet/a.ts', 'src/engine/leaf.ts', 'devnet-imports'],
  ['sdk/src/a.ts', 'src/engine/leaf.ts', 'sdk-imports'],
  ['sdk/src/b.ts', 'src/chains/evm/leaf.ts', 'sdk-families-load-when-used'],
  ['sdk/src/c.ts', 'node:fs', 'sdk-runs-in-browsers'],
  ['src/engine/g.ts', 'sdk/src/leaf.ts', 'engine-imports'],
  ['src/engine/e.ts', 'src/engine/f.ts', 'no-cycles'],
  ['src/engine/type-circle.ts', 'src/engine/types-back.ts', 'no-cycles'],
  ['src/store/b.ts', 'src/store/missing.ts', 'everything-resolves'],
  ['src/local/b.ts', 'fast-check', 'no-development-packages-in-what-is-shipped'],
] as const

const ALLOWED = [
  ['src/protocol/wire/ok.ts', 'typebox'],
  ['src/protocol/ok.ts', '@noble/hashes/sha2.js'],
  ['src/chains/evm/ok.ts', 'contracts/evm/artifacts/leaf.ts'],
  ['src/chains/evm/ok2.ts', 'viem'],
  ['src/chains/tron/ok2.ts', 'viem'],
  ['src/chains/bitcoin/ok2.ts', '@scure/btc-signer'],
  ['devnet/tron/ok.ts', 'tronweb'],
  ['src/chains/evm/ok3.ts', 'src/keys/leaf.ts'],
  ['src/chains/bitcoin/ok.ts', 'src/chains/providers/leaf.ts'],
  ['src/chains/tron/ok.ts', 'src/chains/evm/leaf.ts'],
  ['packages/families/index.ts', 'packages/families/bitcoin/terms/facts.ts'],
  ['packages/families/bitcoin/terms/facts.ts', '@scure/base'],
  ['src/store/ok.ts', 'src/protocol/leaf.ts'],
  ['src/store/ok2.ts', 'pg'],
  ['src/engine/ok.ts', 'src/chains/port/leaf.ts'],
  ['src/service/ok.ts', 'src/engine/leaf.ts'],
  ['src/solver/ok.ts', 'packages/families/index.ts'],
  ['src/solver/ok2.ts', 'src/prices/leaf.ts'],
  ['src/local/ok.ts', 'src/solver/leaf.ts'],
  ['src/local/ok2.ts', 'devnet/leaf.ts'],
  ['devnet/ok.ts', 'src/chains/bitcoin/leaf.ts'],
  ['src/engine/ok.test.ts', 'test/leaf.ts'],
  ['src/protocol/ok.test.ts', 'fast-check'],
] as const

const LEAVES = [
  ...[
    'packages/protocol',
    'packages/keys',
    'packages/party/prices',
    'packages/chain-kit/port',
    'packages/chain-kit/providers',
    'packages/chain-kit/testing',
    'packages/families/evm',
    'packages/families/bitcoin',
    'packages/party/store',
    'packages/party/engine',
    'packages/service',
    'packages/solver',
  ].map((room) => `${room}/leaf.ts`),
  ...[
    'contracts/evm/leaf.ts',
    'contracts/evm/artifacts/leaf.ts',
    'devnet/leaf.ts',
    'devnet/evm/leaf.ts',
    'test/leaf.ts',
    'demo/leaf.ts',
    'sdk/src/leaf.ts',
  ],
]

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
  await write('src/engine/f.ts', "export * from './e.ts'\n")
  await write('src/engine/types-back.ts', "import type { used } from './type-circle.ts'\nexport type Used = typeof used\n")
  for (const [from, to] of [...FORBIDDEN, ...ALLOWED]) {
    const isOurs = to.endsWith('.ts')
    const path = isOurs ? relative(dirname(from), to) : to
    await write(from, `import * as imported from '${isOurs && !path.startsWith('.') ? `./${path}` : path}'\nexport const used = imported\n`)
  }
  for (const name of ['tsconfig.json', 'package.json', 'node_modules']) await symlink(join(repositoryDir, name), join(folder, name))
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
