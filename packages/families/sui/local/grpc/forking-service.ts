// sui.forking.v1alpha.ForkingService: lets a wallet pass the time. The SDK's client has it for forks of a network; real nodes do not answer it.
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
