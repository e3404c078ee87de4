/** Lists HyperCore in each environment, and what can be swapped on it. */
import { hyperEvmLike } from '@tandem/evm/terms/registry/kinds.ts'
import { localEvm } from '@tandem/evm/terms/registry/local.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type AddableFamily, withoutDetails } from '@tandem/protocol/registry/addable.ts'
import type { Environment, FamilyRows } from '@tandem/protocol/registry/environment.ts'
import { currency, tokensOf } from '@tandem/protocol/registry/listing.ts'
import { secondsClock } from '@tandem/protocol/registry/seconds-clock.ts'

const token = tokensOf('hypercore:htlc_erc20', 'hypercore:erc20')

/** The HTLC of a HyperCore asset is on HyperEVM, so its clock is the one of HyperEVM. */
const hypercoreFamily = {
  ...secondsClock,
  family: 'hypercore',
  blockMs: hyperEvmLike.blockMs,
  blockBoundsMs: hyperEvmLike.blockBoundsMs,
  requiredConfirmations: hyperEvmLike.requiredConfirmations,
  finalityBlocks: hyperEvmLike.finalityBlocks,
  unfinalUsd: hyperEvmLike.unfinalUsd,
  pollMs: 1000,
  feeBumpSeconds: 20n,
  htlcSchemas: ['hypercore:htlc_erc20'],
  tokenSchemas: ['hypercore:erc20'],
} as const satisfies Partial<Chain>

const mainnet: Environment = {
  chains: [
    {
      ...hypercoreFamily,
      familyData: { ...hyperEvmLike.familyData, hypeToken: 150n },
      id: 'hypercore',
      // This is the chain id of HyperEVM, where the HTLC is. `hyperevm` has it too, so an operator serves one of the two.
      reference: 'evm:999',
      displayName: 'HyperCore',
      icon: { text: 'HYPE', color: '#0b5d8a' },
      nativeAsset: 'hypercore:hype',
      explorerUrl: 'https://app.hyperliquid.xyz/explorer',
      // This explorer shows the transactions of HyperCore; those of the HTLC are on HyperEVM.
      explorerTxUrl: '',
      publicRpcs: ['https://rpc.hyperliquid.xyz/evm', 'https://hyperliquid.drpc.org', 'https://rpc.hyperlend.finance'],
    },
  ],
  assets: [
    // Swaps are about 50 to 100,000 US dollars. PURR is in the units of HyperCore. It is inactive until a swap has been tested on the test
    // network and the operator names its ERC-20: see docs/hypercore.md.
    token('hypercore', currency('Purr', 'PURR', 5, [300n * 10n ** 5n, 600_000n * 10n ** 5n]), null),
  ],
}

const testnet: Environment = {
  chains: [
    {
      ...hypercoreFamily,
      familyData: { ...hyperEvmLike.familyData, hypeToken: 1105n },
      id: 'hypercore_testnet',
      // This is the chain id of HyperEVM's test network, where the HTLC is and which wallets sign for.
      reference: 'evm:998',
      displayName: 'HyperCore Testnet',
      icon: { text: 'HYPE', color: '#0f8a73' },
      nativeAsset: 'hypercore_testnet:hype',
      explorerUrl: 'https://app.hyperliquid-testnet.xyz/explorer',
      // This explorer shows the transactions of HyperCore; those of the HTLC are on HyperEVM.
      explorerTxUrl: '',
      publicRpcs: ['https://rpc.hyperliquid-testnet.xyz/evm', 'https://rpcs.chain.link/hyperevm/testnet'],
    },
  ],
  assets: [
    // PURR is in the units of HyperCore; its ERC-20 on HyperEVM, which the HTLC locks, has 13 decimals more. Hyperliquid's API (spotMeta)
    // has its address; only small projects repeat one. It is inactive until a swap has been tested on this network: see docs/hypercore.md.
    token('hypercore_testnet', currency('Purr', 'PURR', 5, [10n ** 5n, 10n ** 9n]), null),
  ],
}

const local: Environment = {
  chains: [
    {
      ...localEvm,
      family: 'hypercore',
      familyData: { ...localEvm.familyData, hypeToken: 150n },
      id: 'hypercore_localnet',
      // This is the chain id of the chain that stands for HyperEVM.
      reference: 'evm:31998',
      displayName: 'HyperCore Localnet',
      icon: { text: 'HYPE', color: '#0f8a73' },
      nativeAsset: 'hypercore_localnet:hype',
      explorerUrl: '',
      htlcSchemas: hypercoreFamily.htlcSchemas,
      tokenSchemas: hypercoreFamily.tokenSchemas,
    },
  ],
  assets: [token('hypercore_localnet', currency('Purr', 'PURR', 5, [1_000_000n, 10_000_000_000n]), null)],
}

export const rows: FamilyRows = { local, testnet, mainnet }

/** There is one HyperCore in each environment. */
export const addable: AddableFamily = {
  kinds: { mainnet: {}, testnet: {}, local: {} },
  reference: { pattern: /^evm:[1-9][0-9]{0,14}$/, example: '"evm:<chain id>"' },
  familyData: withoutDetails,
  coin: null,
  token: {
    pattern: /^0x[0-9a-fA-F]{40}$/,
    form: 'the address of the ERC-20 on HyperEVM that the token is linked to, 0x and 40 hex digits',
    // HyperCore counts in 64 bits.
    maxDecimals: 18,
    isAccount: true,
    asset: (chain, currency, address) => token(chain.id, currency, address),
  },
}
