// Deploys the contracts of the local stack: two test tokens and an HTLC for each asset.
import { type Abi, type Address, encodeDeployData, getContractAddress, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { distributor } from '../contract/artifacts/distributor.ts'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { htlcNative } from '../contract/artifacts/htlc-native.ts'
import { testToken } from '../contract/artifacts/test-token.ts'
import { create2Call, create2Deployer } from '../terms/deploy/create2-deployer.ts'
import type { EvmChain } from './evm-chain.ts'
import { createEvmSender } from './evm-sender.ts'

export interface LocalContracts {
  readonly tokens: { readonly wbtc: Address; readonly usdc: Address }
  readonly htlcs: { readonly native: Address; readonly wbtc: Address; readonly usdc: Address }
}

export async function deployLocalContracts(chain: EvmChain, deployerKey: Hex): Promise<LocalContracts> {
  const sender = createEvmSender(chain, deployerKey)
  const nonce = BigInt((await chain.request({ method: 'eth_getTransactionCount', params: [sender.address, 'pending'] })) as Hex)
  const addressOf = (index: bigint) => getContractAddress({ from: sender.address, nonce: nonce + index })
  const contracts: LocalContracts = {
    tokens: { wbtc: addressOf(0n), usdc: addressOf(1n) },
    htlcs: { native: addressOf(2n), wbtc: addressOf(3n), usdc: addressOf(4n) },
  }
  // The HTLCs name tokens that are deployed earlier in the same block.
  await sender.send([
    deployment(testToken, ['Wrapped Bitcoin', 'WBTC', 8]),
    deployment(testToken, ['USD Coin', 'USDC', 6]),
    deployment(htlcNative, []),
    deployment(htlcErc20, [contracts.tokens.wbtc]),
    deployment(htlcErc20, [contracts.tokens.usdc]),
  ])
  return contracts
}

/** At the address that follows from the key (CREATE2), like on any other chain. */
export async function deployLocalDistributor(chain: EvmChain, deployerKey: Hex, claimsKey: Hex): Promise<void> {
  await chain.request({ method: 'hardhat_setCode', params: [create2Deployer.address, create2Deployer.code] })
  const { data } = deployment(distributor, [privateKeyToAddress(claimsKey)])
  await createEvmSender(chain, deployerKey).send([create2Call(data)])
}

function deployment(artifact: { readonly abi: Abi; readonly bytecode: Hex }, args: readonly unknown[]): { data: Hex } {
  return { data: encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args }) }
}
