/**
 * Lists the chains of the family in each environment, and their assets. Limits on main networks are about 50 to 100,000 US dollars a swap.
 * `publicRpcs` are those of the chain's own documentation, and others that several public code bases use. Their operators are not trusted:
 * hence the quorum. The comment above an address names its sources, which agree. Explorers without a source are unchecked.
 */
import type { Chain } from '@tandem/protocol/chain.ts'
import { type AddableFamily, withoutDetails } from '@tandem/protocol/registry/addable.ts'
import { localCurrencies, mainnetCurrencies, testnetCurrencies } from '@tandem/protocol/registry/currencies.ts'
import type { Environment, FamilyRows } from '@tandem/protocol/registry/environment.ts'
import { tokensOf } from '@tandem/protocol/registry/listing.ts'
import { localSecondsChain, secondsClock } from '@tandem/protocol/registry/seconds-clock.ts'

const token = tokensOf('starknet:htlc_erc20', 'starknet:erc20')
/** The issuer confirms no address for that test network. An operator may name a token of its own in its deployments. */
const UNCONFIRMED = null

/**
 * Sequencers of one operator agree on each block (Tendermint): confirmations guard against a node that shows a block too early, not against miners. A fault
 * of the sequencers is undone by the operator: an hour of blocks on 2 September 2025 (Starknet's incident report), 18 minutes on 5 January 2026. Only a
 * block that is proved on Ethereum is final. That takes hours; nodes call it `l1_accepted`.
 */
const starknetFamily = {
  ...secondsClock,
  family: 'starknet',
  familyData: {
    // OpenZeppelin's account 1.0.0: Starknet Foundry's book names it as declared on mainnet and Sepolia.
    accountClass: '0x05b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564',
    // Starknet's documentation of tokens names this address of STRK, the same on mainnet and Sepolia.
    feeToken: '0x04718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d',
    // Our most expensive transaction takes some ten million L2 gas, some hundred L1 data gas and no L1 gas: at these prices 100 STRK, a
    // thousand times the usual fee.
    maxPerGas: { l1Gas: 10n ** 17n, l1DataGas: 10n ** 16n, l2Gas: 10n ** 13n },
  },
  // Measured from block 1,960,612 on 2 September 2025 to 5,187,263 on 5 January 2026; SNIP-40 proposes slots of 1.5 seconds.
  blockMs: 3300n,
  blockBoundsMs: { fastest: 1000n, slowest: 60_000n },
  requiredConfirmations: 5,
  finalityBlocks: 240,
  // Blocks were undone twice, and finality takes hours.
  unfinalUsd: 250_000n,
  finalityTag: 'finalized',
  pollMs: 2000,
  feeBumpSeconds: 30n,
  htlcSchemas: ['starknet:htlc', 'starknet:htlc_erc20'],
  tokenSchemas: ['starknet:erc20'],
} as const satisfies Partial<Chain>

const mainnet: Environment = {
  chains: [
    {
      ...starknetFamily,
      id: 'starknet',
      reference: 'starknet:SN_MAIN',
      displayName: 'Starknet',
      icon: { text: 'STRK', color: '#0c0c4f' },
      nativeAsset: 'starknet:strk',
      explorerUrl: 'https://voyager.online',
      publicRpcs: ['https://starknet-rpc.publicnode.com', 'https://rpc.starknet.lava.build/rpc/v0_9', 'https://starknet.drpc.org'],
    },
  ],
  assets: [
    // The sources are Starknet's list of bridged tokens and DefiLlama's core assets.
    token('starknet', mainnetCurrencies.wbtc, '0x03fe2b97c1fd336e750087d68b9b867997fd64a2661ff3ca5a7c771641e8e7ac'),
  ],
}

const testnet: Environment = {
  chains: [
    {
      ...starknetFamily,
      id: 'starknet_sepolia',
      reference: 'starknet:SN_SEPOLIA',
      displayName: 'Starknet Sepolia',
      icon: { text: 'STRK', color: '#0c0c4f' },
      nativeAsset: 'starknet_sepolia:strk',
      explorerUrl: 'https://sepolia.voyager.online',
      publicRpcs: [
        'https://starknet-sepolia-rpc.publicnode.com',
        'https://rpc.starknet-testnet.lava.build/rpc/v0_9',
        'https://starknet-sepolia.drpc.org',
      ],
    },
  ],
  assets: [token('starknet_sepolia', testnetCurrencies.wbtc, UNCONFIRMED)],
}

const starknetDefaults = {
  ...localSecondsChain,
  family: 'starknet',
  familyData: starknetFamily.familyData,
  // The simulator accepts a block on L1 18 blocks later.
  finalityTag: 'finalized',
  htlcSchemas: starknetFamily.htlcSchemas,
  tokenSchemas: starknetFamily.tokenSchemas,
} as const satisfies Partial<Chain>

const local: Environment = {
  chains: [
    {
      ...starknetDefaults,
      id: 'starknet_localnet',
      reference: 'starknet:SN_TANDEM_LOCAL',
      displayName: 'Starknet Localnet',
      icon: { text: 'STRK', color: '#0c0c4f' },
      nativeAsset: 'starknet_localnet:strk',
      explorerUrl: '',
    },
  ],
  assets: [token('starknet_localnet', localCurrencies.wbtc, null)],
}

export const rows: FamilyRows = { local, testnet, mainnet }

const publicKinds = { starknet: starknetFamily }

export const addable: AddableFamily = {
  kinds: { mainnet: publicKinds, testnet: publicKinds, local: { local: starknetDefaults } },
  reference: { pattern: /^starknet:\w{1,31}$/, example: '"starknet:<chain id>"' },
  familyData: withoutDetails,
  coin: null,
  token: {
    pattern: /^0x[0-9a-fA-F]{1,64}$/,
    form: 'the address of an ERC-20, 0x and up to 64 hex digits',
    maxDecimals: 36,
    isAccount: false,
    asset: (chain, currency, address) => token(chain.id, currency, address),
  },
}
