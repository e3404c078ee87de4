// Reads the relocatable ELF object that clang writes for BPF: sections, symbols, relocations.

export interface Section {
  readonly index: number
  readonly name: string
  readonly type: number
  readonly flags: number
  readonly offset: number
  readonly size: number
  /** In a symbol table, this is the section of the names. */
  readonly link: number
  /** In a relocation section, this is the section to which the relocations apply. */
  readonly info: number
  readonly alignment: number
}

export interface BpfSymbol {
  readonly name: string
  /** Zero means undefined: the symbol is a system call. */
  readonly section: number
  readonly value: number
}

export interface Relocation {
  readonly section: number
  readonly offset: number
  readonly type: number
  readonly symbol: BpfSymbol
}

export interface BpfObject {
  readonly bytes: Buffer
  readonly sections: readonly Section[]
  readonly symbols: readonly BpfSymbol[]
  readonly relocations: readonly Relocation[]
}

export const sectionType = { data: 1, symbols: 2, strings: 3, dynamic: 6, relocations: 9, dynamicSymbols: 11 } as const
export const sectionFlag = { writable: 1, loaded: 2, executable: 4 } as const

const machineBpf = 247
const relocatable = 1
const sectionHeaderSize = 64
const symbolSize = 24
const relocationSize = 16

export function readObject(bytes: Buffer): BpfObject {
  const isElf = bytes.length >= 64 && bytes.readUInt32BE(0) === 0x7f454c46
  if (!isElf || bytes.readUInt16LE(16) !== relocatable || bytes.readUInt16LE(18) !== machineBpf)
    throw new Error('not a relocatable BPF object')
  const sections = readSections(bytes)
  const symbols = readSymbols(bytes, sections)
  return { bytes, sections, symbols, relocations: readRelocations(bytes, sections, symbols) }
}

function readSections(bytes: Buffer): readonly Section[] {
  const start = readNumber(bytes, 40)
  const headers = Array.from({ length: bytes.readUInt16LE(60) }, (_, index) => start + index * sectionHeaderSize)
  const namesHeader = headers[bytes.readUInt16LE(62)]
  if (namesHeader === undefined) throw new Error('the object has no names of sections')
  const namesOffset = readNumber(bytes, namesHeader + 24)
  return headers.map((at, index) => ({
    index,
    name: readText(bytes, namesOffset + bytes.readUInt32LE(at)),
    type: bytes.readUInt32LE(at + 4),
    flags: readNumber(bytes, at + 8),
    offset: readNumber(bytes, at + 24),
    size: readNumber(bytes, at + 32),
    link: bytes.readUInt32LE(at + 40),
    info: bytes.readUInt32LE(at + 44),
    alignment: Math.max(1, readNumber(bytes, at + 48)),
  }))
}

function readSymbols(bytes: Buffer, sections: readonly Section[]): readonly BpfSymbol[] {
  const table = sections.find(({ type }) => type === sectionType.symbols)
  const names = sections[table?.link ?? 0]
  if (table === undefined || names === undefined) throw new Error('the object has no symbols')
  return entries(table, symbolSize).map((at) => ({
    name: readText(bytes, names.offset + bytes.readUInt32LE(at)),
    section: bytes.readUInt16LE(at + 6),
    value: readNumber(bytes, at + 8),
  }))
}

function readRelocations(bytes: Buffer, sections: readonly Section[], symbols: readonly BpfSymbol[]): readonly Relocation[] {
  return sections
    .filter(({ type }) => type === sectionType.relocations)
    .flatMap((table) =>
      entries(table, relocationSize).map((at) => {
        const symbol = symbols[bytes.readUInt32LE(at + 12)]
        if (symbol === undefined) throw new Error(`${table.name} names a symbol that the object lacks`)
        return { section: table.info, offset: readNumber(bytes, at), type: bytes.readUInt32LE(at + 8), symbol }
      }),
    )
}

function entries({ offset, size }: Section, entrySize: number): readonly number[] {
  return Array.from({ length: size / entrySize }, (_, index) => offset + index * entrySize)
}

function readNumber(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at))
}

function readText(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, bytes.indexOf(0, at))
}
