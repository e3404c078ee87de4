// Makes spends of HTLCs in taproot: by the leaves of secret, timelock and two-of-two, and by the joint key path.
import { sha256 } from '@noble/hashes/sha2.js'
import type { Transaction } from '../transaction/transaction.ts'
import {
  COIN_AMOUNT,
  keyOf,
  p2wpkhScript,
  type SchnorrOptions,
  SEQUENCE_REPLACEABLE,
  type SpendCase,
  type SpendPlan,
  script,
  signEcdsa,
  signSchnorr,
  spendCase,
  taprootMessage,
  unlock,
  unsigned,
  type Verdict,
} from './spend.ts'
import { htlcLeaves, jointKeyOf, taprootOutput } from './taproot-tree.ts'
import type { FundedCoin } from './test-chain.ts'

const initiator = keyOf('initiator')
const redeemer = keyOf('redeemer')
const stranger = keyOf('stranger')
const secret = sha256(Uint8Array.of(1, 2, 3))
const TIMELOCK = 12
const SINGLE_ANYONECANPAY = 0x83
const EMPTY = new Uint8Array(0)

const leaves = htlcLeaves({ initiator, redeemer }, secret, TIMELOCK)
const LEAVES = [{ script: leaves.redeem }, { script: leaves.refund }, { script: leaves.instant }]
const output = taprootOutput(LEAVES)
const control = { redeem: output.controlBlock(0), refund: output.controlBlock(1), instant: output.controlBlock(2) }

const p2trOutput = { amount: COIN_AMOUNT - 20_000n, script: script('OP_1', stranger.xOnly) }

function sign(
  transaction: Transaction,
  coins: readonly FundedCoin[],
  key: { secret: Uint8Array },
  leaf: keyof typeof leaves,
  options: SchnorrOptions = {},
): Uint8Array {
  return signSchnorr(transaction, coins, key.secret, { leaf: leaves[leaf], ...options })
}

type Witness = (transaction: Transaction, coins: readonly FundedCoin[]) => readonly Uint8Array[]

function htlcCase(name: string, verdict: Verdict, reason: string | null, witness: Witness, plan: Omit<SpendPlan, 'coins'> = {}): SpendCase {
  return spendCase(`taproot ${name}`, output.script, verdict, reason, (...spend) => ({ witness: witness(...spend) }), plan)
}

type Redeem = { key?: { secret: Uint8Array }; revealed?: Uint8Array; controlBlock?: Uint8Array; toTaproot?: boolean }

function redeemCase(name: string, verdict: Verdict, reason: string | null, how: Redeem): SpendCase {
  const { key = redeemer, revealed = secret, controlBlock = control.redeem, toTaproot = false } = how
  const witness: Witness = (transaction, coins) => [sign(transaction, coins, key, 'redeem'), revealed, leaves.redeem, controlBlock]
  return htlcCase(`redeem: ${name}`, verdict, reason, witness, toTaproot ? { outputs: [p2trOutput] } : {})
}

function flip(bytes: Uint8Array, position: number, mask = 1): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[position] = (copy[position] ?? 0) ^ mask
  return copy
}

const redeems: SpendCase[] = [
  redeemCase('with the secret', 'standard', null, {}),
  redeemCase('to a taproot output', 'standard', null, { toTaproot: true }),
  redeemCase('wrong secret', 'invalid', 'EQUALVERIFY', { revealed: sha256(secret) }),
  redeemCase('secret of 31 bytes', 'invalid', 'EQUALVERIFY', { revealed: secret.subarray(1) }),
  redeemCase('secret of 33 bytes', 'invalid', 'EQUALVERIFY', { revealed: Uint8Array.of(...secret, 0) }),
  redeemCase('no secret', 'invalid', 'EQUALVERIFY', { revealed: EMPTY }),
  redeemCase('wrong key', 'invalid', 'Invalid Schnorr signature', { key: initiator }),
  redeemCase('corrupt merkle path', 'invalid', 'Witness program hash mismatch', { controlBlock: flip(control.redeem, 40) }),
  redeemCase('flipped parity', 'invalid', 'Witness program hash mismatch', { controlBlock: flip(control.redeem, 0) }),
  redeemCase('corrupt internal key', 'invalid', 'Witness program hash mismatch', { controlBlock: flip(control.redeem, 5) }),
  redeemCase('truncated control block', 'invalid', 'control block size', { controlBlock: control.redeem.subarray(0, -1) }),
  redeemCase('control block too short', 'invalid', 'control block size', { controlBlock: control.redeem.subarray(0, 32) }),
  redeemCase('control block of another leaf', 'invalid', 'Witness program hash mismatch', { controlBlock: control.refund }),
]

type Refund = { readonly sequence?: number; readonly version?: number; readonly key?: { secret: Uint8Array } }

function refundCase(name: string, verdict: Verdict, reason: string | null, { key = initiator, ...plan }: Refund): SpendCase {
  const witness: Witness = (transaction, coins) => [sign(transaction, coins, key, 'refund'), leaves.refund, control.refund]
  return htlcCase(`refund: ${name}`, verdict, reason, witness, { sequence: TIMELOCK, ...plan })
}

