/** Users pay from an exchange: plain transfers of a token and of the chain's coin to the deposit addresses of EVM orders. */
import { encodeFunctionData, erc20Abi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'
import { evmWalletOf, tandemOf } from './swap-by-sdk.ts'
import { type Deposited, orderWithAddress, tellOfDeposit, tellOfReturns } from './tell-of-deposit-address.ts'

const [CHAIN, OTHER] = ['ethereum_localnet', 'arbitrum_localnet']
const [USDC, WBTC, ETH] = [`${CHAIN}:usdc`, `${CHAIN}:wbtc`, `${CHAIN}:eth`]

const story = await tellStory(CHAIN, OTHER)
const exchange = story.evm(CHAIN)
const send = (to: string, data: string, value: bigint) =>
  exchange.send({ chain_id: 31337, to, data, value: `0x${value.toString(16)}`, gas_limit: '0x186a0' })
const transfer = (asset: string, to: string, amount: bigint) =>
  send(
    story.contractsOf(asset).token,
    encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as `0x${string}`, amount] }),
    0n,
  )
const freshOwner = async () => privateKeyToAccount(generatePrivateKey()).address

const dollars: Deposited = {
  asset: USDC,
  destination: `${OTHER}:usdc`,
  amount: 60_000_000n,
  freshOwner,
  pay: (to, amount) => transfer(USDC, to, amount),
  balanceOf: (owner) => exchange.balanceOf(owner, story.contractsOf(USDC).token),
}
const ether: Deposited = {
  asset: ETH,
  destination: `${OTHER}:usdc`,
  amount: 400_000_000_000_000_000n,
  freshOwner,
  pay: (to, amount) => send(to, '0x', amount),
  balanceOf: (owner) => exchange.balanceOf(owner),
}

for (const deposited of [dollars, ether]) tellOfDeposit(story, deposited)

test('another token and the coin go back to the owner, by the package of the order and the wallet of anybody', async () => {
  const owner = await freshOwner()
  const { id, to, kept } = await orderWithAddress(story, dollars, owner)
  await transfer(WBTC, to, 12_345n)
  await send(to, '0x', 678n)
  const [tandem, wallet] = [tandemOf(story), evmWalletOf(story, CHAIN)]
  expect(await tandem.depositAddress(kept)).toMatchObject({ address: to, held: 0n, amount: dollars.amount })
  const { token } = story.contractsOf(WBTC)
  await tandem.returnDeposit(kept, { wallet, token })
  await story.eventually('the token to come back', async () => (await exchange.balanceOf(owner, token)) === 12_345n)
  if ((await exchange.balanceOf(owner)) === 0n) await tandem.returnDeposit(kept, { wallet, token: null })
  await story.eventually('the coin to come back', async () => (await exchange.balanceOf(owner)) === 678n)
  expect((await story.api.order(id)).status).toBe('created')
})

test('the service is gone: anybody locks what is at the address, and the swap completes when the service is back', async () => {
  const { id, to, kept } = await orderWithAddress(story, dollars, await freshOwner())
  await story.stack.service.setRunning(false)
  await dollars.pay(to, dollars.amount)
  const tandem = tandemOf(story)
  expect((await tandem.depositAddress(kept)).held).toBe(dollars.amount)
  const tx = await tandem.initiateDeposit(kept, { wallet: evmWalletOf(story, CHAIN) })
  await story.eventually('the address to be empty', async () => (await tandem.depositAddress(kept)).held === 0n)
  await story.stack.service.setRunning(true)
  const done = await story.untilStatus(id, 'counterparty_redeemed')
  expect(done.source_swap).toMatchObject({ initiate_tx_hash: tx, filled_amount: dollars.amount.toString() })
  expect((await story.signed('service', id)).has('initiate source')).toBe(false)
})

tellOfReturns(story, [dollars, ether], () => story.passTime(CHAIN, 3_700))
