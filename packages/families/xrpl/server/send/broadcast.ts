/** Submits a signed transaction and classifies refusals. */
import { pastNonceGap } from '@tandem/chain-kit/contract/nonce-gap.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { verdictOn } from '../nodes/engine-result.ts'
import type { XrplNode } from '../nodes/node.ts'
import type { Signed } from './transaction.ts'

/**
 * Never says that the sequence is used: the lane would sign with the next one, and an escrow whose first transaction is validated after all would be paid twice.
 * The action is repeated instead, and proves first that its earlier attempts are impossible. `onPartlyAccepted` is called when the quorum refuses it but a provider
 * accepted it, or failed and may have: it may be validated, and its content may be public.
 */
export function broadcast(
  node: Pick<XrplNode, 'submit'>,
  { tx, blob, nonce }: Pick<Signed, 'tx' | 'blob' | 'nonce'>,
  onPartlyAccepted: () => void = () => undefined,
): Promise<'accepted' | 'underpriced'> {
  return pastNonceGap(async () => {
    const { result, isPartlyAccepted } = await node.submit(blob)
    if (isPartlyAccepted) onPartlyAccepted()
    switch (verdictOn(result)) {
      case 'accepted':
        return 'accepted'
      case 'low':
        return 'underpriced'
      case 'gap':
        return 'nonce-gap'
      case 'used':
        throw new ChainFailure('unreachable', `${tx}: another transaction has the sequence ${nonce}`)
      case 'trouble':
        throw new ChainFailure('unreachable', `the node cannot take ${tx} now: ${result}`)
      case 'refused':
        throw new ChainFailure('would-fail', `the node refused ${tx}: ${result}`)
    }
  })
}
