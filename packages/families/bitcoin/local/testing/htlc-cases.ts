// Spends of hash timelock contracts in taproot: secret, timelock and two-of-two leaves, and the joint key path.
import { sha256 } from '@noble/hashes/sha2.js'
import { keyAggExport, keyAggregate, nonceAggregate, nonceGen, Session, sortKeys } from '@scure/btc-signer/musig2.js'
import type { Transaction } from '../transaction/transaction.ts'
import {
  keyOf,
  p2wpkhScript,
  type SchnorrOptions,
  SEQUENCE_REPLACEABLE,
  script,
  signEcdsa,
  signSchnorr,
  taprootMessage,
  unlock,
  unsigned,
} from './spend.ts'
import { COIN_AMOUNT, type SpendCase } from './spend-case.ts'
import { taprootOutput } from './taproot-tree.ts'
import type { FundedCoin } from './test-chain.ts'

const initiator = keyOf('initiator')
const redeemer = keyOf('redeemer')
const stranger = keyOf('stranger')
const secret = sha256(Uint8Array.of(1, 2, 3))
const TIMELOCK = 12
const SINGLE_ANYONECANPAY = 0x83
const EMPTY = new Uint8Array(0)

const leaves = {
  redeem: script('SIZE', Uint8Array.of(32), 'EQUALVERIFY', 'SHA256', sha256(secret), 'EQUALVERIFY', redeemer.xOnly, 'CHECKSIG'),
  refund: script(TIMELOCK, 'CHECKSEQUENCEVERIFY', 'DROP', initiator.xOnly, 'CHECKSIG'),
  instant: script(initiator.xOnly, 'CHECKSIG', redeemer.xOnly, 'CHECKSIGADD', 2, 'NUMEQUAL'),
}
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

type Redeem = { key?: { secret: Uint8Array }; revealed?: Uint8Array; controlBlock?: Uint8Array; toTaproot?: boolean }

function redeemCase(name: string, verdict: SpendCase['verdict'], reason: string | undefined, how: Redeem): SpendCase {
  const { key = redeemer, revealed = secret, controlBlock = control.redeem, toTaproot = false } = how
  return {
    name: `taproot redeem: ${name}`,
    scripts: [output.script],
    verdict,
    ...(reason === undefined ? {} : { reason }),
    spend(coins) {
      const transaction = unsigned(toTaproot ? { coins, outputs: [p2trOutput] } : { coins })
      return unlock(transaction, 0, [sign(transaction, coins, key, 'redeem'), revealed, leaves.redeem, controlBlock])
    },
  }
}

function flip(bytes: Uint8Array, position: number, mask = 1): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[position] = (copy[position] ?? 0) ^ mask
  return copy
}

