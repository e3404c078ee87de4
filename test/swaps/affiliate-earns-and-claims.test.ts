/** Tests that affiliates earn their share and claim it on a chain. */
import { runCommand } from '@tandem/cli/commands/command.fixture.ts'
import { deployCommand } from '@tandem/cli/commands/deploy.ts'
import { fundCommand, owedCommand, reconcileCommand } from '@tandem/cli/commands/earnings.ts'
import { distributor } from '@tandem/evm/contract/artifacts/distributor.ts'
import { formatUsd, usdMicros } from '@tandem/protocol/amount.ts'
import type { EarningsRecord } from '@tandem/protocol/wire/earnings.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'

const [source, destination] = ['ethereum_localnet', 'arbitrum_localnet'] as const
const story = await tellStory(source, destination)
const { info, configs } = story.stack

const ann = privateKeyToAddress(generatePrivateKey()).toLowerCase() as Address
const ben = privateKeyToAddress(generatePrivateKey()).toLowerCase() as Address
const usdc = `${source}:usdc`
const ether = `${destination}:eth`
const affiliates = [
  { address: ann, fee: 20 },
  { address: ben, fee: 10, asset: ether },
  { address: ann, fee: 5 },
]
const amount = 500_000_000_000_000_000n

async function read<T>(path: string): Promise<T> {
  const response = await fetch(`${info.base_url}/${path}`, { headers: { 'service-app-id': info.app_id } })
  return ((await response.json()) as { readonly result: T }).result
}

/** Answers are cached for some seconds, but the address in another case is another question. */
const earnings = async (address: Address) => {
  const [record] = await read<readonly EarningsRecord[]>(`apps/earnings?address=${address}`)
  if (record === undefined) throw new Error(`${address} has earned nothing`)
  return record
}

async function swap(): Promise<OrderRecord> {
  const [from, to] = [`${source}:eth`, `${destination}:usdc`]
  const quote = await story.api.quote({ from, to, from_amount: amount.toString(), affiliate_fee: '35' })
  const created = await story.api.createOrder({
    source: { asset: from, owner: story.ownerOf(from), amount: quote.source.amount },
    destination: { asset: to, owner: story.ownerOf(to), amount: quote.destination.amount },
    affiliate_fees: affiliates,
  })
  await story.evm(source).fund(created)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  for (const chain of [source, destination]) await story.evm(chain).rpc('hardhat_mine', '0xd')
  await story.eventually('the order to be closed', () => story.isClosed('service', created.order_id))
  return done
}

const claimCall = ({ affiliate, token_address, claim_total = '0', claim_signature = '0x', claim_contract = '0x' }: EarningsRecord) => ({
  chain_id: 0,
  to: claim_contract,
  data: encodeFunctionData({
    abi: distributor.abi,
    functionName: 'claim',
    args: [affiliate as Address, token_address as Address, BigInt(claim_total), claim_signature as Hex],
  }),
  value: '0',
  gas_limit: '300000',
})

const tokenOf = (asset: string) => info.chains[asset.split(':')[0] ?? '']?.assets[asset]?.token
const held = (owner: Address, asset: string) => story.evm(asset.split(':')[0] ?? '').balanceOf(owner, tokenOf(asset))
const config = configs.serviceFile
const key = { keyEnv: 'TANDEM_STORY_OPERATOR' }
process.env.TANDEM_STORY_OPERATOR = info.wallets.find(({ family }) => family === 'evm')?.private_key ?? ''

