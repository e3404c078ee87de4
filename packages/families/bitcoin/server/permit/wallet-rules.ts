/** A key pays from its wallet what its purpose says, and otherwise only itself and fees. */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { SignedVerb } from '@tandem/keys/purpose.ts'
import { htlcOf } from '../../terms/htlc.ts'
import { scriptOfAddress } from '../../terms/script/address.ts'
import { estimateVsize, WALLET_WITNESS } from '../../terms/script/weight.ts'
import { childFeeCap, feeCap, feeOf } from '../../terms/wallet/fees.ts'
import { composeInputs, REPLACEABLE_SEQUENCE, totalOf } from '../../terms/wallet/sign.ts'
import { payoutScripts } from '../script/paid-out.ts'
import type { ParsedTransaction, TransactionOutput } from '../script/transaction.ts'
import type { BitcoinOperations } from '../signing.ts'
import {
  type Asked,
  actionsOf,
  assertFee,
  assertParty,
  isSameScript,
  onlyAction,
  type Place,
  type RulesOf,
  readTransaction,
  refuse,
  walletScript,
} from './request.ts'

/** A child (CPFP) may pay for any transaction of ours that has an output of its signer. */
const VERBS_WITH_TRANSACTION: ReadonlySet<SignedVerb> = new Set(['initiate', 'redeem', 'refund', 'instant-refund', 'cancel'])

export function walletRules(place: Place): RulesOf<Pick<BitcoinOperations, 'walletPayment' | 'walletInput'>> {
  const { network } = place
  return {
    walletPayment(asked, coins, outputs) {
      const own = walletScript(asked)
      const [output, change, ...more] = outputs
      if (output === undefined || coins.length === 0 || more.length > 0) return refuse(asked, `it has ${outputs.length} outputs`)
      const paid = totalOf(coins)
      const fee = paid - totalOf(outputs)
      const vsize = estimateVsize(
        coins.map(() => WALLET_WITNESS),
        outputs.map(({ script }) => script),
      )
      if (change === undefined && isSameScript(output.script, own)) {
        assertPaysItself(asked)
        return assertFee(asked, fee, coins.length === 1 ? childFeeCap(network) : feeCap(paid, vsize, network))
      }
      const expected = paymentOf(asked, place)
      if (!isSameScript(output.script, expected.script) || output.amount !== expected.amount)
        refuse(asked, 'it is not the payment of its purpose')
      if (change !== undefined && !isSameScript(change.script, own)) refuse(asked, 'the change would go to somebody else')
      assertFee(asked, fee, feeCap(expected.amount, vsize, network))
    },

    /**
     * The signature does not cover what the other inputs are. So it is only for the last input: with one for each of two coins of the wallet, the change of
     * one could pay for both.
     */
    walletInput(asked, unsigned, index, amount) {
      const { inputs, outputs } = parse(asked, unsigned)
      const change = outputs.at(-1)
      if (inputs.length < 2 || index !== inputs.length - 1) return refuse(asked, `input ${index} is not the last one, for the fee`)
      if (change === undefined || !isSameScript(change.script, walletScript(asked)))
        return refuse(asked, 'the change would go to somebody else')
      assertFee(asked, amount - change.amount, feeOf(sizeWithFeeInput(asked, inputs.length - 1, outputs, place), network.maxFeeRate))
    },
  }
}

function assertPaysItself(asked: Asked): void {
  if (asked.purpose.kind === 'withdraw') return
  const [{ verb }] = actionsOf(asked)
  if (!VERBS_WITH_TRANSACTION.has(verb)) refuse(asked, 'it would be a transaction')
}

function paymentOf(asked: Asked, { chain, network }: Place): TransactionOutput {
  const { purpose } = asked
  if (purpose.kind === 'withdraw') {
    if (purpose.asset !== chain.nativeAsset) refuse(asked, `there is no ${purpose.asset} here`)
    return { amount: purpose.amount, script: scriptOfAddress(purpose.recipient, network) }
  }
  const { verb, terms } = onlyAction(asked)
  if (verb !== 'initiate') refuse(asked, 'it would pay from the wallet')
  assertParty(asked, 'initiator', terms)
  return { amount: terms.amount, script: htlcOf(terms, network).script }
}

/** The others' outputs are signed by others: one output of a redeem, and one of each instant refund. */
function sizeWithFeeInput(asked: Asked, spends: number, outputs: readonly TransactionOutput[], { network }: Place): bigint {
  const { verb, terms, to } = onlyAction(asked)
  const htlc = htlcOf(terms, network)
  const others = outputs.slice(0, -1)
  const scripts = outputs.map(({ script }) => script)
  if (verb === 'redeem') {
    const [payout, ...more] = others
    const payees = to === undefined ? payoutScripts(terms.redeemer) : new Set([bytesToHex(scriptOfAddress(to, network))])
    if (payout === undefined || more.length > 0 || !payees.has(bytesToHex(payout.script)))
      return refuse(asked, 'it would pay somebody else')
    const witness = [64, 32, htlc.redeem.script.length, htlc.redeem.controlBlock.length]
    return estimateVsize([...Array<readonly number[]>(spends).fill(witness), WALLET_WITNESS], scripts)
  }
  if (verb !== 'instant-refund') return refuse(asked, 'it would pay for the transaction of somebody else')
  if (others.length !== spends) return refuse(asked, 'it does not pay for each deposit')
  const { script, controlBlock } = htlc.instantRefund
  return estimateVsize([...Array<readonly number[]>(spends).fill([65, 65, script.length, controlBlock.length]), WALLET_WITNESS], scripts)
}

/** Version, sequences and lock time must be ours, too. */
function parse(asked: Asked, unsigned: string): Pick<ParsedTransaction, 'inputs' | 'outputs'> {
  const parsed = readTransaction(asked, unsigned)
  return plainTransaction(parsed) === unsigned ? parsed : refuse(asked, 'it is not a plain, unsigned transaction of ours')
}

/** It is null for outputs that no transaction of ours has. */
function plainTransaction({ inputs, outputs }: ParsedTransaction): string | null {
  const coins = inputs.map(({ outpoint }) => ({ outpoint, amount: 0n, script: new Uint8Array(), sequence: REPLACEABLE_SEQUENCE }))
  try {
    return bytesToHex(composeInputs(coins, outputs).unsignedTx)
  } catch {
    return null
  }
}
