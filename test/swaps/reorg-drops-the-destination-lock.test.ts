/** Tests swaps whose destination HTLC disappears in a reorg. */
import { resumeCommand } from '@tandem/cli/commands/solver-risk.ts'
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'arbitrum_localnet')

test('before the secret is shown: it stays hidden, the solver initiates again, and the swap completes', async () => {
  const start = await height()
  const before = await story.balance('arbitrum_localnet:usdc')
  const created = await story.order('bitcoin_regtest:btc', 'arbitrum_localnet:usdc', 1_000_000n)
  await story.waitFor(created.order_id, 1000)
  await story.bitcoin().pay(created.to ?? '', 1_000_000n)
  await story.untilSeen('solver', created.order_id, 'destination initiated')
  await story.stack.solver.setRunning(false)

  await dropBlocksAbove(start)
  await story.untilStatus(created.order_id, 'initiated')
  expect(await story.secretSigned(created.order_id)).toBe(false)
  await story.waitFor(created.order_id, 1)
  await story.stack.solver.setRunning(true)

  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await story.balance('arbitrum_localnet:usdc')).toBe(before + BigInt(done.destination_swap.amount))
})

test('after the secret is shown: the solver initiates again, and the service redeems until the user is paid', async () => {
  await resumeSolver()
  const start = await height()
  const before = await story.balance('arbitrum_localnet:usdc')
  const created = await story.order('bitcoin_regtest:btc', 'arbitrum_localnet:usdc', 1_000_000n)
  await story.bitcoin().pay(created.to ?? '', 1_000_000n)
  const paid = await story.until(created.order_id, 'the redeem', (order) => ['redeemed', 'counterparty_redeemed'].includes(order.status))
  expect(await story.balance('arbitrum_localnet:usdc')).toBe(before + BigInt(paid.destination_swap.amount))

  await dropBlocksAbove(start)

  const done = await story.until(
    created.order_id,
    'both sides settled again',
    (order) =>
      order.status === 'counterparty_redeemed' &&
      order.destination_swap.redeem_tx_hash !== '' &&
      order.destination_swap.initiate_tx_hash !== '',
  )
  await story.eventually(
    'the user to be paid again',
    async () => (await story.balance('arbitrum_localnet:usdc')) === before + BigInt(done.destination_swap.amount),
  )
})

/**
 * A reorg of more blocks than deposits wait for halts its chain until the operator resumes it. The solver counts only blocks that it
 * recorded, so it may not have halted.
 */
async function resumeSolver(): Promise<void> {
  const { solverFile } = story.stack.configs
  const quote = { from: 'bitcoin_regtest:btc', to: 'arbitrum_localnet:usdc', from_amount: '1000000' }
  await story.eventually('the solver to quote', async () => {
    await resumeCommand('arbitrum_localnet', { config: solverFile }, { answer: () => undefined, note: () => undefined }).catch((error) => {
      if (!String(error).includes('is not halted')) throw error
    })
    return story.api.quote(quote).then(
      () => true,
      () => false,
    )
  })
}

async function height(): Promise<number> {
  return Number(await story.evmChain('arbitrum_localnet').request({ method: 'eth_blockNumber' }))
}

/** Every block above this one is replaced and its transactions dropped: the solver's approval and initiation, and the redeem if any. */
async function dropBlocksAbove(block: number): Promise<void> {
  const depth = (await height()) - block
  await story.evmChain('arbitrum_localnet').faults.reorg(depth, { transactions: 'drop', blocks: depth + 1 })
}
