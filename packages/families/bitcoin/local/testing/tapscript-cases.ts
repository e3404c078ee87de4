// Makes spends that probe the rules of BIP341 and BIP342: annex, leaf versions, OP_SUCCESSx, key types, budget, code separators, CLTV.
import { concatBytes } from '@noble/hashes/utils.js'
import { OP, pushOf } from '../script/opcodes.ts'
import {
  type Key,
  keyOf,
  type SchnorrOptions,
  type SpendCase,
  type SpendPlan,
  script,
  signSchnorr,
  unlock,
  unsigned,
  type Verdict,
} from './spend.ts'
import { type TaprootOutput, taprootOutput } from './taproot-tree.ts'

const alice = keyOf('alice')
const bob = keyOf('bob')
const EMPTY = new Uint8Array(0)
const ONE = Uint8Array.of(1)
const ANNEX = Uint8Array.of(0x50, 1, 2, 3)
const other = script(bob.xOnly, 'CHECKSIG')

type Sign = (key: Key, options?: SchnorrOptions) => Uint8Array

type LeafCase = {
  readonly leafVersion?: number
  readonly annex?: Uint8Array
  readonly plan?: Omit<SpendPlan, 'coins'>
  readonly alone?: boolean
}

function leafCase(
  name: string,
  leaf: Uint8Array,
  verdict: Verdict,
  reason: string | null,
  stack: (sign: Sign) => readonly Uint8Array[],
  options: LeafCase = {},
): SpendCase {
  const { leafVersion = 0xc0, annex, plan = {}, alone = false } = options
  const own = { script: leaf, version: leafVersion }
  const output: TaprootOutput = taprootOutput(alone ? [own] : [own, { script: other }])
  return {
    name: `tapscript ${name}`,
    scripts: [output.script],
    verdict,
    ...(reason === null ? {} : { reason }),
    spend(coins) {
      const transaction = unsigned({ coins, ...plan })
      const sign: Sign = (key, signing) =>
        signSchnorr(transaction, coins, key.secret, { leaf, leafVersion, ...(annex === undefined ? {} : { annex }), ...signing })
      return unlock(transaction, 0, [...stack(sign), leaf, output.controlBlock(0), ...(annex === undefined ? [] : [annex])])
    },
  }
}

const plain = script(alice.xOnly, 'CHECKSIG')
const chosen = script('IF', alice.xOnly, 'CHECKSIG', 'ELSE', bob.xOnly, 'CHECKSIG', 'ENDIF')
const BAD_SIGNATURE = 'Invalid Schnorr signature'

const signatures: SpendCase[] = [
  ...[0, 1, 2, 3, 0x81, 0x82, 0x83].map((hashType) =>
    leafCase(`hash type ${hashType}`, plain, 'standard', null, (sign) => [sign(alice, { hashType })]),
  ),
  ...[4, 0x80, 0x84, 0xff].map((hashType) =>
    leafCase(`undefined hash type ${hashType}`, plain, 'invalid', 'hash type', (sign) => [sign(alice, { hashType })]),
  ),
  leafCase('explicit default hash type', plain, 'invalid', 'hash type', (sign) => [Uint8Array.of(...sign(alice), 0)]),
  leafCase('signature of 63 bytes', plain, 'invalid', 'signature size', (sign) => [sign(alice).subarray(1)]),
  leafCase('signature of 66 bytes', plain, 'invalid', 'signature size', (sign) => [Uint8Array.of(...sign(alice), 1, 1)]),
  leafCase('wrong key', plain, 'invalid', BAD_SIGNATURE, (sign) => [sign(bob)]),
  leafCase('empty signature', plain, 'invalid', 'false/empty', () => [EMPTY]),
  leafCase('empty signature negated', script(alice.xOnly, 'CHECKSIG', 'NOT'), 'standard', null, () => [EMPTY]),
  leafCase('wrong signature negated', script(alice.xOnly, 'CHECKSIG', 'NOT'), 'invalid', BAD_SIGNATURE, (sign) => [sign(bob)]),
  leafCase('SINGLE without an output of the same index', plain, 'standard', null, (sign) => [sign(alice, { hashType: 3 })]),
  leafCase('only leaf', plain, 'standard', null, (sign) => [sign(alice)], { alone: true }),
  leafCase('signed for another leaf version', plain, 'invalid', BAD_SIGNATURE, (sign) => [sign(alice, { leafVersion: 0xc2 })]),
  leafCase('signed as key path', plain, 'invalid', BAD_SIGNATURE, (sign) => [sign(alice, { codeSeparatorPosition: 0 })]),
]

