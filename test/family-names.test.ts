/** Tests that only the families name a family. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findFamilyNames } from './family-names.ts'

test('only the families name a family; coins have names of their own', () => {
  expect(findFamilyNames(join(import.meta.dirname, '..'))).toEqual([])
})

test('reports family names in identifiers and texts, but not in comments or in family folders', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-names-'))
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  try {
    await write('packages/party/engine/a.ts', "export const family = 'evm'\n")
    await write('packages/party/engine/b.ts', 'export const startEvmChain = 1\n')
    await write('packages/party/engine/c.ts', `export const text = (n: number) => \`\${n} of Bitcoin\`\n`)
    await write('packages/service/d.ts', 'export const evmChain = 1, tronWallet = 2, strong = 3\n')
    await write('packages/service/e.ts', '// On Bitcoin this differs.\nexport const electronic = 1\n')
    await write('packages/families/evm/server/f.ts', "export const name = 'evm'\n")
    await write('packages/protocol/registry/g.ts', "export const name = 'tron'\n")
    await write('packages/party/engine/h.test.ts', "export const name = 'tron'\n")
    await write('packages/sdk/src/swap/i.ts', 'export const evmSwap = 1\n')
    await write('packages/families/evm/browser/j.ts', "export const name = 'evm'\n")
    expect(findFamilyNames(folder)).toEqual([
      'packages/party/engine/a.ts:1: evm',
      'packages/party/engine/b.ts:1: startEvmChain',
      'packages/party/engine/c.ts:1:  of Bitcoin',
      'packages/protocol/registry/g.ts:1: tron',
      'packages/sdk/src/swap/i.ts:1: evmSwap',
      'packages/service/d.ts:1: evmChain',
      'packages/service/d.ts:1: tronWallet',
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
