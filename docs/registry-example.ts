/** The worked example of docs/configuration.md. A story in test/swaps deploys and swaps exactly this, with the addresses of its own tokens. */
import type { RegistryAdditions } from '@tandem/protocol/registry/addable.ts'

export function registryExample({ dollar, gold }: { readonly dollar: string; readonly gold: string }) {
  return {
    chains: {
      own_localnet: {
        family: 'evm',
        kind: 'local',
        reference: 'evm:31777',
        name: 'Own Localnet',
        coin: 'OWN',
        icon: { text: 'OWN', color: '#336699' },
        explorer_url: 'https://explorer.example',
        confirmations: 2,
        details: { max_gwei_per_gas: '500' },
      },
    },
    assets: {
      'own_localnet:own': {
        token: null,
        name: 'Own Coin',
        symbol: 'OWN',
        decimals: 18,
        min: '1000000000000000',
        max: '50000000000000000000',
        icon: { text: 'OWN', color: '#336699' },
      },
      'own_localnet:ownd': {
        token: dollar,
        name: 'Own Dollar',
        symbol: 'OWND',
        decimals: 6,
        min: '1000000',
        max: '1000000000',
        icon: { text: 'OWD', color: '#2f8f4e' },
        market: 'USDC',
      },
      'solana_localnet:gold': {
        token: gold,
        name: 'Gold Token',
        symbol: 'GOLD',
        decimals: 5,
        min: '10000',
        max: '1000000000',
        icon: { text: 'AU', color: '#b08d00' },
      },
    },
  } as const satisfies RegistryAdditions
}

/** The contracts that `tandem deploy` printed, and prices where there is no market. */
export const deploymentsExample = {
  'own_localnet:own': { htlc: '0x1111111111111111111111111111111111111111' },
  'own_localnet:ownd': { htlc: '0x2222222222222222222222222222222222222222' },
  'solana_localnet:gold': { htlc: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
}

export const pricesExample = { 'own_localnet:own': '2', 'own_localnet:ownd': '1', 'solana_localnet:gold': '3' }
