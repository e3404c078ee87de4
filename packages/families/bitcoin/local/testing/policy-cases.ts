// Makes transactions with valid scripts but a shape, amounts or a fee that policy refuses.
import { createTransaction, type Transaction, type TransactionOutput } from '../transaction/transaction.ts'
import {
  COIN_AMOUNT,
  keyOf,
  p2pkhScript,
  p2shScript,
  p2wpkhScript,
  p2wshScript,
  type SpendCase,
  type SpendPlan,
  script,
  signEcdsa,
  unlock,
  unsigned,
  type Verdict,
} from './spend.ts'
import type { FundedCoin } from './test-chain.ts'

const alice = keyOf('alice')
const own = p2wpkhScript(alice.compressed)
const code = p2pkhScript(alice.compressed)
const MAX_MONEY = 2_100_000_000_000_000n

function signed(transaction: Transaction, coins: readonly FundedCoin[]): Transaction {
  return coins.reduce(
    (result, _, i) => unlock(result, i, [signEcdsa(transaction, coins, alice.secret, code, { index: i }), alice.compressed]),
    transaction,
  )
}

function policyCase(name: string, verdict: Verdict, reason: string | null, plan: Omit<SpendPlan, 'coins'>, inputs = 1): SpendCase {
  return {
    name: `policy: ${name}`,
    scripts: Array.from({ length: inputs }, () => own),
    verdict,
    ...(reason === null ? {} : { reason }),
    spend: (coins) => signed(unsigned({ coins, ...plan }), coins),
  }
}

const change: TransactionOutput = { amount: COIN_AMOUNT - 50_000n, script: own }

const dustCases: SpendCase[] = [
  ['P2WPKH', own, 294n] as const,
  ['P2WSH', p2wshScript(code), 330n] as const,
  ['P2TR', script('OP_1', alice.xOnly), 330n] as const,
  ['P2PKH', code, 546n] as const,
  ['P2SH', p2shScript(code), 540n] as const,
  ['anchor', Uint8Array.of(0x51, 2, 0x4e, 0x73), 240n] as const,
].flatMap(([name, output, limit]) => [
  policyCase(`${name} output at the dust limit`, 'standard', null, { outputs: [change, { amount: limit, script: output }] }),
  policyCase(`${name} output below the dust limit`, 'non-standard', 'dust', { outputs: [change, { amount: limit - 1n, script: output }] }),
])

const data = (length: number): TransactionOutput => ({ amount: 0n, script: script('RETURN', new Uint8Array(length)) })

const shapeCases: SpendCase[] = [
  policyCase('80 bytes of data', 'standard', null, { outputs: [change, data(80)] }),
  policyCase('81 bytes of data', 'non-standard', 'scriptpubkey', { outputs: [change, data(81)] }),
  policyCase('two data outputs', 'non-standard', 'multi-op-return', { outputs: [change, data(10), data(10)] }),
  policyCase('unknown output script', 'non-standard', 'scriptpubkey', {
    outputs: [change, { amount: 10_000n, script: Uint8Array.of(0x51) }],
  }),
  policyCase('output to a future witness version', 'standard', null, {
    outputs: [{ amount: 900_000n, script: script('OP_2', new Uint8Array(32)) }],
  }),
  policyCase('output to bare multisig of 3 keys', 'standard', null, {
    outputs: [change, { amount: 10_000n, script: script(1, ...['a', 'b', 'c'].map((name) => keyOf(name).compressed), 3, 'CHECKMULTISIG') }],
  }),
  policyCase('output to bare multisig of 4 keys', 'non-standard', 'scriptpubkey', {
    outputs: [
      change,
      { amount: 10_000n, script: script(1, ...['a', 'b', 'c', 'd'].map((name) => keyOf(name).compressed), 4, 'CHECKMULTISIG') },
    ],
  }),
  policyCase('version 0', 'non-standard', 'version', { version: 0 }),
  policyCase('version 1', 'standard', null, { version: 1 }),
  policyCase('version 3', 'standard', null, { version: 3 }),
  policyCase('version 4', 'non-standard', 'version', { version: 4 }),
  policyCase('64 bytes without witness', 'non-standard', 'tx-size-small', {
    outputs: [{ amount: 900_000n, script: Uint8Array.of(0x51, 2, 0x4e, 0x73) }],
  }),
  policyCase('locktime of this block', 'invalid', 'non-final', { lockTime: 1_000_000 }),
  policyCase('locktime ignored by final inputs', 'standard', null, { lockTime: 1_000_000, sequence: 0xffffffff }),
]

const amountCases: SpendCase[] = [
  policyCase('fee of 1 sat/vB', 'standard', null, { outputs: [{ amount: COIN_AMOUNT - 110n, script: own }] }),
  policyCase('fee below 1 sat/vB', 'non-standard', 'min relay fee not met', { outputs: [{ amount: COIN_AMOUNT - 100n, script: own }] }),
  policyCase('no fee', 'non-standard', 'min relay fee not met', { outputs: [{ amount: COIN_AMOUNT, script: own }] }),
  policyCase('more out than in', 'invalid', 'bad-txns-in-belowout', { outputs: [{ amount: COIN_AMOUNT + 1n, script: own }] }),
  policyCase('negative output', 'invalid', 'bad-txns-vout-negative', { outputs: [change, { amount: -1n, script: own }] }),
  policyCase('output over all money', 'invalid', 'bad-txns-vout-toolarge', { outputs: [{ amount: MAX_MONEY + 1n, script: own }] }),
  policyCase('outputs over all money', 'invalid', 'bad-txns-txouttotal-toolarge', {
    outputs: [change, { amount: MAX_MONEY, script: own }],
  }),
  policyCase('two inputs', 'standard', null, {}, 2),
]

const inputCases: SpendCase[] = [
  {
    name: 'policy: the same input twice',
    scripts: [own],
    verdict: 'invalid',
    reason: 'bad-txns-inputs-duplicate',
    spend(coins) {
      const [coin] = coins
      const twice = coin === undefined ? [] : [coin, coin]
      return signed(unsigned({ coins: twice }), twice)
    },
  },
  {
    name: 'policy: an unknown input',
    scripts: [own],
    verdict: 'invalid',
    reason: 'missingorspent',
    spend(coins) {
      const unknown = coins.map((coin) => ({ ...coin, index: 70_000 }))
      return signed(unsigned({ coins: unknown }), unknown)
    },
  },
  {
    name: 'policy: no outputs',
    scripts: [own],
    verdict: 'invalid',
    reason: 'bad-txns-vout-empty',
    spend: (coins) => createTransaction({ ...signed(unsigned({ coins }), coins), outputs: [] }),
  },
]

export const policyCases: readonly SpendCase[] = [...dustCases, ...shapeCases, ...amountCases, ...inputCases]
