/** Tests that links and commands in Markdown pages exist. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { brokenLinks, missingScripts } from './links.ts'

const repository = join(import.meta.dirname, '..')

test('every relative link in a Markdown page leads to a file', () => {
  expect(brokenLinks(repository)).toEqual([])
})

test('every `npm run` command in a Markdown page has a script', () => {
  expect(missingScripts(repository)).toEqual([])
})

test('finds a link without a target and a command without a script', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-links-'))
  try {
    await mkdir(join(folder, 'docs'))
    await writeFile(join(folder, 'package.json'), '{ "scripts": { "demo": "tsx demo.ts" } }')
    await writeFile(
      join(folder, 'README.md'),
      '[a](docs/a.md#part) [none](docs/none.md) [web](https://example.org/x.md)\n`npm run demo`, `npm run dmeo`\n',
    )
    await writeFile(join(folder, 'docs', 'a.md'), '# Part\n\n[up](../README.md) [part](#part) [none](b.md)\n\n```\n[code](c.md)\n```\n')
    expect(brokenLinks(folder)).toEqual(['README.md: docs/none.md', 'docs/a.md: b.md'])
    expect(missingScripts(folder)).toEqual(['README.md: npm run dmeo'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
