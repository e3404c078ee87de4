// Makes spends of P2WPKH and P2WSH outputs, right and wrong.
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { OP, pushOf } from '../script/opcodes.ts'
import {
  type EcdsaOptions,
  type Key,
  keyOf,
  p2pkhScript,
  p2wpkhScript,
  p2wshScript,
  type SpendCase,
  type SpendPlan,
  script,
  signEcdsa,
  spendCase,
  type Verdict,
} from './spend.ts'

const alice = keyOf('alice')
const bob = keyOf('bob')
const secret = sha256(Uint8Array.of(9))
const EMPTY = new Uint8Array(0)
const ONE = Uint8Array.of(1)
const TIMELOCK = 12

/** Signatures are made for the whole witness script. */
function p2wsh(
  name: string,
  witnessScript: Uint8Array,
  verdict: Verdict,
  reason: string | null,
  stack: (sign: (key: Key, options?: EcdsaOptions, code?: Uint8Array) => Uint8Array) => readonly Uint8Array[],
  plan: Omit<SpendPlan, 'coins'> = {},
): SpendCase {
  return spendCase(
    `P2WSH ${name}`,
    p2wshScript(witnessScript),
    verdict,
    reason,
    (transaction, coins) => ({
      witness: [...stack((key, options, code = witnessScript) => signEcdsa(transaction, coins, key.secret, code, options)), witnessScript],
    }),
    plan,
  )
}

const htlc = script(
  'IF',
  'SIZE',
  Uint8Array.of(32),
  'EQUALVERIFY',
  'SHA256',
  sha256(secret),
  'EQUALVERIFY',
  bob.compressed,
  'ELSE',
  TIMELOCK,
  'CHECKSEQUENCEVERIFY',
  'DROP',
  alice.compressed,
  'ENDIF',
  'CHECKSIG',
)
const threeWay = script(
  'IF',
  'SHA256',
  sha256(secret),
  'EQUALVERIFY',
  bob.compressed,
  'CHECKSIG',
  'ELSE',
  'IF',
  TIMELOCK,
  'CHECKSEQUENCEVERIFY',
  'DROP',
  alice.compressed,
  'CHECKSIG',
  'ELSE',
  2,
  alice.compressed,
  bob.compressed,
  2,
  'CHECKMULTISIG',
  'ENDIF',
  'ENDIF',
)
const twoOfTwo = script(2, alice.compressed, bob.compressed, 2, 'CHECKMULTISIG')
const plain = script(alice.compressed, 'CHECKSIG')
const NULLFAIL = 'Signature must be zero'

const contracts: SpendCase[] = [
  p2wsh('contract redeem', htlc, 'standard', null, (sign) => [sign(bob), secret, ONE]),
  p2wsh('contract redeem, wrong secret', htlc, 'invalid', 'EQUALVERIFY', (sign) => [sign(bob), sha256(secret), ONE]),
  p2wsh('contract redeem, wrong key', htlc, 'invalid', null, (sign) => [sign(alice), secret, ONE]),
  p2wsh('contract redeem, branch chosen by 2', htlc, 'non-standard', 'argument must be minimal', (sign) => [
    sign(bob),
    secret,
    Uint8Array.of(2),
  ]),
  p2wsh('contract redeem, branch chosen by 0100', htlc, 'non-standard', 'argument must be minimal', (sign) => [
    sign(bob),
    secret,
    Uint8Array.of(1, 0),
  ]),
  p2wsh('contract refund', htlc, 'standard', null, (sign) => [sign(alice), EMPTY], { sequence: TIMELOCK }),
  p2wsh(
    'contract refund, branch chosen by 00',
    htlc,
    'non-standard',
    'argument must be minimal',
    (sign) => [sign(alice), Uint8Array.of(0)],
    { sequence: TIMELOCK },
  ),
  p2wsh('contract refund too early', htlc, 'invalid', 'non-BIP68-final', (sign) => [sign(alice), EMPTY], { sequence: 5_000 }),
  p2wsh('contract refund, low sequence', htlc, 'invalid', 'Locktime requirement', (sign) => [sign(alice), EMPTY], { sequence: 1 }),
  p2wsh('three-way redeem', threeWay, 'standard', null, (sign) => [sign(bob), secret, ONE]),
  p2wsh('three-way refund', threeWay, 'standard', null, (sign) => [sign(alice), ONE, EMPTY], { sequence: TIMELOCK }),
  p2wsh('three-way instant refund', threeWay, 'standard', null, (sign) => [EMPTY, sign(alice), sign(bob), EMPTY, EMPTY]),
  p2wsh('three-way instant refund, one signature', threeWay, 'invalid', null, (sign) => [EMPTY, sign(alice), EMPTY, EMPTY, EMPTY]),
]