const redeems: SpendCase[] = [
  redeemCase('with the secret', 'standard', undefined, {}),
  redeemCase('to a taproot output', 'standard', undefined, { toTaproot: true }),
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

function refundCase(
  name: string,
  verdict: SpendCase['verdict'],
  reason: string | undefined,
  plan: { sequence?: number; version?: number; key?: { secret: Uint8Array } },
): SpendCase {
  return {
    name: `taproot refund: ${name}`,
    scripts: [output.script],
    verdict,
    ...(reason === undefined ? {} : { reason }),
    spend(coins) {
      const transaction = unsigned({
        coins,
        sequence: plan.sequence ?? TIMELOCK,
        ...(plan.version === undefined ? {} : { version: plan.version }),
      })
      return unlock(transaction, 0, [sign(transaction, coins, plan.key ?? initiator, 'refund'), leaves.refund, control.refund])
    },
  }
}

const UNSATISFIED = 'Locktime requirement not satisfied'
const refunds: SpendCase[] = [
  refundCase('after the timelock', 'standard', undefined, {}),
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
function presigned(coins: readonly FundedCoin[]): { witness: Uint8Array[] } {
  const [coin] = coins
  const own = coin === undefined ? [] : [coin]
  const transaction = unsigned({ coins: own, outputs: [refundedOutput] })
  const options = { hashType: SINGLE_ANYONECANPAY }
  const witness = [sign(transaction, own, redeemer, 'instant', options), sign(transaction, own, initiator, 'instant', options)]
  return { witness: [...witness, leaves.instant, control.instant] }
}

function instantCase(
  name: string,
  verdict: SpendCase['verdict'],
  reason: string | undefined,
  spend: SpendCase['spend'],
  scripts = [output.script],
): SpendCase {
  return { name: `taproot instant refund: ${name}`, scripts, verdict, ...(reason === undefined ? {} : { reason }), spend }
}

const feeScript = p2wpkhScript(stranger.compressed)
const instants: SpendCase[] = [
  ...[0, 1, 2, 3, 0x81, 0x82, 0x83].map((hashType) =>
    instantCase(`both sign with hash type ${hashType}`, 'standard', undefined, (coins) => {
      const transaction = unsigned({ coins })
      const signatures = [redeemer, initiator].map((key) => sign(transaction, coins, key, 'instant', { hashType }))
      return unlock(transaction, 0, [...signatures, leaves.instant, control.instant])
    }),
  ),
  instantCase('one signature missing', 'invalid', 'false/empty top stack', (coins) => {
    const transaction = unsigned({ coins })
    return unlock(transaction, 0, [EMPTY, sign(transaction, coins, initiator, 'instant'), leaves.instant, control.instant])
  }),
  instantCase('one party signs twice', 'invalid', 'Invalid Schnorr signature', (coins) => {
    const transaction = unsigned({ coins })
    const signature = sign(transaction, coins, initiator, 'instant')
    return unlock(transaction, 0, [signature, signature, leaves.instant, control.instant])
  }),
  instantCase('signature for another leaf', 'invalid', 'Invalid Schnorr signature', (coins) => {
    const transaction = unsigned({ coins })
    const signatures = [redeemer, initiator].map((key) => sign(transaction, coins, key, 'redeem'))
    return unlock(transaction, 0, [...signatures, leaves.instant, control.instant])
  }),
  instantCase('presigned, no fee yet', 'non-standard', 'min relay fee not met', (coins) =>
    unlock(unsigned({ coins, outputs: [refundedOutput] }), 0, presigned(coins).witness),
  ),
  instantCase(
    'presigned, fee input added',
    'standard',
    undefined,
    (coins) => {
      const outputs = [refundedOutput, { amount: COIN_AMOUNT - 30_000n, script: feeScript }]
      const transaction = unlock(unsigned({ coins, outputs }), 0, presigned(coins).witness)
      const code = script('DUP', 'HASH160', feeScript.subarray(2), 'EQUALVERIFY', 'CHECKSIG')
      return unlock(transaction, 1, [signFee(transaction, coins, code), stranger.compressed])
    },
    [output.script, feeScript],
  ),
  instantCase('presigned, output redirected', 'invalid', 'Invalid Schnorr signature', (coins) =>
    unlock(unsigned({ coins, outputs: [{ amount: COIN_AMOUNT - 20_000n, script: feeScript }] }), 0, presigned(coins).witness),
  ),
]

function signFee(transaction: Transaction, coins: readonly FundedCoin[], code: Uint8Array): Uint8Array {
  return signEcdsa(transaction, coins, stranger.secret, code, { index: 1 })
}

const sorted = sortKeys([initiator.compressed, redeemer.compressed])
const jointKey = keyAggExport(keyAggregate(sorted))
const joint = taprootOutput(LEAVES, jointKey)

function jointSignature(message: Uint8Array): Uint8Array {
  const signers = sorted.map((publicKey) => {
    const own = Buffer.compare(publicKey, initiator.compressed) === 0 ? initiator : redeemer
    return { own, nonce: nonceGen(publicKey, own.secret, jointKey, message) }
  })
  const session = () => new Session(nonceAggregate(signers.map(({ nonce }) => nonce.public)), sorted, message, [joint.tweak], [true])
  return session().partialSigAgg(signers.map(({ own, nonce }) => session().sign(nonce.secret, own.secret)))
}

const keyPath: SpendCase[] = [
  {
    name: 'taproot key path: both sign together',
    scripts: [joint.script],
    verdict: 'standard',
    spend(coins) {
      const transaction = unsigned({ coins })
      return unlock(transaction, 0, [jointSignature(taprootMessage(transaction, coins))])
    },
  },
  {
    name: 'taproot key path: both sign together to a taproot output',
    scripts: [joint.script],
    verdict: 'standard',
    spend(coins) {
      const transaction = unsigned({ coins, outputs: [p2trOutput] })
      return unlock(transaction, 0, [jointSignature(taprootMessage(transaction, coins))])
    },
  },
  {
    name: 'taproot key path: output changed after signing',
    scripts: [joint.script],
    verdict: 'invalid',
    reason: 'Invalid Schnorr signature',
    spend(coins) {
      const signature = jointSignature(taprootMessage(unsigned({ coins }), coins))
      return unlock(unsigned({ coins, outputs: [p2trOutput] }), 0, [signature])
    },
  },
  {
    name: 'taproot key path: sequence changed after signing',
    scripts: [joint.script],
    verdict: 'invalid',
    reason: 'Invalid Schnorr signature',
    spend(coins) {
      const signature = jointSignature(taprootMessage(unsigned({ coins }), coins))
      return unlock(unsigned({ coins, sequence: SEQUENCE_REPLACEABLE - 1 }), 0, [signature])
    },
  },
]

export const htlcCases: readonly SpendCase[] = [...redeems, ...refunds, ...instants, ...keyPath]
