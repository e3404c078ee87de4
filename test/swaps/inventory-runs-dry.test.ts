/** Tests funded orders that the solver cannot or may not pay. */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { haltCommand, resumeCommand } from '@tandem/cli/commands/solver-risk.ts'
import { statusCommand } from '@tandem/cli/commands/solver-status.ts'
import { evmLocal } from '@tandem/evm/local/local.ts'
import { encodeFunctionData, erc20Abi } from 'viem'
import { expect, test } from 'vitest'
import { createApiClient } from '../../demo/client/api-client.ts'
import { tellStory } from './story.ts'

const story = await tellStory('ethereum_localnet', 'arbitrum_localnet')
const [ether, dollars] = ['ethereum_localnet:eth', 'arbitrum_localnet:usdc'] as const
const { solverFile } = story.stack.configs
const DOLLAR = 1_000_000n
/** The user pays at most this for its own transaction. */
const GAS = 10_000_000_000_000_000n

const key = (await readFile(join(dirname(solverFile), 'keys', 'solver-secp256k1'), 'utf8')).trim()
const arbitrum = story.info.chains.arbitrum_localnet
if (arbitrum === undefined) throw new Error('there is no arbitrum')
const solver = evmLocal.openWallet(arbitrum, key)
const { token } = story.contractsOf(dollars)

async function leaveDollars(left: bigint): Promise<void> {
  const args = ['0x000000000000000000000000000000000000dEaD', (await solver.balanceOf(solver.address, token)) - left] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  await solver.send({ chain_id: 31338, to: token, data, value: '0', gas_limit: '100000' })
}

/** This client asks once: that of the story waits while a service says when to try again. */
const impatient = createApiClient({ baseUrl: story.info.base_url, appId: story.info.app_id })
const quoteSixHundred = () => impatient.quote({ from: ether, to: dollars, to_amount: (600n * DOLLAR).toString() })

/** The order pays the user about 600 dollars. */
async function orderSixHundred() {
  const quote = await quoteSixHundred()
  return story.order(ether, dollars, BigInt(quote.source.amount))
}
const fund = (order: Awaited<ReturnType<typeof orderSixHundred>>) => story.evm('ethereum_localnet').fund(order)
const terminal = { answer: () => undefined, note: () => undefined }
async function status() {
  const answers: string[] = []
  await statusCommand({ config: solverFile, json: true }, { ...terminal, answer: (text) => void answers.push(text) })
  return JSON.parse(answers[0] ?? '')
}

test('the inventory suffices for one of two funded orders: it is paid, the other is refunded within seconds', async () => {
  await leaveDollars(1000n * DOLLAR)
  await story.eventually('the solver sees what it has left', async () =>
    (await status()).inventory.some((row: { asset: string; available: string }) => row.asset === dollars && row.available === '1000'),
  )
  const [one, two] = [await orderSixHundred(), await orderSixHundred()]
  const before = { ether: await story.balance(ether), dollars: await story.balance(dollars) }
  await fund(one)
  await fund(two)
  const [first, second] = await Promise.all(
    [one, two].map(({ order_id }) => story.untilStatus(order_id, 'counterparty_redeemed', 'refunded')),
  )
  expect([first?.status, second?.status].sort()).toEqual(['counterparty_redeemed', 'refunded'])
  const paid = first?.status === 'counterparty_redeemed' ? first : second
  expect(await story.balance(dollars)).toBe(before.dollars + BigInt(paid?.destination_swap.amount ?? 0))
  expect(before.ether - (await story.balance(ether))).toBeLessThan(BigInt(paid?.source_swap.amount ?? 0) + 2n * GAS)
  await expect(orderSixHundred()).rejects.toThrow('cannot pay 600000000 of arbitrum_localnet:usdc')
})

test('a halted solver pays for nothing new: the deposit comes back, and after it is resumed swaps go on', async () => {
  await story.stack.network.fund(dollars, solver.address, 10_000n * DOLLAR)
  await story.eventually('the solver quotes again', async () =>
    quoteSixHundred().then(
      () => true,
      () => false,
    ),
  )
  const order = await orderSixHundred()
  const before = await story.balance(ether)
  await haltCommand('arbitrum_localnet', { config: solverFile, reason: 'maintenance' }, terminal)
  await fund(order)
  await story.untilStatus(order.order_id, 'refunded')
  expect(before - (await story.balance(ether))).toBeLessThan(GAS)
  expect(await story.signed('solver', order.order_id)).toEqual(new Map())
  expect((await status()).halts).toMatchObject([{ scope: 'arbitrum_localnet', cause: 'operator', reason: 'maintenance' }])
  await expect(quoteSixHundred()).rejects.toThrow('halted (arbitrum_localnet) by the operator of the solver')
  await resumeCommand('arbitrum_localnet', { config: solverFile }, terminal)
  await story.eventually('the solver quotes again', async () =>
    quoteSixHundred().then(
      () => true,
      () => false,
    ),
  )
  const last = await orderSixHundred()
  await fund(last)
  await story.untilStatus(last.order_id, 'counterparty_redeemed')
  await story.eventually('its profit is counted', async () =>
    (await status()).pairs.some((row: { completed: number; profit_usd: string }) => row.completed > 0 && Number(row.profit_usd) > 0),
  )
})
