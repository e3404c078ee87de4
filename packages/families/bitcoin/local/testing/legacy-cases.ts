// Makes spends of outputs from before segwit and of witness programs nested in P2SH, right and wrong.
import { concatBytes } from '@noble/hashes/utils.js'
import { OP, pushOf } from '../script/opcodes.ts'
import {
  type EcdsaOptions,
  type Key,
  keyOf,
  p2pkhScript,
  p2shScript,
  p2wpkhScript,
  p2wshScript,
  type SpendCase,
  script,
  signEcdsa,
  spendCase,
  type Verdict,
} from './spend.ts'

const alice = keyOf('alice')
const bob = keyOf('bob')
const EMPTY = new Uint8Array(0)
const ONE = Uint8Array.of(1)
const hashTypes = [1, 2, 3, 0x81, 0x82, 0x83]
const plain = script(alice.compressed, 'CHECKSIG')
const keyHashCode = p2pkhScript(alice.compressed)

const inner = p2wpkhScript(alice.compressed)
const nested: SpendCase[] = [
  spendCase('P2SH-P2WPKH', p2shScript(inner), 'standard', null, (t, c) => ({
    witness: [signEcdsa(t, c, alice.secret, keyHashCode), alice.compressed],
    scriptSig: pushOf(inner),
  })),
  spendCase('P2SH-P2WPKH with more in the scriptSig', p2shScript(inner), 'invalid', 'only-redeemscript', (t, c) => ({
    witness: [signEcdsa(t, c, alice.secret, keyHashCode), alice.compressed],
    scriptSig: concatBytes(Uint8Array.of(OP.ONE), pushOf(inner)),
  })),
  spendCase('P2SH-P2WSH', p2shScript(p2wshScript(plain)), 'standard', null, (t, c) => ({
    witness: [signEcdsa(t, c, alice.secret, plain), plain],
    scriptSig: pushOf(p2wshScript(plain)),
  })),
  spendCase('P2SH-P2TR is not taproot', p2shScript(script('OP_1', alice.xOnly)), 'non-standard', 'reserved for soft-fork', () => ({
    scriptSig: pushOf(script('OP_1', alice.xOnly)),
  })),
]

function legacy(
  name: string,
  outputScript: Uint8Array,
  verdict: Verdict,
  reason: string | null,
  unlocking: (sign: (key: Key, code: Uint8Array, options?: EcdsaOptions) => Uint8Array) => Uint8Array,
  witness: readonly Uint8Array[] = [],
): SpendCase {
  return spendCase(name, outputScript, verdict, reason, (t, c) => ({
    witness,
    scriptSig: unlocking((key, code, options) => signEcdsa(t, c, key.secret, code, { ...options, version: 'base' })),
  }))
}

