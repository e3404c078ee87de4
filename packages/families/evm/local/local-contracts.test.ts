// Tests the contracts and the faucet of the local stack.
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { createPublicClient, erc20Abi, http, parseEther, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { startEvmChain } from './evm-chain.ts'
import { createEvmFaucet } from './evm-faucet.ts'
import { deployLocalContracts } from './local-contracts.ts'

const key = generatePrivateKey()
const anyone = privateKeyToAddress(generatePrivateKey())
const chain = openedForEach(() => startEvmChain({ chainId: 31337, keys: [key] }))

describe('local stack', () => {
  it('has two tokens and an HTLC for each asset', async () => {
    const { tokens, htlcs } = await deployLocalContracts(chain, key)
    const reader = createPublicClient({ transport: http(chain.rpcUrl) })
    const tokenOf = (address: `0x${string}`) => reader.readContract({ address, abi: htlcErc20.abi, functionName: 'token' })
    expect(await tokenOf(htlcs.native)).toBe(zeroAddress)
    expect(await tokenOf(htlcs.wbtc)).toBe(tokens.wbtc)
    expect(await tokenOf(htlcs.usdc)).toBe(tokens.usdc)
    const describeToken = async (address: `0x${string}`) => [
      await reader.readContract({ address, abi: erc20Abi, functionName: 'name' }),
      await reader.readContract({ address, abi: erc20Abi, functionName: 'symbol' }),
      await reader.readContract({ address, abi: erc20Abi, functionName: 'decimals' }),
    ]
    expect(await describeToken(tokens.wbtc)).toEqual(['Wrapped Bitcoin', 'WBTC', 8])
    expect(await describeToken(tokens.usdc)).toEqual(['USD Coin', 'USDC', 6])
  })

  it('gives native coin and tokens to anyone, at once and many at a time', async () => {
    const { tokens } = await deployLocalContracts(chain, key)
    const reader = createPublicClient({ transport: http(chain.rpcUrl) })
    const faucet = createEvmFaucet(chain, key)
    await Promise.all([
      faucet.fundNative(anyone, parseEther('2')),
      faucet.fundToken(tokens.wbtc, anyone, 5n),
      faucet.fundNative(anyone, parseEther('3')),
    ])
    expect(await reader.getBalance({ address: anyone })).toBe(parseEther('5'))
    expect(await reader.readContract({ address: tokens.wbtc, abi: erc20Abi, functionName: 'balanceOf', args: [anyone] })).toBe(5n)
  })

  it('pays from the faucet in manual mining mode', async () => {
    chain.setMining({ kind: 'manual' })
    await createEvmFaucet(chain, key).fundNative(anyone, 1n)
    expect(await chain.request({ method: 'eth_getBalance', params: [anyone, 'latest'] })).toBe('0x1')
  })

  it('rejects when the faucet cannot pay', async () => {
    const penniless = generatePrivateKey()
    await expect(createEvmFaucet(chain, penniless).fundNative(anyone, 1n)).rejects.toThrow()
  })
})