const keys: SpendCase[] = [
  leafCase('key of 33 bytes', script(alice.compressed, 'CHECKSIG'), 'non-standard', 'Public key version', (sign) => [sign(alice)]),
  leafCase('key of 33 bytes, no signature', script(alice.compressed, 'CHECKSIG', 'NOT'), 'non-standard', 'Public key version', () => [
    EMPTY,
  ]),
  leafCase('key of 1 byte', script(Uint8Array.of(7), 'CHECKSIG'), 'non-standard', null, () => [ONE]),
  leafCase('empty key', script('OP_0', 'CHECKSIG'), 'invalid', null, (sign) => [sign(alice)]),
  leafCase('key not on the curve', script(Uint8Array.of(...new Uint8Array(31), 5), 'CHECKSIG'), 'invalid', BAD_SIGNATURE, (sign) => [
    sign(alice),
  ]),
  leafCase('CHECKMULTISIG', script(1, alice.xOnly, 1, 'CHECKMULTISIG'), 'invalid', 'not available in tapscript', (sign) => [
    EMPTY,
    sign(alice),
  ]),
  leafCase('CHECKMULTISIG in a branch not taken', script('OP_0', 'IF', 'CHECKMULTISIG', 'ENDIF', 1), 'standard', null, () => []),
  leafCase(
    'CHECKSIGADD 1 of 2',
    script('OP_0', alice.xOnly, 'CHECKSIGADD', bob.xOnly, 'CHECKSIGADD', 1, 'NUMEQUAL'),
    'standard',
    null,
    (sign) => [EMPTY, sign(alice)],
  ),
  leafCase(
    'CHECKSIGADD threshold',
    script(alice.xOnly, 'CHECKSIG', bob.xOnly, 'CHECKSIGADD', 1, 'GREATERTHANOREQUAL'),
    'standard',
    null,
    (sign) => [EMPTY, sign(alice)],
  ),
  leafCase('CHECKSIGADD on a number of 5 bytes', script(new Uint8Array(5).fill(1), alice.xOnly, 'CHECKSIGADD'), 'invalid', null, (sign) => [
    sign(alice),
  ]),
]

const branches: SpendCase[] = [
  leafCase('branch chosen by 1', chosen, 'standard', null, (sign) => [sign(alice), ONE]),
  leafCase('branch chosen by nothing', chosen, 'standard', null, (sign) => [sign(bob), EMPTY]),
  leafCase('branch chosen by 2', chosen, 'invalid', 'minimal', (sign) => [sign(alice), Uint8Array.of(2)]),
  leafCase('branch chosen by 0', chosen, 'invalid', 'minimal', (sign) => [sign(bob), Uint8Array.of(0)]),
  leafCase('NOTIF chosen by 80', script('NOTIF', 1, 'ELSE', 1, 'ENDIF'), 'invalid', 'minimal', () => [Uint8Array.of(0x80)]),
  leafCase('two elements left', script(1, 1), 'invalid', 'Stack size must be exactly one', () => []),
]

const upgrades: SpendCase[] = [
  ...[80, 98, 126, 137, 141, 149, 187, 254].map((opcode) =>
    leafCase(`OP_SUCCESS${opcode}`, Uint8Array.of(opcode), 'non-standard', 'OP_SUCCESSx', () => []),
  ),
  leafCase('OP_SUCCESS in a branch not taken', Uint8Array.of(0, OP.IF, 80, OP.ENDIF), 'non-standard', 'OP_SUCCESSx', () => []),
  leafCase('OP_SUCCESS before a truncated push', Uint8Array.of(80, 75, 1), 'non-standard', 'OP_SUCCESSx', () => []),
  leafCase('OP_SUCCESS after a truncated push', Uint8Array.of(75, 1, 80), 'invalid', 'Opcode missing', () => []),
  leafCase('byte 255 is no OP_SUCCESS', Uint8Array.of(255), 'invalid', 'Opcode missing', () => []),
  leafCase(
    'OP_SUCCESS inside pushed data',
    concatBytes(pushOf(Uint8Array.of(80, 98)), Uint8Array.of(OP.DROP, OP.ONE)),
    'standard',
    null,
    () => [],
  ),
  ...[0xc2, 0x66, 0xfe].map((leafVersion) =>
    leafCase(`leaf version ${leafVersion}`, plain, 'non-standard', 'Taproot version reserved', () => [], { leafVersion }),
  ),
  leafCase('annex', plain, 'non-standard', 'bad-witness-nonstandard', (sign) => [sign(alice)], { annex: ANNEX }),
  leafCase(
    'annex that was not signed',
    plain,
    'invalid',
    'bad-witness-nonstandard',
    (sign) => [sign(alice, { annex: Uint8Array.of(0x50) })],
    { annex: ANNEX },
  ),
]

