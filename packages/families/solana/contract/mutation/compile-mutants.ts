// Compiles broken variants of the program, a few at a time.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Mutant } from '@tandem/chain-kit/testing/mutants.ts'
import { compileProgram, sourceFolder } from '../compile.ts'

const atOnce = 2

/** Null stands for the unchanged sources. */
export async function compileMutants(
  clang: readonly [string, ...string[]],
  mutants: readonly (Mutant | null)[],
): Promise<readonly Buffer[]> {
  const programs: Buffer[] = []
  for (let start = 0; start < mutants.length; start += atOnce)
    programs.push(...(await Promise.all(mutants.slice(start, start + atOnce).map((mutant) => compileMutant(clang, mutant)))))
  return programs
}

async function compileMutant(clang: readonly [string, ...string[]], mutant: Mutant | null): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-mutant-'))
  try {
    let occurrences = 0
    for (const file of await readdir(sourceFolder)) {
      const content = await readFile(join(sourceFolder, file), 'utf8')
      const parts = mutant === null ? [content] : content.split(mutant.text)
      occurrences += parts.length - 1
      await writeFile(join(folder, file), parts.join(mutant?.replacement))
    }
    if (mutant !== null && occurrences !== 1) throw new Error(`${mutant.name}: the sources have its text ${occurrences} times`)
    // These options compile quickly, and without warnings of code that a removed check leaves unused.
    return await compileProgram(clang, folder, ['-O0', '-w'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
