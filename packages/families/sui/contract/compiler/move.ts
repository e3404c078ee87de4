// The Move compiler and its virtual machine, from the npm package @zktx.io/sui-move-builder.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  getPinnedSuiMoveVersion,
  initMovePackageBuilder,
  MovePackageFetcher,
  prepareMovePackagePublish,
  testMovePackage,
} from '@zktx.io/sui-move-builder/full'

/** Text by path inside of the package. */
export type PackageFiles = Readonly<Record<string, string>>

/** Where the packages `move-stdlib` and `sui-framework` are, or stand-ins for them. */
export type Framework = string

export interface CompiledPackage {
  readonly modules: readonly Uint8Array[]
  readonly dependencies: readonly string[]
  readonly digest: Uint8Array
}

/** Rejects with what the compiler says is wrong; a warning is wrong too. */
export async function compilePackage(files: PackageFiles, framework: Framework): Promise<CompiledPackage> {
  const result = await prepareMovePackagePublish(await inputOf(files, framework))
  if ('error' in result) throw new Error(result.error)
  if (result.warnings !== undefined && result.warnings !== '') throw new Error(result.warnings)
  return {
    modules: result.modules.map((module) => Buffer.from(module, 'base64')),
    dependencies: result.dependencies,
    digest: Uint8Array.from(result.digest),
  }
}

/** What the test runner prints. Rejects if the tests cannot be compiled. */
export async function testPackage(files: PackageFiles, framework: Framework): Promise<string> {
  const result = await testMovePackage(await inputOf(files, framework))
  if ('error' in result) throw new Error(result.error)
  return result.output
}

/** Of Sui, whose compiler this is. */
export const compilerVersion = (): Promise<string> => getPinnedSuiMoveVersion()

async function inputOf(files: PackageFiles, framework: Framework) {
  await initMovePackageBuilder()
  const manifest = `${files['Move.toml'] ?? ''}\n[dependencies]\nSui = { local = "sui-framework" }\nMoveStdlib = { local = "move-stdlib" }\n`
  return { files: { ...files, 'Move.toml': manifest }, fetcher: new FolderFetcher(framework), network: 'mainnet' as const }
}

/** Nothing is ever asked of a network. */
class FolderFetcher extends MovePackageFetcher {
  constructor(framework: Framework) {
    super()
    this.fetchLocal = async (path) => readPackage(join(framework, path.split('/').at(-1) ?? path))
  }
}

/** The manifest and all Move files of a folder. */
export function readPackage(folder: string): PackageFiles {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => relative(folder, join(folder, name)))
  const wanted = names.filter((name) => name === 'Move.toml' || (name.startsWith('sources') && name.endsWith('.move'))).sort()
  return Object.fromEntries(wanted.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}
