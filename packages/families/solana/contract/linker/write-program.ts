// Writes the ELF file that Solana's loader reads: code and constants at fixed offsets, and a table of the system calls.
import { sectionFlag, sectionType } from './read-object.ts'

export interface SystemCall {
  /** The offset is from the start of the code. */
  readonly at: number
  readonly name: string
}

interface Program {
  readonly code: Buffer
  readonly constants: Buffer
  /** The offset is from the start of the code. */
  readonly entry: number
  readonly systemCalls: readonly SystemCall[]
}

interface OutputSection {
  readonly name: string
  readonly type: number
  readonly flags: number
  readonly bytes: Buffer
  readonly link?: number
  readonly entrySize?: number
}

const fileHeaderSize = 64
const segmentHeaderSize = 56
const sectionHeaderSize = 64
const segments = 3
export const codeOffset = fileHeaderSize + segments * segmentHeaderSize

const sharedObject = 3
const machineBpf = 247
const callRelocation = 10
const globalSymbol = 0x10
const segmentType = { load: 1, dynamic: 2 } as const
const readable = 4
const dynamicTag = {
  end: 0,
  stringTable: 5,
  symbolTable: 6,
  symbolEntrySize: 11,
  relocationTable: 17,
  relocationSize: 18,
  relocationEntrySize: 19,
} as const

export function writeProgram({ code, constants, entry, systemCalls }: Program): Buffer {
  const names = [...new Set(systemCalls.map(({ name }) => name))]
  const { table: nameTable, offsets } = textTable(names)
  const symbols = words([0, 0, 0], ...names.map((name): Words => [BigInt(offsets.get(name) ?? 0) | (BigInt(globalSymbol) << 32n), 0, 0]))
  const relocations = words(
    ...systemCalls.map(({ at, name }): Words => [codeOffset + at, (BigInt(names.indexOf(name) + 1) << 32n) | BigInt(callRelocation)]),
  )
  const dynamicOffset = codeOffset + code.length + constants.length
  const dynamicSize = 7 * 16
  const symbolsOffset = dynamicOffset + dynamicSize
  const namesOffset = symbolsOffset + symbols.length
  const relocationsOffset = namesOffset + nameTable.length
  const dynamic = words(
    [dynamicTag.symbolTable, symbolsOffset],
    [dynamicTag.symbolEntrySize, 24],
    [dynamicTag.stringTable, namesOffset],
    [dynamicTag.relocationTable, relocationsOffset],
    [dynamicTag.relocationSize, relocations.length],
    [dynamicTag.relocationEntrySize, 16],
    [dynamicTag.end, 0],
  )
  const { loaded, executable, writable } = sectionFlag
  const sections: readonly OutputSection[] = [
    { name: '.text', type: sectionType.data, flags: loaded | executable, bytes: code },
    { name: '.rodata', type: sectionType.data, flags: loaded, bytes: constants },
    { name: '.dynamic', type: sectionType.dynamic, flags: loaded | writable, bytes: dynamic, link: 5, entrySize: 16 },
    { name: '.dynsym', type: sectionType.dynamicSymbols, flags: loaded, bytes: symbols, link: 5, entrySize: 24 },
    { name: '.dynstr', type: sectionType.strings, flags: loaded, bytes: nameTable },
    { name: '.rel.dyn', type: sectionType.relocations, flags: loaded, bytes: relocations, link: 4, entrySize: 16 },
  ]
  const body = Buffer.concat(sections.map(({ bytes }) => bytes))
  const sectionNames = textTable([...sections.map(({ name }) => name), '.shstrtab'])
  const sectionNamesOffset = codeOffset + body.length
  const sectionHeaders = [
    words([0, 0, 0, 0, 0, 0, 0, 0]),
    ...headersOf(sections, sectionNames.offsets),
    sectionHeader(
      { name: '.shstrtab', type: sectionType.strings, flags: 0, bytes: sectionNames.table },
      sectionNamesOffset,
      sectionNames.offsets,
    ),
  ]
  const loadedSize = code.length + constants.length
  return Buffer.concat([
    fileHeader(codeOffset + entry, sectionNamesOffset + sectionNames.table.length, sectionHeaders.length),
    segmentHeader(segmentType.load, readable | 1, codeOffset, loadedSize),
    segmentHeader(segmentType.load, readable, dynamicOffset, codeOffset + body.length - dynamicOffset),
    segmentHeader(segmentType.dynamic, readable | 2, dynamicOffset, dynamicSize),
    body,
    sectionNames.table,
    ...sectionHeaders,
  ])
}

function fileHeader(entry: number, sectionHeadersOffset: number, sectionCount: number): Buffer {
  const header = Buffer.alloc(fileHeaderSize)
  header.writeUInt32BE(0x7f454c46, 0)
  // The bytes mean 64 bits, little-endian, version 1.
  header.set([2, 1, 1], 4)
  header.writeUInt16LE(sharedObject, 16)
  header.writeUInt16LE(machineBpf, 18)
  header.writeUInt32LE(1, 20)
  header.writeBigUInt64LE(BigInt(entry), 24)
  header.writeBigUInt64LE(BigInt(fileHeaderSize), 32)
  header.writeBigUInt64LE(BigInt(sectionHeadersOffset), 40)
  header.writeUInt16LE(fileHeaderSize, 52)
  header.writeUInt16LE(segmentHeaderSize, 54)
  header.writeUInt16LE(segments, 56)
  header.writeUInt16LE(sectionHeaderSize, 58)
  header.writeUInt16LE(sectionCount, 60)
  header.writeUInt16LE(sectionCount - 1, 62)
  return header
}

function segmentHeader(type: number, flags: number, offset: number, size: number): Buffer {
  return words([BigInt(type) | (BigInt(flags) << 32n), offset, offset, offset, size, size, 8])
}

function headersOf(sections: readonly OutputSection[], nameOffsets: ReadonlyMap<string, number>): readonly Buffer[] {
  let offset = codeOffset
  return sections.map((section) => {
    const header = sectionHeader(section, offset, nameOffsets)
    offset += section.bytes.length
    return header
  })
}

function sectionHeader(
  { name, type, flags, bytes, link = 0, entrySize = 0 }: OutputSection,
  offset: number,
  nameOffsets: ReadonlyMap<string, number>,
): Buffer {
  const nameAndType = BigInt(nameOffsets.get(name) ?? 0) | (BigInt(type) << 32n)
  // The first symbol that is not local has index 1.
  const linkAndInfo = BigInt(link) | (type === sectionType.dynamicSymbols ? 1n << 32n : 0n)
  const address = (flags & sectionFlag.loaded) === 0 ? 0 : offset
  return words([nameAndType, flags, address, offset, bytes.length, linkAndInfo, 8, entrySize])
}

/** Each text ends with a zero byte. The table begins with an empty text and is padded to a multiple of eight bytes. */
function textTable(texts: readonly string[]): { readonly table: Buffer; readonly offsets: ReadonlyMap<string, number> } {
  const offsets = new Map<string, number>()
  let table = '\0'
  for (const text of texts) {
    offsets.set(text, table.length)
    table += `${text}\0`
  }
  return { table: Buffer.from(table.padEnd(Math.ceil(table.length / 8) * 8, '\0'), 'latin1'), offsets }
}

type Words = readonly (number | bigint)[]

function words(...rows: readonly Words[]): Buffer {
  const values = rows.flat()
  const bytes = Buffer.alloc(values.length * 8)
  values.forEach((value, index) => {
    bytes.writeBigUInt64LE(BigInt(value), index * 8)
  })
  return bytes
}
