/**
 * The test networks, and what can be swapped on them.
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
  monadLike,
  opStackLike,
} from './evm-families.ts'
import { bitcoinLike, hypercoreFamily, litecoinLike, solanaFamily, starknetFamily, suiFamily, tronFamily, xrplFamily } from './families.ts'
import { coin, currency, token } from './listing.ts'

const BLOCK_STORMS =
  'After twenty minutes without a block this network lets anyone mine one at the least difficulty, so hundreds may follow each other in ' +
  'minutes. A timelock in blocks then has no predictable duration: a source may expire before its destination. Use it for coins without value only.'

export const testnetChains: readonly Chain[] = [
  {
    ...bitcoinLike,
    id: 'alpen_signet',
    // A separate signet (BIP325). We do not know its genesis block, so we cannot verify a node of it, and its asset is inactive.
    reference: 'bitcoin:signet-alpen',
    displayName: 'Alpen Signet',
    icon: { text: 'aBTC', color: '#a8581c' },
    nativeAsset: 'alpen_signet:btc',
    explorerUrl: '',
    clockException: 'The signers of a signet make blocks when they like, and those of this one have published no pace.',
  },
  {
    ...fastEvm,
    id: 'alpen_testnet',
    // As in viem's list. Alchemy's documentation says 20310, with an explorer at explorer.testnet.alpen.org; a node would settle it.
    reference: 'evm:8150',
    displayName: 'Alpen Testnet',
    icon: { text: 'ALP', color: '#a8581c' },
    nativeAsset: 'alpen_testnet:sbtc',
    explorerUrl: 'https://explorer.testnet.alpenlabs.io',
    // An estimate: no published figure was found.
    blockMs: 5000n,
    requiredConfirmations: 3,
    blockBoundsMs: { fastest: 1000n, slowest: 60_000n },
    evm: charging(bitcoinGasFees),
    publicRpcs: ['https://rpc.testnet.alpenlabs.io'],
  },
  {
    ...arbitrumLike,
    id: 'arbitrum_sepolia',
    reference: 'evm:421614',
    displayName: 'Arbitrum Sepolia',
    icon: { text: 'ARB', color: '#213147' },
    nativeAsset: 'arbitrum_sepolia:eth',
    explorerUrl: 'https://sepolia.arbiscan.io',
    publicRpcs: ['https://sepolia-rollup.arbitrum.io/rpc', 'https://arbitrum-sepolia-rpc.publicnode.com'],
  },
  {
    ...opStackLike,
    id: 'base_sepolia',
    reference: 'evm:84532',
    displayName: 'Base Sepolia',
    icon: { text: 'BASE', color: '#0052ff' },
    nativeAsset: 'base_sepolia:eth',
    explorerUrl: 'https://sepolia.basescan.org',
    publicRpcs: ['https://sepolia.base.org', 'https://base-sepolia-rpc.publicnode.com'],
  },
  {
    ...bitcoinLike,
    id: 'bitcoin_testnet',
    reference: 'bitcoin:testnet4',
    displayName: 'Bitcoin Testnet4',
    icon: { text: 'tBTC', color: '#5fa04e' },
    nativeAsset: 'bitcoin_testnet:btc',
    explorerUrl: 'https://mempool.space/testnet4',
    // Blocks of the lowest difficulty compete, and are replaced several at a time.
    usualReorgBlocks: 6,
    finalityBlocks: 144,
    haltSeconds: 7200n,
    clockException: BLOCK_STORMS,
  },
  {
    ...bnbLike,
    id: 'bnbchain_testnet',
    reference: 'evm:97',
    displayName: 'BNB Smart Chain Testnet',
    icon: { text: 'BNB', color: '#b07800' },
    nativeAsset: 'bnbchain_testnet:bnb',
    explorerUrl: 'https://testnet.bscscan.com',
    publicRpcs: ['https://data-seed-prebsc-1-s1.bnbchain.org:8545', 'https://bsc-testnet-rpc.publicnode.com'],
  },
  {
    ...citreaLike,
    id: 'citrea_testnet',
    reference: 'evm:5115',
    displayName: 'Citrea Testnet',
    icon: { text: 'CIT', color: '#d9541e' },
    nativeAsset: 'citrea_testnet:cbtc',
    explorerUrl: 'https://explorer.testnet.citrea.xyz',
    publicRpcs: ['https://rpc.testnet.citrea.xyz'],
  },
  {
    ...ethereumLike,
    id: 'ethereum_sepolia',
    reference: 'evm:11155111',
    displayName: 'Ethereum Sepolia',
    icon: { text: 'ETH', color: '#627eea' },
    nativeAsset: 'ethereum_sepolia:eth',
    explorerUrl: 'https://sepolia.etherscan.io',
    publicRpcs: ['https://ethereum-sepolia-rpc.publicnode.com', 'https://1rpc.io/sepolia', 'https://sepolia.gateway.tenderly.co'],
  },
  {
    ...hypercoreFamily,
    hypercore: { hypeToken: 1105n },
    id: 'hypercore_testnet',
    // Of HyperEVM's test network, where the HTLC is and what wallets sign for.
    reference: 'evm:998',
    displayName: 'HyperCore Testnet',
    icon: { text: 'HYPE', color: '#0f8a73' },
    nativeAsset: 'hypercore_testnet:hype',
    explorerUrl: 'https://app.hyperliquid-testnet.xyz/explorer',
    // It shows the transactions of HyperCore; those of the HTLC are on HyperEVM.
    explorerTxUrl: '',
    publicRpcs: ['https://rpc.hyperliquid-testnet.xyz/evm', 'https://rpcs.chain.link/hyperevm/testnet'],
  },
  {
    ...litecoinLike,
    id: 'litecoin_testnet',
    reference: 'litecoin:testnet',
    displayName: 'Litecoin Testnet',
    icon: { text: 'tLTC', color: '#345d9d' },
    nativeAsset: 'litecoin_testnet:ltc',
    explorerUrl: 'https://litecoinspace.org/testnet',
    finalityBlocks: 240,
    haltSeconds: 7200n,
    clockException: BLOCK_STORMS,
  },
  {
    ...monadLike,
    id: 'monad_testnet',
    reference: 'evm:10143',
    displayName: 'Monad Testnet',
    icon: { text: 'MON', color: '#6e54ff' },
    nativeAsset: 'monad_testnet:mon',
    explorerUrl: 'https://testnet.monadexplorer.com',
    publicRpcs: ['https://testnet-rpc.monad.xyz', 'https://rpc-testnet.monadinfra.com'],
  },
  {
    ...solanaFamily,
    id: 'solana_testnet',
    // Clients in the field know this name as chain 103, which numbers the devnet cluster; Circle's test USDC is there too.
    reference: 'solana:devnet',
    displayName: 'Solana Devnet',
    icon: { text: 'SOL', color: '#7b3fe4' },
    nativeAsset: 'solana_testnet:sol',
    explorerUrl: 'https://explorer.solana.com/?cluster=devnet',
    explorerTxUrl: 'https://explorer.solana.com/tx/{tx}?cluster=devnet',
  },
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
  {
    ...suiFamily,
    id: 'sui_testnet',
    reference: 'sui:testnet',
    displayName: 'Sui Testnet',
    icon: { text: 'SUI', color: '#2f7fd6' },
    nativeAsset: 'sui_testnet:sui',
    explorerUrl: 'https://suiscan.xyz/testnet',
  },
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
  {
    ...xrplFamily,
    id: 'xrpl_testnet',
    reference: 'xrpl:testnet',
    displayName: 'XRP Ledger Testnet',
    icon: { text: 'XRP', color: '#23292f' },
    nativeAsset: 'xrpl_testnet:xrp',
    explorerUrl: 'https://testnet.xrpl.org',
    explorerTxUrl: 'https://testnet.xrpl.org/transactions/{tx}',
  },
]

/** 0.0001 to 0.1 bitcoin, in the smallest unit of a token with this many decimals. */
const bitcoinLimits = (decimals: number) => [10n ** BigInt(decimals - 4), 10n ** BigInt(decimals - 1)] as const
const dollarLimits = [1_000_000n, 10_000_000_000n] as const

