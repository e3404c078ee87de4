/** Starts the HyperCore simulator, with PURR and its HTLC deployed. The faucet pays into spot accounts. */
import { accountBalances, type LocalFamily } from '@tandem/chain-kit/local/local-chain.ts'
import { numberOf } from '@tandem/evm/local/local.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { type Address, isAddress } from 'viem'
import { coreTokens } from './core-state-machine.ts'
import { type HypercoreChain, startHypercoreChain } from './hypercore-chain.ts'
import { createHypercoreFaucet } from './hypercore-faucet.ts'
import { deployLocalHypercoreContracts } from './local-hypercore-contracts.ts'
import { type HypercoreWallet, openHypercoreWallet } from './wallet.ts'

export const hypercoreLocal: LocalFamily<HypercoreChain, HypercoreWallet> = {
  name: 'hypercore',
  prices: { HYPE: '40', PURR: '2' },
  balances: accountBalances,
  async start(chain, { faucetKey }) {
    const { id } = chain
    const control = await startHypercoreChain({ chainId: numberOf(chain), keys: [faucetKey] })
    const deployment = await deployLocalHypercoreContracts(control, faucetKey)
    const faucet = createHypercoreFaucet(control, faucetKey)
    const account = (address: string): Address => {
      if (!isAddress(address, { strict: false })) throw new TandemError('invalid_address', `"${address}" is not an account on ${id}`)
      return address
    }
    return {
      control,
      endpoints: { rpc: control.rpcUrl, ws: control.webSocketUrl },
      deployments: { [`${id}:purr`]: deployment },
      details: { chain_id: control.chainId, rpc_url: control.rpcUrl },
      fund: async (_asset, address, amount) => faucet.fundUser(account(address), coreTokens.purr, amount),
      fundCoin: async (address, amount) => faucet.fundHype(account(address), amount),
      fundGas: async (address) => faucet.fundGas(account(address)),
      close: () => control.close(),
    }
  },
  openWallet: openHypercoreWallet,
}