const UNSATISFIED = 'Locktime requirement not satisfied'
const refunds: SpendCase[] = [
  refundCase('after the timelock', 'standard', null, {}),
  refundCase('longer sequence, not yet reached', 'invalid', 'non-BIP68-final', { sequence: 2_000 }),
  refundCase('sequence too low', 'invalid', UNSATISFIED, { sequence: TIMELOCK - 1 }),
  refundCase('sequence disabled', 'invalid', UNSATISFIED, { sequence: 0x8000000c }),
  refundCase('sequence in seconds', 'invalid', UNSATISFIED, { sequence: 1 << 22 }),
  refundCase('sequence final', 'invalid', UNSATISFIED, { sequence: 0xffffffff }),
  refundCase('transaction version 1', 'invalid', UNSATISFIED, { version: 1 }),
  refundCase('wrong key', 'invalid', 'Invalid Schnorr signature', { key: redeemer }),
]

const refundedOutput = { amount: COIN_AMOUNT, script: p2wpkhScript(initiator.compressed) }

/** Both sign only their own input and its output, before anyone knows the fee. */
function presigned(coins: readonly FundedCoin[]): readonly Uint8Array[] {
  const [coin] = coins
  const own = coin === undefined ? [] : [coin]
  const transaction = unsigned({ coins: own, outputs: [refundedOutput] })
  const options = { hashType: SINGLE_ANYONECANPAY }
  return [redeemer, initiator].map((key) => sign(transaction, own, key, 'instant', options))
}

const feeScript = p2wpkhScript(stranger.compressed)
const instantCase = (name: string, verdict: Verdict, reason: string | null, witness: Witness, plan: Omit<SpendPlan, 'coins'> = {}) =>
  htlcCase(`instant refund: ${name}`, verdict, reason, (...spend) => [...witness(...spend), leaves.instant, control.instant], plan)
const INVALID_SIGNATURE = 'Invalid Schnorr signature'

const instants: SpendCase[] = [
  ...[0, 1, 2, 3, 0x81, 0x82, 0x83].map((hashType) =>
    instantCase(`both sign with hash type ${hashType}`, 'standard', null, (transaction, coins) =>
      [redeemer, initiator].map((key) => sign(transaction, coins, key, 'instant', { hashType })),
    ),
  ),
  instantCase('one signature missing', 'invalid', 'false/empty top stack', (transaction, coins) => [
    EMPTY,
    sign(transaction, coins, initiator, 'instant'),
  ]),
  instantCase('one party signs twice', 'invalid', INVALID_SIGNATURE, (transaction, coins) => {
    const signature = sign(transaction, coins, initiator, 'instant')
    return [signature, signature]
  }),
  instantCase('signature for another leaf', 'invalid', INVALID_SIGNATURE, (transaction, coins) =>
    [redeemer, initiator].map((key) => sign(transaction, coins, key, 'redeem')),
  ),
  instantCase('presigned, no fee yet', 'non-standard', 'min relay fee not met', (_, coins) => presigned(coins), {
    outputs: [refundedOutput],
  }),
  {
    name: 'taproot instant refund: presigned, fee input added',
    scripts: [output.script, feeScript],
    verdict: 'standard',
    spend(coins) {
      const outputs = [refundedOutput, { amount: COIN_AMOUNT - 30_000n, script: feeScript }]
      const witness = [...presigned(coins), leaves.instant, control.instant]
      const transaction = unlock(unsigned({ coins, outputs }), 0, witness)
      const code = script('DUP', 'HASH160', feeScript.subarray(2), 'EQUALVERIFY', 'CHECKSIG')
      return unlock(transaction, 1, [signEcdsa(transaction, coins, stranger.secret, code, { index: 1 }), stranger.compressed])
    },
  },
  instantCase('presigned, output redirected', 'invalid', INVALID_SIGNATURE, (_, coins) => presigned(coins), {
    outputs: [{ amount: COIN_AMOUNT - 20_000n, script: feeScript }],
  }),
]

const jointKey = jointKeyOf({ initiator, redeemer })
const joint = taprootOutput(LEAVES, jointKey.publicKey)

function together(name: string, verdict: Verdict, signed: Omit<SpendPlan, 'coins'>, sent = signed): SpendCase {
  const witness = (_: Transaction, coins: readonly FundedCoin[]) => [
    jointKey.sign(taprootMessage(unsigned({ coins, ...signed }), coins), joint.tweak),
  ]
  const reason = verdict === 'invalid' ? INVALID_SIGNATURE : null
  return spendCase(`taproot key path: ${name}`, joint.script, verdict, reason, (...spend) => ({ witness: witness(...spend) }), sent)
}

const keyPath: SpendCase[] = [
  together('both sign together', 'standard', {}),
  together('both sign together to a taproot output', 'standard', { outputs: [p2trOutput] }),
  together('output changed after signing', 'invalid', {}, { outputs: [p2trOutput] }),
  together('sequence changed after signing', 'invalid', {}, { sequence: SEQUENCE_REPLACEABLE - 1 }),
]

export const htlcCases: readonly SpendCase[] = [...redeems, ...refunds, ...instants, ...keyPath]
