/** A refusal is final only if no node accepted the transaction. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Execution } from '../execution.ts'

/** If a node accepted what the quorum refused, it may be mined and its secret may be public: then fail with `unreachable`, so that it is retried. */
export async function unlessPartlyAccepted(execution: Execution, send: (execution: Execution) => Promise<string>): Promise<string> {
  const { backend } = execution
  let isPartlyAccepted = false
  async function broadcast(raw: string) {
    const result = await backend.broadcast(raw)
    if (!result.accepted && result.isPartlyAccepted === true) isPartlyAccepted = true
    return result
  }
  try {
    return await send({ ...execution, backend: { ...backend, broadcast } })
  } catch (error) {
    if (!isPartlyAccepted || !(error instanceof ChainFailure)) throw error
    throw new ChainFailure('unreachable', `${error.message}; some nodes have accepted it`, { cause: error })
  }
}
