/** Gives a user a wallet on a chain of the Bitcoin family: it finds P2WPKH coins through Esplora and spends them by plain transfers. */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bech32, hex } from '@scure/base'
import { p2wpkh, Transaction } from '@scure/btc-signer'
import type { LocalChainJson, LocalWallet } from '@tandem/chain-kit/local/local-chain.ts'
import { regtestNetworks } from './network.ts'

const FEE_SATS = 500n
const MIN_CHANGE_SATS = 6_000n
/** The sequence signals that the transaction may be replaced (BIP125). */
const REPLACEABLE = 0xfffffffd

type Utxo = { readonly txid: string; readonly vout: number; readonly value: number }

export interface BitcoinWallet extends LocalWallet {
  pay(to: string, sats: bigint): Promise<string>
  balanceOf(address: string): Promise<bigint>
  /** Nobody has the key of the address, so no balance changes. */
  mine(blocks: number): Promise<void>
}

export function openBitcoinWallet(chain: LocalChainJson, privateKey: string): BitcoinWallet {
  const network = regtestNetworks[chain.network]
  if (network === undefined) throw new Error(`this wallet does not know the network ${chain.network}`)
  const [esploraUrl, rpcUrl] = [String(chain.esplora_url), String(chain.rpc_url)]
  const key = hex.decode(privateKey.replace(/^0x/, ''))
  const payment = p2wpkh(secp256k1.getPublicKey(key, true), network)
  const address = payment.address
  if (address === undefined) throw new Error('no address for this key')

  async function utxosOf(owner: string): Promise<readonly Utxo[]> {
    const response = await fetch(`${esploraUrl}/address/${owner}/utxo`)
    if (!response.ok) throw new Error(`the node does not list the UTXOs of ${owner}: ${await response.text()}`)
    return (await response.json()) as Utxo[]
  }

  const balanceOf = async (owner: string) => (await utxosOf(owner)).reduce((sum, { value }) => sum + BigInt(value), 0n)

  async function pay(to: string, sats: bigint): Promise<string> {
    const tx = new Transaction()
    let total = 0n
    for (const { txid, vout, value } of await utxosOf(payment.address ?? '')) {
      if (total >= sats + FEE_SATS) break
      tx.addInput({ txid, index: vout, sequence: REPLACEABLE, witnessUtxo: { script: payment.script, amount: BigInt(value) } })
      total += BigInt(value)
    }
    const change = total - sats - FEE_SATS
    if (change < 0n) throw new Error(`the wallet holds ${total} sats, too little to pay ${sats}`)
    tx.addOutputAddress(to, sats, network)
    if (change >= MIN_CHANGE_SATS) tx.addOutput({ script: payment.script, amount: change })
    tx.sign(key)
    tx.finalize()
    const response = await fetch(`${esploraUrl}/tx`, { method: 'POST', body: hex.encode(tx.extract()) })
    if (!response.ok) throw new Error(`the node refused the payment: ${await response.text()}`)
    return response.text()
  }

  async function mine(blocks: number): Promise<void> {
    const nobody = bech32.encode(network?.bech32 ?? '', [0, ...bech32.toWords(new Uint8Array(20))])
    const call = { jsonrpc: '1.0', id: 1, method: 'generatetoaddress', params: [blocks, nobody] }
    const response = await fetch(rpcUrl, { method: 'POST', body: JSON.stringify(call) })
    if (!response.ok) throw new Error(`the node did not mine: ${await response.text()}`)
  }

  return {
    address,
    balance: () => balanceOf(address),
    balanceOf,
    pay,
    async fund({ to, amount }) {
      if (to === undefined || amount === undefined) throw new Error('POST /orders named no deposit address')
      return pay(to, BigInt(amount))
    },
    mine,
    passTime: mine,
  }
}
