// Writes scripts as text, the way Bitcoin Core prints them.
import { OPNames } from '@scure/btc-signer/script.js'
import { OP, readInstruction } from '../script/opcodes.ts'
import { decodeScriptNumber } from '../script/script-number.ts'
import { parseStrictDer } from '../script/signature-encoding.ts'
import { toHex } from '../wire/bytes.ts'

const HASH_TYPES: Readonly<Record<number, string>> = {
  1: 'ALL',
  129: 'ALL|ANYONECANPAY',
  2: 'NONE',
  130: 'NONE|ANYONECANPAY',
  3: 'SINGLE',
  131: 'SINGLE|ANYONECANPAY',
}

function opcodeName(opcode: number): string {
  if (opcode === OP.NEGATE1) return '-1'
  if (opcode >= OP.ONE && opcode <= OP.SIXTEEN) return String(opcode - OP.ONE + 1)
  const name = OPNames[opcode]
  if (opcode === 0xff) return 'OP_INVALIDOPCODE'
  return name === undefined ? 'OP_UNKNOWN' : `OP_${name}`
}

function dataText(data: Uint8Array, decodeSignatures: boolean): string {
  if (data.length <= 4) return String(decodeScriptNumber(data, false))
  const hashType = HASH_TYPES[data.at(-1) ?? 0]
  if (!decodeSignatures || hashType === undefined || parseStrictDer(data) === null) return toHex(data)
  return `${toHex(data.subarray(0, -1))}[${hashType}]`
}

export function scriptAssembly(script: Uint8Array, decodeSignatures = false): string {
  const words: string[] = []
  for (let offset = 0; offset < script.length; ) {
    const instruction = readInstruction(script, offset)
    if (instruction === null) {
      words.push('[error]')
      break
    }
    const { opcode, data, end } = instruction
    words.push(data === null ? opcodeName(opcode) : dataText(data, decodeSignatures && script[0] !== OP.RETURN))
    offset = end
  }
  return words.join(' ')
}
