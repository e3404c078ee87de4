/** Tests that nobody locks or takes orders without coins for network fees. */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { statusCommand } from '@tandem/cli/commands/solver-status.ts'
import { diagnose } from '@tandem/cli/doctor/diagnose.ts'
import { evmLocal } from '@tandem/evm/local/local.ts'
import { expect, test } from 'vitest'
import { createApiClient } from '../../demo/client/api-client.ts'
import { tellStory } from './story.ts'

const story = await tellStory('ethereum_localnet', 'arbitrum_localnet')
const [bitcoin, dollars] = ['ethereum_localnet:wbtc', 'arbitrum_localnet:usdc'] as const
const { solverFile } = story.stack.configs
const AMOUNT = 1_000_000n
/** This is 0.000021 ether, not enough for one redeem. */
const DUST = 21_000_000_000_000n

const key = (await readFile(join(dirname(solverFile), 'keys', 'solver-secp256k1'), 'utf8')).trim()
const ethereum = story.info.chains.ethereum_localnet
if (ethereum === undefined) throw new Error('there is no ethereum')
const solver = evmLocal.openWallet(ethereum, key)
const setEther = (wei: bigint) =>
  story.evmChain('ethereum_localnet').request({ method: 'hardhat_setBalance', params: [solver.address, `0x${wei.toString(16)}`] })

/** This client asks once: that of the story waits while a service says when to try again. */
const impatient = createApiClient({ baseUrl: story.info.base_url, appId: story.info.app_id })
const quote = () => impatient.quote({ from: bitcoin, to: dollars, from_amount: AMOUNT.toString() })

async function status() {
  const answers: string[] = []
  await statusCommand({ config: solverFile, json: true }, { note: () => undefined, answer: (text) => void answers.push(text) })
  return JSON.parse(answers[0] ?? '')
}

async function fund(order: Awaited<ReturnType<typeof story.order>>) {
  const { token, htlc } = story.contractsOf(bitcoin)
  await story.evm('ethereum_localnet').approve(token, htlc, AMOUNT)
  await story.evm('ethereum_localnet').fund(order)
}

test('a solver that cannot pay for the redeem does not lock: the user gets the deposit back, and nothing more is quoted from that chain', async () => {
  const full = await solver.balanceOf(solver.address)
  const order = await story.order(bitcoin, dollars, AMOUNT)
  const before = { bitcoin: await story.balance(bitcoin), dollars: await story.balance(dollars) }
  await setEther(DUST)
  await fund(order)
  const end = await story.untilStatus(order.order_id, 'refunded', 'counterparty_initiated', 'counterparty_redeemed')
  expect(end.status).toBe('refunded')
  expect(await story.signed('solver', order.order_id)).toEqual(new Map())
  expect(await story.balance(bitcoin)).toBe(before.bitcoin)
  expect(await story.balance(dollars)).toBe(before.dollars)

  await story.eventually('the solver quotes nothing from this chain', async () =>
    quote().then(
      () => false,
      (error: Error) => /ethereum_localnet:eth.*send/.test(error.message),
    ),
  )
  await impatient.quote({ from: dollars, to: 'arbitrum_localnet:eth', from_amount: '100000000' })
  const { halts, fees } = await status()
  const short = { cause: 'fee funds', reason: expect.stringContaining(solver.address.toLowerCase()) }
  expect(halts).toMatchObject([
    { scope: '*->ethereum_localnet', ...short },
    { scope: 'ethereum_localnet->*', ...short },
  ])
  expect(fees).toContainEqual(
    expect.objectContaining({ asset: 'ethereum_localnet:eth', balance: '0.000021', top_up: expect.stringMatching(/^0\.00\d+$/) }),
  )
  expect(fees).toContainEqual(expect.objectContaining({ asset: 'arbitrum_localnet:eth', top_up: '0' }))
  const { findings } = await diagnose(solverFile)
  expect(findings.filter(({ check, level }) => check === 'fees' && level !== 'ok')).toEqual([
    expect.objectContaining({
      level: 'fail',
      about: 'ethereum_localnet',
      advice: expect.stringMatching(/^send \d+ of ethereum_localnet:eth to 0x/),
    }),
  ])

  await setEther(full)
  await story.eventually('the solver quotes again', async () =>
    quote().then(
      () => true,
      () => false,
    ),
  )
  const next = await story.order(bitcoin, dollars, AMOUNT)
  await fund(next)
  await story.untilStatus(next.order_id, 'counterparty_redeemed')
})

test('a service whose relay key cannot pay for payouts takes no orders to that chain', async () => {
  const relayKey = (await readFile(join(dirname(story.stack.configs.serviceFile), 'keys', 'relay-secp256k1'), 'utf8')).trim()
  const relay = evmLocal.openWallet(ethereum, relayKey)
  const toEthereum = () => impatient.quote({ from: dollars, to: bitcoin, from_amount: '100000000' })
  const isQuoted = (expected: boolean) => async () =>
    toEthereum().then(
      () => expected,
      (error: Error) => !expected && error.message.includes('too little ethereum_localnet:eth to pay for payouts'),
    )
  const full = await relay.balanceOf(relay.address)
  const set = (wei: bigint) =>
    story.evmChain('ethereum_localnet').request({ method: 'hardhat_setBalance', params: [relay.address, `0x${wei.toString(16)}`] })
  const { source, destination } = await toEthereum()
  await set(DUST)
  await story.eventually('the service refuses', isQuoted(false))
  const order = impatient.createOrder({
    source: { asset: dollars, owner: story.ownerOf(dollars), amount: source.amount },
    destination: { asset: bitcoin, owner: story.ownerOf(bitcoin), amount: destination.amount },
  })
  await expect(order).rejects.toThrow('too little ethereum_localnet:eth to pay for payouts')
  // The other direction needs no coins there.
  await quote()
  await set(full)
  await story.eventually('the service quotes again', isQuoted(true))
})
