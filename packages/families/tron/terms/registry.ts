/**
 * Lists the family's chains in each environment, and what can be swapped on them: on main networks, about 50 to 100,000 US dollars a swap.
 * `publicRpcs` are what the chain's own documentation names, and further ones that several public code bases use. Their operators are not
 * trusted: hence the quorum. The sources in the comment above an address agree. Explorers without a source are unchecked.
 */
import type { Chain } from '@tandem/protocol/chain.ts'
import { type AddableFamily, withoutDetails } from '@tandem/protocol/registry/addable.ts'
import { localCurrencies, mainnetCurrencies, testnetCurrencies } from '@tandem/protocol/registry/currencies.ts'
import type { Environment, FamilyRows } from '@tandem/protocol/registry/environment.ts'
import { tokensOf } from '@tandem/protocol/registry/listing.ts'
import { localSecondsChain, secondsClock } from '@tandem/protocol/registry/seconds-clock.ts'
import type { TronData } from './chain-data.ts'

const token = tokensOf('tron:htlc_erc20', 'tron:erc20')
/** No address by the issuer is confirmed for that test network: an operator may name a token of its own in its deployments. */
const UNCONFIRMED = null

/** A block is solid when 19 of 27 representatives have built on it. The Ethereum-like JSON-RPC calls it `finalized`. */
const tronFamily = {
  ...secondsClock,
  family: 'tron',
  blockMs: 3000n,
  blockBoundsMs: { fastest: 3000n, slowest: 60_000n },
  requiredConfirmations: 20,
  finalityBlocks: 40,
  // No miner could undo it, but a fault of its operators or validators could: what a solver can stand to lose at once.
  unfinalUsd: 250_000n,
  finalityTag: 'finalized',
  pollMs: 2000,
  feeBumpSeconds: 30n,
  htlcSchemas: ['tron:htlc_erc20'],
  tokenSchemas: ['tron:erc20'],
  familyData: { create2Prefix: '0x41' } satisfies TronData,
} as const satisfies Partial<Chain>

const mainnet: Environment = {
  chains: [
    {
      ...tronFamily,
      id: 'tron',
      reference: 'tron:728126428',
      displayName: 'Tron',
      icon: { text: 'TRX', color: '#c4122f' },
      nativeAsset: 'tron:trx',
      explorerUrl: 'https://tronscan.org',
      explorerTxUrl: 'https://tronscan.org/#/transaction/{tx}',
      publicRpcs: ['https://api.trongrid.io'],
    },
  ],
  assets: [
    // DefiLlama's core assets, and its adapter of THORChain.
    token('tron', mainnetCurrencies.usdt, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'),
  ],
}

const testnet: Environment = {
  chains: [
    {
      ...tronFamily,
      id: 'tron_shasta',
      reference: 'tron:2494104990',
      displayName: 'Tron Shasta',
      icon: { text: 'TRX', color: '#c4122f' },
      nativeAsset: 'tron_shasta:trx',
      explorerUrl: 'https://shasta.tronscan.org',
      explorerTxUrl: 'https://shasta.tronscan.org/#/transaction/{tx}',
      publicRpcs: ['https://api.shasta.trongrid.io'],
    },
  ],
  assets: [
    // This may not be Tether's own: Tron's documentation uses this USDT on Shasta (TRC-20 contract interaction).
    token('tron_shasta', testnetCurrencies.usdt, 'TG3XXyExBkPp9nzdajDZsozEu4BkaSJozs'),
    token('tron_shasta', testnetCurrencies.wbtc, UNCONFIRMED),
  ],
}

const tronDefaults = {
  ...localSecondsChain,
  family: 'tron',
  // The simulator finalises a block 18 blocks later.
  finalityTag: 'finalized',
  htlcSchemas: ['tron:htlc_erc20'],
  tokenSchemas: ['tron:erc20'],
  // The simulator runs an EVM.
  familyData: { create2Prefix: '0xff' } satisfies TronData,
} as const satisfies Partial<Chain>

const local: Environment = {
  chains: [
    {
      ...tronDefaults,
      id: 'tron_localnet',
      reference: 'tron:31339',
      displayName: 'Tron Localnet',
      icon: { text: 'TRX', color: '#c4122f' },
      nativeAsset: 'tron_localnet:trx',
      explorerUrl: '',
    },
  ],
  assets: [token('tron_localnet', localCurrencies.usdt, null), token('tron_localnet', localCurrencies.wbtc, null)],
}

export const rows: FamilyRows = { local, testnet, mainnet }

const publicKinds = { tron: tronFamily }

export const addable: AddableFamily = {
  kinds: { mainnet: publicKinds, testnet: publicKinds, local: { local: tronDefaults } },
  reference: { pattern: /^tron:[1-9][0-9]{0,14}$/, example: '"tron:<chain id>"' },
  familyData: withoutDetails,
  coin: null,
  token: {
    pattern: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
    form: 'the address of a TRC-20 in base58, which begins with T',
    maxDecimals: 36,
    isAccount: true,
    asset: (chain, currency, address) => token(chain.id, currency, address),
  },
}
