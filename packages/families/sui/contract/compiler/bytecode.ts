// Where a compiled module names its own package. The layout: move-binary-format, file_format_common.rs.

const magicAndVersion = 8
const addressTable = 8
const addressLength = 32

/** The offset of the zero address that publishing replaces with the package's id. */
export function selfAddressOffset(module: Uint8Array): number {
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
