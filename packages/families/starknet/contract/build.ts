// Compiles the contract and writes its committed files (`npm run cairo`).
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { renderArtifacts } from './compiler/render.ts'
import { runCairo } from './compiler/run.ts'
import { contractSource } from './compiler/sources.ts'

const folder = join(import.meta.dirname, 'artifacts')
const files = renderArtifacts(await runCairo({ what: 'compile', source: contractSource() }))
await mkdir(folder, { recursive: true })
for (const [name, content] of files) await writeFile(join(folder, name), content)
process.stdout.write(`${[...files.keys()].join(', ')} written to packages/families/starknet/contract/artifacts\n`)
