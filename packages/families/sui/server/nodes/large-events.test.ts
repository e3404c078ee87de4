/** These tests read events of our package in checkpoints that strangers fill with events that are larger than a node can send. */
import { GrpcTypes } from '@mysten/sui/grpc'
import { expect, it } from 'vitest'
import { startGrpcServer } from '../../local/grpc/server.ts'
import { answerBytes } from '../../local/grpc/services.ts'
import { GrpcError } from '../../local/grpc/status.ts'
import { createProviderNode } from './provider-node.ts'

const packageId = `0x${'2b'.repeat(32)}` as const
const [ours, theirs] = [`${packageId}::htlc::Redeemed`, `0x${'5e'.repeat(32)}::junk::Junk`]
const content = Buffer.from([1, 2, 3])
/** This is more than the 64 MiB that any other answer may have. */
const large = new Uint8Array(65 * 1024 * 1024)

/** Each of the redeems has an event of strangers too. `sendsAll` means that the node can send all contents of the checkpoint at once. */
async function readRedeems(count: number, others: Uint8Array, sendsAll: boolean) {
  const redeems = Array.from({ length: count }, (_, i) => `redeem ${i}`)
  const transactions: Readonly<Record<string, readonly string[]>> = {
    junk: [theirs],
    ...Object.fromEntries(redeems.map((redeem) => [redeem, [theirs, ours]])),
  }
  const read: string[] = []
  const eventsOf = (digest: string, hasContents: boolean) => ({
    digest,
    events: {
      events: (transactions[digest] ?? []).map((eventType) => ({
        eventType,
        ...(hasContents && { contents: { value: eventType === ours ? content : others } }),
      })),
    },
  })
  const server = await startGrpcServer(
    answerBytes(async (path, request) => {
      const paths = (request as GrpcTypes.GetCheckpointRequest).readMask?.paths ?? []
      if (path.endsWith('/GetTransaction')) {
        const { digest = '' } = request as GrpcTypes.GetTransactionRequest
        read.push(digest)
        return [GrpcTypes.GetTransactionResponse.create({ transaction: eventsOf(digest, true) })]
      }
      const hasContents = paths.some((one) => one.endsWith('contents'))
      if (hasContents) read.push('all')
      if (hasContents && !sendsAll) throw new GrpcError('UNAVAILABLE', 'message too large')
      const summary = { previousDigest: 'six', timestamp: { seconds: 5n, nanos: 0 } }
      const found = {
        sequenceNumber: 7n,
        digest: 'seven',
        summary,
        transactions: Object.keys(transactions).map((tx) => eventsOf(tx, hasContents)),
      }
      return [GrpcTypes.GetCheckpointResponse.create({ checkpoint: found })]
    }),
    0,
  )
  const node = createProviderNode(server.url, 5_000)
  try {
    expect(await node.checkpoints(7n, 7n, [packageId])).toEqual([
      {
        height: 7n,
        hash: 'seven',
        parentHash: 'six',
        time: 5n,
        events: redeems.map((tx) => ({ tx, index: 1, type: ours, contents: content })),
      },
    ])
    return read
  } finally {
    node.close()
    await server.close()
  }
}

it('contents are read of the transactions with an event of our package only, however large their other events are', async () => {
  expect(await readRedeems(1, large, false)).toEqual(['redeem 0'])
})

it('contents of many such transactions are read in one request, and one by one where that is more than the node can send', async () => {
  expect(await readRedeems(100, content, true)).toEqual(['all'])
  expect(await readRedeems(5, content, false)).toEqual(['all', 'redeem 0', 'redeem 1', 'redeem 2', 'redeem 3', 'redeem 4'])
})
