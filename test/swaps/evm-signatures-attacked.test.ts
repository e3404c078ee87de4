/**
 * Tests orders that are paid by signatures alone while tokens lie and strangers interfere: a permit that somebody else uses first, signatures that are
 * sent again, tokens that keep a part or move nothing, and owners that are contracts or keys with code.
 */

import { carelessToken } from '@tandem/evm/contract/artifacts/careless-token.ts'
import { contractAccount } from '@tandem/evm/contract/artifacts/contract-account.ts'
import { htlcErc20 } from '@tandem/evm/contract/artifacts/htlc-erc20.ts'
import { idleToken } from '@tandem/evm/contract/artifacts/idle-token.ts'
import { keyDelegate } from '@tandem/evm/contract/artifacts/key-delegate.ts'
import { signingFeeToken } from '@tandem/evm/contract/artifacts/signing-fee-token.ts'
import type { EvmChain } from '@tandem/evm/local/evm-chain.ts'
import { createEvmSender, type EvmSender } from '@tandem/evm/local/evm-sender.ts'
import { evmLocal } from '@tandem/evm/local/local.ts'
import { digestOf, signable } from '@tandem/evm/server/one-signature/signable.ts'
import type { TypedData } from '@tandem/evm/terms/one-signature.ts'
import { localChains } from '@tandem/families/registry.ts'
import { createLocalKeys } from '@tandem/local/local-keys.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { type Abi, type Address, encodeDeployData, encodeFunctionData, erc20Abi, type Hex, parseAbi, parseSignature } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { CreatedOrder } from '../../demo/client/api-client.ts'
import { openStory } from './story.ts'

const CHAIN = 'ethereum_localnet'
const BTC = 'bitcoin_regtest:btc'
const USDC = `${CHAIN}:usdc`
/** A token of which only permits can be trusted, one that keeps a part of each transfer, and one that checks signatures and moves nothing. */
const TOKENS = { [`${CHAIN}:permits`]: carelessToken, [`${CHAIN}:keeps`]: signingFeeToken, [`${CHAIN}:idles`]: idleToken }
const [PERMITS = '', KEEPS = '', IDLES = ''] = Object.keys(TOKENS)
const abi = parseAbi([
  'function mint(address to, uint256 value)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
])

let chain: EvmChain
/** Somebody who takes part in no order, and pays for what tests need. */
let stranger: EvmSender
const strangerKey = generatePrivateKey()

const story = opened(async () => {
  const keys = createLocalKeys()
  const row = localChains.find(({ id }) => id === CHAIN)
  if (row === undefined) throw new Error(`there is no ${CHAIN}`)
  const local = await evmLocal.start(row, { faucetKey: keys.faucet.secp256k1, mining: 'instant' })
  chain = local.control
  stranger = createEvmSender(chain, strangerKey)
  await chain.request({ method: 'hardhat_setBalance', params: [stranger.address, `0x${(10n ** 20n).toString(16)}`] })
  const deployments: Record<string, { htlc: string; token: string }> = {}
  for (const [asset, artifact] of Object.entries(TOKENS)) {
    const token = await deploy(artifact)
    deployments[asset] = { token, htlc: await deploy(htlcErc20, [token]) }
  }
  const assets = Object.fromEntries(
    Object.entries(deployments).map(([asset, { token }]) => [
      asset,
      { token, name: asset.slice(CHAIN.length + 1), symbol: asset.slice(CHAIN.length + 1).toUpperCase(), decimals: 18, ...LIMITS },
    ]),
  )
  const running = { ...local, deployments: { ...local.deployments, ...deployments } }
  const opening = await openStory({ chains: ['bitcoin_regtest', CHAIN], registry: { assets }, runningChains: { [CHAIN]: running } })
  for (const party of ['solver', 'service'] as const)
    await opening.restart(party, (config) => {
      for (const asset of Object.keys(TOKENS)) config.prices[asset] = '1'
    })
  return opening
})
const LIMITS = { min: '1000000000000000000', max: '1000000000000000000000', icon: { text: 'T', color: '#336699' } }

