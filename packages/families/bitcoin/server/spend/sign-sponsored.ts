import { bytesToHex } from '@noble/hashes/utils.js'
import { p2wpkh } from '@scure/btc-signer'
import type { Signer } from '@tandem/keys/key.ts'
import {
  composeLeafSpends,
  finish,
  type LeafInput,
  type SignedTransaction,
  type SpendableCoin,
  setWitness,
} from '../../terms/wallet/sign.ts'
import type { TransactionOutput } from '../script/transaction.ts'
import { bitcoinSigning } from '../signing.ts'

/** One key spends the deposits, and another adds a coin of its wallet for the fee, as the last input. */
export async function signSponsoredSpend(
  signer: Signer,
  inputs: readonly LeafInput[],
  outputs: readonly TransactionOutput[],
  sponsor: Signer,
  coin: SpendableCoin,
): Promise<SignedTransaction> {
  const coins = [{ ...coin, script: p2wpkh(sponsor.publicKey).script }]
  const transaction = composeLeafSpends(inputs, coins, outputs)
  const unsigned = bytesToHex(transaction.unsignedTx)
  const [spends, payment] = await Promise.all([
    bitcoinSigning.sign('leafWitnesses', signer, inputs, coins, outputs),
    bitcoinSigning.sign('walletInput', sponsor, unsigned, inputs.length, coin.amount),
  ])
  for (const [index, witness] of [...spends, payment].entries()) setWitness(transaction, index, witness)
  return finish(transaction)
}
