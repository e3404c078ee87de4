/** Somebody can write to the database of a party. Tables are memory, not evidence: what no chain shows is not paid for. */

import { openDatabase } from '@tandem/party/store/database/database.ts'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('ethereum_localnet', 'arbitrum_localnet')
const solver = await openDatabase(story.databaseUrls[1] ?? '')
afterAll(() => solver.destroy())

test('a forged deposit in the database of the solver is not paid for, and the order goes on when the user really pays', async () => {
  const created = await story.order('ethereum_localnet:eth', 'arbitrum_localnet:usdc', 400_000_000_000_000_000n)
  const before = await story.balance('arbitrum_localnet:usdc')

  // The forged deposit is in the newest block, with the agreed amount and a timelock that has just begun.
  await sql`
    insert into events (chain, tx, index, swap_id, kind, deposit, amount, expires_at, block_height, block_hash, block_time)
    select s.chain, ${`0x${'ab'.repeat(32)}`}, 'log:0', s.swap_id, 'initiated', s.swap_id, s.amount, b.time + s.timelock, b.height, b.hash, b.time
    from swaps s, lateral (select * from blocks where blocks.chain = s.chain order by height desc limit 1) b
    where s.order_id = ${created.order_id} and s.leg = 'source'`.execute(solver)

  const refusal = () => story.errorOf('solver', created.order_id)
  const signed = () => story.signed('solver', created.order_id)
  await story.eventually('the solver to decide', async () => (await refusal()) !== null || (await signed()).size > 0)
  expect((await signed()).size).toBe(0)
  expect(await story.balance('arbitrum_localnet:usdc')).toBe(before)
  expect(await refusal()).toMatch(/the chain does not show/)

  await story.evm('ethereum_localnet').fund(created)
  await story.makeDue(0)
  const paid = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect((await story.balance('arbitrum_localnet:usdc')) - before).toBe(BigInt(paid.destination_swap.amount))
})
