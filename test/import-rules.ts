// The import rules of .dependency-cruiser.cjs hold, and the checking tool really saw the code.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

type ImportReport = { readonly modules: number; readonly violations: readonly string[] }

const repositoryDir = join(import.meta.dirname, '..')
const FOLDERS = ['packages', 'demo', 'bench', 'test', 'docs', 'examples']

// A parser that does not understand the code finds no modules and therefore no violations.
const MIN_MODULES = 20

/** `projectDir` has the same folders as this repository; its rules are always this repository's. */
export const checkImports = async (projectDir: string): Promise<ImportReport> => {
  const folders = FOLDERS.filter((folder) => existsSync(join(projectDir, folder)))
  const cruiser = join(repositoryDir, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs')
  const args = [cruiser, ...folders, '--config', join(repositoryDir, '.dependency-cruiser.cjs'), '--output-type', 'json']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: projectDir, maxBuffer: 1 << 28 })
  const { summary } = JSON.parse(stdout) as CruiserOutput
  return {
    modules: summary.totalCruised,
    violations: summary.violations.map(
      ({ rule, from, to, cycle }) => `${rule.name}: ${[from, ...(cycle?.map(({ name }) => name) ?? [to])].join(' → ')}`,
    ),
  }
}

type CruiserOutput = {
  readonly summary: {
    readonly totalCruised: number
    readonly violations: readonly {
      readonly rule: { readonly name: string }
      readonly from: string
      readonly to: string
      readonly cycle?: readonly { readonly name: string }[]
    }[]
  }
}

if (process.argv[1] === import.meta.filename) {
  const { modules, violations } = await checkImports(repositoryDir)
  process.stdout.write(`${[...violations, `${modules} modules, ${violations.length} violations`].join('\n')}\n`)
  if (modules < MIN_MODULES) process.stdout.write(`fewer than ${MIN_MODULES} modules: the tool did not see the code\n`)
  process.exitCode = violations.length > 0 || modules < MIN_MODULES ? 1 : 0
}
