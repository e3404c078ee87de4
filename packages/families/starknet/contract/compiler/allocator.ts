// Gives the compiler another memory allocator. Its own grows memory by 64 KB at a time, which takes more than half of all time, and leaves
// gaps: tests of a whole contract need more than 4 GB. This one keeps freed blocks by size and grows by 64 MB.
import { createHash } from 'node:crypto'

/** The module is wasm-cairo_bg.wasm of wasm-cairo 0.10.2: the numbers below hold only for this version. */
const knownModule = 'fb8e14d690be2994ea5ed768bde1f3f716ba3cacf882f25e0bb71eb2ead45b66'
const memorySection = 5
const codeSection = 10
const importedFunctions = 31
/** The signature is (align, size) → address. */
const allocateFunction = 5456
/** The signature is (address, align, size). */
const freeFunction = 2658

/** This page is added to the module's own: start and end of the free memory, then the first free block of each size. */
const ownPages = 38
const startAddress = ownPages * 65_536
const endAddress = startAddress + 4
const blocksAddress = startAddress + 16
const pagesPerStep = 1_024

const op = {
  ifVoid: [0x04, 0x40],
  end: [0x0b],
  return: [0x0f],
  call: (number: number) => [0x10, ...leb(number)],
  select: [0x1b],
  get: (local: number) => [0x20, local],
  set: (local: number) => [0x21, local],
  tee: (local: number) => [0x22, local],
  load: [0x28, 2, 0],
  store: [0x36, 2, 0],
  grow: [0x40, 0],
  const: (value: number) => [0x41, ...signedLeb(value)],
  isZero: [0x45],
  equal: [0x46],
  lessSigned: [0x48],
  greater: [0x4b],
  leadingZeros: [0x67],
  add: [0x6a],
  subtract: [0x6b],
  and: [0x71],
  shiftLeft: [0x74],
  shiftRight: [0x76],
}

/**
 * Sizes are rounded up to a multiple of 2^e, with e such that at most three bits are left, and at least 16 bytes. The code sets `e`,
 * `rounded` and `list`, the address of the first free block of this size.
 */
const findList = (size: number, e: number, rounded: number, list: number): readonly number[][] => [
  [...op.const(29), ...op.get(size), ...op.const(1), ...op.subtract, ...op.leadingZeros, ...op.subtract, ...op.set(e)],
  [...op.const(4), ...op.get(e), ...op.get(e), ...op.const(4), ...op.lessSigned, ...op.select, ...op.set(e)],
  [...op.get(size), ...op.const(1), ...op.get(e), ...op.shiftLeft, ...op.add, ...op.const(1), ...op.subtract],
  [...op.get(e), ...op.shiftRight, ...op.tee(rounded), ...op.get(e), ...op.const(3), ...op.shiftLeft, ...op.add],
  [...op.const(2), ...op.shiftLeft, ...op.const(blocksAddress), ...op.add, ...op.set(list)],
  [...op.get(rounded), ...op.get(e), ...op.shiftLeft, ...op.set(rounded)],
]

