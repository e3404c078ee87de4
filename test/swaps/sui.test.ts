/** Users with the SDK swap SUI and another coin on the local Sui chain. The stories end with balances. */
import { SuiGrpcClient } from '@mysten/sui/grpc'
import { Transaction } from '@mysten/sui/transactions'
import { getWallets, type StandardEventsOnMethod, SUI_LOCALNET_CHAIN } from '@mysten/wallet-standard'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { suiWallet } from '@tandem/sdk'
import { keypairOf } from '@tandem/sui/local/account-keys.ts'
import { suiLocal } from '@tandem/sui/local/local.ts'
import { describe, expect, test } from 'vitest'
import { tellStory } from './story.ts'
import { swapBySdk } from './swap-by-sdk.ts'
import { tellOfInstantRefund } from './tell-of-instant-refund.ts'

const SUI = 'sui_localnet:sui'
const COINS = 'sui_localnet:usdc'
const BTC = 'bitcoin_regtest:btc'
const DOLLARS = 'arbitrum_localnet:usdc'
const SUI_TYPE = '0x2::sui::SUI'
/** This is 0.05 SUI, more than any transaction of a user costs. */
const GAS = 50_000_000n

const story = await tellStory('bitcoin_regtest', 'arbitrum_localnet', 'sui_localnet')
const wallet = story.wallet('sui_localnet', suiLocal)
const { token: coinType, htlc } = story.contractsOf(COINS)
const client = new SuiGrpcClient({ network: 'localnet', baseUrl: String(story.info.chains.sui_localnet?.rpc_url) })

test('BTC is swapped to SUI by a plain deposit, to an account that has nothing yet', async () => {
  const quote = await story.api.quote({ from: BTC, to: SUI, from_amount: '100000' })
  const recipient = `0x${'5'.repeat(64)}`
  const created = await story.api.createOrder({
    source: { asset: BTC, owner: story.ownerOf(BTC), amount: quote.source.amount },
    destination: { asset: SUI, owner: recipient, amount: quote.destination.amount },
  })
  await story.bitcoin().pay(created.to ?? '', 100_000n)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.destination_swap.redeemer).toBe(recipient)
  expect(await wallet.balanceOf(recipient, SUI_TYPE)).toBe(BigInt(done.destination_swap.amount))
})

test('USDC on an EVM chain is swapped to coins on Sui', async () => {
  const [dollars, coins] = [await story.balance(DOLLARS), await wallet.balance(COINS)]
  const created = await story.order(DOLLARS, COINS, 500_000_000n)
  await story.evm('arbitrum_localnet').fund(created)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await story.balance(DOLLARS)).toBe(dollars - 500_000_000n)
  expect(await wallet.balance(COINS)).toBe(coins + BigInt(done.destination_swap.amount))
})

test('SUI is swapped to USDC on an EVM chain: fromKind, sender, gas price, gas budget, sign, execute', async () => {
  const [sui, dollars] = [await wallet.balance(SUI), await story.balance(DOLLARS)]
  const created = await story.order(SUI, DOLLARS, 5_000_000_000n)
  expect(Object.keys(created).toSorted()).toEqual(['order_id', 'order_token', 'ptb_bytes'])
  const tx = Transaction.fromKind(Uint8Array.from(created.ptb_bytes ?? []))
  tx.setSender(wallet.address)
  tx.setGasPrice((await client.getReferenceGasPrice()).referenceGasPrice)
  tx.setGasBudget(GAS)
  const bytes = await tx.build({ client })
  const keypair = keypairOf(story.info.wallets.find(({ address }) => address === wallet.address)?.private_key ?? '')
  const { signature } = await keypair.signTransaction(bytes)
  const sent = await client.executeTransaction({ transaction: bytes, signatures: [signature] })
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.source_swap.initiate_tx_hash).toBe(sent.Transaction?.digest)
  expect(await story.balance(DOLLARS)).toBe(dollars + BigInt(done.destination_swap.amount))
  const spent = sui - (await wallet.balance(SUI))
  expect(spent).toBeGreaterThan(5_000_000_000n)
  expect(spent).toBeLessThan(5_000_000_000n + GAS)

  // The same funding comes again. The order was initiated once, and stays so.
  await expect(wallet.fund(created)).rejects.toThrow(/MoveAbort|DuplicateOrder/)
})

test('the SDK swaps SUI with a wallet of the wallet standard', async () => {
  const [sui, dollars] = [await wallet.balance(SUI), await story.balance(DOLLARS)]
  const keypair = keypairOf(story.info.wallets.find(({ address }) => address === wallet.address)?.private_key ?? '')
  const account = {
    address: wallet.address,
    publicKey: keypair.getPublicKey().toSuiBytes(),
    chains: [SUI_LOCALNET_CHAIN],
    features: ['sui:signAndExecuteTransaction'],
  } as const
  const on: StandardEventsOnMethod = () => () => undefined
  getWallets().register({
    version: '1.0.0',
    name: 'A wallet of Sui',
    icon: 'data:image/png;base64,',
    chains: [SUI_LOCALNET_CHAIN],
    accounts: [account],
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
      'standard:events': { version: '1.0.0', on },
      'sui:signAndExecuteTransaction': {
        version: '2.0.0',
        async signAndExecuteTransaction({ transaction }: { transaction: { toJSON(): Promise<string> } }) {
          const sent = await keypair.signAndExecuteTransaction({ transaction: Transaction.from(await transaction.toJSON()), client })
          return { digest: sent.Transaction?.digest }
        },
      },
    },
  })
  const registered = getWallets()
    .get()
    .find(({ name }) => name === 'A wallet of Sui')
  if (registered === undefined) throw new Error('no wallet is registered')
  const local = story.info.chains.sui_localnet
  const pinned = { [SUI]: { ...local?.assets[SUI], package: String(local?.package_id) } }
  const { done, tx } = await swapBySdk(story, suiWallet(registered), { from: SUI, to: DOLLARS, fromAmount: 5_000_000_000n }, pinned)
  expect(done.source_swap.initiate_tx_hash).toBe(tx)
  expect(await story.balance(DOLLARS)).toBe(dollars + BigInt(done.destination_swap.amount))
  expect(sui - (await wallet.balance(SUI))).toBeLessThan(5_000_000_000n + GAS)
})

