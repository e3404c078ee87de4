/** A local chain of coins, Bitcoin's or one like it: the simulator, or a real node in regtest mode that somebody else started. */
import { startBitcoinRegtest } from '../../devnet/bitcoin/index.ts'
import type { MiningPolicy } from '../../devnet/bitcoin/mining.ts'
import { regtestNetworks } from '../../devnet/bitcoin/network.ts'
import type { Chain } from '../protocol/chain.ts'
import type { RunningChain } from './running-chain.ts'

export type LocalCoinChain = {
  readonly rpcUrl: string
  readonly esploraUrl: string | null
  faucet(address: string, amount: bigint): Promise<string>
  mine(blocks: number): unknown
  close(): Promise<void>
}

export async function startLocalCoinChain(
  { reference, nativeAsset }: Chain,
  mining: MiningPolicy,
  given?: LocalCoinChain,
): Promise<RunningChain & { readonly chain: LocalCoinChain }> {
  const chain = given ?? (await startSimulator(reference, mining))
  return {
    chain,
    endpoints: { rpc: chain.rpcUrl, ...(chain.esploraUrl !== null && { esplora: chain.esploraUrl }) },
    deployments: { [nativeAsset]: { htlc: null, token: null } },
    give: (_asset, address, amount) => chain.faucet(address, amount),
    close: () => chain.close(),
  }
}

function startSimulator(reference: string, mining: MiningPolicy) {
  const network = regtestNetworks[reference]
  if (network === undefined) throw new Error(`${reference} cannot be simulated`)
  return startBitcoinRegtest({ network, mining })
}
