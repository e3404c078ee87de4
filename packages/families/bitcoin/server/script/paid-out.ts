/** What a transaction pays out for each deposit that it spends, after its fee. */

/** `swapId`: of the HTLC whose deposit it spends; null: a coin of somebody. */
type SpendingInput = { readonly swapId: string | null; readonly signsOneOutput: boolean }

/**
 * - A signature for one output pays that output: the one with the index of the input.
 * - Of inputs that sign all outputs and are of one swap, the first has what they are paid together, the others 0: all outputs that no other input signs
 *   alone. If somebody adds a coin and takes the change, it is the output beside the first.
 * - Of several swaps together, nobody can say which has paid how much of the fee: null.
 */
export function paidOut(inputs: readonly SpendingInput[], outputs: readonly bigint[]): readonly (bigint | null)[] {
  const together = inputs.flatMap(({ swapId, signsOneOutput }, vin) => (swapId === null || signsOneOutput ? [] : [{ swapId, vin }]))
  const first = together[0]?.vin ?? 0
  const isOneSwap = together.every(({ swapId }) => swapId === inputs[first]?.swapId)
  const rest = outputs.reduce((sum, amount, index) => (inputs[index]?.signsOneOutput === true ? sum : sum + amount), 0n)
  const shared = inputs.some(({ swapId }) => swapId === null) ? (outputs[first] ?? null) : rest
  return inputs.map(({ swapId, signsOneOutput }, vin) => {
    if (swapId === null) return null
    if (signsOneOutput) return outputs[vin] ?? 0n
    if (!isOneSwap || shared === null) return null
    return vin === first ? shared : 0n
  })
}
