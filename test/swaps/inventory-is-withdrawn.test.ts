/** Tests that an operator gets inventory out of a running solver, while swaps go on, and nobody else does. */

import { evacuateCommand, sendCommand, sweepCommand, withdrawalsCommand } from '@tandem/cli/commands/solver-withdrawals.ts'
import type { Terminal } from '@tandem/cli/commands/terminal.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { listWithdrawals, requestWithdrawals } from '@tandem/party/store/solver/withdrawals.ts'
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet')
const [btc, wbtc] = ['bitcoin_regtest:btc', 'ethereum_localnet:wbtc'] as const
const { solverFile: config } = story.stack.configs
const AMOUNT = 1_000_000n
/** The operator's own account is that of the user here, whose balance the story can read. */
const safe = story.evm('ethereum_localnet').address.toLowerCase()
const thief = `0x${'7e'.repeat(20)}`

async function run(command: (terminal: Terminal) => Promise<void>) {
  const [notes, answers]: [string[], string[]] = [[], []]
  await command({ note: (text) => void notes.push(text), answer: (text) => void answers.push(text) })
  return { notes: notes.join('\n'), answer: answers.join('\n') }
}

test('a configuration without withdrawals sends nothing, and the command says how to allow it', async () => {
  await expect(run((terminal) => sendCommand({ config, wait: true, asset: wbtc, to: safe, amount: '0.01' }, terminal))).rejects.toThrow(
    /allows no withdrawals: add "withdrawals"/,
  )
})

test('inventory is sent while a swap runs: both are paid', async () => {
  const bitcoinSafe = story.bitcoin().address
  await story.restart('solver', (changed) => {
    changed.withdrawals = { addresses: { ethereum_localnet: [safe], bitcoin_regtest: [bitcoinSafe] } }
    changed.pricing = { ...changed.pricing, inventory_targets: { [wbtc]: '100000000' } }
  })
  const before = await story.balance(wbtc)
  const order = await story.order(btc, wbtc, AMOUNT)
  await story.bitcoin().pay(order.to ?? '', AMOUNT)
  const { answer } = await run((terminal) => sendCommand({ config, wait: true, asset: wbtc, to: safe, amount: '0.02' }, terminal))
  expect(answer).toMatch(/(confirming|paid)/)
  const done = await story.untilStatus(order.order_id, 'counterparty_redeemed')
  expect(await story.balance(wbtc)).toBe(before + 2_000_000n + BigInt(done.destination_swap.amount))
  await expect(run((terminal) => sendCommand({ config, wait: true, asset: wbtc, to: thief, amount: '0.02' }, terminal))).rejects.toThrow(
    /7e7e is not in withdrawals.addresses/,
  )
})

test('a forged row to another address is refused by the running solver', async () => {
  const db = await openDatabase(story.databaseUrls[1] ?? '')
  try {
    const [id] = await requestWithdrawals(db, [{ chain: 'ethereum_localnet', asset: wbtc, recipient: thief, amount: 5n }])
    const forged = async () => (await listWithdrawals(db, 10)).find((one) => one.id === id)
    await story.eventually('the solver has refused it', async () => ((await forged())?.lastError ?? null) !== null)
    expect(await forged()).toMatchObject({ isSigned: false, lastError: expect.stringMatching(/is not in withdrawals.addresses/) })
    await run((terminal) => withdrawalsCommand({ config, cancel: id ?? '' }, terminal))
  } finally {
    await db.destroy()
  }
})

test('sweep sends what is above the target', async () => {
  await run((terminal) => sweepCommand({ config, wait: true }, terminal))
  const status = await run((terminal) => withdrawalsCommand({ config, json: true }, terminal))
  expect(JSON.parse(status.answer)[0]).toMatchObject({ asset: wbtc, recipient: safe, failure: null })
  const again = await run((terminal) => sweepCommand({ config, wait: true }, terminal))
  expect(again.notes).not.toContain('asked for')
})

test('evacuate sends everything of every chain, says what stays, and a repeat sends nothing twice', async () => {
  const planned = await run((terminal) => evacuateCommand({ config, wait: true, dryRun: true }, terminal))
  expect(planned.answer).toContain(btc)
  const first = await run((terminal) => evacuateCommand({ config, wait: true }, terminal))
  expect(first.answer).toContain('for fees of these transfers and of later redeems')
  const sent = await story.balance(wbtc)
  await run((terminal) => evacuateCommand({ config, wait: true }, terminal))
  expect(await story.balance(wbtc)).toBe(sent)
  const { answer } = await run((terminal) => withdrawalsCommand({ config, json: true }, terminal))
  const all: readonly { readonly asset: string; readonly failure: string | null }[] = JSON.parse(answer)
  expect(all.filter(({ failure }) => failure !== null)).toEqual([])
  for (const asset of [btc, wbtc, 'ethereum_localnet:eth']) expect(all.map((one) => one.asset)).toContain(asset)
})
