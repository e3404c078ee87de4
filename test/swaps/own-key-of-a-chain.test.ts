/** Tests a solver whose inventory on one chain has a key of its own: it quotes, pays and redeems there with that key. */
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { bytesToHex } from '@noble/hashes/utils.js'
import { diagnose } from '@tandem/cli/doctor/diagnose.ts'
import { createKey, randomPrivateKey } from '@tandem/keys/keyring.ts'
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet')
const [btc, wbtc] = ['bitcoin_regtest:btc', 'ethereum_localnet:wbtc'] as const
const { solverFile } = story.stack.configs
const AMOUNT = 1_000_000n

/** The solver's account of an asset, and what it holds, as the doctor says. */
async function holding(asset: string) {
  const { findings } = await diagnose(solverFile)
  const { text = '' } = findings.find(({ check, about }) => check === 'inventory' && about === asset) ?? {}
  const [, address = '', balance = ''] = /^(\S+) holds (\d+)/.exec(text) ?? []
  return { address, balance: BigInt(balance) }
}

test('swaps in both directions move the money of that key only, and the other chain keeps its own', async () => {
  const shared = { btc: await holding(btc), wbtc: await holding(wbtc) }
  const text = randomPrivateKey('secp256k1')
  const own = bytesToHex(createKey('secp256k1', text).publicKey.subarray(1))
  await writeFile(join(dirname(solverFile), 'keys', 'solver-bitcoin'), text, { mode: 0o600 })
  await story.restart('solver', (config) => {
    config.private_key.chains = { bitcoin_regtest: { file: 'keys/solver-bitcoin' } }
  })
  const empty = await holding(btc)
  expect(empty.balance).toBe(0n)
  expect(empty.address).not.toBe(shared.btc.address)
  expect(await holding(wbtc)).toEqual(shared.wbtc)
  await story.stack.network.fund(btc, empty.address, 10n * AMOUNT)
  await story.stack.network.confirmFunding()
  await story.eventually('the solver holds bitcoin', async () => (await holding(btc)).balance > 0n)

  const user = await story.order(btc, wbtc, AMOUNT)
  await story.bitcoin().pay(user.to ?? '', AMOUNT)
  const inbound = await story.untilStatus(user.order_id, 'counterparty_redeemed')
  expect(inbound.source_swap.redeemer).toBe(own)
  await story.eventually('the solver has the deposit', async () => (await holding(btc)).balance > 10n * AMOUNT)

  const { token, htlc } = story.contractsOf(wbtc)
  await story.evm('ethereum_localnet').approve(token, htlc, AMOUNT)
  const order = await story.order(wbtc, btc, AMOUNT)
  const before = (await holding(btc)).balance
  await story.evm('ethereum_localnet').fund(order)
  const outbound = await story.untilStatus(order.order_id, 'counterparty_redeemed')
  expect(outbound.source_swap.redeemer).toBe(shared.wbtc.address.toLowerCase())
  expect((await holding(btc)).balance).toBeLessThan(before)

  await story.restart('solver', (config) => {
    delete config.private_key.chains
  })
  expect(await holding(btc)).toEqual(shared.btc)
})
