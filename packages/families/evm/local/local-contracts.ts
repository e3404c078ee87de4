// Deploys the contracts of the local stack: two test tokens, of which one takes signatures, and an HTLC for each asset.
import { type Abi, type Address, concatHex, encodeDeployData, getContractAddress, type Hex, zeroHash } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { distributor } from '../contract/artifacts/distributor.ts'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { htlcNative } from '../contract/artifacts/htlc-native.ts'
import { permit2StandIn } from '../contract/artifacts/permit2-stand-in.ts'
import { signingToken } from '../contract/artifacts/signing-token.ts'
import { testToken } from '../contract/artifacts/test-token.ts'
import type { EvmChain } from './evm-chain.ts'
import { createEvmSender } from './evm-sender.ts'

/** Arachnid's deployment proxy deploys the code after the first 32 bytes of calldata by CREATE2, with these as the salt. */
const deploymentProxy = {
  address: '0x4e59b44847b379578588920ca78fbf26c0b4956c',
  code: '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
} as const

const PERMIT2 = '0x000000000022d473030f116ddee9f6b43ac78ba3'

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
  await sender.send([
    deployment(testToken, ['Wrapped Bitcoin', 'WBTC', 8]),
    deployment(signingToken, ['USD Coin', 'USDC', 6, '2']),
    deployment(htlcNative, []),
    deployment(htlcErc20, [contracts.tokens.wbtc]),
    deployment(htlcErc20, [contracts.tokens.usdc]),
  ])
  await putPermit2(chain)
  return contracts
}

/** Only its address distinguishes it for a wallet, so it is put there. */
async function putPermit2(chain: Pick<EvmChain, 'request'>): Promise<void> {
  const code = await chain.request({ method: 'eth_call', params: [{ data: permit2StandIn.bytecode }, 'latest'] })
  await chain.request({ method: 'hardhat_setCode', params: [PERMIT2, code] })
}

/** The address follows from the key (CREATE2, salt zero), as on any other chain. */
export async function deployLocalDistributor(chain: EvmChain, deployerKey: Hex, claimsKey: Hex): Promise<void> {
  await chain.request({ method: 'hardhat_setCode', params: [deploymentProxy.address, deploymentProxy.code] })
  const { data } = deployment(distributor, [privateKeyToAddress(claimsKey)])
  await createEvmSender(chain, deployerKey).send([{ to: deploymentProxy.address, data: concatHex([zeroHash, data]) }])
}

function deployment(artifact: { readonly abi: Abi; readonly bytecode: Hex }, args: readonly unknown[]): { data: Hex } {
  return { data: encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args }) }
}
