// Answers sui.forking.v1alpha.ForkingService, by which a wallet passes the time. Real nodes do not support it.
import type { GrpcTypes } from '@mysten/sui/grpc'
import type { SuiNode } from '../chain/node.ts'

export function forkingService(node: SuiNode) {
  const { ledger } = node
  return {
    AdvanceClock({ durationMs = 1n }: GrpcTypes.AdvanceClockRequest): GrpcTypes.AdvanceClockResponse {
      node.passTime(Number(durationMs))
      return { timestampMs: BigInt(node.now()), txDigest: '' }
    },
    AdvanceCheckpoint(): GrpcTypes.AdvanceCheckpointResponse {
      node.mine()
      const { sequenceNumber, timestampMs } = ledger.tip()
      return { checkpointSequenceNumber: BigInt(sequenceNumber), timestampMs: BigInt(timestampMs) }
    },
    GetStatus(): GrpcTypes.GetStatusResponse {
      const { sequenceNumber, epoch } = ledger.tip()
      return { epoch, checkpointSequenceNumber: BigInt(sequenceNumber), timestampMs: BigInt(node.now()), forkedAtCheckpoint: 0n }
    },
  }
}
