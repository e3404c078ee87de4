/** Starts EVM chains on this machine, with their tokens and HTLCs deployed. */
import { accountBalances, type LocalFamily } from '@tandem/chain-kit/local/local-chain.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { isAddress } from 'viem'
import { type EvmChain, startEvmChain } from './evm-chain.ts'
import { createEvmFaucet } from './evm-faucet.ts'
import { deployLocalContracts, deployLocalDistributor } from './local-contracts.ts'
import { type EvmWallet, openEvmWallet } from './wallet.ts'

export const evmLocal: LocalFamily<EvmChain, EvmWallet> = {
  name: 'evm',
  prices: { ETH: '4000', WBTC: '100000', USDC: '1' },
  balances: accountBalances,
  // A block is mined for every transaction and every second, which is both `instant` and the pace of the registry.
  async start(chain, { faucetKey, claimsKey }) {
    const { id } = chain
    const control = await startEvmChain({ chainId: numberOf(chain), keys: [faucetKey] })
    const { tokens, htlcs } = await deployLocalContracts(control, faucetKey)
    if (claimsKey !== undefined) await deployLocalDistributor(control, faucetKey, claimsKey)
    const faucet = createEvmFaucet(control, faucetKey)
    return {
      control,
      endpoints: { rpc: control.rpcUrl, ws: control.webSocketUrl },
      deployments: {
        [`${id}:eth`]: { htlc: htlcs.native.toLowerCase(), token: null },
        [`${id}:wbtc`]: { htlc: htlcs.wbtc.toLowerCase(), token: tokens.wbtc.toLowerCase() },
        [`${id}:usdc`]: { htlc: htlcs.usdc.toLowerCase(), token: tokens.usdc.toLowerCase() },
      },
      paysAffiliates: claimsKey !== undefined,
      givesGas: true,
      details: { chain_id: control.chainId, rpc_url: control.rpcUrl },
      async fund(asset, address, amount) {
        if (!isAddress(address, { strict: false })) throw new TandemError('invalid_address', `"${address}" is not an account on ${id}`)
        if (asset.tokenSchema === null) return faucet.fundNative(address, amount)
        return faucet.fundToken(asset.symbol === 'WBTC' ? tokens.wbtc : tokens.usdc, address, amount)
      },
      close: () => control.close(),
    }
  },
  openWallet: openEvmWallet,
}

/** The registry's reference is `<namespace>:<number>`. */
export function numberOf({ reference }: Pick<Chain, 'reference'>): number {
  return Number(reference.split(':')[1])
}