const multisig: SpendCase[] = [
  p2wsh('2-of-2', twoOfTwo, 'standard', null, (sign) => [EMPTY, sign(alice), sign(bob)]),
  p2wsh('2-of-2 in the wrong order', twoOfTwo, 'invalid', null, (sign) => [EMPTY, sign(bob), sign(alice)]),
  p2wsh('2-of-2 with a dummy that is not empty', twoOfTwo, 'invalid', 'Dummy CHECKMULTISIG argument', (sign) => [
    ONE,
    sign(alice),
    sign(bob),
  ]),
  p2wsh('2-of-2 without dummy', twoOfTwo, 'invalid', 'current stack size', (sign) => [sign(alice), sign(bob)]),
  p2wsh(
    '1-of-3, last key',
    script(1, keyOf('x').compressed, keyOf('y').compressed, alice.compressed, 3, 'CHECKMULTISIG'),
    'standard',
    null,
    (sign) => [EMPTY, sign(alice)],
  ),
  p2wsh('0-of-0', script(0, 0, 0, 'CHECKMULTISIG'), 'standard', null, () => []),
  p2wsh('0-of-1', script(0, 0, alice.compressed, 1, 'CHECKMULTISIG'), 'standard', null, () => []),
  p2wsh('2-of-1', script(2, alice.compressed, 1, 'CHECKMULTISIG'), 'invalid', 'Signature count', (sign) => [
    EMPTY,
    sign(alice),
    sign(alice),
  ]),
  p2wsh(
    '21 keys',
    script(0, 0, ...Array.from({ length: 21 }, () => alice.compressed), 21, 'CHECKMULTISIG'),
    'invalid',
    'Pubkey count',
    () => [],
  ),
  p2wsh(
    'failed multisig negated, signature not empty',
    script(1, alice.compressed, 1, 'CHECKMULTISIG', 'NOT'),
    'non-standard',
    NULLFAIL,
    (sign) => [EMPTY, sign(bob)],
  ),
  p2wsh('failed multisig negated, signature empty', script(1, alice.compressed, 1, 'CHECKMULTISIG', 'NOT'), 'standard', null, () => [
    EMPTY,
    EMPTY,
  ]),
]

