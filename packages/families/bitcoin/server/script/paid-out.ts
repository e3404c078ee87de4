/** Finds the amounts that a transaction pays out for the deposits that it spends, and the outputs that belong to a party. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { p2tr, p2wpkh } from '@scure/btc-signer'
import { memoize } from '@tandem/chain-kit/contract/memoize.ts'

type SpendingInput = { readonly swapId: string | null; readonly signsOneOutput: boolean }

/**
 * The payout of each deposit is that after the fee of the transaction:
 * - An input that signs one output pays that output: the one with the index of the input.
 * - Inputs of one swap that sign all outputs are paid together: the first gets the sum of all outputs that no other input signs alone, the
 *   others 0. If somebody adds a coin and takes the change, the payout is the output with the index of the first.
 * - The payout is null for inputs of several swaps together: nobody can say which of them paid how much of the fee.
 */
export function paidOut(inputs: readonly SpendingInput[], outputs: readonly bigint[]): readonly (bigint | null)[] {
  const together = inputs.flatMap(({ swapId, signsOneOutput }, vin) => (swapId === null || signsOneOutput ? [] : [{ swapId, vin }]))
  const first = together[0]?.vin ?? 0
  const isOneSwap = together.every(({ swapId }) => swapId === inputs[first]?.swapId)
  const unsignedAlone = outputs.reduce((sum, amount, index) => (inputs[index]?.signsOneOutput === true ? sum : sum + amount), 0n)
  const shared = inputs.some(({ swapId }) => swapId === null) ? (outputs[first] ?? null) : unsignedAlone
  return inputs.map(({ swapId, signsOneOutput }, vin) => {
    if (swapId === null) return null
    if (signsOneOutput) return outputs[vin] ?? 0n
    if (!isOneSwap || shared === null) return null
    return vin === first ? shared : 0n
  })
}

/**
 * A party is paid at P2WPKH of both keys that have its x, or at P2TR without leaves (BIP86). Both parties sign a key path spend, so only
 * its payee distinguishes a redeem from a refund. The scripts are cached, because they take multiplications on the curve.
 */
export const payoutScripts = memoize(500, (xOnlyKey): ReadonlySet<string> => {
  const wallets = ['02', '03'].map((parity) => p2wpkh(hexToBytes(`${parity}${xOnlyKey}`)).script)
  return new Set([...wallets, p2tr(hexToBytes(xOnlyKey)).script].map(bytesToHex))
})
