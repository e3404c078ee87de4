// `npm run program` compiles the Solana program with the fetched compiler and writes its committed files.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compileProgram } from '@tandem/solana/contract/compile.ts'
import { renderArtifacts } from '@tandem/solana/contract/render.ts'
import { fetchProgram } from './fetch.ts'

const folder = join(import.meta.dirname, '../../packages/families/solana/contract/artifacts')
const program = await compileProgram(await fetchProgram('clang'))
await mkdir(folder, { recursive: true })
for (const [name, content] of renderArtifacts(program)) await writeFile(join(folder, name), content)
process.stdout.write(`program of ${program.length} bytes written to packages/families/solana/contract/artifacts\n`)
