// Deploys PURR on the simulated HyperEVM, linked to HyperCore's PURR, and its HTLC, with an activated account on HyperCore.

import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { testToken } from '@tandem/evm/contract/artifacts/test-token.ts'
import { createEvmSender } from '@tandem/evm/local/evm-sender.ts'
import { type Abi, type Address, encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { coreTokens } from './core-state-machine.ts'
import type { HypercoreChain } from './hypercore-chain.ts'
import { spotSendCall, systemAddressOf } from './hyperliquid.ts'

export type LocalHypercoreContracts = { readonly token: Address; readonly htlc: Address }

/** By Hyperliquid's documentation, PURR has 5 decimals on HyperCore and 13 more on HyperEVM. */
const WEI_DECIMALS = 5
const EXTRA_DECIMALS = 13
const SUPPLY = 10n ** 28n

/** The key must be one that the chain was started with. */
export async function deployLocalHypercoreContracts(chain: HypercoreChain, deployerKey: Hex): Promise<LocalHypercoreContracts> {
  const sender = createEvmSender(chain, deployerKey)
  const nonce = BigInt((await chain.request({ method: 'eth_getTransactionCount', params: [sender.address, 'pending'] })) as Hex)
  const token = getContractAddress({ from: sender.address, nonce })
  const htlc = getContractAddress({ from: sender.address, nonce: nonce + 2n })
  const bridge = systemAddressOf(coreTokens.purr)
  await sender.send([
    { data: deploymentOf(testToken, ['Purr', 'PURR', WEI_DECIMALS + EXTRA_DECIMALS]) },
    { to: token, data: encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [bridge, SUPPLY] }) },
  ])
  await chain.link(coreTokens.purr, { erc20: token, weiDecimals: WEI_DECIMALS, extraDecimals: EXTRA_DECIMALS })
  await sender.send([
    { data: deploymentOf(htlcCore, [coreTokens.purr]) },
    // Activates its HyperCore account: without one it could not pay out.
    spotSendCall({ to: htlc, token: coreTokens.usdc, amount: 1n }),
  ])
  return { token: token.toLowerCase() as Address, htlc: htlc.toLowerCase() as Address }
}

function deploymentOf(artifact: { readonly abi: Abi; readonly bytecode: Hex }, args: readonly unknown[]): Hex {
  return encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args })
}
