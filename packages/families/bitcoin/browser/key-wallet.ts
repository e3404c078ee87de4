/** Makes a wallet with one P2WPKH address from a private key. */

import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { Transaction } from '@scure/btc-signer'
import type { KeyWallet, KeyWalletOptions } from '@tandem/chain-kit/browser/key-wallet-options.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { networkOf } from '../terms/networks.ts'
import { walletAddress } from '../terms/script/address.ts'
import { totalOf } from '../terms/wallet/sign.ts'
import { utxosOf } from './esplora.ts'
import { psbtWallet } from './wallet.ts'

export function bitcoinKeyWallet({ privateKey, node }: KeyWalletOptions, chain: Chain): KeyWallet {
  const key = hexToBytes(privateKey.replace(/^0x/, ''))
  const address = walletAddress(secp256k1.getPublicKey(key, true), networkOf(chain.reference))
  return {
    address,
    wallet: psbtWallet({
      address,
      esplora: node,
      async signPsbt(psbt) {
        const transaction = Transaction.fromPSBT(hexToBytes(psbt))
        transaction.sign(key)
        return bytesToHex(transaction.toPSBT())
      },
    }),
    async balance() {
      const utxos = await utxosOf({ url: node, fetch: globalThis.fetch.bind(globalThis) }, address)
      return totalOf(utxos)
    },
  }
}
