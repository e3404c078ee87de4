/** Tests that nothing is paid twice after both databases are restored from a backup. */
import { confirmRestoreCommand } from '@tandem/cli/commands/confirm-restore.ts'
import { statusCommand } from '@tandem/cli/commands/solver-status.ts'
import { diagnose } from '@tandem/cli/doctor/diagnose.ts'
import { expect, test } from 'vitest'
import { type Backup, takeBackup } from './backup.ts'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet')
const { serviceFile, solverFile } = story.stack.configs

async function setRunning(running: boolean): Promise<void> {
  await story.stack.service.setRunning(running)
  await story.stack.solver.setRunning(running)
}

async function tell(command: (terminal: { answer(text: string): void; note(text: string): void }) => Promise<void>): Promise<string> {
  const lines: string[] = []
  const add = (text: string) => void lines.push(text)
  await command({ answer: add, note: add })
  return lines.join('\n')
}

const restoreFindings = async (file: string) => (await diagnose(file)).findings.filter(({ about }) => about === 'restored backup')
const status = () => tell((terminal) => statusCommand({ config: solverFile }, terminal))
const confirm = (config: string) => tell((terminal) => confirmRestoreCommand({ config, yes: true }, terminal))

test('both databases are restored from a backup: nothing is paid twice, and older orders are paid for when the operator has confirmed', async () => {
  const before = { wbtc: await story.balance('ethereum_localnet:wbtc'), btc: await story.balance('bitcoin_regtest:btc') }
  const toWbtc = () => story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  const [completed, locked] = [await toWbtc(), await toWbtc()]
  const unseen = await story.order('ethereum_localnet:eth', 'bitcoin_regtest:btc', 400_000_000_000_000_000n)
  await setRunning(false)
  const backups: Backup[] = await Promise.all(story.databaseUrls.map(takeBackup))
  await setRunning(true)

  // One swap completes: the service releases its secret. Of one the solver has locked its part, and its lock of another one is signed, but no node has it.
  await story.bitcoin().pay(completed.to ?? '', 1_000_000n)
  await story.untilStatus(completed.order_id, 'counterparty_redeemed')
  await story.waitFor(locked.order_id, 1_000)
  await story.bitcoin().pay(locked.to ?? '', 1_000_000n)
  await story.untilSeen('solver', locked.order_id, 'destination initiated')
  story.bitcoinChain().faults.drop(1_000_000)
  await story.evm('ethereum_localnet').fund(unseen)
  await story.untilSigned('solver', unseen.order_id, 'initiate destination')
  await setRunning(false)
  await Promise.all(backups.map((backup) => backup.restore()))
  story.bitcoinChain().faults.drop(0)
  await setRunning(true)

  // Redeems go on: for what is on the chains already, nothing depends on the lost records.
  await story.untilStatus(completed.order_id, 'counterparty_redeemed')
  const second = await story.untilStatus(locked.order_id, 'counterparty_redeemed')
  expect([...(await story.signed('solver', completed.order_id)).keys()]).toEqual([])
  expect([...(await story.signed('service', completed.order_id)).keys()]).toEqual([])
  expect([...(await story.signed('solver', locked.order_id)).keys()]).toEqual(['redeem source'])
  // A payment that the chains do not show is not made again, and both parties say why.
  await story.eventually('the solver to refuse', async () => /older backup/.test((await story.errorOf('solver', unseen.order_id)) ?? ''))
  expect((await story.signed('solver', unseen.order_id)).has('initiate destination')).toBe(false)
  for (const file of [serviceFile, solverFile]) expect(await restoreFindings(file)).toMatchObject([{ level: 'fail' }])
  expect(await status()).toMatch(/^Restored backup: nothing is paid for older orders until `tandem confirm-restore`/)
  // A new order is not held back.
  const newer = await toWbtc()
  await story.bitcoin().pay(newer.to ?? '', 1_000_000n)
  const third = await story.untilStatus(newer.order_id, 'counterparty_redeemed')
  expect((await story.signed('solver', unseen.order_id)).has('initiate destination')).toBe(false)

  for (const file of [serviceFile, solverFile]) {
    expect(await confirm(file)).toMatch(/Confirmed/)
    expect(await restoreFindings(file)).toEqual([])
  }
  expect(await status()).not.toMatch(/Restored backup/)
  await story.makeDue(0)
  const last = await story.untilStatus(unseen.order_id, 'counterparty_redeemed')
  expect((await story.signed('solver', unseen.order_id)).get('initiate destination')).toHaveLength(1)

  const first = await story.untilStatus(completed.order_id, 'counterparty_redeemed')
  const paid = [first, second, third].reduce((sum, { destination_swap: { amount } }) => sum + BigInt(amount), 0n)
  expect((await story.balance('ethereum_localnet:wbtc')) - before.wbtc).toBe(paid)
  // The user paid three deposits and got the payout less its network fee.
  const gained = (await story.balance('bitcoin_regtest:btc')) - before.btc
  const due = BigInt(last.destination_swap.amount) - 3_000_000n
  expect(gained).toBeLessThanOrEqual(due)
  expect(gained).toBeGreaterThan(due - 10_000n)
  await Promise.all(backups.map((backup) => backup.drop()))
})