const separated = script(1, 'DROP', 'CODESEPARATOR', alice.xOnly, 'CHECKSIG')
const limits: SpendCase[] = [
  leafCase('code separator at position 2', separated, 'standard', null, (sign) => [sign(alice, { codeSeparatorPosition: 2 })]),
  leafCase('code separator not signed', separated, 'invalid', BAD_SIGNATURE, (sign) => [sign(alice)]),
  leafCase(
    'code separator in a branch not taken',
    script('OP_0', 'IF', 'CODESEPARATOR', 'ENDIF', alice.xOnly, 'CHECKSIG'),
    'standard',
    null,
    (sign) => [sign(alice)],
  ),
  leafCase('stack element of 80 bytes', script('DROP', 1), 'standard', null, () => [new Uint8Array(80)]),
  leafCase('stack element of 81 bytes', script('DROP', 1), 'non-standard', 'bad-witness-nonstandard', () => [new Uint8Array(81)]),
  leafCase('stack element of 521 bytes', script('DROP', 1), 'invalid', 'bad-witness-nonstandard', () => [new Uint8Array(521)]),
  leafCase(
    'push of 521 bytes',
    concatBytes(pushOf(new Uint8Array(521)), Uint8Array.of(OP.DROP, OP.ONE)),
    'invalid',
    'Push value size',
    () => [],
  ),
  leafCase(
    'script over 10,000 bytes',
    concatBytes(
      ...Array.from({ length: 20 }, () => concatBytes(pushOf(new Uint8Array(510)), Uint8Array.of(OP.DROP))),
      Uint8Array.of(OP.ONE),
    ),
    'standard',
    null,
    () => [],
  ),
  leafCase('1,000 operations', concatBytes(new Uint8Array(1_000).fill(OP.NOP), Uint8Array.of(OP.ONE)), 'standard', null, () => []),
  leafCase('1,001 elements', new Uint8Array(1_001).fill(OP.ONE), 'invalid', 'Stack size limit', () => []),
  leafCase('budget of signatures just kept', budgetScript(3), 'standard', null, (sign) => [sign(alice)]),
  leafCase('budget of signatures exceeded', budgetScript(8), 'invalid', 'Too much signature validation', (sign) => [sign(alice)]),
  leafCase(
    'long push in the script',
    concatBytes(Uint8Array.of(OP.PUSHDATA1, 1, 7, OP.DROP), plain),
    'non-standard',
    'Data push larger',
    (sign) => [sign(alice)],
  ),
]

/** Witness weight must pay 50 for each check beyond the first 50. */
function budgetScript(times: number): Uint8Array {
  const checks = Array.from({ length: times }, () => script('2DUP', 'CHECKSIGVERIFY'))
  return concatBytes(pushOf(alice.xOnly), ...checks, script('2DROP', 1))
}

function cltvCase(
  name: string,
  argument: number | Uint8Array,
  verdict: Verdict,
  reason: string | null,
  plan: Omit<SpendPlan, 'coins'>,
): SpendCase {
  const leaf = script(argument, 'CHECKLOCKTIMEVERIFY', 'DROP', alice.xOnly, 'CHECKSIG')
  return leafCase(`CLTV: ${name}`, leaf, verdict, reason, (sign) => [sign(alice)], { plan })
}

const UNSATISFIED = 'Locktime requirement'
const HUNDRED = Uint8Array.of(100)
const TIME_2020 = Uint8Array.of(0x00, 0xe1, 0x0b, 0x5e)
const locktimes: SpendCase[] = [
  cltvCase('height reached', HUNDRED, 'standard', null, { lockTime: 100 }),
  cltvCase('locktime below', HUNDRED, 'invalid', UNSATISFIED, { lockTime: 99 }),
  cltvCase('locktime not reached by the chain', HUNDRED, 'invalid', 'non-final', { lockTime: 400_000 }),
  cltvCase('input final', HUNDRED, 'invalid', UNSATISFIED, { lockTime: 100, sequence: 0xffffffff }),
  cltvCase('height against time', HUNDRED, 'invalid', UNSATISFIED, { lockTime: 1_577_836_800 }),
  cltvCase('time reached', TIME_2020, 'standard', null, { lockTime: 1_577_836_800 }),
  cltvCase('time below', TIME_2020, 'invalid', UNSATISFIED, { lockTime: 1_577_836_799 }),
  cltvCase('negative', Uint8Array.of(0x81), 'invalid', null, { lockTime: 100 }),
  cltvCase('minus two', Uint8Array.of(0x82), 'invalid', 'Negative locktime', { lockTime: 100 }),
  cltvCase('five bytes, too large', Uint8Array.of(0, 0, 0, 0, 1), 'invalid', UNSATISFIED, { lockTime: 1_577_836_800 }),
  cltvCase('six bytes', Uint8Array.of(1, 1, 1, 1, 1, 1), 'invalid', null, { lockTime: 100 }),
  leafCase(
    'CSV: disabled by the operand',
    script(Uint8Array.of(0, 0, 0, 0x80, 0), 'CHECKSEQUENCEVERIFY', 'DROP', 1),
    'standard',
    null,
    () => [],
  ),
  leafCase('CSV: negative', script(Uint8Array.of(0x82), 'CHECKSEQUENCEVERIFY', 'DROP', 1), 'invalid', 'Negative locktime', () => []),
  leafCase('CSV: seconds', script(Uint8Array.of(2, 0, 0x40), 'CHECKSEQUENCEVERIFY', 'DROP', 1), 'standard', null, () => [], {
    plan: { sequence: (1 << 22) | 2 },
  }),
  leafCase(
    'CSV: seconds not passed',
    script(Uint8Array.of(2, 0, 0x40), 'CHECKSEQUENCEVERIFY', 'DROP', 1),
    'invalid',
    'non-BIP68-final',
    () => [],
    { plan: { sequence: (1 << 22) | 0xffff } },
  ),
]

export const tapscriptCases: readonly SpendCase[] = [...signatures, ...keys, ...branches, ...upgrades, ...limits, ...locktimes]
