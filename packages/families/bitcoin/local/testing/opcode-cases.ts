// Makes scripts without signatures that pin down what every opcode computes, run as P2WSH, as tapscript and as P2SH.
import { ripemd160, sha1 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { ScriptType } from '@scure/btc-signer/script.js'
import { pushOf } from '../script/opcodes.ts'
import { hash160, hash256 } from '../wire/bytes.ts'
import { p2shScript, p2wshScript, type SpendCase, script, unlock, unsigned, type Verdict } from './spend.ts'
import { taprootOutput } from './taproot-tree.ts'

const b = (...bytes: number[]) => Uint8Array.of(...bytes)
const word = new TextEncoder().encode('tandem')
const MAX_OPERAND = b(0xff, 0xff, 0xff, 0x7f)

const TRUE_SCRIPTS: readonly ScriptType[] = [
  [1],
  [16],
  ['1NEGATE'],
  ['1NEGATE', 'NEGATE', 1, 'NUMEQUAL'],
  ['NOP', 1],
  [1, 'IF', 1, 'ELSE', 'RETURN', 'ENDIF'],
  ['OP_0', 'IF', 'RETURN', 'ELSE', 1, 'ENDIF'],
  ['OP_0', 'NOTIF', 1, 'ENDIF'],
  [1, 'IF', 'OP_0', 'IF', 'RETURN', 'ELSE', 1, 'ENDIF', 'ENDIF'],
  [1, 'IF', 1, 'ELSE', 'OP_0', 'ELSE', 'VERIFY', 1, 'ENDIF'],
  ['OP_0', 'IF', 'CHECKSIGADD', 'ENDIF', 1],
  [1, 1, 'VERIFY'],
  [5, 'TOALTSTACK', 'FROMALTSTACK', 5, 'EQUAL'],
  [1, 2, 3, '2DROP'],
  [2, 3, '2DUP', 'ADD', 5, 'NUMEQUALVERIFY', 'ADD', 5, 'NUMEQUAL'],
  [1, 2, 3, '3DUP', 'ADD', 'ADD', 6, 'NUMEQUALVERIFY', 'ADD', 'ADD', 6, 'NUMEQUAL'],
  [1, 2, 3, 4, '2OVER', 2, 'NUMEQUALVERIFY', 1, 'NUMEQUALVERIFY', '2DROP', '2DROP', 1],
  [1, 2, 3, 4, 5, 6, '2ROT', 2, 'NUMEQUALVERIFY', 1, 'NUMEQUALVERIFY', '2DROP', '2DROP', 1],
  [1, 2, 3, 4, '2SWAP', 2, 'NUMEQUALVERIFY', 1, 'NUMEQUALVERIFY', '2DROP', 1],
  [7, 'IFDUP', 'EQUAL'],
  [1, 'OP_0', 'IFDUP', 'DROP'],
  [9, 9, 9, 'DEPTH', 3, 'NUMEQUALVERIFY', '2DROP'],
  [4, 'DUP', 'EQUAL'],
  ['OP_0', 1, 'NIP'],
  [1, 2, 'OVER', 1, 'NUMEQUALVERIFY', '2DROP', 1],
  [5, 6, 7, 2, 'PICK', 5, 'NUMEQUALVERIFY', '2DROP'],
  [5, 6, 7, 2, 'ROLL', 5, 'NUMEQUALVERIFY', '2DROP', 1],
  [5, 6, 7, 'OP_0', 'PICK', 7, 'NUMEQUALVERIFY', '2DROP'],
  [1, 2, 3, 'ROT', 1, 'NUMEQUALVERIFY', 3, 'NUMEQUALVERIFY', 2, 'NUMEQUAL'],
  [1, 2, 'SWAP', 1, 'NUMEQUALVERIFY', 2, 'NUMEQUAL'],
  [1, 2, 'TUCK', 2, 'NUMEQUALVERIFY', 1, 'NUMEQUALVERIFY', 2, 'NUMEQUAL'],
  [word, 'SIZE', 6, 'NUMEQUALVERIFY', word, 'EQUAL'],
  ['OP_0', 'SIZE', 'OP_0', 'NUMEQUALVERIFY', 'NOT'],
  [word, word, 'EQUALVERIFY', 1],
  [1, '1ADD', 2, 'NUMEQUAL'],
  [1, '1SUB', 'OP_0', 'NUMEQUAL'],
  ['OP_0', '1SUB', '1NEGATE', 'NUMEQUAL'],
  [5, 'NEGATE', 'ABS', 5, 'NUMEQUAL'],
  ['OP_0', 'NEGATE', 'OP_0', 'EQUAL'],
  ['OP_0', 'NOT'],
  [2, 'NOT', 'NOT'],
  [2, '0NOTEQUAL'],
  [MAX_OPERAND, '1ADD', b(0, 0, 0, 0x80, 0), 'EQUAL'],
  [MAX_OPERAND, MAX_OPERAND, 'ADD', 'SIZE', 5, 'NUMEQUALVERIFY'],
  [MAX_OPERAND, 'NEGATE', MAX_OPERAND, 'SUB', b(0xfe, 0xff, 0xff, 0xff, 0x80), 'EQUAL'],
  [2, 3, 'SUB', '1NEGATE', 'NUMEQUAL'],
  [1, 2, 'BOOLAND'],
  ['OP_0', 2, 'BOOLOR'],
  [1, 'OP_0', 'BOOLAND', 'NOT'],
  [3, 4, 'NUMNOTEQUAL'],
  [3, 4, 'LESSTHAN'],
  [4, 3, 'GREATERTHAN'],
  [3, 3, 'LESSTHANOREQUAL'],
  [3, 3, 'GREATERTHANOREQUAL'],
  [3, 4, 'MIN', 3, 'NUMEQUAL'],
  ['1NEGATE', 4, 'MAX', 4, 'NUMEQUAL'],
  [3, 3, 5, 'WITHIN'],
  [5, 3, 5, 'WITHIN', 'NOT'],
  [word, 'RIPEMD160', ripemd160(word), 'EQUAL'],
  [word, 'SHA1', sha1(word), 'EQUAL'],
  [word, 'SHA256', sha256(word), 'EQUAL'],
  [word, 'HASH160', hash160(word), 'EQUAL'],
  [word, 'HASH256', hash256(word), 'EQUAL'],
]

const FAILING_SCRIPTS: readonly ScriptType[] = [
  [],
  ['OP_0'],
  [b(0, 0, 0x80)],
  [1, 'RETURN'],
  [1, 'IF', 1],
  [1, 'ELSE', 'ENDIF'],
  [1, 'ENDIF'],
  ['IF', 1, 'ENDIF'],
  ['OP_0', 'VERIFY', 1],
  ['OP_0', 'IF', 'VERIF', 'ENDIF', 1],
  ['OP_0', 'IF', 'VERNOTIF', 'ENDIF', 1],
  [1, 'FROMALTSTACK'],
  ['TOALTSTACK', 1],
  [1, '2DROP'],
  [1, '2DUP'],
  [1, 2, '3DUP'],
  [1, 2, 3, '2OVER'],
  [1, 2, 3, 4, 5, '2ROT'],
  [1, 2, 3, '2SWAP'],
  ['IFDUP'],
  ['DROP', 1],
  ['DUP'],
  [1, 'NIP'],
  [1, 'OVER'],
  [1, 'PICK'],
  [1, 1, 'PICK'],
  [1, '1NEGATE', 'PICK'],
  [1, 1, 'ROLL'],
  [1, 2, 'ROT'],
  [1, 'SWAP'],
  [1, 'TUCK'],
  ['SIZE'],
  [1, 'EQUAL'],
  [1, 2, 'EQUAL'],
  [1, 2, 'EQUALVERIFY', 1],
  [b(1, 2, 3, 4, 5), '1ADD'],
  [1, b(1, 2, 3, 4, 5), 'ADD'],
  ['1ADD'],
  [1, 'ADD'],
  [1, 2, 'NUMEQUALVERIFY', 1],
  [1, 2, 'WITHIN'],
  ['SHA256'],
  ['CHECKSIG'],
  [1, 'CHECKSIG'],
  ['CHECKMULTISIG'],
  [1, 1],
  [b(1, 1, 1, 1, 1, 1), 'CHECKLOCKTIMEVERIFY'],
  ['CHECKLOCKTIMEVERIFY', 1],
  ['CHECKSEQUENCEVERIFY', 1],
]

const RESERVED_SCRIPTS: readonly ScriptType[] = [
  ...(
    ['CAT', 'SUBSTR', 'LEFT', 'RIGHT', 'INVERT', 'AND', 'OR', 'XOR', '2MUL', '2DIV', 'MUL', 'DIV', 'MOD', 'LSHIFT', 'RSHIFT'] as const
  ).map((disabled): ScriptType => ['OP_0', 'IF', disabled, 'ENDIF', 1]),
  [1, 'RESERVED'],
  [1, 'VER'],
  [1, 'RESERVED1'],
]

const POLICY_SCRIPTS: readonly ScriptType[] = [
  ['NOP1', 1],
  ['NOP4', 1],
  ['NOP10', 1],
  [b(1, 0), '1ADD', 2, 'NUMEQUAL'],
  [b(0x80), 'NOT'],
]

function nameOf(words: ScriptType): string {
  return words.map((each) => (each instanceof Uint8Array ? `<${Buffer.from(each).toString('hex')}>` : String(each))).join(' ')
}

const asWitnessScript = (code: Uint8Array, name: string, verdict: Verdict): SpendCase => ({
  name: `P2WSH: ${name}`,
  scripts: [p2wshScript(code)],
  verdict,
  spend: (coins) => unlock(unsigned({ coins }), 0, [code]),
})

const asTapscript = (code: Uint8Array, name: string, verdict: Verdict): SpendCase => {
  const output = taprootOutput([{ script: code }])
  return {
    name: `tapscript: ${name}`,
    scripts: [output.script],
    verdict,
    spend: (coins) => unlock(unsigned({ coins }), 0, [code, output.controlBlock(0)]),
  }
}

const asRedeemScript = (code: Uint8Array, name: string, verdict: Verdict): SpendCase => ({
  name: `P2SH: ${name}`,
  scripts: [p2shScript(code)],
  verdict,
  spend: (coins) => unlock(unsigned({ coins }), 0, [], pushOf(code)),
})

const everywhere = (words: ScriptType, verdict: Verdict, p2sh = verdict): SpendCase[] => {
  const code = script(...words)
  const name = nameOf(words)
  return [asWitnessScript(code, name, verdict), asTapscript(code, name, verdict), asRedeemScript(code, name, p2sh)]
}

/** Two elements left over break CLEANSTACK, which is only policy before segwit. */
const leavesTwo = (words: ScriptType) => nameOf(words) === '1 1'

export const opcodeCases: readonly SpendCase[] = [
  ...TRUE_SCRIPTS.flatMap((words) => everywhere(words, 'standard')),
  ...FAILING_SCRIPTS.flatMap((words) => everywhere(words, 'invalid', leavesTwo(words) ? 'non-standard' : 'invalid')),
  ...POLICY_SCRIPTS.flatMap((words) => everywhere(words, 'non-standard')),
  ...RESERVED_SCRIPTS.flatMap((words) => {
    const code = script(...words)
    const name = nameOf(words)
    return [asWitnessScript(code, name, 'invalid'), asTapscript(code, name, 'non-standard'), asRedeemScript(code, name, 'invalid')]
  }),
]
