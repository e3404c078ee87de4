// These tests check read masks, pages and errors of the node's gRPC.
import { GrpcTypes } from '@mysten/sui/grpc'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { expect, it } from 'vitest'
import { SUI_TYPE } from '../objects/types.ts'
import { openSuiFixture } from '../sui.fixture.ts'

const fixture = opened(openSuiFixture)

const checkpoint = (paths?: string[]) =>
  fixture.client.ledgerService.getCheckpoint({ checkpointId: { oneofKind: undefined }, ...(paths && { readMask: { paths } }) }).response

it('answers the fields of the read mask, and no others', async () => {
  const tip = fixture.chain.node.ledger.tip()
  expect((await checkpoint()).checkpoint).toEqual(
    GrpcTypes.Checkpoint.create({ sequenceNumber: BigInt(tip.sequenceNumber), digest: tip.digest }),
  )
  const { checkpoint: narrow } = await checkpoint(['summary.epoch', 'transactions.events.events.event_type'])
  expect(narrow?.summary).toEqual(GrpcTypes.CheckpointSummary.create({ epoch: tip.epoch }))
  expect(narrow?.digest).toBeUndefined()
  const types = narrow?.transactions.flatMap(({ events }) => events?.events.map(({ eventType }) => eventType) ?? [])
  expect(types).toEqual([`${fixture.packageId}::htlc::RegistryCreated`, `${fixture.packageId}::htlc::RegistryCreated`])
  expect(narrow?.transactions.every(({ digest, effects }) => digest === undefined && effects === undefined)).toBe(true)
  for (const path of ['nothing', 'summary.nothing', 'digest.nothing'])
    await expect(checkpoint([path])).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining('read_mask') })
})

it('lists what an address owns page by page, the largest coins first', async () => {
  const [{ address: owner }] = fixture.accounts
  await fixture.fund(SUI_TYPE, owner, 1n, 2n, 3n)
  const balances: (string | undefined)[] = []
  let cursor: string | null = null
  do {
    const found: Awaited<ReturnType<typeof fixture.client.listCoins>> = await fixture.client.listCoins({ owner, limit: 3, cursor })
    expect(found.objects.length).toBeLessThanOrEqual(3)
    balances.push(...found.objects.map(({ balance }) => balance))
    cursor = found.hasNextPage ? found.cursor : null
  } while (cursor !== null)
  expect(balances).toEqual(['1000000000000', '3', '2', '1'])
})

it('says what it does not know', async () => {
  const { ledgerService, nameService } = fixture.client
  const missing = { oneofKind: 'sequenceNumber', sequenceNumber: 99_999n } as const
  await expect(ledgerService.getCheckpoint({ checkpointId: missing }).response).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(ledgerService.getObject({ objectId: 'x' }).response).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  await expect(nameService.lookupName({ name: 'x.sui' }).response).rejects.toMatchObject({ code: 'UNIMPLEMENTED' })
  const { response } = await ledgerService.batchGetObjects({ requests: [{ objectId: '0x2' }, { objectId: '0x77' }] })
  expect(response.objects.map(({ result }) => result.oneofKind)).toEqual(['object', 'error'])
})
