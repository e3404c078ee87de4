// Owns the mined coins and pays them out.
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { p2wpkh, Transaction as SignedTransaction } from '@scure/btc-signer'
import { decodeAddress, encodeAddress } from './address.ts'
import { scriptHashOf } from './chain/chain-index.ts'
import type { BitcoinNode } from './node.ts'
import { outpointKey, parseTransaction } from './transaction/transaction.ts'

export type Faucet = {
  readonly address: string
  readonly script: Uint8Array
  pay(address: string, amount: bigint): string
}

type Spendable = { readonly txid: string; readonly index: number; readonly amount: bigint }

const SATS_PER_VBYTE = 2n
const INPUT_VBYTES = 68
const OVERHEAD_VBYTES = 11 + 43 + 31
/** Every output above this amount is worth relaying. */
const MIN_CHANGE_SATS = 10_000n

export function createFaucet(node: BitcoinNode): Faucet {
  const key = secp256k1.utils.randomSecretKey()
  const { script } = p2wpkh(secp256k1.getPublicKey(key, true))
  const scriptHash = scriptHashOf(script)
  const address = encodeAddress(script, node.network)
  if (address === null) throw new Error('the faucet has no address')

  /** The oldest coins come first, so that a reorg does not make a spent reward immature. Our own unconfirmed change comes last. */
  function spendable(): Spendable[] {
    const isFree = ({ txid, index }: Spendable) => node.mempool.spenderOf(outpointKey(txid, index)) === undefined
    const nextHeight = node.chain.next().height
    const isMature = ({ txid, index }: Spendable) => {
      const coin = node.findCoin(txid, index)
      return coin !== undefined && (!coin.coinbase || nextHeight - coin.height >= node.network.coinbaseMaturity)
    }
    const confirmed = [...node.index.history(scriptHash).coins.values()].filter((coin) => isFree(coin) && isMature(coin))
    const change = node.mempool
      .touching(scriptHash)
      .flatMap(({ transaction }) =>
        transaction.outputs.flatMap((output, index) =>
          scriptHashOf(output.script) === scriptHash ? [{ txid: transaction.txid, index, amount: output.amount }] : [],
        ),
      )
      .filter(isFree)
    return [...confirmed.sort((a, b) => a.node.height - b.node.height), ...change]
  }

  function select(amount: bigint): { coins: Spendable[]; changeSats: bigint } {
    const coins: Spendable[] = []
    let total = 0n
    for (const coin of spendable()) {
      coins.push(coin)
      total += coin.amount
      const changeSats = total - amount - SATS_PER_VBYTE * BigInt(OVERHEAD_VBYTES + coins.length * INPUT_VBYTES)
      if (changeSats >= 0n) return { coins, changeSats }
    }
    throw new Error(`the faucet has ${total} satoshis, needs ${amount}`)
  }

  return {
    address,
    script,
    pay(recipient, amount) {
      const target = decodeAddress(recipient, node.network)
      if (target === null) throw new TypeError(`not an address of this network: ${recipient}`)
      const { coins, changeSats } = select(amount)
      const payment = new SignedTransaction()
      for (const { txid, index, amount: value } of coins)
        payment.addInput({ txid, index, sequence: 0xfffffffd, witnessUtxo: { script, amount: value } })
      payment.addOutput({ script: target, amount })
      if (changeSats >= MIN_CHANGE_SATS) payment.addOutput({ script, amount: changeSats })
      payment.sign(key)
      payment.finalize()
      const { refusal } = node.submit(parseTransaction(payment.extract()))
      if (refusal !== null) throw new Error(`faucet payment refused: ${refusal}`)
      return payment.id
    },
  }
}