test('affiliates earn by completed orders, in assets of their own, and claim what they earned since the last time', async () => {
  const first = await swap()
  const shares = first.affiliate_fees
  expect(shares.map(({ address, asset, fee }) => [address, asset, fee])).toEqual([
    [ann, usdc, 20],
    [ben, ether, 10],
    [ann, usdc, 5],
  ])
  // 0.5 ETH is worth 2,000 dollars: 20 and 5 bips are paid in dollars, 10 bips in ether.
  const ofAnn = BigInt(shares[0]?.amount ?? 0) + BigInt(shares[2]?.amount ?? 0)
  expect([ofAnn, shares[1]?.amount]).toEqual([5_000_000n, '500000000000000'])

  expect(await earnings(ann)).toMatchObject({
    total_earnings: ofAnn.toString(),
    total_earnings_usd: '5.00',
    affiliate: ann,
    asset: usdc,
    token_address: tokenOf(usdc),
    claim_unavailable: expect.stringContaining('holds 0 of the 5000000 that are due'),
  })

  // The operator sees what is missing and pays it in, once. The books agree.
  const owed = JSON.parse((await runCommand((terminal) => owedCommand({ config, json: true }, terminal))).answer)
  expect(owed.assets).toMatchObject([
    { asset: ether, earned: '500000000000000', due: '500000000000000', held: '0', missing: '500000000000000', is_deployed: true },
    { asset: usdc, affiliates: 1, earned: '5000000', paid: '0', due: '5000000', held: '0', missing: '5000000' },
  ])
  expect(owed.solvers).toMatchObject([{ collected_usd: '7.00' }])
  for (const asset of [usdc, ether]) {
    const fund = () => runCommand((terminal) => fundCommand({ config, asset, ...key }, terminal))
    expect((await fund()).answer).toMatch(/^paid /)
    expect((await fund()).answer).toContain('nothing is sent')
  }
  const { answer } = await runCommand(async (terminal) => {
    expect(await reconcileCommand({ config }, terminal)).toBe(true)
  })
  expect(answer).toBe('Orders, ledger, totals and payments agree.')

  // Anyone may send the claim. The affiliate is paid once.
  const claims = await read<readonly EarningsRecord[]>('apps/earnings')
  expect(claims.map(({ claim_amount, claim_amount_usd }) => [claim_amount, claim_amount_usd])).toEqual([
    ['5000000', '5.00'],
    ['500000000000000', '2.00'],
  ])
  for (const claim of claims) await story.evm(claim.asset.split(':')[0] ?? '').send(claimCall(claim))
  expect([await held(ann, usdc), await held(ben, ether)]).toEqual([ofAnn, 500_000_000_000_000n])
  for (const claim of claims) await expect(story.evm(claim.asset.split(':')[0] ?? '').send(claimCall(claim))).rejects.toThrow('reverted')
  const paid = await earnings(ann.toUpperCase().replace('0X', '0x') as Address)
  expect(paid).toMatchObject({ total_earnings: '5000000' })
  expect(Object.keys(paid).filter((name) => name.startsWith('claim'))).toEqual([])

  const second = await swap()
  await runCommand((terminal) => fundCommand({ config, asset: usdc, ...key }, terminal))
  const [more] = await read<readonly EarningsRecord[]>(`apps/earnings?per_page=1`)
  if (more === undefined) throw new Error('no earnings')
  expect(more).toMatchObject({ total_earnings: '10000000', claim_amount: '5000000', claim_total: '10000000' })
  await story.evm(source).send(claimCall(more))
  expect(await held(ann, usdc)).toBe(2n * ofAnn)
  expect(await held(more.claim_contract as Address, usdc)).toBe(0n)

  // Volume and fees are the sums of the orders.
  const worth = ({ amount: raw, asset, asset_price: price }: OrderRecord['source_swap']) =>
    usdMicros(BigInt(raw), asset.endsWith(':eth') ? 18 : 6, BigInt(Math.round(price * 1e8)))
  const sum = (of: (order: OrderRecord) => bigint) => formatUsd([first, second].reduce((total, order) => total + of(order), 0n))
  expect(await read('volume')).toBe(sum(({ source_swap }) => worth(source_swap)))
  expect(await read('fees')).toBe(sum(({ source_swap, destination_swap }) => worth(source_swap) - worth(destination_swap)))

  const deployed = await runCommand((terminal) => deployCommand({ chain: source, distributor: true, config, ...key }, terminal))
  expect(deployed.answer).toBe(`${source}  ${more.claim_contract}  deployed before`)
})
