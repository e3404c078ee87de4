/** Makes wallets for tests: an address of each kind, and what its owner signs with it. */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { OutScript, p2pkh, p2sh, p2tr, p2wpkh, SigHash } from '@scure/btc-signer'
import { signSchnorr, taprootTweakPrivKey } from '@scure/btc-signer/utils.js'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { toSign } from './bip322.ts'

export type TestWallet = { readonly address: string; sign(message: string): string }

type Kind = 'wpkh' | 'sh-wpkh' | 'tr' | 'pkh'

/** P2PKH is missing, because it is signed for in another way. */
export function testWallet(kind: Kind, privateKey: string, network: BitcoinNetwork): TestWallet {
  const key = hexToBytes(privateKey)
  const publicKey = secp256k1.getPublicKey(key, true)
  const inner = p2wpkh(publicKey, network)
  const payments = {
    wpkh: inner,
    'sh-wpkh': p2sh(inner, network),
    tr: p2tr(publicKey.subarray(1), undefined, network),
    pkh: p2pkh(publicKey, network),
  }
  const { address, script } = payments[kind]
  if (address === undefined) throw new Error('the payment has no address')
  return {
    address,
    sign(message) {
      const transaction = toSign(script, message)
      if (kind === 'tr') {
        const hash = transaction.preimageWitnessV1(0, [script], SigHash.DEFAULT, [0n])
        return encode([signSchnorr(hash, taprootTweakPrivKey(key))])
      }
      const scriptCode = OutScript.encode({ type: 'pkh', hash: inner.script.subarray(2) })
      const hash = transaction.preimageWitnessV0(0, scriptCode, SigHash.ALL, 0n)
      const der = secp256k1.sign(hash, key, { prehash: false, lowS: true, format: 'der' })
      return encode([Uint8Array.of(...der, SigHash.ALL), publicKey])
    },
  }
}

function encode(witness: readonly Uint8Array[]): string {
  return base64.encode(concatBytes(Uint8Array.of(witness.length), ...witness.flatMap((item) => [Uint8Array.of(item.length), item])))
}
