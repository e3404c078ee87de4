// Links one BPF object into a program for Solana's loader: sBPF v0, the version that every cluster runs.
import { type BpfObject, type BpfSymbol, type Relocation, readObject, type Section, sectionFlag, sectionType } from './read-object.ts'
import { codeOffset, type SystemCall, writeProgram } from './write-program.ts'

/** The loader maps the file here: an address in the code is an offset in the file plus this. */
const mappedAt = 0x100000000n

const instructionSize = 8
/** BPF objects have two relocations: a 64-bit address in a two-slot instruction, and a call. */
const relocation = { address: 1, call: 10 } as const
/** In the source register of a call, this value means that the target is relative to the call. */
const callWithinProgram = 0x10

export function linkProgram(objectBytes: Buffer, entrypoint = 'entrypoint'): Buffer {
  const object = readObject(objectBytes)
  const code = place(object, isCode, 0)
  const constants = place(object, isConstant, code.bytes.length)
  const start = object.symbols.find(({ name, section }) => name === entrypoint && section !== 0)
  if (start === undefined) throw new Error(`the object has no ${entrypoint}`)
  const systemCalls: SystemCall[] = []
  for (const one of object.relocations) {
    const base = code.positions.get(one.section)
    // Sections that are not loaded, such as debug information, are left out with their relocations.
    if (base === undefined && !constants.positions.has(one.section)) continue
    if (base === undefined) throw new Error(`a constant refers to ${one.symbol.name}: not supported`)
    const at = base + one.offset
    if (one.type === relocation.address) setAddress(code.bytes, at, positionOf(one.symbol, code, constants))
    else if (one.type !== relocation.call) throw new Error(`relocation of type ${one.type} against ${one.symbol.name}: not supported`)
    else if (one.symbol.section === 0) systemCalls.push(systemCall(code.bytes, at, one))
    else setCall(code.bytes, at, positionOf(one.symbol, code, constants))
  }
  return writeProgram({
    code: code.bytes,
    constants: constants.bytes,
    entry: positionOf(start, code, constants),
    systemCalls,
  })
}

interface Placed {
  readonly bytes: Buffer
  readonly positions: ReadonlyMap<number, number>
}

function isCode({ type, flags, size }: Section): boolean {
  return type === sectionType.data && (flags & sectionFlag.executable) !== 0 && size > 0
}

function isConstant({ name, type, flags, size }: Section): boolean {
  if ((flags & sectionFlag.loaded) === 0 || (flags & sectionFlag.executable) !== 0 || size === 0) return false
  if (type !== sectionType.data || (flags & sectionFlag.writable) !== 0) throw new Error(`${name}: a program has no writable data`)
  return true
}

function place(object: BpfObject, isWanted: (section: Section) => boolean, start: number): Placed {
  const positions = new Map<number, number>()
  const parts: Buffer[] = []
  let end = start
  for (const section of object.sections.filter(isWanted)) {
    const at = align(end, Math.max(section.alignment, instructionSize))
    parts.push(Buffer.alloc(at - end), object.bytes.subarray(section.offset, section.offset + section.size))
    positions.set(section.index, at)
    end = at + section.size
  }
  parts.push(Buffer.alloc(align(end, instructionSize) - end))
  return { bytes: Buffer.concat(parts), positions }
}

function positionOf(symbol: BpfSymbol, code: Placed, constants: Placed): number {
  const base = code.positions.get(symbol.section) ?? constants.positions.get(symbol.section)
  if (base === undefined) throw new Error(`${symbol.name} is not part of the program`)
  return base + symbol.value
}

/** The instruction holds an offset from the symbol. Both halves of the sum are split over the instruction's two slots. */
function setAddress(code: Buffer, at: number, position: number): void {
  const address = mappedAt + BigInt(codeOffset + position + code.readInt32LE(at + 4))
  code.writeUInt32LE(Number(address & 0xffffffffn), at + 4)
  code.writeUInt32LE(Number(address >> 32n), at + 12)
}

/** The distance is in instructions, from the one after the call. The instruction holds an offset from the symbol, minus one. */
function setCall(code: Buffer, at: number, position: number): void {
  const target = position + (code.readInt32LE(at + 4) + 1) * instructionSize
  code.writeInt32LE((target - at) / instructionSize - 1, at + 4)
  code[at + 1] = callWithinProgram
}

/** The loader replaces the -1 by the hash of the name. */
function systemCall(code: Buffer, at: number, { symbol }: Relocation): SystemCall {
  code.writeInt32LE(-1, at + 4)
  return { at, name: symbol.name }
}

function align(value: number, to: number): number {
  return Math.ceil(value / to) * to
}
