// Renders the committed files of the package: its bytecode and its interface.
import { bytesToHex } from '@noble/hashes/utils.js'
import { interfaceOf } from './interface.ts'
import type { CompiledPackage, PackageFiles } from './move.ts'

// The places are where a compiled module names its own package. The layout is in move-binary-format, file_format_common.rs.

const magicAndVersion = 8
const addressTable = 8
const addressLength = 32

export const moduleFile = 'sources/htlc.move'

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
  /** The digest of modules and dependencies, as the Sui CLI shows it. */
  digest: '${bytesToHex(digest)}',
  compiler: 'sui-move ${compiler}',
} as const
`
}

function selfAddressOffset(module: Uint8Array): number {
  const { start, length } = tableOf(module, addressTable)
  for (let offset = start; offset < start + length; offset += addressLength)
    if (module.subarray(offset, offset + addressLength).every((byte) => byte === 0)) return offset
  throw new Error('the module does not name the zero address')
}

function tableOf(module: Uint8Array, wanted: number): { readonly start: number; readonly length: number } {
  let position = magicAndVersion
  const readNumber = (): number => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = module[position++]
      if (byte === undefined || shift > 28) throw new Error('the module has no table of addresses')
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const tables = Array.from({ length: readNumber() }, () => ({ kind: readNumber(), offset: readNumber(), length: readNumber() }))
  const table = tables.find(({ kind }) => kind === wanted)
  if (table === undefined) throw new Error('the module has no table of addresses')
  return { start: position + table.offset, length: table.length }
}
