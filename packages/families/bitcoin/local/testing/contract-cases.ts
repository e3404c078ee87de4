// Makes spends of a swap's contracts, each with the age of the coin: taproot with an unspendable or a joint internal key, and the same
// conditions as P2WSH.
import { sha256 } from '@noble/hashes/sha2.js'
import type { Transaction } from '../transaction/transaction.ts'
import {
  COIN_AMOUNT,
  type Key,
  keyOf,
  p2wpkhScript,
  p2wshScript,
  type SpendCase,
  type SpendPlan,
  script,
  signEcdsa,
  signSchnorr,
  taprootMessage,
  unlock,
  unsigned,
  type Verdict,
} from './spend.ts'
import { htlcLeaves, jointKeyOf, taprootOutput } from './taproot-tree.ts'
import type { FundedCoin } from './test-chain.ts'

/** `age` counts blocks from the one that created the coin to the one that would contain the spend. */
export type ContractCase = SpendCase & { readonly age: number }

const CONTRACT_TIMELOCK = 12
const SINGLE_ANYONECANPAY = 0x83
const EMPTY = new Uint8Array(0)
const TRUE = Uint8Array.of(1)

const initiator = keyOf('contract initiator')
const redeemer = keyOf('contract redeemer')
const payer = keyOf('contract payer')
const secret = sha256(new TextEncoder().encode('contract secret'))
const secretHash = sha256(secret)

const outputs = {
  'p2wpkh-out': p2wpkhScript(keyOf('recipient').compressed),
  'p2tr-out': script('OP_1', keyOf('recipient').xOnly),
}
const paying = (to: Uint8Array, amount = COIN_AMOUNT - 20_000n) => ({ outputs: [{ amount, script: to }] })

const leaves = htlcLeaves({ initiator, redeemer }, secret, CONTRACT_TIMELOCK)
const LEAVES = [{ script: leaves.redeem }, { script: leaves.refund }, { script: leaves.instant }]
const jointKey = jointKeyOf({ initiator, redeemer })

type Contract = { readonly name: 'NUMS' | 'MuSig2'; readonly output: ReturnType<typeof taprootOutput> }
const contracts: readonly Contract[] = [
  { name: 'NUMS', output: taprootOutput(LEAVES) },
  { name: 'MuSig2', output: taprootOutput(LEAVES, jointKey.publicKey) },
]

type Witness = (transaction: Transaction, coins: readonly FundedCoin[]) => readonly Uint8Array[]

function single(
  name: string,
  output: Uint8Array,
  verdict: Verdict,
  age: number,
  plan: Omit<SpendPlan, 'coins'>,
  witness: Witness,
): ContractCase {
  return {
    name,
    scripts: [output],
    verdict,
    age,
    spend(coins) {
      const transaction = unsigned({ coins, ...plan })
      return unlock(transaction, 0, witness(transaction, coins))
    },
  }
}

const signLeaf = (transaction: Transaction, coins: readonly FundedCoin[], key: Key, leaf: keyof typeof leaves, hashType = 0) =>
  signSchnorr(transaction, coins, key.secret, { leaf: leaves[leaf], hashType })

function redeems({ name, output }: Contract): ContractCase[] {
  const control = output.controlBlock(0)
  const corrupt = Uint8Array.from(control)
  corrupt[40] = (corrupt[40] ?? 0) ^ 1
  const by =
    (key: Key, shown: Uint8Array, block = control): Witness =>
    (transaction, coins) => [signLeaf(transaction, coins, key, 'redeem'), shown, leaves.redeem, block]
  return [
    ...Object.entries(outputs).map(([kind, to]) =>
      single(`${name} redeem script-path (depth1) ${kind}`, output.script, 'standard', 2, paying(to), by(redeemer, secret)),
    ),
    single(`${name} redeem wrong preimage`, output.script, 'invalid', 2, {}, by(redeemer, sha256(secret))),
    single(`${name} redeem by initiator's key`, output.script, 'invalid', 2, {}, by(initiator, secret)),
    single(`${name} redeem corrupt control block`, output.script, 'invalid', 2, {}, by(redeemer, secret, corrupt)),
  ]
}

function refunds({ name, output }: Contract): ContractCase[] {
  const signed: Witness = (transaction, coins) => [signLeaf(transaction, coins, initiator, 'refund'), leaves.refund, output.controlBlock(1)]
  const refund = (what: string, verdict: Verdict, age: number, plan: Omit<SpendPlan, 'coins'>) =>
    single(`${name} refund ${what}`, output.script, verdict, age, plan, signed)
  const early = CONTRACT_TIMELOCK - 1
  return [
    refund(`early (seq=${CONTRACT_TIMELOCK})`, 'invalid', 2, { sequence: CONTRACT_TIMELOCK }),
    refund(`seq=${early} (script CSV fails)`, 'invalid', 2, { sequence: early }),
    refund('one block early', 'invalid', early, { sequence: CONTRACT_TIMELOCK }),
    refund(`aged but seq=${early}`, 'invalid', CONTRACT_TIMELOCK, { sequence: early }),
    refund('aged, tx version 1', 'invalid', CONTRACT_TIMELOCK, { sequence: CONTRACT_TIMELOCK, version: 1 }),
    refund('after CSV p2wpkh-out', 'standard', CONTRACT_TIMELOCK, { sequence: CONTRACT_TIMELOCK }),
  ]
}

