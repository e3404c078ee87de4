/** The user's wallet works on any chain of the Bitcoin family. It tracks its own UTXO, and only broadcasts through the node. */
import { randomBytes } from 'node:crypto'
import { bytesToHex } from '@noble/hashes/utils.js'
import { p2wpkh, Transaction } from '@scure/btc-signer'
import { pubECDSA } from '@scure/btc-signer/utils.js'
import type { CoinChain } from './utxo-chains.ts'

export type Payment = {
  readonly txid: string
  readonly deposit: string
  readonly coin: Coin
}

type Coin = { readonly txid: string; readonly index: number; readonly amount: bigint }

export interface CoinWallet {
  readonly address: string
  readonly key: Uint8Array
  pay(to: string, amount: bigint): Promise<Payment>
  /** The replacement pays the same UTXO back to the wallet, at a higher fee. */
  spendInstead(payment: Payment): string
}

const FEE = 500n
const BETTER_FEE = 5_000n
/** The sequence opts in to being replaced (BIP125). */
const SEQUENCE = 0xfffffffd

/** The faucet pays its first UTXO, in a block. */
export async function openCoinWallet(chain: CoinChain, amount: bigint): Promise<CoinWallet> {
  const key = randomBytes(32)
  const payment = p2wpkh(pubECDSA(key), chain.network)
  const address = payment.address ?? ''
  const txid = await chain.local.control.faucet(address, amount)
  const { vout } = await chain.rpc<{ vout: readonly { n: number; scriptPubKey: { hex: string } }[] }>('getrawtransaction', txid, true)
  const index = vout.find(({ scriptPubKey }) => scriptPubKey.hex === bytesToHex(payment.script))?.n
  if (index === undefined) throw new Error('the faucet paid somebody else')
  let coin: Coin = { txid, index, amount }
  let last: Promise<unknown> = Promise.resolve()

  function build(from: Coin, outputs: readonly { readonly to: string; readonly amount: bigint }[]): Transaction {
    const transaction = new Transaction()
    transaction.addInput({
      txid: from.txid,
      index: from.index,
      sequence: SEQUENCE,
      witnessUtxo: { script: payment.script, amount: from.amount },
    })
    for (const output of outputs) transaction.addOutputAddress(output.to, output.amount, chain.network)
    transaction.sign(key)
    transaction.finalize()
    return transaction
  }

  async function pay(to: string, sum: bigint): Promise<Payment> {
    const from = coin
    const change = from.amount - sum - FEE
    const transaction = build(from, [
      { to, amount: sum },
      { to: address, amount: change },
    ])
    await chain.rpc('sendrawtransaction', bytesToHex(transaction.extract()))
    coin = { txid: transaction.id, index: 1, amount: change }
    return { txid: transaction.id, deposit: `${transaction.id}:0`, coin: from }
  }

  return {
    address,
    key,
    pay(to, sum) {
      const paying = last.then(() => pay(to, sum))
      last = paying.catch(() => undefined)
      return paying
    },
    spendInstead({ coin: from }) {
      const transaction = build(from, [{ to: address, amount: from.amount - BETTER_FEE }])
      coin = { txid: transaction.id, index: 0, amount: from.amount - BETTER_FEE }
      return bytesToHex(transaction.extract())
    },
  }
}