test('several coins are merged for one amount, and the solver redeems them', async () => {
  const [coins, btc] = [await wallet.balance(COINS), await story.balance(BTC)]
  // The user is left with three coins, none of which is enough.
  const split = new Transaction()
  const { objects } = await client.listCoins({ owner: wallet.address, coinType })
  const [first, ...others] = objects.map(({ objectId }) => split.object(objectId))
  if (first === undefined) throw new Error('the user has no coins')
  if (others.length > 0) split.mergeCoins(first, others)
  const parts = split.splitCoins(first, [coins / 3n, coins / 3n])
  split.transferObjects([parts[0] ?? parts, parts[1] ?? parts], wallet.address)
  await wallet.execute(split)
  const amount = coins / 2n < 900_000_000n ? coins / 2n : 900_000_000n
  const created = await story.order(COINS, BTC, amount)
  await wallet.fund(created)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await wallet.balance(COINS)).toBe(coins - amount)
  expect((await story.balance(BTC)) - btc).toBeGreaterThan(BigInt(done.destination_swap.amount) - 5_000n)
})

test('recipients that cannot receive, and what Sui has no way for, are refused before an order is made', async () => {
  const quote = await story.api.quote({ from: DOLLARS, to: SUI, from_amount: '50000000' })
  const orderTo = (owner: string) =>
    story.api.createOrder({
      source: { asset: DOLLARS, owner: story.ownerOf(DOLLARS), amount: quote.source.amount },
      destination: { asset: SUI, owner, amount: quote.destination.amount },
    })
  const cases: readonly (readonly [string, RegExp])[] = [
    [`0x${'0'.repeat(64)}`, /zero address/],
    [story.ownerOf(DOLLARS), /64 hex digits, got 40/],
    [`0x${'1'.repeat(65)}`, /64 hex digits, got 65/],
    [`0x${'g'.repeat(64)}`, /hex digits/],
    [story.ownerOf(BTC), /expected 0x/],
    // This coin object of the user is easily copied instead of its address.
    [(await client.listCoins({ owner: wallet.address })).objects[0]?.objectId ?? '', /is an object, not an account/],
    [`0x${'2'.padStart(64, '0')}`, /is a package, not an account/],
  ]
  for (const [owner, reason] of cases)
    await expect(orderTo(owner), owner).rejects.toMatchObject({
      httpStatus: 400,
      code: 'invalid_address',
      message: expect.stringMatching(reason),
    })
  await expect(orderTo(htlc)).rejects.toMatchObject({ httpStatus: 400, code: 'invalid_address' })

  const own = await story.order(SUI, DOLLARS, 5_000_000_000n)
  const gasless = story.api.call('PATCH', `/orders/${own.order_id}?action=initiate`, { signature: '0x00' })
  await expect(gasless).rejects.toMatchObject({ httpStatus: 400, message: expect.stringContaining('not supported for initiations') })
})

test('the secret is never shown: the solver gets its SUI back, and the user its USDC', async () => {
  const [sui, dollars] = [await wallet.balance(SUI), await story.balance(DOLLARS)]
  const quote = await story.api.quote({ from: DOLLARS, to: SUI, from_amount: '50000000' })
  const created = await story.api.createOrder({
    source: { asset: DOLLARS, owner: story.ownerOf(DOLLARS), amount: quote.source.amount },
    destination: { asset: SUI, owner: wallet.address, amount: quote.destination.amount },
    secret_hash: hashSecret(createSecret()),
  })
  await story.evm('arbitrum_localnet').fund(created)
  const locked = await story.until(created.order_id, 'the destination', ({ destination_swap: swap }) => swap.initiate_tx_hash !== '')
  await wallet.passTime(locked.destination_swap.timelock)
  await story.until(created.order_id, 'the refund of the destination', ({ destination_swap: swap }) => swap.refund_tx_hash !== '')
  await story.passTime('arbitrum_localnet', locked.source_swap.timelock)
  await story.untilStatus(created.order_id, 'refunded')
  expect([await wallet.balance(SUI), await story.balance(DOLLARS)]).toEqual([sui, dollars])
})

describe('an instant refund', () => {
  tellOfInstantRefund(story, {
    asset: SUI,
    destination: DOLLARS,
    amount: 5_000_000_000n,
    maxGas: GAS,
    fund: (created) => wallet.fund(created),
  })
})

test('the solver is gone: SUI is refunded after the timelock, with no transaction of the user', async () => {
  const created = await story.order(SUI, BTC, 3_000_000_000n)
  await story.stack.solver.setRunning(false)
  await wallet.fund(created)
  const funded = await story.untilStatus(created.order_id, 'initiated')
  const before = await wallet.balance(SUI)
  await wallet.passTime(funded.source_swap.timelock)
  const refunded = await story.untilStatus(created.order_id, 'refunded')
  expect(refunded.destination_swap.initiate_tx_hash).toBe('')
  expect(await wallet.balance(SUI)).toBe(before + 3_000_000_000n)
})
