/** Sends the requests of the SDK to a Sui node, over gRPC-web. */
import { GrpcTypes, RpcError, SuiGrpcClient } from '@mysten/sui/grpc'
import { normalizeStructTag } from '@mysten/sui/utils'
import type { Node } from '@tandem/chain-kit/browser/family.ts'
import { NodeError } from '@tandem/chain-kit/browser/node-error.ts'
import { limitOf } from '@tandem/chain-kit/browser/request.ts'

export type FoundObject = {
  readonly type: string
  readonly contents: Uint8Array
  /** The version is null unless the object is shared. */
  readonly initialSharedVersion: string | null
  readonly writtenBy: string
}

export type Checkpoint = { readonly height: bigint; readonly timeMs: bigint }

/** `value` is BCS. */
export type ListedField = { readonly type: string; readonly value: Uint8Array }

/** Nodes list at most this many fields in one answer. */
const FIELDS_AT_ONCE = 1_000

export function openNode(node: Node) {
  const { ledgerService, stateService } = new SuiGrpcClient({ network: 'custom', baseUrl: node.url, fetch: node.fetch })
  const given = () => ({ abort: limitOf(node) })

  async function orNull<T>(answer: PromiseLike<T>): Promise<T | null> {
    try {
      return await answer
    } catch (error) {
      node.signal?.throwIfAborted()
      if (error instanceof RpcError && error.code === 'NOT_FOUND') return null
      throw new NodeError(`the node answered ${error instanceof Error ? error.message : 'nothing'}`, { cause: error })
    }
  }

  return {
    async chainId(): Promise<string> {
      const { chainId } = (await orNull(ledgerService.getServiceInfo({}, given()).response)) ?? {}
      if (chainId === undefined) throw new NodeError('the node does not name its network')
      return chainId
    },
    async object(objectId: string): Promise<FoundObject | null> {
      const paths = ['object_type', 'owner', 'contents', 'previous_transaction']
      const answer = await orNull(ledgerService.getObject({ objectId, readMask: { paths } }, given()).response)
      const found = answer?.object
      if (found === undefined) return null
      const { objectType, owner, contents, previousTransaction } = found
      return {
        type: normalizeStructTag(objectType ?? ''),
        contents: contents?.value ?? new Uint8Array(),
        initialSharedVersion: owner?.kind === GrpcTypes.Owner_OwnerKind.SHARED ? String(owner.version) : null,
        writtenBy: previousTransaction ?? '',
      }
    },
    /** `next` is null after the last page. */
    async fieldsOf(parent: string, pageToken: Uint8Array | null) {
      const paths = ['value', 'value_type']
      const request = { parent, pageSize: FIELDS_AT_ONCE, readMask: { paths }, ...(pageToken !== null && { pageToken }) }
      const answer = await orNull(stateService.listDynamicFields(request, given()).response)
      const fields = (answer?.dynamicFields ?? []).map(
        ({ value, valueType = '' }): ListedField => ({ type: typeOrEmpty(valueType), value: value?.value ?? new Uint8Array() }),
      )
      return { fields, next: answer?.nextPageToken ?? null }
    },
    /** The result is null if the transaction is in no checkpoint yet. */
    async checkpointOf(digest: string): Promise<bigint | null> {
      const paths = ['checkpoint']
      const answer = await orNull(ledgerService.getTransaction({ digest, readMask: { paths } }, given()).response)
      return answer?.transaction?.checkpoint ?? null
    },
    async newestCheckpoint(): Promise<Checkpoint> {
      const paths = ['sequence_number', 'summary.timestamp']
      const request = { checkpointId: { oneofKind: undefined }, readMask: { paths } } as const
      const { sequenceNumber, summary } = (await orNull(ledgerService.getCheckpoint(request, given()).response))?.checkpoint ?? {}
      const time = summary?.timestamp
      if (sequenceNumber === undefined || time === undefined) throw new NodeError('the node has no newest checkpoint')
      return { height: sequenceNumber, timeMs: time.seconds * 1000n + BigInt(Math.floor(time.nanos / 1_000_000)) }
    },
  }
}

function typeOrEmpty(text: string): string {
  try {
    return normalizeStructTag(text)
  } catch {
    return ''
  }
}
