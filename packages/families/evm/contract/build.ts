// Writes the committed contract artefacts from the Solidity sources, or with --check verifies that they are up to date.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Artifact, compileContracts } from './compile.ts'

const artifactsFolder = join(import.meta.dirname, 'artifacts')

/** Each contract has one file, typed so that ABI calls are checked. Each ABI item has a line, so that a change is a readable diff. */
function render(artifact: Artifact): [file: string, content: string] {
  const { contractName, sourceName, abi, bytecode } = artifact
  const exportName = contractName.charAt(0).toLowerCase() + contractName.slice(1)
  const content = `// Generated from ${sourceName} by \`npm run contracts\`.
export const ${exportName} = {
  contractName: '${contractName}',
  abi: [
${abi.map((item) => `    ${JSON.stringify(item)},\n`).join('')}  ],
  bytecode: '${bytecode}',
${isDeployedByOperators(sourceName) ? renderProvenance(artifact) : ''}} as const
`
  return [`${kebabCase(contractName)}.ts`, content]
}

/** Test tokens and simulator contracts exist on local chains only, so nobody has to verify them. */
function isDeployedByOperators(sourceName: string): boolean {
  return !/^(test|hypercore\/simulator)\//.test(sourceName)
}

/** `deploy` compares these facts with the code on a chain, and a third party needs them to compile the same bytes. */
function renderProvenance({ deployedBytecode, immutableReferences, sourceHash, compiler }: Artifact): string {
  return `  deployedBytecode: '${deployedBytecode}',
  immutableReferences: ${JSON.stringify(immutableReferences)},
  sourceHash: '${sourceHash}',
  compiler: ${JSON.stringify(compiler)},
`
}

function kebabCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase()
}

/** Leftovers that the sources do not give count as stale too. */
function staleFiles(expected: ReadonlyMap<string, string>): string[] {
  const present = new Set(readdirSync(artifactsFolder))
  const leftovers = [...present].filter((file) => !expected.has(file))
  const differing = [...expected].filter(
    ([file, content]) => !present.has(file) || readFileSync(join(artifactsFolder, file), 'utf8') !== content,
  )
  return [...leftovers, ...differing.map(([file]) => file)].sort()
}

function main(): void {
  const expected = new Map(compileContracts().map(render))
  mkdirSync(artifactsFolder, { recursive: true })
  const stale = staleFiles(expected)
  if (process.argv.includes('--check')) {
    if (stale.length === 0) {
      process.stdout.write(`${expected.size} contract artefacts are up to date\n`)
      return
    }
    process.stderr.write(
      `contract artefacts differ from what the sources compile to: ${stale.join(', ')}\nrun \`npm run contracts\` and commit\n`,
    )
    process.exitCode = 1
    return
  }
  for (const file of stale) {
    const content = expected.get(file)
    if (content === undefined) rmSync(join(artifactsFolder, file))
    else writeFileSync(join(artifactsFolder, file), content)
  }
  process.stdout.write(`${expected.size} contract artefacts, ${stale.length} changed\n`)
}

main()
