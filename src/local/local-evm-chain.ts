/** A local EVM chain with its tokens and HTLCs deployed, and somebody who gives them away. */
import { type Hex, isAddress } from 'viem'
import { type EvmChain, startEvmChain } from '../../devnet/evm/evm-chain.ts'
import { createEvmFaucet } from '../../devnet/evm/evm-faucet.ts'
import type { MiningPolicy } from '../../devnet/evm/evm-node.ts'
import { deployLocalContracts } from '../../devnet/evm/local-contracts.ts'
import type { Chain } from '../protocol/chain.ts'
import { TandemError } from '../protocol/error.ts'
import type { RunningChain } from './running-chain.ts'

export async function startLocalEvmChain(
  { id, reference }: Chain,
  faucetKey: Hex,
  mining: MiningPolicy,
): Promise<RunningChain & { readonly chain: EvmChain }> {
  const chain = await startEvmChain({ chainId: Number(reference.split(':')[1]), keys: [faucetKey], mining: { kind: 'instant' } })
  const { tokens, htlcs } = await deployLocalContracts(chain, faucetKey)
  chain.setMining(mining)
  const faucet = createEvmFaucet(chain, faucetKey)
  return {
    chain,
    endpoints: { rpc: chain.rpcUrl },
    deployments: {
      [`${id}:eth`]: { htlc: htlcs.native.toLowerCase(), token: null },
      [`${id}:wbtc`]: { htlc: htlcs.wbtc.toLowerCase(), token: tokens.wbtc.toLowerCase() },
      [`${id}:usdc`]: { htlc: htlcs.usdc.toLowerCase(), token: tokens.usdc.toLowerCase() },
    },
    async give(asset, address, amount) {
      if (!isAddress(address, { strict: false })) throw new TandemError('invalid_address', `"${address}" is not an account on ${id}`)
      if (asset.tokenSchema === null) return faucet.giveNative(address, amount)
      return faucet.giveToken(asset.symbol === 'WBTC' ? tokens.wbtc : tokens.usdc, address, amount)
    },
    close: () => chain.close(),
  }
}
