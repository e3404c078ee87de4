// Writes the committed contract artefacts from the Solidity sources, or with --check verifies that they are up to date.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Artifact, compileContracts } from './compile.ts'

const artifactsFolder = join(import.meta.dirname, 'artifacts')

function render(artifact: Artifact): [file: string, content: string][] {
  const { contractName, abi, bytecode } = artifact
  // Nobody verifies or uses a test contract from elsewhere.
  const isOurs = !/^(test|hypercore\/simulator)\//.test(artifact.sourceName)
  const exportName = contractName.charAt(0).toLowerCase() + contractName.slice(1)
  const code = `// Generated from ${artifact.sourceName} by \`npm run contracts\`: typed, so that ABI calls are checked.
export const ${exportName} = {
  contractName: '${contractName}',
  abi: ${JSON.stringify(abi, null, 2).replaceAll('\n', '\n  ')},
  bytecode: '${bytecode}',
${isOurs ? renderDeployed(artifact) : ''}} as const
`
  const typed: [string, string] = [`${kebabCase(contractName)}.ts`, code]
  return isOurs ? [[`${kebabCase(contractName)}.json`, `${JSON.stringify(artifact, null, 2)}\n`], typed] : [typed]
}

function renderDeployed({ deployedBytecode, immutableReferences }: Artifact): string {
  return `  deployedBytecode: '${deployedBytecode}',
  immutableReferences: ${JSON.stringify(immutableReferences)},
`
}

function kebabCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase()
}

/** The files whose committed content differs from what the sources give, including leftovers. */
function staleFiles(expected: ReadonlyMap<string, string>): string[] {
  const present = new Set(readdirSync(artifactsFolder))
  const leftovers = [...present].filter((file) => !expected.has(file))
  const differing = [...expected].filter(
    ([file, content]) => !present.has(file) || readFileSync(join(artifactsFolder, file), 'utf8') !== content,
  )
  return [...leftovers, ...differing.map(([file]) => file)].sort()
}

function main(): void {
  const expected = new Map(compileContracts().flatMap(render))
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