async function deploy(artifact: { readonly abi: Abi; readonly bytecode: Hex }, args: readonly unknown[] = []): Promise<Address> {
  const [receipt] = await stranger.send([{ data: encodeDeployData({ ...artifact, args }) }])
  if (!receipt?.contractAddress) throw new Error('nothing was deployed')
  return receipt.contractAddress
}

const ask = (method: string, ...params: readonly unknown[]) => chain.request({ method, params })
const held = (asset: string, owner: string) => story.evm(CHAIN).balanceOf(owner, story.contractsOf(asset).token)
const ether = async (owner: string) => BigInt((await ask('eth_getBalance', owner, 'latest')) as string)
const mint = (asset: string, to: Address, amount: bigint) =>
  stranger.send([
    { to: story.contractsOf(asset).token as Address, data: encodeFunctionData({ abi, functionName: 'mint', args: [to, amount] }) },
  ])

async function order(asset: string, owner: string, amount: bigint): Promise<CreatedOrder> {
  const quote = await story.api.quote({ from: asset, to: BTC, from_amount: amount.toString() })
  return story.api.createOrder({
    source: { asset, owner, amount: quote.source.amount },
    destination: { asset: BTC, owner: story.ownerOf(BTC), amount: quote.destination.amount },
  })
}

type Sign = (data: TypedData) => Promise<Hex>

/** All parts of the best offer, as its owner signs them. */
async function signOffer({ signature_offers: [best] = [] }: CreatedOrder, sign: Sign) {
  if (best === undefined) throw new Error('nothing is offered')
  const data = best.typed_data as unknown as readonly TypedData[]
  const signature: Hex[] = []
  for (const one of data) signature.push(await sign(one))
  return { data, request: { offer: best.offer, signature } }
}

const initiate = ({ order_id }: CreatedOrder, request: object) =>
  story.api.call('PATCH', `/orders/${order_id}?action=initiate`, request) as Promise<Hex>

/** A new key holds the token and no coin. */
async function holderOf(asset: string, amount: bigint) {
  const account = privateKeyToAccount(generatePrivateKey())
  await mint(asset, account.address, amount)
  return { account, sign: (data: TypedData) => account.signTypedData(signable(data)) }
}

/** The owner pays the amount and nothing else, the solver gets all of it, and the user the bitcoin. Resolves to the hash of the initiation. */
async function swap(asset: string, owner: Address, created: CreatedOrder, pay: () => Promise<Hex>): Promise<Hex> {
  const { source_swap: source } = await story.until(created.order_id, 'its record', () => true)
  const holdings = () => Promise.all([held(asset, owner), held(asset, source.redeemer), story.balance(BTC), ether(owner)])
  const [tokens, collected, bitcoin, coin] = await holdings()
  const tx = await pay()
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  const amount = BigInt(source.amount)
  const after = await holdings()
  expect([tokens - after[0], after[1] - collected, coin - after[3]]).toEqual([amount, amount, 0n])
  expect(after[2] - bitcoin).toBe(BigInt(done.destination_swap.redeemed_amount ?? 0))
  expect(done.source_swap).toMatchObject({ initiator: owner.toLowerCase(), initiate_tx_hash: tx })
  return tx
}

const AMOUNT = 50n * 10n ** 18n
const DOLLARS = 50_000_000n

test('the permit way, when somebody else uses the permit first: the order is paid, and nothing is left to use', async () => {
  const { account, sign } = await holderOf(PERMITS, 2n * AMOUNT)
  const created = await order(PERMITS, account.address, AMOUNT)
  const { data, request } = await signOffer(created, sign)
  expect(request.offer).toBe('permit')
  const { token, htlc } = story.contractsOf(PERMITS)
  const [index, permit] = [...data.entries()].find(([, { primaryType }]) => primaryType === 'Permit') ?? []
  if (index === undefined || permit?.message.deadline === undefined) throw new Error('no permit is to be signed')
  const { r, s, v = 0n } = parseSignature(request.signature[index] ?? '0x')
  const args = [account.address, htlc as Address, AMOUNT, BigInt(String(permit.message.deadline)), Number(v), r, s] as const
  await swap(PERMITS, account.address, created, async () => {
    await stranger.send([{ to: token as Address, data: encodeFunctionData({ abi, functionName: 'permit', args }) }])
    return initiate(created, request)
  })
  const allowance = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [account.address, htlc as Address] })
  expect(BigInt((await ask('eth_call', { to: token, data: allowance }, 'latest')) as string)).toBe(0n)
})

