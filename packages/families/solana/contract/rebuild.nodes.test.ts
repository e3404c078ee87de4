// This test compiles the program again: the committed one must equal the result.
import { createHash } from 'node:crypto'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeWithCompiler } from '../../../../test/nodes/describe-with-node.ts'
import { fetchProgram } from '../../../../test/nodes/fetch.ts'
import { htlcProgram } from './artifacts/htlc.ts'
import { compileProgram, sourceFolder } from './compile.ts'

await describeWithCompiler('the Solana program, compiled again', () => {
  test('is the committed one, from any folder', async () => {
    const clang = await fetchProgram('clang')
    const folder = await mkdtemp(join(tmpdir(), 'tandem-elsewhere-'))
    try {
      await cp(sourceFolder, folder, { recursive: true })
      for (const from of [sourceFolder, folder]) {
        const program = await compileProgram(clang, from)
        expect(createHash('sha256').update(program).digest('hex')).toBe(htlcProgram.sha256)
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('cannot have variables, or call what is not there', async () => {
    const clang = await fetchProgram('clang')
    const folder = await mkdtemp(join(tmpdir(), 'tandem-elsewhere-'))
    const compile = async (source: string) => {
      await writeFile(join(folder, 'htlc.c'), source)
      return compileProgram(clang, folder)
    }
    try {
      await expect(compile('int n; int entrypoint(void) { return n++; }')).rejects.toThrow('a program has no writable data')
      await expect(compile('int main(void) { return 0; }')).rejects.toThrow('the object has no entrypoint')
      await expect(compile('extern int n; int entrypoint(void) { return n; }')).rejects.toThrow('n is not part of the program')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