const hashTypes = [1, 2, 3, 0x81, 0x82, 0x83]
const signatures: SpendCase[] = [
  ...hashTypes.map((hashType) => p2wsh(`hash type ${hashType}`, plain, 'standard', null, (sign) => [sign(alice, { hashType })])),
  ...[0, 4, 0x80, 0xff].map((hashType) =>
    p2wsh(`undefined hash type ${hashType}`, plain, 'non-standard', 'hash type missing', (sign) => [sign(alice, { hashType })]),
  ),
  p2wsh('high S', plain, 'non-standard', 'S value is unnecessarily high', (sign) => [sign(alice, { highS: true })]),
  p2wsh('signature with trailing zero in DER', plain, 'invalid', 'Non-canonical DER', (sign) => [
    concatBytes(sign(alice).subarray(0, -1), Uint8Array.of(0, 1)),
  ]),
  p2wsh('empty signature', plain, 'invalid', 'false/empty top stack', () => [EMPTY]),
  p2wsh('empty signature negated', script(alice.compressed, 'CHECKSIG', 'NOT'), 'standard', null, () => [EMPTY]),
  p2wsh('wrong signature negated', script(alice.compressed, 'CHECKSIG', 'NOT'), 'non-standard', NULLFAIL, (sign) => [sign(bob)]),
  p2wsh('uncompressed key', script(alice.uncompressed, 'CHECKSIG'), 'non-standard', 'non-compressed keys', (sign) => [sign(alice)]),
  p2wsh('CHECKSIGVERIFY', script(alice.compressed, 'CHECKSIGVERIFY', 1), 'standard', null, (sign) => [sign(alice)]),
  p2wsh('CHECKSIGVERIFY with nothing', script(alice.compressed, 'CHECKSIGVERIFY', 1), 'invalid', 'CHECKSIGVERIFY', () => [EMPTY]),
  p2wsh('CHECKSIGADD', script('OP_0', alice.compressed, 'CHECKSIGADD'), 'invalid', 'Opcode missing', (sign) => [sign(alice)]),
  p2wsh('two elements left', script(alice.compressed, 'CHECKSIG', 1), 'invalid', 'Stack size must be exactly one', (sign) => [sign(alice)]),
  p2wsh(
    'key that is not on the curve',
    script(Uint8Array.of(2, ...new Uint8Array(31), 5), 'CHECKSIG', 'NOT'),
    'non-standard',
    NULLFAIL,
    (sign) => [sign(alice)],
  ),
]

const separated = script(1, 'DROP', 'CODESEPARATOR', alice.compressed, 'CHECKSIG')
const afterSeparator = script(alice.compressed, 'CHECKSIG')
const sizes: SpendCase[] = [
  p2wsh('code separator, signed from it on', separated, 'standard', null, (sign) => [sign(alice, {}, afterSeparator)]),
  p2wsh('code separator, signed from the start', separated, 'invalid', null, (sign) => [sign(alice)]),
  p2wsh('stack element of 80 bytes', script('SIZE', Uint8Array.of(80), 'EQUALVERIFY', 'DROP', 1), 'standard', null, () => [
    new Uint8Array(80),
  ]),
  p2wsh(
    'stack element of 81 bytes',
    script('SIZE', Uint8Array.of(81), 'EQUALVERIFY', 'DROP', 1),
    'non-standard',
    'bad-witness-nonstandard',
    () => [new Uint8Array(81)],
  ),
  p2wsh('stack element of 520 bytes', script('DROP', 1), 'non-standard', 'bad-witness-nonstandard', () => [new Uint8Array(520)]),
  p2wsh('stack element of 521 bytes', script('DROP', 1), 'invalid', 'bad-witness-nonstandard', () => [new Uint8Array(521)]),
  p2wsh('push of 520 bytes', concatBytes(pushOf(new Uint8Array(520)), Uint8Array.of(OP.DROP, OP.ONE)), 'standard', null, () => []),
  p2wsh(
    'push of 521 bytes',
    concatBytes(pushOf(new Uint8Array(521)), Uint8Array.of(OP.DROP, OP.ONE)),
    'invalid',
    'Push value size',
    () => [],
  ),
  p2wsh('201 operations', concatBytes(Uint8Array.of(OP.ONE), new Uint8Array(201).fill(OP.NOP)), 'standard', null, () => []),
  p2wsh('202 operations', concatBytes(Uint8Array.of(OP.ONE), new Uint8Array(202).fill(OP.NOP)), 'invalid', 'Operation limit', () => []),
  p2wsh(
    'script of 3,601 bytes',
    concatBytes(
      ...Array.from({ length: 7 }, () => concatBytes(pushOf(new Uint8Array(510)), Uint8Array.of(OP.DROP))),
      new Uint8Array(10).fill(OP.ONE),
      new Uint8Array(9).fill(OP.DROP),
    ),
    'non-standard',
    'bad-witness-nonstandard',
    () => [],
  ),
  p2wsh(
    'script over 10,000 bytes',
    concatBytes(
      ...Array.from({ length: 20 }, () => concatBytes(pushOf(new Uint8Array(510)), Uint8Array.of(OP.DROP))),
      Uint8Array.of(OP.ONE),
    ),
    'invalid',
    'bad-witness-nonstandard',
    () => [],
  ),
  p2wsh(
    '1,000 elements',
    concatBytes(new Uint8Array(999).fill(OP.ONE), ...Array.from({ length: 100 }, () => Uint8Array.of(OP.DROP2))),
    'invalid',
    'Stack size must be exactly one',
    () => [],
  ),
  p2wsh('1,001 elements', new Uint8Array(1_001).fill(OP.ONE), 'invalid', 'Stack size limit', () => []),
]