test.each([
  ['a permit', PERMITS, AMOUNT],
  ['an authorization', USDC, DOLLARS],
])('%s that paid one order pays no other one, and not the same one again', async (_, asset, amount) => {
  const { account, sign } = await holderOf(asset, 3n * amount)
  const created = await order(asset, account.address, amount)
  const { request } = await signOffer(created, sign)
  const tx = await swap(asset, account.address, created, () => initiate(created, request))
  const another = await order(asset, account.address, amount)
  await expect(initiate(another, request)).rejects.toMatchObject({ httpStatus: 400 })
  const { input, to } = (await ask('eth_getTransactionByHash', tx)) as { readonly input: Hex; readonly to: Address }
  await expect(stranger.send([{ to, data: input }])).rejects.toThrow('reverted')
  expect(await held(asset, account.address)).toBe(2n * amount)
})

test.each([
  ['keeps a part of each transfer', KEEPS],
  ['checks what is signed and moves nothing', IDLES],
])('a token that %s: each way is refused before anything is sent, until none is offered', async (_, asset) => {
  const { account, sign } = await holderOf(asset, AMOUNT)
  const tried: string[] = []
  for (;;) {
    const created = await order(asset, account.address, AMOUNT)
    if (created.signature_offers === undefined) break
    const { request } = await signOffer(created, sign)
    expect(tried).not.toContain(request.offer)
    tried.push(request.offer)
    await expect(initiate(created, request)).rejects.toMatchObject({ httpStatus: 400 })
    expect((await story.signed('service', created.order_id)).size).toBe(0)
  }
  expect(tried).toEqual(['authorization', 'permit'])
  expect(await held(asset, account.address)).toBe(AMOUNT)
  expect(await held(asset, story.contractsOf(asset).htlc)).toBe(0n)
})

test('a contract pays by what its own code approves (ERC-1271)', async () => {
  const owner = await deploy(contractAccount)
  await mint(USDC, owner, DOLLARS)
  const created = await order(USDC, owner, DOLLARS)
  const { request } = await signOffer(created, async (data) => {
    const signature = '0xc0de01'
    await stranger.send([
      {
        to: owner,
        data: encodeFunctionData({ abi: contractAccount.abi, functionName: 'approveDigest', args: [digestOf(data), signature] }),
      },
    ])
    return signature
  })
  await expect(initiate(created, { ...request, signature: ['0xc0de02'] })).rejects.toMatchObject({ httpStatus: 400 })
  await swap(USDC, owner, created, () => initiate(created, request))
})

test.each([
  ['an authorization', USDC, DOLLARS],
  ['a permit', PERMITS, AMOUNT],
])('a key whose account has code (EIP-7702) pays by %s, and somebody else paid for its code', async (_, asset, amount) => {
  const { account, sign } = await holderOf(asset, amount)
  const authorization = await account.signAuthorization({ contractAddress: await deploy(keyDelegate), chainId: chain.chainId, nonce: 0 })
  const sponsor = privateKeyToAccount(strangerKey)
  const nonce = Number(await ask('eth_getTransactionCount', sponsor.address, 'latest'))
  const fees = { gas: 200_000n, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 9n }
  const made = { type: 'eip7702', chainId: chain.chainId, to: sponsor.address, authorizationList: [authorization], nonce, ...fees } as const
  await ask('eth_sendRawTransaction', await sponsor.signTransaction(made))
  await ask('evm_mine')
  expect(await ask('eth_getCode', account.address, 'latest')).toMatch(/^0xef0100/)
  const created = await order(asset, account.address, amount)
  const { request } = await signOffer(created, sign)
  await swap(asset, account.address, created, () => initiate(created, request))
})
