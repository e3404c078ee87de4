// Deploys the contracts of the local stack on the Tron simulator: two test tokens, one of which returns false like Tether, and their HTLCs.
import { htlcTrc20 } from '@tandem/evm/contract/artifacts/htlc-trc20.ts'
import { testToken } from '@tandem/evm/contract/artifacts/test-token.ts'
import { tetherTron } from '@tandem/evm/contract/artifacts/tether-tron.ts'
import type { TronSender } from './tron-sender.ts'
import { evmAddress } from './tron-transaction.ts'

export interface LocalTronContracts {
  readonly tokens: { readonly usdt: string; readonly wbtc: string }
  readonly htlcs: { readonly usdt: string; readonly wbtc: string }
}

export async function deployLocalTronContracts(sender: TronSender): Promise<LocalTronContracts> {
  const usdt = await sender.deploy(tetherTron, ['Tether USD', 'USDT', 6])
  const wbtc = await sender.deploy(testToken, ['Wrapped Bitcoin', 'WBTC', 8])
  return {
    tokens: { usdt, wbtc },
    htlcs: { usdt: await sender.deploy(htlcTrc20, [evmAddress(usdt)]), wbtc: await sender.deploy(htlcTrc20, [evmAddress(wbtc)]) },
  }
}
