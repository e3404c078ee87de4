// Names script opcodes and their classes, and walks over a script's instructions.

export const OP = {
  PUSHDATA1: 0x4c,
  PUSHDATA2: 0x4d,
  PUSHDATA4: 0x4e,
  NEGATE1: 0x4f,
  RESERVED: 0x50,
  ONE: 0x51,
  SIXTEEN: 0x60,
  NOP: 0x61,
  IF: 0x63,
  NOTIF: 0x64,
  ELSE: 0x67,
  ENDIF: 0x68,
  VERIFY: 0x69,
  RETURN: 0x6a,
  TOALTSTACK: 0x6b,
  FROMALTSTACK: 0x6c,
  DROP2: 0x6d,
  DUP2: 0x6e,
  DUP3: 0x6f,
  OVER2: 0x70,
  ROT2: 0x71,
  SWAP2: 0x72,
  IFDUP: 0x73,
  DEPTH: 0x74,
  DROP: 0x75,
  DUP: 0x76,
  NIP: 0x77,
  OVER: 0x78,
  PICK: 0x79,
  ROLL: 0x7a,
  ROT: 0x7b,
  SWAP: 0x7c,
  TUCK: 0x7d,
  SIZE: 0x82,
  EQUAL: 0x87,
  EQUALVERIFY: 0x88,
  ADD1: 0x8b,
  SUB1: 0x8c,
  NEGATE: 0x8f,
  ABS: 0x90,
  NOT: 0x91,
  NOTEQUAL0: 0x92,
  ADD: 0x93,
  SUB: 0x94,
  BOOLAND: 0x9a,
  BOOLOR: 0x9b,
  NUMEQUAL: 0x9c,
  NUMEQUALVERIFY: 0x9d,
  NUMNOTEQUAL: 0x9e,
  LESSTHAN: 0x9f,
  GREATERTHAN: 0xa0,
  LESSTHANOREQUAL: 0xa1,
  GREATERTHANOREQUAL: 0xa2,
  MIN: 0xa3,
  MAX: 0xa4,
  WITHIN: 0xa5,
  RIPEMD160: 0xa6,
  SHA1: 0xa7,
  SHA256: 0xa8,
  HASH160: 0xa9,
  HASH256: 0xaa,
  CODESEPARATOR: 0xab,
  CHECKSIG: 0xac,
  CHECKSIGVERIFY: 0xad,
  CHECKMULTISIG: 0xae,
  CHECKMULTISIGVERIFY: 0xaf,
  NOP1: 0xb0,
  CHECKLOCKTIMEVERIFY: 0xb1,
  CHECKSEQUENCEVERIFY: 0xb2,
  NOP4: 0xb3,
  NOP10: 0xb9,
  CHECKSIGADD: 0xba,
} as const

/** CAT, SUBSTR, LEFT, RIGHT, INVERT, AND, OR, XOR, 2MUL, 2DIV, MUL, DIV, MOD, LSHIFT, RSHIFT fail even in a branch not taken. */
const DISABLED = new Set([0x7e, 0x7f, 0x80, 0x81, 0x83, 0x84, 0x85, 0x86, 0x8d, 0x8e, 0x95, 0x96, 0x97, 0x98, 0x99])

export function isDisabled(opcode: number): boolean {
  return DISABLED.has(opcode)
}

/** BIP342: these opcodes make a tapscript succeed immediately. They are reserved for future rules. */
export function isSuccess(opcode: number): boolean {
  return (
    opcode === 80 ||
    opcode === 98 ||
    (opcode >= 126 && opcode <= 129) ||
    (opcode >= 131 && opcode <= 134) ||
    (opcode >= 137 && opcode <= 138) ||
    (opcode >= 141 && opcode <= 142) ||
    (opcode >= 149 && opcode <= 153) ||
    (opcode >= 187 && opcode <= 254)
  )
}

export type Instruction = {
  readonly opcode: number
  readonly data: Uint8Array | null
  readonly end: number
}

export function readInstruction(script: Uint8Array, offset: number): Instruction | null {
  const opcode = script[offset]
  if (opcode === undefined) return null
  let start = offset + 1
  if (opcode > OP.PUSHDATA4) return { opcode, data: null, end: start }
  let length: number = opcode
  if (opcode >= OP.PUSHDATA1) {
    const width = opcode === OP.PUSHDATA1 ? 1 : opcode === OP.PUSHDATA2 ? 2 : 4
    if (start + width > script.length) return null
    length = 0
    for (let i = width - 1; i >= 0; i--) length = length * 256 + (script[start + i] ?? 0)
    start += width
  }
  if (start + length > script.length) return null
  return { opcode, data: script.subarray(start, start + length), end: start + length }
}

export function readInstructions(script: Uint8Array): Instruction[] | null {
  const instructions: Instruction[] = []
  for (let offset = 0; offset < script.length; ) {
    const instruction = readInstruction(script, offset)
    if (instruction === null) return null
    instructions.push(instruction)
    offset = instruction.end
  }
  return instructions
}

/** Opcodes up to 16 push something (the reserved one counts, as in Bitcoin Core). */
export function isPushOnly(script: Uint8Array): boolean {
  return readInstructions(script)?.every((instruction) => instruction.opcode <= OP.SIXTEEN) ?? false
}

/** BIP62 rule 3 demands the shortest push of the data. */
export function isMinimalPush(opcode: number, data: Uint8Array): boolean {
  const [first] = data
  if (first === undefined) return opcode === 0
  if (data.length === 1 && first >= 1 && first <= 16) return false
  if (data.length === 1 && first === 0x81) return false
  if (data.length <= 75) return opcode === data.length
  if (data.length <= 255) return opcode === OP.PUSHDATA1
  return data.length > 0xffff || opcode === OP.PUSHDATA2
}

/** FindAndDelete searches scripts for this push, and P2SH-nested witness programs are compared with it. */
export function pushOf(data: Uint8Array): Uint8Array {
  const { length } = data
  const prefix =
    length < OP.PUSHDATA1
      ? [length]
      : length <= 0xff
        ? [OP.PUSHDATA1, length]
        : length <= 0xffff
          ? [OP.PUSHDATA2, length & 0xff, length >> 8]
          : [OP.PUSHDATA4, length & 0xff, (length >> 8) & 0xff, (length >> 16) & 0xff, length >>> 24]
  const bytes = new Uint8Array(prefix.length + length)
  bytes.set(prefix)
  bytes.set(data, prefix.length)
  return bytes
}