const p2pkh = p2pkhScript(alice.compressed)
const redeemTwo = script(2, alice.compressed, bob.compressed, 2, 'CHECKMULTISIG')
const hybrid = Uint8Array.of(6 + ((alice.uncompressed[64] ?? 0) & 1), ...alice.uncompressed.subarray(1))
const wrongHybrid = Uint8Array.of(7 - ((alice.uncompressed[64] ?? 0) & 1), ...alice.uncompressed.subarray(1))
const legacySeparated = script(1, 'DROP', 'CODESEPARATOR', alice.compressed, 'CHECKSIG')
const legacies: SpendCase[] = [
  ...hashTypes.map((hashType) =>
    legacy(`P2PKH hash type ${hashType}`, p2pkh, 'standard', null, (sign) =>
      concatBytes(pushOf(sign(alice, p2pkh, { hashType })), pushOf(alice.compressed)),
    ),
  ),
  legacy('P2PKH wrong key', p2pkh, 'invalid', 'EQUALVERIFY', (sign) => concatBytes(pushOf(sign(bob, p2pkh)), pushOf(bob.compressed))),
  legacy('P2PKH uncompressed', p2pkhScript(alice.uncompressed), 'standard', null, (sign) =>
    concatBytes(pushOf(sign(alice, p2pkhScript(alice.uncompressed))), pushOf(alice.uncompressed)),
  ),
  legacy('P2PKH hybrid key', p2pkhScript(hybrid), 'non-standard', 'neither compressed or uncompressed', (sign) =>
    concatBytes(pushOf(sign(alice, p2pkhScript(hybrid))), pushOf(hybrid)),
  ),
  legacy('P2PKH hybrid key of wrong parity', p2pkhScript(wrongHybrid), 'invalid', null, (sign) =>
    concatBytes(pushOf(sign(alice, p2pkhScript(wrongHybrid))), pushOf(wrongHybrid)),
  ),
  legacy(
    'P2PKH with a witness',
    p2pkh,
    'invalid',
    'bad-witness-nonstandard',
    (sign) => concatBytes(pushOf(sign(alice, p2pkh)), pushOf(alice.compressed)),
    [ONE],
  ),
  legacy('P2PKH extra element', p2pkh, 'non-standard', 'Stack size must be exactly one', (sign) =>
    concatBytes(Uint8Array.of(OP.ONE), pushOf(sign(alice, p2pkh)), pushOf(alice.compressed)),
  ),
  legacy('P2PKH long push', p2pkh, 'non-standard', 'Data push larger than necessary', (sign) => {
    const signature = sign(alice, p2pkh)
    return concatBytes(Uint8Array.of(OP.PUSHDATA1, signature.length), signature, pushOf(alice.compressed))
  }),
  legacy('P2PKH scriptSig that computes', p2pkh, 'non-standard', 'scriptsig-not-pushonly', (sign) =>
    concatBytes(Uint8Array.of(OP.NOP), pushOf(sign(alice, p2pkh)), pushOf(alice.compressed)),
  ),
  legacy('P2PK', script(alice.compressed, 'CHECKSIG'), 'standard', null, (sign) =>
    pushOf(sign(alice, script(alice.compressed, 'CHECKSIG'))),
  ),
  legacy('bare multisig', redeemTwo, 'standard', null, (sign) =>
    concatBytes(Uint8Array.of(0), pushOf(sign(alice, redeemTwo)), pushOf(sign(bob, redeemTwo))),
  ),
  legacy('P2SH 2-of-2', p2shScript(redeemTwo), 'standard', null, (sign) =>
    concatBytes(Uint8Array.of(0), pushOf(sign(alice, redeemTwo)), pushOf(sign(bob, redeemTwo)), pushOf(redeemTwo)),
  ),
  legacy('P2SH 2-of-2 with a full dummy', p2shScript(redeemTwo), 'invalid', 'Dummy CHECKMULTISIG', (sign) =>
    concatBytes(Uint8Array.of(OP.ONE), pushOf(sign(alice, redeemTwo)), pushOf(sign(bob, redeemTwo)), pushOf(redeemTwo)),
  ),
  legacy('P2SH wrong redeem script', p2shScript(redeemTwo), 'invalid', null, () => pushOf(Uint8Array.of(OP.ONE))),
  legacy('P2SH scriptSig that computes', p2shScript(Uint8Array.of(OP.ONE)), 'invalid', 'scriptsig-not-pushonly', () =>
    concatBytes(Uint8Array.of(OP.NOP), pushOf(Uint8Array.of(OP.ONE))),
  ),
  legacy('P2SH code separator', p2shScript(legacySeparated), 'non-standard', 'OP_CODESEPARATOR in non-witness', (sign) =>
    concatBytes(pushOf(sign(alice, script(alice.compressed, 'CHECKSIG'))), pushOf(legacySeparated)),
  ),
  legacy(
    'P2SH 16 signature operations',
    p2shScript(concatBytes(Uint8Array.of(OP.ONE, 0, 0x63), new Uint8Array(16).fill(OP.CHECKSIG), Uint8Array.of(0x68))),
    'non-standard',
    'nonstandard-inputs',
    () => pushOf(concatBytes(Uint8Array.of(OP.ONE, 0, 0x63), new Uint8Array(16).fill(OP.CHECKSIG), Uint8Array.of(0x68))),
  ),
  legacy('bare script', Uint8Array.of(OP.ONE), 'non-standard', 'nonstandard-inputs', () => EMPTY),
]

export const legacyCases: readonly SpendCase[] = [...nested, ...legacies]
