// Runs the Move compiler and its virtual machine, from the npm package @zktx.io/sui-move-builder.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  getPinnedSuiMoveVersion,
  initMovePackageBuilder,
  MovePackageFetcher,
  prepareMovePackagePublish,
  testMovePackage,
} from '@zktx.io/sui-move-builder/full'

export type PackageFiles = Readonly<Record<string, string>>

/** The folder has the packages `move-stdlib` and `sui-framework`, or stand-ins for them. */
export type Framework = string

export interface CompiledPackage {
  readonly modules: readonly Uint8Array[]
  readonly dependencies: readonly string[]
  readonly digest: Uint8Array
}

/** Rejects with the compiler's errors; a warning is an error too. */
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

export async function testPackage(files: PackageFiles, framework: Framework): Promise<string> {
  const result = await testMovePackage(await inputOf(files, framework))
  if ('error' in result) throw new Error(result.error)
  return result.output
}

/** The version is that of Sui, whose compiler this is. */
export const compilerVersion = (): Promise<string> => getPinnedSuiMoveVersion()

async function inputOf(files: PackageFiles, framework: Framework) {
  await initMovePackageBuilder()
  const manifest = `${files['Move.toml'] ?? ''}\n[dependencies]\nSui = { local = "sui-framework" }\nMoveStdlib = { local = "move-stdlib" }\n`
  return { files: { ...files, 'Move.toml': manifest }, fetcher: new FolderFetcher(framework), network: 'mainnet' as const }
}

/** No request ever goes to a network. */
class FolderFetcher extends MovePackageFetcher {
  constructor(framework: Framework) {
    super()
    this.fetchLocal = async (path) => readPackage(join(framework, path.split('/').at(-1) ?? path))
  }
}

export function readPackage(folder: string): PackageFiles {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => relative(folder, join(folder, name)))
  const wanted = names.filter((name) => name === 'Move.toml' || (name.startsWith('sources') && name.endsWith('.move'))).sort()
  return Object.fromEntries(wanted.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}
