import { ethersWallet, viemWallet, type Wallet } from '@tandem/sdk'
import { ethers } from 'ethers'
import { createWalletClient, encodeFunctionData, http, maxUint256, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { tellStory } from './story.ts'
import { swapBySdk } from './swap-by-sdk.ts'

const abi = parseAbi(['function mint(address to, uint256 value)', 'function approve(address spender, uint256 value)'])
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
const CHAIN = 'ethereum_localnet'

const story = await tellStory('bitcoin_regtest', CHAIN)
const rpc = String(story.info.chains[CHAIN]?.rpc_url)
const ask = (method: string, ...params: readonly unknown[]) => story.evmChain(CHAIN).request({ method, params })

/** A new account holds a token and no native coin. */
async function holderOf(symbol: string, amount: bigint) {
  const key = generatePrivateKey()
  const account = privateKeyToAccount(key)
  const { token } = story.contractsOf(`${CHAIN}:${symbol}`)
  await send(token, encodeFunctionData({ abi, functionName: 'mint', args: [account.address, amount] }))
  return { key, account, token }
}

const send = (to: string, data: string) => story.evm(CHAIN).send({ chain_id: 31337, to, data, value: '0x0', gas_limit: '0x30d40' })

const ether = async (address: string) => BigInt((await ask('eth_getBalance', address, 'latest')) as string)

test('an account with USDC and without native coin swaps by one signature: no approval, no gas', async () => {
  const { account } = await holderOf('usdc', 50_000_000n)
  const asked: string[] = []
  const signing = {
    ...account,
    signTypedData: (data: { readonly primaryType: string }) => {
      asked.push(data.primaryType)
      return account.signTypedData(data as Parameters<typeof account.signTypedData>[0])
    },
  }
  const wallet = viemWallet(createWalletClient({ account: signing as typeof account, transport: http(rpc) }))
  const swapped = await swapBySdk(story, wallet, {
    from: `${CHAIN}:usdc`,
    to: 'bitcoin_regtest:btc',
    fromAmount: 50_000_000n,
    gasless: true,
  })
  expect(swapped.done.source_swap).toMatchObject({ initiator: account.address.toLowerCase(), initiate_tx_hash: swapped.tx })
  expect(asked).toEqual(['ReceiveWithAuthorization'])
  expect(await ether(account.address)).toBe(0n)
  expect(BigInt((await ask('eth_getTransactionCount', account.address, 'latest')) as string)).toBe(0n)
})

test('an account that has approved Permit2 swaps WBTC by one signature', async () => {
  const { key, account, token } = await holderOf('wbtc', 1_000_000n)
  await ask('hardhat_setBalance', account.address, `0x${(10n ** 18n).toString(16)}`)
  const provider = new ethers.JsonRpcProvider(rpc, undefined, { polling: true })
  const signer = new ethers.Wallet(key, provider)
  await (
    await signer.sendTransaction({ to: token, data: encodeFunctionData({ abi, functionName: 'approve', args: [PERMIT2, maxUint256] }) })
  ).wait()
  const before = await ether(account.address)
  const wallet: Wallet = ethersWallet(signer)
  const swapped = await swapBySdk(story, wallet, {
    from: `${CHAIN}:wbtc`,
    to: 'bitcoin_regtest:btc',
    fromAmount: 1_000_000n,
    gasless: true,
  })
  expect(swapped.done.source_swap.filled_amount).toBe('1000000')
  expect(await ether(account.address)).toBe(before)
  provider.destroy()
})