const btc = currency('Bitcoin', 'BTC', 8, bitcoinLimits(8))
const wbtc = currency('Wrapped Bitcoin', 'WBTC', 8, bitcoinLimits(8))
const cbbtc = currency('Coinbase Wrapped Bitcoin', 'cbBTC', 8, bitcoinLimits(8))
const ibtc = currency('iBTC', 'iBTC', 8, bitcoinLimits(8))
const usdc = currency('USD Coin', 'USDC', 6, dollarLimits)
const usdt = currency('Tether USD', 'USDT', 6, dollarLimits)

/** No address by the issuer is confirmed for that test network: an operator may name a token of its own in its deployments. */
const UNCONFIRMED = null

export const testnetAssets: readonly Asset[] = [
  token('arbitrum_sepolia', 'evm', wbtc, UNCONFIRMED),
  token('ethereum_sepolia', 'evm', wbtc, UNCONFIRMED),
  coin('alpen_signet', 'bitcoin', btc),
  coin('alpen_testnet', 'evm', currency('Signet Bitcoin', 'sBTC', 18, bitcoinLimits(18))),
  token('alpen_testnet', 'evm', usdc, UNCONFIRMED),
  token('arbitrum_sepolia', 'evm', ibtc, UNCONFIRMED),
  token('arbitrum_sepolia', 'evm', currency('Seed', 'SEED', 18, [10n ** 18n, 10n ** 23n]), UNCONFIRMED),
  // Circle's repository `skills` (use-usdc); Aave's address book.
  token('arbitrum_sepolia', 'evm', usdc, '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d'),
  token('base_sepolia', 'evm', currency('Coinbase Wrapped Litecoin', 'cbLTC', 8, [1_000_000n, 10_000_000_000n]), UNCONFIRMED),
  token('base_sepolia', 'evm', currency('Coinbase Wrapped XRP', 'cbXRP', 6, [1_000_000n, 10_000_000_000n]), UNCONFIRMED),
  token('base_sepolia', 'evm', ibtc, UNCONFIRMED),
  // Circle's repository `skills` (use-usdc).
  token('base_sepolia', 'evm', usdc, '0x036CbD53842c5426634e7929541eC2318f3dCF7e'),
  token('base_sepolia', 'evm', usdt, UNCONFIRMED),
  token('base_sepolia', 'evm', wbtc, UNCONFIRMED),
  coin('bitcoin_testnet', 'bitcoin', btc),
  token('bnbchain_testnet', 'evm', wbtc, UNCONFIRMED),
  token('citrea_testnet', 'evm', cbbtc, UNCONFIRMED),
  coin('citrea_testnet', 'evm', currency('Citrea Bitcoin', 'cBTC', 18, bitcoinLimits(18))),
  token('citrea_testnet', 'evm', usdc, UNCONFIRMED),
  token('citrea_testnet', 'evm', usdt, UNCONFIRMED),
  token('citrea_testnet', 'evm', wbtc, UNCONFIRMED),
  // JuiceSwap's documentation, JuiceDollar's contracts, Garden's SDK: the wrapper of Citrea's coin.
  token(
    'citrea_testnet',
    'evm',
    currency('Wrapped Citrea Bitcoin', 'WCBTC', 18, bitcoinLimits(18)),
    '0x8d0c9d1c17aE5e40ffF9bE350f57840E9E66Cd93',
  ),
  // Circle's repository `skills` (use-usdc); Starknet's list of bridged tokens.
  token('ethereum_sepolia', 'evm', usdc, '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238'),
  coin('litecoin_testnet', 'bitcoin', currency('Litecoin', 'LTC', 8, [1_000_000n, 10_000_000_000n])),
  token('monad_testnet', 'evm', cbbtc, UNCONFIRMED),
  // Monad's list of protocols: Circle USDC. Its older token list has another address.
  token('monad_testnet', 'evm', usdc, '0x534b2f3A21130d7a60830c2Df862319e593943A3'),
  token('solana_testnet', 'solana', cbbtc, UNCONFIRMED),
  coin('solana_testnet', 'solana', currency('Solana', 'SOL', 9, [10_000_000n, 10_000_000_000n])),
  // Circle's repository `skills` (use-usdc): Devnet.
  token('solana_testnet', 'solana', usdc, '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'),
  token('starknet_sepolia', 'starknet', wbtc, UNCONFIRMED),
  // Not known to be Tether's own: the USDT that Tron's documentation uses on Shasta (TRC-20 contract interaction).
  token('tron_shasta', 'tron', usdt, 'TG3XXyExBkPp9nzdajDZsozEu4BkaSJozs'),
  token('tron_shasta', 'tron', wbtc, UNCONFIRMED),
  coin('xrpl_testnet', 'xrpl', currency('XRP', 'XRP', 6, [1_000_000n, 1_000_000_000n])),
  coin('sui_testnet', 'sui', currency('Sui', 'SUI', 9, [100_000_000n, 100_000_000_000n])),
  // In the units of HyperCore; its ERC-20 on HyperEVM, which the HTLC locks, has 13 decimals more. Hyperliquid's API (spotMeta) tells its
  // address; only small projects repeat one. Inactive until a swap has been tested on this network: see docs/hypercore.md.
  token('hypercore_testnet', 'hypercore', currency('Purr', 'PURR', 5, [10n ** 5n, 10n ** 9n]), UNCONFIRMED),
]
