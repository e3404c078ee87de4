/** Which outputs belong to a party. Both parties sign a key path spend, so only its payee distinguishes a redeem from a refund. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { p2tr, p2wpkh } from '@scure/btc-signer'
import { memoize } from '@tandem/chain-kit/contract/memoize.ts'

/**
 * By x-only key, hex. P2WPKH of either of the two keys that it stands for, and P2TR without leaves (BIP86): scriptPubKeys, hex. Remembered: they take
 * multiplications on the curve, and a solver's key is in all of its orders.
 */
export const payoutScripts = memoize(500, (xOnlyKey): ReadonlySet<string> => {
  const wallets = ['02', '03'].map((parity) => p2wpkh(hexToBytes(`${parity}${xOnlyKey}`)).script)
  return new Set([...wallets, p2tr(hexToBytes(xOnlyKey)).script].map(bytesToHex))
})