function instantRefunds({ name, output }: Contract): ContractCase[] {
  const control = output.controlBlock(2)
  const both =
    (hashType: number): Witness =>
    (transaction, coins) => [
      signLeaf(transaction, coins, redeemer, 'instant', hashType),
      signLeaf(transaction, coins, initiator, 'instant', hashType),
      leaves.instant,
      control,
    ]
  /** Both sign for this output before anyone knows the fee. */
  const presigned = (coins: readonly FundedCoin[], to: Uint8Array, amount: bigint) => {
    const own = coins.slice(0, 1)
    return both(SINGLE_ANYONECANPAY)(unsigned({ coins: own, ...paying(to, amount) }), own)
  }
  const to = outputs['p2wpkh-out']
  const feeScript = p2wpkhScript(payer.compressed)
  return [
    single(`${name} instant refund only initiator sig`, output.script, 'invalid', 2, {}, (transaction, coins) => [
      EMPTY,
      signLeaf(transaction, coins, initiator, 'instant'),
      leaves.instant,
      control,
    ]),
    single(`${name} instant refund 2of2 ALL(default)`, output.script, 'standard', 2, {}, both(0)),
    single(`${name} presigned instant refund alone (0 fee)`, output.script, 'non-standard', 2, paying(to, COIN_AMOUNT), (_, coins) =>
      presigned(coins, to, COIN_AMOUNT),
    ),
    {
      name: `${name} presigned SINGLE|ACP + fee input + change`,
      scripts: [output.script, feeScript],
      verdict: 'standard',
      age: 2,
      spend(coins) {
        const change = { amount: COIN_AMOUNT - 30_000n, script: feeScript }
        const plan = { coins, outputs: [...paying(to, COIN_AMOUNT).outputs, change] }
        const transaction = unlock(unsigned(plan), 0, presigned(coins, to, COIN_AMOUNT))
        const code = script('DUP', 'HASH160', feeScript.subarray(2), 'EQUALVERIFY', 'CHECKSIG')
        return unlock(transaction, 1, [signEcdsa(transaction, coins, payer.secret, code, { index: 1 }), payer.compressed])
      },
    },
    single(`${name} SINGLE|ACP output redirected`, output.script, 'invalid', 2, paying(outputs['p2tr-out']), (_, coins) =>
      presigned(coins, to, COIN_AMOUNT - 20_000n),
    ),
  ]
}

function keyPaths({ name, output }: Contract): ContractCase[] {
  if (name !== 'MuSig2') return []
  const together: Witness = (transaction, coins) => [jointKey.sign(taprootMessage(transaction, coins), output.tweak)]
  return [
    ...Object.entries(outputs).map(([kind, to]) => single(`${name} key-path ${kind}`, output.script, 'standard', 2, paying(to), together)),
    single(
      `${name} key-path tampered output`,
      output.script,
      'invalid',
      2,
      paying(outputs['p2wpkh-out'], COIN_AMOUNT - 20_001n),
      (_, coins) => together(unsigned({ coins, ...paying(outputs['p2wpkh-out']) }), coins),
    ),
  ]
}

type WitnessScript = {
  readonly name: string
  readonly code: Uint8Array
  readonly refund: readonly Uint8Array[]
  readonly hasInstant: boolean
}

const witnessScripts: readonly WitnessScript[] = [
  {
    name: 'basic',
    code: script(
      ...(['IF', 'SIZE', Uint8Array.of(32), 'EQUALVERIFY', 'SHA256', secretHash, 'EQUALVERIFY', redeemer.compressed, 'ELSE'] as const),
      ...([CONTRACT_TIMELOCK, 'CHECKSEQUENCEVERIFY', 'DROP', initiator.compressed, 'ENDIF', 'CHECKSIG'] as const),
    ),
    refund: [EMPTY],
    hasInstant: false,
  },
  {
    name: 'with2of2',
    code: script(
      ...(['IF', 'SHA256', secretHash, 'EQUALVERIFY', redeemer.compressed, 'CHECKSIG', 'ELSE', 'IF'] as const),
      ...([CONTRACT_TIMELOCK, 'CHECKSEQUENCEVERIFY', 'DROP', initiator.compressed, 'CHECKSIG', 'ELSE'] as const),
      ...([2, initiator.compressed, redeemer.compressed, 2, 'CHECKMULTISIG', 'ENDIF', 'ENDIF'] as const),
    ),
    refund: [TRUE, EMPTY],
    hasInstant: true,
  },
]

function witnessScriptCases({ name, code, refund, hasInstant }: WitnessScript): ContractCase[] {
  const output = p2wshScript(code)
  const sign = (transaction: Transaction, coins: readonly FundedCoin[], key: Key) => signEcdsa(transaction, coins, key.secret, code)
  const refunded: Witness = (transaction, coins) => [sign(transaction, coins, initiator), ...refund, code]
  const sequence = CONTRACT_TIMELOCK
  return [
    ...Object.entries(outputs).map(([kind, to]) =>
      single(`P2WSH ${name} redeem ${kind}`, output, 'standard', 2, paying(to), (transaction, coins) => [
        sign(transaction, coins, redeemer),
        secret,
        TRUE,
        code,
      ]),
    ),
    single(`P2WSH ${name} refund early`, output, 'invalid', 2, { sequence }, refunded),
    single(`P2WSH ${name} refund`, output, 'standard', CONTRACT_TIMELOCK, { sequence }, refunded),
    ...(hasInstant
      ? [
          single(`P2WSH ${name} instant refund`, output, 'standard', 2, {}, (transaction, coins) => [
            EMPTY,
            sign(transaction, coins, initiator),
            sign(transaction, coins, redeemer),
            EMPTY,
            EMPTY,
            code,
          ]),
        ]
      : []),
  ]
}

export const contractCases: readonly ContractCase[] = [
  ...contracts.flatMap((contract) => [redeems, refunds, instantRefunds, keyPaths].flatMap((casesOf) => casesOf(contract))),
  ...witnessScripts.flatMap(witnessScriptCases),
]
