/** Submits a signed transaction and classifies refusals. */
import { pastNonceGap } from '../../contract/nonce-gap.ts'
import type { NonceRefusal } from '../../contract/nonce-lane.ts'
import { ChainFailure } from '../../port/failure.ts'
import { verdictOn } from '../nodes/engine-result.ts'
import type { XrplNode } from '../nodes/node.ts'
import type { Signed } from './transaction.ts'

/** `onPartlyAccepted` is called when the quorum refuses it but a provider accepted it, or failed and may have: it may be validated, and its content may be public. */
export function broadcast(
  node: Pick<XrplNode, 'submit'>,
  { tx, blob }: Pick<Signed, 'tx' | 'blob'>,
  onPartlyAccepted: () => void = () => undefined,
): Promise<'accepted' | NonceRefusal> {
  return pastNonceGap(async () => {
    const { result, isPartlyAccepted } = await node.submit(blob)
    if (isPartlyAccepted) onPartlyAccepted()
    const verdict = verdictOn(result)
    if (verdict === 'gap') return 'nonce-gap'
    if (verdict === 'trouble') throw new ChainFailure('unreachable', `the node cannot take ${tx} now: ${result}`)
    if (verdict === 'refused') throw new ChainFailure('would-fail', `the node refused ${tx}: ${result}`)
    return verdict
  })
}
