/** The local Tron simulator with its tokens and HTLCs deployed, and somebody who gives them away. */
import { encodeFunctionData, type Hex } from 'viem'
import { testToken } from '../../contracts/evm/artifacts/test-token.ts'
import { deployLocalTronContracts } from '../../devnet/tron/local-tron-contracts.ts'
import { startTronChain, type TronChain } from '../../devnet/tron/tron-chain.ts'
import { createTronSender } from '../../devnet/tron/tron-sender.ts'
import { parseAddress, toEvmAddress } from '../chains/tron/address.ts'
import type { Chain } from '../protocol/chain.ts'
import type { LocalMining } from './local-network.ts'
import type { RunningChain } from './running-chain.ts'

/** In sun; a swap costs a few TRX. */
const GAS_SUN = 100_000_000_000n

export async function startLocalTronChain(
  { id, reference }: Chain,
  faucetKey: Hex,
  { evm }: LocalMining,
): Promise<RunningChain & { readonly chain: TronChain }> {
  const chain = await startTronChain({ chainId: Number(reference.split(':')[1]), keys: [faucetKey], mining: { kind: 'manual' } })
  const faucet = createTronSender(chain, faucetKey)
  const { tokens, htlcs } = await deployLocalTronContracts(faucet)
  chain.setMining(evm)
  return {
    chain,
    endpoints: { rpc: chain.url },
    deployments: {
      [`${id}:usdt`]: { htlc: htlcs.usdt, token: tokens.usdt },
      [`${id}:wbtc`]: { htlc: htlcs.wbtc, token: tokens.wbtc },
    },
    async give(asset, address, amount) {
      const data = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [toEvmAddress(parseAddress(address)), amount] })
      return faucet.call(asset.symbol === 'WBTC' ? tokens.wbtc : tokens.usdt, data)
    },
    async giveGas(address) {
      await faucet.transfer(parseAddress(address), GAS_SUN)
    },
    close: () => chain.close(),
  }
}