function allocateBody(): Buffer {
  const [align, size, e, rounded, list, found, grown] = [0, 1, 2, 3, 4, 5, 6]
  const start = [...op.const(startAddress), ...op.load]
  const end = [...op.const(endAddress), ...op.load]
  return body(5, [
    [...op.get(size), ...op.isZero, ...op.ifVoid, ...op.get(align), ...op.return, ...op.end],
    // Blocks start at multiples of 16. The few that need more get a place inside a larger one, which stays theirs.
    [...op.get(align), ...op.const(16), ...op.greater, ...op.ifVoid, ...op.const(16), ...op.get(size), ...op.get(align), ...op.add],
    [
      ...op.call(allocateFunction),
      ...op.get(align),
      ...op.add,
      ...op.const(0),
      ...op.get(align),
      ...op.subtract,
      ...op.and,
      ...op.return,
      ...op.end,
    ],
    ...findList(size, e, rounded, list),
    [...op.get(list), ...op.load, ...op.tee(found), ...op.ifVoid],
    [...op.get(list), ...op.get(found), ...op.load, ...op.store, ...op.get(found), ...op.return, ...op.end],
    [...start, ...op.set(found)],
    [...op.get(rounded), ...end, ...op.get(found), ...op.subtract, ...op.greater, ...op.ifVoid],
    // From here on, `e` is the number of pages: what is needed, in whole steps.
    [
      ...op.get(rounded),
      ...op.const(16),
      ...op.shiftRight,
      ...op.const(pagesPerStep),
      ...op.add,
      ...op.tee(e),
      ...op.grow,
      ...op.tee(grown),
    ],
    [...op.const(-1), ...op.equal, ...op.ifVoid, ...op.const(0), ...op.return, ...op.end],
    [...op.get(grown), ...op.const(16), ...op.shiftLeft, ...op.set(grown)],
    [...op.get(found), ...op.get(grown), ...end, ...op.get(grown), ...op.equal, ...op.select, ...op.set(found)],
    [...op.const(endAddress), ...op.get(grown), ...op.get(e), ...op.const(16), ...op.shiftLeft, ...op.add, ...op.store, ...op.end],
    [...op.const(startAddress), ...op.get(found), ...op.get(rounded), ...op.add, ...op.store],
    op.get(found),
  ])
}

function freeBody(): Buffer {
  const [address, align, size, e, rounded, list] = [0, 1, 2, 3, 4, 5]
  return body(3, [
    [...op.get(size), ...op.isZero, ...op.ifVoid, ...op.return, ...op.end],
    [...op.get(align), ...op.const(16), ...op.greater, ...op.ifVoid, ...op.return, ...op.end],
    ...findList(size, e, rounded, list),
    [...op.get(address), ...op.get(list), ...op.load, ...op.store],
    [...op.get(list), ...op.get(address), ...op.store],
  ])
}

const i32 = 0x7f
const body = (locals: number, code: readonly (readonly number[])[]): Buffer => Buffer.from([1, locals, i32, ...code.flat(), ...op.end])

export function withOwnAllocator(module: Buffer): Buffer {
  if (createHash('sha256').update(module).digest('hex') !== knownModule)
    throw new Error('wasm-cairo is not the version whose allocator is known')
  const parts: Buffer[] = [module.subarray(0, 8)]
  for (let at = 8; at < module.length; ) {
    const id = module[at]
    const { value: length, next } = readLeb(module, at + 1)
    const content = module.subarray(next, next + length)
    const changed = id === memorySection ? Buffer.from([1, 0, ownPages + 1]) : id === codeSection ? replaceFunctions(content) : content
    parts.push(Buffer.from([id ?? 0, ...leb(changed.length)]), changed)
    at = next + length
  }
  return Buffer.concat(parts)
}

function replaceFunctions(code: Buffer): Buffer {
  const { value: count, next } = readLeb(code, 0)
  const parts = [code.subarray(0, next)]
  for (let index = 0, at = next; index < count; index += 1) {
    const { value: length, next: start } = readLeb(code, at)
    const number = index + importedFunctions
    const replaced = number === allocateFunction ? allocateBody() : number === freeFunction ? freeBody() : null
    if (replaced === null) parts.push(code.subarray(at, start + length))
    else parts.push(Buffer.from(leb(replaced.length)), replaced)
    at = start + length
  }
  return Buffer.concat(parts)
}

function readLeb(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  let value = 0
  for (let next = at, shift = 0; ; next += 1, shift += 7) {
    const byte = bytes[next] ?? 0
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return { value, next: next + 1 }
  }
}

function leb(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)]
}

function signedLeb(value: number): readonly number[] {
  const byte = value & 0x7f
  const rest = value >> 7
  const isLast = (rest === 0 && byte < 0x40) || (rest === -1 && byte >= 0x40)
  return isLast ? [byte] : [byte | 0x80, ...signedLeb(rest)]
}
