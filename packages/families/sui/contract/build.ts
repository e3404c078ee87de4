// Compiles the package and writes its committed files (`npm run move`).
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compilePackage, compilerVersion, readPackage } from './compiler/move.ts'
import { renderArtifacts } from './compiler/render.ts'

const folder = join(import.meta.dirname, 'artifacts')
const files = readPackage(import.meta.dirname)
const compiled = await compilePackage(files, join(import.meta.dirname, 'interfaces'))
const artifacts = renderArtifacts(files, compiled, await compilerVersion())
await mkdir(folder, { recursive: true })
for (const [name, content] of artifacts) await writeFile(join(folder, name), content)
process.stdout.write(`${[...artifacts.keys()].join(', ')} written to packages/families/sui/contract/artifacts\n`)
