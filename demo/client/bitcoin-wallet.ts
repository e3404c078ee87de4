/** A user's wallet on a chain of the Bitcoin family: P2WPKH coins found through Esplora, spent by plain transfers. */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bech32, hex } from '@scure/base'
import { p2wpkh, Transaction } from '@scure/btc-signer'

/** What wallets know of a network, by the name that `local.json` has for it. */
const NETWORKS: Readonly<Record<string, { bech32: string; pubKeyHash: number; scriptHash: number; wif: number }>> = {
  'bitcoin:regtest': { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef },
  'litecoin:regtest': { bech32: 'rltc', pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef },
}
const FEE_SATS = 500n
/** Above what any of the networks calls dust. */
const LEAST_CHANGE_SATS = 6_000n

type Utxo = { readonly txid: string; readonly vout: number; readonly value: number }

export interface BitcoinWallet {
  readonly address: string
  /** An address of the network whose key nobody has. */
  readonly nobody: string
  /** Resolves to the transaction id as soon as the node took it. */
  pay(to: string, sats: bigint): Promise<string>
  balance(address: string): Promise<bigint>
}

export function createBitcoinWallet(options: {
  readonly network: string
  readonly esploraUrl: string
  readonly privateKey: string
}): BitcoinWallet {
  const network = NETWORKS[options.network]
  if (network === undefined) throw new Error(`this wallet does not know the network ${options.network}`)
  const key = hex.decode(options.privateKey.replace(/^0x/, ''))
  const payment = p2wpkh(secp256k1.getPublicKey(key, true), network)
  const address = payment.address
  if (address === undefined) throw new Error('no address for this key')

  async function get<T>(path: string): Promise<T> {
    const response = await fetch(`${options.esploraUrl}${path}`)
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return (await response.json()) as T
  }

  const coinsOf = (owner: string) => get<Utxo[]>(`/address/${owner}/utxo`)

  return {
    address,
    nobody: bech32.encode(network.bech32, [0, ...bech32.toWords(new Uint8Array(20))]),
    async pay(to, sats) {
      const tx = new Transaction()
      let total = 0n
      for (const { txid, vout, value } of await coinsOf(address)) {
        if (total >= sats + FEE_SATS) break
        tx.addInput({ txid, index: vout, sequence: 0xfffffffd, witnessUtxo: { script: payment.script, amount: BigInt(value) } })
        total += BigInt(value)
      }
      const change = total - sats - FEE_SATS
      if (change < 0n) throw new Error(`the wallet holds ${total} sats, too little to pay ${sats}`)
      tx.addOutputAddress(to, sats, network)
      if (change >= LEAST_CHANGE_SATS) tx.addOutput({ script: payment.script, amount: change })
      tx.sign(key)
      tx.finalize()
      const response = await fetch(`${options.esploraUrl}/tx`, { method: 'POST', body: hex.encode(tx.extract()) })
      if (!response.ok) throw new Error(`the node refused the payment: ${await response.text()}`)
      return response.text()
    },
    async balance(owner) {
      return (await coinsOf(owner)).reduce((sum, coin) => sum + BigInt(coin.value), 0n)
    },
  }
}
