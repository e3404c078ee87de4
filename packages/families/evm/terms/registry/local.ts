/** Defines two EVM chains on this machine. They mine every second, and on demand. */
import type { Asset } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { localCurrencies } from '@tandem/protocol/registry/currencies.ts'
import type { Environment } from '@tandem/protocol/registry/environment.ts'
import { currency } from '@tandem/protocol/registry/listing.ts'
import { localSecondsChain } from '@tandem/protocol/registry/seconds-clock.ts'
import { coin, ethereumLike, token } from './kinds.ts'

export const localEvm = {
  ...localSecondsChain,
  family: 'evm',
  familyData: ethereumLike.familyData,
  htlcSchemas: ['evm:htlc', 'evm:htlc_erc20'],
  tokenSchemas: ['evm:erc20'],
} as const satisfies Partial<Chain>

const eth = currency('Ether', 'ETH', 18, [10n ** 15n, 50n * 10n ** 18n])

/** The tokens are deployed when the network starts, and so have no address before. */
const assetsOf = (chain: string): readonly Asset[] => [
  coin(chain, eth),
  token(chain, localCurrencies.wbtc, null),
  token(chain, localCurrencies.usdc, null),
]

export const local: Environment = {
  chains: [
    {
      ...localEvm,
      id: 'ethereum_localnet',
      reference: 'evm:31337',
      displayName: 'Ethereum Localnet',
      icon: { text: 'ETH', color: '#627eea' },
      nativeAsset: 'ethereum_localnet:eth',
      explorerUrl: '',
    },
    {
      ...localEvm,
      id: 'arbitrum_localnet',
      reference: 'evm:31338',
      displayName: 'Arbitrum Localnet',
      icon: { text: 'ARB', color: '#213147' },
      nativeAsset: 'arbitrum_localnet:eth',
      explorerUrl: '',
    },
  ],
  assets: [...assetsOf('ethereum_localnet'), ...assetsOf('arbitrum_localnet')],
}
