/** Tests how refusals of EVM nodes are classified. Every node software words them differently. */
import { describe, expect, it } from 'vitest'
import type { EvmNode } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'
import { broadcast } from './broadcast.ts'

describe('a broadcast', () => {
  const refusing = (message: string) =>
    ({ broadcast: () => Promise.reject(new NodeRefusal(-32000, message, null)) }) as Partial<EvmNode> as EvmNode

  it.each([
    ['already known', 'accepted'],
    ['Known transaction: 0xabc', 'accepted'],
    ['nonce too low: next nonce 5, tx nonce 4', 'nonce-used'],
    ['Transaction nonce too low. Expected nonce to be at least 2 but got 1.', 'nonce-used'],
    ['replacement transaction underpriced', 'underpriced'],
    ['Replacement transaction underpriced. A gasPrice/maxFeePerGas of at least 2 is necessary', 'underpriced'],
    ['max fee per gas less than block base fee: address 0x, maxFeePerGas: 1, baseFee: 2', 'underpriced'],
    ['transaction underpriced: gas tip cap 0, minimum needed 1', 'underpriced'],
    ['AlreadyKnown', 'accepted'],
    ['OldNonce, Current nonce: 5, nonce of rejected tx: 4', 'nonce-used'],
    ['FeeTooLow', 'underpriced'],
    ['ReplacementNotAllowed', 'underpriced'],
    ['could not replace existing tx', 'underpriced'],
    ['An existing transaction had higher priority', 'underpriced'],
    ['Transaction fee too low', 'underpriced'],
  ])('refused with "%s" is %s', async (message, verdict) => {
    expect(await broadcast(refusing(message), '0x')).toBe(verdict)
  })

  it('refused for any other reason would fail', async () => {
    await expect(broadcast(refusing('insufficient funds for gas * price + value'), '0x')).rejects.toMatchObject({ kind: 'would-fail' })
  })
})
