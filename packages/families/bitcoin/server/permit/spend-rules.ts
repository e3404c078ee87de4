/** A key spends the deposits of its orders by one leaf of their HTLCs, to one place. */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { OrderAction } from '@tandem/keys/purpose.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import { htlcOf, type Leaf } from '../../terms/htlc.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { estimateVsize, WALLET_WITNESS } from '../../terms/script/weight.ts'
import { feeCap } from '../../terms/wallet/fees.ts'
import { type LeafInput, totalOf } from '../../terms/wallet/sign.ts'
import type { BitcoinOperations } from '../signing.ts'
import { spendVsize, witnessLengths } from '../spend/spend-size.ts'
import { type Asked, actionsOf, assertFee, assertParty, isSameScript, type Place, payeeOf, type RulesOf, refuse } from './request.ts'

export function spendRules({ network }: Place): RulesOf<Pick<BitcoinOperations, 'leafSpends' | 'leafWitnesses'>> {
  return {
    leafSpends(asked, inputs, output) {
      const payee = assertInputs(asked, inputs, network)
      if (!isSameScript(output.script, payee)) refuse(asked, 'it would pay somebody else')
      const total = totalOf(inputs)
      assertFee(asked, total - output.amount, feeCap(total, spendVsize(inputs, output.script), network))
    },

    /** The coin of a sponsor pays a part of the fee, and the rest of it goes back to where it was. */
    leafWitnesses(asked, inputs, coins, outputs) {
      const payee = assertInputs(asked, inputs, network)
      const [[coin, ...moreCoins], [output, change, ...moreOutputs]] = [coins, outputs]
      if (coin === undefined || output === undefined || change === undefined || moreCoins.length + moreOutputs.length > 0)
        return refuse(asked, 'it is not a spend with the coin of one sponsor')
      if (!isSameScript(output.script, payee)) refuse(asked, 'it would pay somebody else')
      if (!isSameScript(change.script, coin.script)) refuse(asked, 'the change of the sponsor would go to somebody else')
      const total = totalOf(inputs)
      const vsize = estimateVsize([...inputs.map(witnessLengths), WALLET_WITNESS], [output.script, change.script])
      const fee = total + coin.amount - output.amount - change.amount
      assertFee(asked, fee, feeCap(total, vsize, network))
      assertFee(asked, total - output.amount, fee)
    },
  }
}

/** Returns the script that all of them pay. */
function assertInputs(asked: Asked, inputs: readonly LeafInput[], network: BitcoinNetwork): Uint8Array {
  const actions = actionsOf(asked)
  const [first] = actions
  const { verb } = first
  if (verb !== 'redeem' && verb !== 'refund') return refuse(asked, 'it would spend deposits')
  const party = verb === 'redeem' ? 'redeemer' : 'initiator'
  const known = new Map(actions.map((action) => [bytesToHex(htlcOf(action.terms, network).script), action]))
  if (inputs.length === 0) refuse(asked, 'it spends nothing')
  for (const input of inputs) {
    const action = known.get(bytesToHex(input.script))
    if (action === undefined) return refuse(asked, `${input.outpoint} is not said to be a deposit of a named order`)
    assertParty(asked, party, action.terms)
    if (!isSpendBy(verb, action, input, network)) refuse(asked, `${input.outpoint} would not be spent by a ${verb}`)
  }
  const payee = payeeOf(asked, first, network)
  if (!actions.every((action) => isSameScript(payeeOf(asked, action, network), payee))) refuse(asked, 'the orders have several payees')
  return payee
}

function isSpendBy(
  verb: 'redeem' | 'refund',
  { terms }: OrderAction,
  { leaf, items, timelock }: LeafInput,
  network: BitcoinNetwork,
): boolean {
  const htlc = htlcOf(terms, network)
  if (verb === 'refund') return isSameLeaf(leaf, htlc.refund) && items.length === 0 && timelock === terms.timelock
  const [secret, ...more] = items
  const isSecret = secret !== undefined && more.length === 0 && isSecretFor(bytesToHex(secret), terms.secretHash)
  return isSameLeaf(leaf, htlc.redeem) && isSecret && timelock === null
}

function isSameLeaf({ script, controlBlock }: Leaf, expected: Leaf): boolean {
  return isSameScript(script, expected.script) && isSameScript(controlBlock, expected.controlBlock)
}
