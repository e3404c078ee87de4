/** Runs the Bitcoin family on this machine: on the simulator, or on a real node in regtest mode that a test started. */
import type { LocalChain, LocalFamily } from '@tandem/chain-kit/local/local-chain.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type BitcoinRegtest, startBitcoinRegtest } from './index.ts'
import { regtestNetworks } from './network.ts'
import { type BitcoinWallet, openBitcoinWallet } from './wallet.ts'

export type RegtestNode = {
  readonly rpcUrl: string
  readonly esploraUrl: string | null
  faucet(address: string, amount: bigint): Promise<string>
  mine(blocks: number): unknown
  close(): Promise<void>
}

export const bitcoinLocal: LocalFamily<BitcoinRegtest, BitcoinWallet> = {
  name: 'bitcoin',
  prices: { BTC: '100000', LTC: '100' },
  // The solver has eight UTXOs, because each serves one order until its change is confirmed.
  balances: ({ maxAmount }) => ({ solver: 40n * maxAmount, solverPayments: 8, user: 2n * maxAmount, relay: maxAmount / 10n }),
  async start(chain, { mining }) {
    const network = regtestNetworks[chain.reference]
    if (network === undefined) throw new Error(`there is no simulator of ${chain.reference}`)
    return plugIn(chain, await startBitcoinRegtest({ network, mining: { mode: mining === 'instant' ? 'instant' : 'interval' } }))
  },
  openWallet: openBitcoinWallet,
}

export function plugIn<Node extends RegtestNode>({ nativeAsset }: Chain, node: Node): LocalChain<Node> {
  const esplora = node.esploraUrl
  return {
    endpoints: { rpc: node.rpcUrl, ...(esplora !== null && { esplora }) },
    deployments: { [nativeAsset]: { htlc: null, token: null } },
    details: { rpc_url: node.rpcUrl, ...(esplora !== null && { esplora_url: esplora }) },
    control: node,
    fund: (_asset, address, amount) => node.faucet(address, amount),
    async confirmFunding() {
      await node.mine(1)
    },
    close: () => node.close(),
  }
}
