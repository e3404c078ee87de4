// The committed files of the package: its bytecode and its interface.
import { bytesToHex } from '@noble/hashes/utils.js'
import { selfAddressOffset } from './bytecode.ts'
import { interfaceOf } from './interface.ts'
import type { CompiledPackage, PackageFiles } from './move.ts'

export const moduleFile = 'sources/htlc.move'

/** Content by file name. */
export function renderArtifacts(files: PackageFiles, compiled: CompiledPackage, compiler: string): ReadonlyMap<string, string> {
  const [module, ...more] = compiled.modules
  if (module === undefined || more.length > 0) throw new Error(`the package has ${compiled.modules.length} modules`)
  return new Map([
    ['htlc.ts', renderModule(module, compiled, compiler)],
    ['htlc.json', `${JSON.stringify(interfaceOf(files[moduleFile] ?? ''), null, 2)}\n`],
  ])
}

function renderModule(module: Uint8Array, { dependencies, digest }: CompiledPackage, compiler: string): string {
  return `// Generated from packages/families/sui/contract/sources by \`npm run move\`.
export const htlcPackage = {
  /** Bytecode of the only module, as it is published. */
  module: '${Buffer.from(module).toString('base64')}',
  /** Where the bytecode has 32 zero bytes, which publishing replaces with the package's id. */
  selfAddressOffset: ${selfAddressOffset(module)},
  dependencies: [${dependencies.map((id) => `'${id}'`).join(', ')}],
  /** Of modules and dependencies, as the Sui CLI shows it. */
  digest: '${bytesToHex(digest)}',
  compiler: 'sui-move ${compiler}',
} as const
`
}
