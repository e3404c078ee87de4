/**
 * The main networks, and what can be swapped on them: about 50 to 100,000 US dollars a swap.
 * Ids and explorers of EVM chains, and Tron's explorer, are those of viem's list of chains; the other explorers are unchecked.
 * `publicRpcs` are what the chain's own documentation or viem names, and further ones that several public code bases use. Their operators
 * are not trusted: hence the quorum.
 * `blockMs` is viem's figure where no comment says otherwise. The comment above an address names its sources, which agree.
 */
import type { Asset } from '../asset.ts'
import type { Chain } from '../chain.ts'
import {
  arbitrumLike,
  bitcoinGasFees,
  bnbLike,
  charging,
  citreaLike,
  ethereumLike,
  fastEvm,
  hyperEvmLike,
  monadLike,
  opStackLike,
} from './evm-families.ts'
import { bitcoinLike, litecoinLike, solanaFamily, starknetFamily, tronFamily } from './families.ts'
import { coin, currency, token } from './listing.ts'

export const mainnetChains: readonly Chain[] = [
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
    ...bitcoinLike,
    id: 'bitcoin',
    reference: 'bitcoin:mainnet',
    displayName: 'Bitcoin',
    icon: { text: 'BTC', color: '#f7931a' },
    nativeAsset: 'bitcoin:btc',
    explorerUrl: 'https://mempool.space',
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
    // An estimate: Hyperlane's registry says 6 seconds, viem nothing.
    blockMs: 5000n,
    requiredConfirmations: 3,
    blockBoundsMs: { fastest: 1000n, slowest: 60_000n },
    evm: charging(bitcoinGasFees),
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
    // No other is confirmed.
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
    ...litecoinLike,
    id: 'litecoin',
    reference: 'litecoin:mainnet',
    displayName: 'Litecoin',
    icon: { text: 'LTC', color: '#345d9d' },
    nativeAsset: 'litecoin:ltc',
    explorerUrl: 'https://litecoinspace.org',
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
  {
    ...solanaFamily,
    id: 'solana',
    reference: 'solana:mainnet',
    displayName: 'Solana',
    icon: { text: 'SOL', color: '#7b3fe4' },
    nativeAsset: 'solana:sol',
    explorerUrl: 'https://explorer.solana.com',
  },
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
]

/** 0.0005 to 1 bitcoin, in the smallest unit of a token with this many decimals. */
const bitcoinLimits = (decimals: number) => [5n * 10n ** BigInt(decimals - 4), 10n ** BigInt(decimals)] as const
const dollarLimits = [50_000_000n, 100_000_000_000n] as const

const btc = currency('Bitcoin', 'BTC', 8, bitcoinLimits(8))
const ltc = currency('Litecoin', 'LTC', 8, [50_000_000n, 25_000_000_000n])
const wbtc = currency('Wrapped Bitcoin', 'WBTC', 8, bitcoinLimits(8))
const cbbtc = currency('Coinbase Wrapped Bitcoin', 'cbBTC', 8, bitcoinLimits(8))
const usdc = currency('USD Coin', 'USDC', 6, dollarLimits)
const usdt = currency('Tether USD', 'USDT', 6, dollarLimits)

/**
 * To undo n blocks on purpose, a miner forgoes n rewards of 3.125 bitcoin: even one is worth more than the largest swap. What remains are accidental
 * forks, nearly always one block deep, in which a prepared double spend may win by chance. Below 0.01 bitcoin that chance is not worth
 * its fees to an attacker. From half a bitcoin on we also wait out an accidental fork of two blocks.
 */
const bitcoinTiers = [
  { from: 0n, confirmations: 1 },
  { from: 1_000_000n, confirmations: 2 },
  { from: 50_000_000n, confirmations: 3 },
] as const

/**
 * A reward is 6.25 litecoin: to undo two blocks costs a miner 12.5, to undo six about 37. For larger amounts the cost of half of all hash rate
 * counts: twelve blocks take half an hour.
 */
const litecoinTiers = [
  { from: 0n, confirmations: 2 },
  { from: 500_000_000n, confirmations: 6 },
  { from: 3_000_000_000n, confirmations: 12 },
] as const

export const mainnetAssets: readonly Asset[] = [
  // Aave's address book; DefiLlama's core assets.
  token('arbitrum', 'evm', wbtc, '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f'),
  // Uniswap's default token list; Aave's address book.
  token('ethereum', 'evm', wbtc, '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599'),
  // Chainlink's CCIP directory (iBTC, once dlcBTC; it prints both ends of the address); whole in DefiLlama's adapters and Garden's SDK.
  token('arbitrum', 'evm', currency('iBTC', 'iBTC', 8, bitcoinLimits(8)), '0x050C24dBf1eEc17babE5fc585F06116A259CC77A'),
  // Uniswap's default token list; Aave's address book.
  token('base', 'evm', cbbtc, '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf'),
  coin('bitcoin', 'bitcoin', btc, bitcoinTiers),
  // Venus' deployments and Aave's address book: BTCB, with 18 decimals.
  token('bnbchain', 'evm', currency('Binance-Peg Bitcoin', 'BTCB', 18, bitcoinLimits(18)), '0x7130d2A12B9BCbFAe4f2634d864A1Ee1Ce3Ead9c'),
  coin('botanix', 'evm', currency('Bitcoin', 'BTC', 18, bitcoinLimits(18))),
  coin('citrea', 'evm', currency('Citrea Bitcoin', 'cBTC', 18, bitcoinLimits(18))),
  // Uniswap's default token list; etherscan.io.
  token('ethereum', 'evm', cbbtc, '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf'),
  // Uniswap's default token list; Aave's address book.
  token('ethereum', 'evm', usdt, '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
  // DefiLlama's adapters; Hyperlane's registry, with 8 decimals.
  token('hyperevm', 'evm', currency('Unit Bitcoin', 'uBTC', 8, bitcoinLimits(8)), '0x9FDBdA0A5e284c32744D2f17Ee5c74B284993463'),
  // The maximum is a quarter of the others: a reorg is cheaper here.
  coin('litecoin', 'bitcoin', ltc, litecoinTiers),
  coin('monad', 'evm', currency('Monad', 'MON', 18, [1500n * 10n ** 18n, 3_000_000n * 10n ** 18n])),
  // Monad's token list; DefiLlama's core assets; Aave Labs' technical assessment: Circle's own.
  token('monad', 'evm', usdc, '0x754704Bc059F8C67012fEd69BC8A327a5aafb603'),
  // Drift's spot markets, with 8 decimals; DefiLlama's adapters.
  token('solana', 'solana', cbbtc, 'cbbtcf3aa214zXHbiAZQwf4122FBYbraNdFqgw4iMij'),
  coin('solana', 'solana', currency('Solana', 'SOL', 9, [300_000_000n, 600_000_000_000n])),
  // Circle's repository `skills` (use-usdc); Uniswap's default token list.
  token('solana', 'solana', usdc, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  // Starknet's list of bridged tokens; DefiLlama's core assets.
  token('starknet', 'starknet', wbtc, '0x03fe2b97c1fd336e750087d68b9b867997fd64a2661ff3ca5a7c771641e8e7ac'),
  // DefiLlama's core assets, and its adapter of THORChain.
  token('tron', 'tron', usdt, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'),
]
