/** The local HyperCore simulator with PURR and its HTLC deployed, and somebody who gives it away in spot accounts. */
import { type Address, type Hex, isAddress } from 'viem'
import { coreTokens } from '../../devnet/hypercore/core-state-machine.ts'
import { startHypercoreChain } from '../../devnet/hypercore/hypercore-chain.ts'
import { createHypercoreFaucet } from '../../devnet/hypercore/hypercore-faucet.ts'
import { deployLocalHypercoreContracts } from '../../devnet/hypercore/local-hypercore-contracts.ts'
import type { Chain } from '../protocol/chain.ts'
import { TandemError } from '../protocol/error.ts'
import type { LocalMining } from './local-network.ts'
import type { RunningChain } from './running-chain.ts'

export async function startLocalHypercoreChain({ id, reference }: Chain, faucetKey: Hex, { evm }: LocalMining): Promise<RunningChain> {
  const chain = await startHypercoreChain({ chainId: Number(reference.split(':')[1]), keys: [faucetKey], mining: { kind: 'instant' } })
  const { token, htlc } = await deployLocalHypercoreContracts(chain, faucetKey)
  chain.setMining(evm)
  const faucet = createHypercoreFaucet(chain, faucetKey)
  const account = (address: string): Address => {
    if (!isAddress(address, { strict: false })) throw new TandemError('invalid_address', `"${address}" is not an account on ${id}`)
    return address
  }
  return {
    endpoints: { rpc: chain.rpcUrl },
    deployments: { [`${id}:purr`]: { htlc, token } },
    give: async (_asset, address, amount) => faucet.giveSpot(account(address), coreTokens.purr, amount),
    giveGas: async (address) => faucet.giveGas(account(address)),
    close: () => chain.close(),
  }
}
