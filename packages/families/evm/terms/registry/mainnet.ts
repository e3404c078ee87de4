/**
 * Lists EVM chains of the main networks, and what can be swapped on them: about 50 to 100,000 US dollars a swap.
 * Where no comment says otherwise, ids, explorers and `blockMs` are those of viem. `publicRpcs` are those that the chain's own
 * documentation or viem names, and others that several public code bases use. Their operators are not trusted: hence the quorum. The
 * sources in the comment above an address agree.
 */
import { mainnetCurrencies as currencies } from '@tandem/protocol/registry/currencies.ts'
import type { Environment } from '@tandem/protocol/registry/environment.ts'
import { currency } from '@tandem/protocol/registry/listing.ts'
import {
  arbitrumLike,
  bitcoinGasFees,
  bnbLike,
  charging,
  citreaLike,
  coin,
  ethereumLike,
  fastEvm,
  hyperEvmLike,
  monadLike,
  opStackLike,
  token,
} from './kinds.ts'

export const mainnet: Environment = {
  chains: [
    {
      ...arbitrumLike,
      id: 'arbitrum',
      reference: 'evm:42161',
      displayName: 'Arbitrum One',
      icon: { text: 'ARB', color: '#213147' },
      nativeAsset: 'arbitrum:eth',
      explorerUrl: 'https://arbiscan.io',
      publicRpcs: ['https://arb1.arbitrum.io/rpc', 'https://arbitrum-one-rpc.publicnode.com', 'https://arbitrum.drpc.org'],
    },
    {
      ...opStackLike,
      id: 'base',
      reference: 'evm:8453',
      displayName: 'Base',
      icon: { text: 'BASE', color: '#0052ff' },
      nativeAsset: 'base:eth',
      explorerUrl: 'https://basescan.org',
      publicRpcs: ['https://mainnet.base.org', 'https://base-rpc.publicnode.com', 'https://base.drpc.org'],
    },
    {
      ...bnbLike,
      id: 'bnbchain',
      reference: 'evm:56',
      displayName: 'BNB Smart Chain',
      icon: { text: 'BNB', color: '#b07800' },
      nativeAsset: 'bnbchain:bnb',
      explorerUrl: 'https://bscscan.com',
      publicRpcs: ['https://bsc-dataseed.bnbchain.org', 'https://bsc-rpc.publicnode.com', 'https://bsc.drpc.org'],
    },
    {
      ...fastEvm,
      id: 'botanix',
      reference: 'evm:3637',
      displayName: 'Botanix',
      icon: { text: 'BTX', color: '#2e7d4f' },
      nativeAsset: 'botanix:btc',
      explorerUrl: 'https://botanixscan.io',
      // This is an estimate: Hyperlane's registry says 6 seconds, viem nothing.
      blockMs: 5000n,
      requiredConfirmations: 3,
      blockBoundsMs: { fastest: 1000n, slowest: 60_000n },
      familyData: charging(bitcoinGasFees),
      publicRpcs: ['https://rpc.botanixlabs.com', 'https://rpc.ankr.com/botanix_mainnet'],
    },
    {
      ...citreaLike,
      id: 'citrea',
      reference: 'evm:4114',
      displayName: 'Citrea',
      icon: { text: 'CIT', color: '#d9541e' },
      nativeAsset: 'citrea:cbtc',
      explorerUrl: 'https://explorer.mainnet.citrea.xyz',
      publicRpcs: ['https://rpc.mainnet.citrea.xyz'],
    },
    {
      ...ethereumLike,
      id: 'ethereum',
      reference: 'evm:1',
      displayName: 'Ethereum',
      icon: { text: 'ETH', color: '#627eea' },
      nativeAsset: 'ethereum:eth',
      explorerUrl: 'https://etherscan.io',
      publicRpcs: ['https://ethereum-rpc.publicnode.com', 'https://eth.drpc.org', 'https://ethereum.reth.rs/rpc'],
    },
    {
      ...hyperEvmLike,
      id: 'hyperevm',
      reference: 'evm:999',
      displayName: 'HyperEVM',
      icon: { text: 'HYPE', color: '#0f8a73' },
      nativeAsset: 'hyperevm:hype',
      explorerUrl: 'https://hyperevmscan.io',
      publicRpcs: ['https://rpc.hyperliquid.xyz/evm', 'https://hyperliquid.drpc.org', 'https://rpc.hyperlend.finance'],
    },
    {
      ...monadLike,
      id: 'monad',
      reference: 'evm:143',
      displayName: 'Monad',
      icon: { text: 'MON', color: '#6e54ff' },
      nativeAsset: 'monad:mon',
      explorerUrl: 'https://monadscan.com',
      publicRpcs: ['https://rpc.monad.xyz', 'https://rpc1.monad.xyz', 'https://rpc-mainnet.monadinfra.com'],
    },
  ],
  assets: [
    // Aave's address book; DefiLlama's core assets.
    token('arbitrum', currencies.wbtc, '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f'),
    // Uniswap's default token list; Aave's address book.
    token('ethereum', currencies.wbtc, '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599'),
    // Chainlink's CCIP directory (iBTC, once dlcBTC; it prints both ends of the address); whole in DefiLlama's adapters and Garden's SDK.
    token('arbitrum', currency('iBTC', 'iBTC', 8, currencies.bitcoinLimits(8)), '0x050C24dBf1eEc17babE5fc585F06116A259CC77A'),
    // Uniswap's default token list; Aave's address book.
    token('base', currencies.cbbtc, '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf'),
    // Venus' deployments and Aave's address book: BTCB, with 18 decimals.
    token(
      'bnbchain',
      currency('Binance-Peg Bitcoin', 'BTCB', 18, currencies.bitcoinLimits(18)),
      '0x7130d2A12B9BCbFAe4f2634d864A1Ee1Ce3Ead9c',
    ),
    coin('botanix', currency('Bitcoin', 'BTC', 18, currencies.bitcoinLimits(18))),
    coin('citrea', currency('Citrea Bitcoin', 'cBTC', 18, currencies.bitcoinLimits(18))),
    // Uniswap's default token list; etherscan.io.
    token('ethereum', currencies.cbbtc, '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf'),
    // Uniswap's default token list; Aave's address book.
    token('ethereum', currencies.usdt, '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
    // DefiLlama's adapters; Hyperlane's registry, with 8 decimals.
    token('hyperevm', currency('Unit Bitcoin', 'uBTC', 8, currencies.bitcoinLimits(8)), '0x9FDBdA0A5e284c32744D2f17Ee5c74B284993463'),
    coin('monad', currency('Monad', 'MON', 18, [1500n * 10n ** 18n, 3_000_000n * 10n ** 18n])),
    // Monad's token list; DefiLlama's core assets; Aave Labs' technical assessment: Circle's own.
    token('monad', currencies.usdc, '0x754704Bc059F8C67012fEd69BC8A327a5aafb603'),
  ],
}