const keyHash = p2wpkhScript(alice.compressed)
const keyHashCode = p2pkhScript(alice.compressed)
const programs: SpendCase[] = [
  ...hashTypes.map((hashType) =>
    spendCase(`P2WPKH hash type ${hashType}`, keyHash, 'standard', null, (t, c) => ({
      witness: [signEcdsa(t, c, alice.secret, keyHashCode, { hashType }), alice.compressed],
    })),
  ),
  spendCase('P2WPKH wrong key', keyHash, 'invalid', 'EQUALVERIFY', (t, c) => ({
    witness: [signEcdsa(t, c, bob.secret, keyHashCode), bob.compressed],
  })),
  spendCase('P2WPKH wrong amount signed', keyHash, 'invalid', null, (t, c) => {
    const lying = c.map((coin) => ({ ...coin, amount: coin.amount + 1n }))
    return { witness: [signEcdsa(t, lying, alice.secret, keyHashCode), alice.compressed] }
  }),
  spendCase('P2WPKH without witness', keyHash, 'invalid', 'Witness program', () => ({})),
  spendCase('P2WPKH with three elements', keyHash, 'invalid', 'Witness program hash mismatch', (t, c) => ({
    witness: [EMPTY, signEcdsa(t, c, alice.secret, keyHashCode), alice.compressed],
  })),
  spendCase('P2WPKH with a scriptSig', keyHash, 'invalid', 'Witness requires empty scriptSig', (t, c) => ({
    witness: [signEcdsa(t, c, alice.secret, keyHashCode), alice.compressed],
    scriptSig: Uint8Array.of(OP.ONE),
  })),
  spendCase('P2WPKH uncompressed key', p2wpkhScript(alice.uncompressed), 'non-standard', 'non-compressed keys', (t, c) => ({
    witness: [signEcdsa(t, c, alice.secret, p2pkhScript(alice.uncompressed)), alice.uncompressed],
  })),
  spendCase('P2WSH with another script', p2wshScript(plain), 'invalid', 'Witness program hash mismatch', () => ({
    witness: [Uint8Array.of(OP.ONE)],
  })),
  spendCase('witness v0 of 30 bytes', script('OP_0', new Uint8Array(30)), 'invalid', 'nonstandard-inputs', () => ({ witness: [ONE] })),
  spendCase('witness v2', script('OP_2', new Uint8Array(32).fill(7)), 'non-standard', 'nonstandard-inputs', () => ({})),
  spendCase('witness v1 of 33 bytes', script('OP_1', new Uint8Array(33).fill(7)), 'non-standard', 'nonstandard-inputs', () => ({})),
  spendCase('anchor', Uint8Array.of(0x51, 0x02, 0x4e, 0x73), 'standard', null, () => ({})),
  spendCase('anchor with a witness', Uint8Array.of(0x51, 0x02, 0x4e, 0x73), 'non-standard', 'bad-witness-nonstandard', () => ({
    witness: [ONE],
  })),
]

export const witnessCases: readonly SpendCase[] = [...contracts, ...multisig, ...signatures, ...sizes, ...programs]
