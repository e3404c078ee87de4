/**
 * The local network: two EVM chains, a Bitcoin, a Litecoin and a Solana chain, and simulators of HyperCore, Tron, Starknet, Sui and the XRP Ledger on this machine.
 * Their block times are what the local chains mine: EVM and its relatives every second and on demand; Solana every 400 ms and, within limits, on demand; the
 * others every 2 s while transactions wait, else every 10 s.
 */
import type { Asset } from '../asset.ts'
import type { Chain } from '../chain.ts'
import { ethereumLike } from './evm-families.ts'
import { bitcoinLike, litecoinLike, solanaFamily, starknetFamily, suiFamily, xrplFamily } from './families.ts'
import { coin, currency, token } from './listing.ts'

const evmDefaults = {
  family: 'evm',
  evm: ethereumLike.evm,
  deposits: { kind: 'exact' },
  needsHtlcContract: true,
  blockMs: 1000n,
  blockBoundsMs: { fastest: 1n, slowest: 1000n },
  heightsMaySkip: false,
  requiredConfirmations: 1,
  usualReorgBlocks: 3,
  finalityBlocks: 12,
  clock: { unit: 'seconds', expiry: 'relative', fastestMs: 1000n, slowestMs: 1000n, slackSeconds: 10n },
  margins: { claimSeconds: 15n, reorgSeconds: 15n, feeSpikeSeconds: 15n },
  timelocks: { source: 1200n, destination: 180n },
  fundingWindowSeconds: 3600n,
  haltSeconds: 600n,
  pollMs: 200,
  feeBumpSeconds: 6n,
  htlcSchemas: ['evm:htlc', 'evm:htlc_erc20'],
  tokenSchemas: ['evm:erc20'],
} as const satisfies Partial<Chain>

const { evm: _, ...secondsDefaults } = evmDefaults

const tronDefaults = {
  ...secondsDefaults,
  family: 'tron',
  // The simulator finalises a block 18 blocks later.
  finalityTag: 'finalized',
  htlcSchemas: ['tron:htlc_erc20'],
  tokenSchemas: ['tron:erc20'],
} as const satisfies Partial<Chain>

const starknetDefaults = {
  ...secondsDefaults,
  family: 'starknet',
  starknet: starknetFamily.starknet,
  // The simulator accepts a block on L1 18 blocks later.
  finalityTag: 'finalized',
  htlcSchemas: starknetFamily.htlcSchemas,
  tokenSchemas: starknetFamily.tokenSchemas,
} as const satisfies Partial<Chain>

const bitcoinDefaults = {
  family: 'bitcoin',
  explorerUrl: '',
  blockMs: 2000n,
  heightsMaySkip: false,
  requiredConfirmations: 1,
  usualReorgBlocks: 3,
  finalityBlocks: 6,
  clock: { unit: 'blocks', expiry: 'relative', fastestMs: 2_000n, slowestMs: 10_000n, slackSeconds: 0n },
  margins: { claimSeconds: 10n, reorgSeconds: 10n, feeSpikeSeconds: 10n },
  timelocks: { source: 200n, destination: 24n },
  fundingWindowSeconds: 6n * 3600n,
  haltSeconds: 600n,
  pollMs: 200,
  feeBumpSeconds: 90n,
  needsHtlcContract: false,
  htlcSchemas: ['bitcoin:htlc'],
  tokenSchemas: [],
} as const satisfies Partial<Chain>

const solanaDefaults = {
  ...solanaFamily,
  requiredConfirmations: 1,
  usualReorgBlocks: 3,
  finalityBlocks: 12,
  // Of 450 slots at least 350 wait for the clock or for blocks on demand, of which there are no more than slots by the clock: 70 s.
  clock: { unit: 'slots', expiry: 'relative', fastestMs: 150n, slowestMs: 400n, slackSeconds: 10n },
  margins: { claimSeconds: 15n, reorgSeconds: 15n, feeSpikeSeconds: 15n },
  timelocks: { source: 8000n, destination: 450n },
  haltSeconds: 600n,
  pollMs: 200,
  feeBumpSeconds: 6n,
} as const satisfies Partial<Chain>

const suiDefaults = {
  ...suiFamily,
  blockMs: 1000n,
  blockBoundsMs: { fastest: 1n, slowest: 1000n },
  finalityBlocks: 12,
  clock: { ...suiFamily.clock, slackSeconds: 10n },
  margins: { claimSeconds: 15n, reorgSeconds: 15n, feeSpikeSeconds: 15n },
  timelocks: { source: 1_200_000n, destination: 180_000n },
  haltSeconds: 600n,
  pollMs: 200,
  feeBumpSeconds: 6n,
} as const satisfies Partial<Chain>

const xrplDefaults = {
  ...xrplFamily,
  blockMs: 1000n,
  blockBoundsMs: { fastest: 1n, slowest: 10_000n },
  finalityBlocks: 12,
  // Close times are rounded by 5 s. Ledgers on demand let the clock run ahead, by 60 s at most; then ledgers without transactions wait for it.
  // So 1200 s of it take at least 1135 s.
  clock: { ...xrplFamily.clock, fastestMs: 940n, slackSeconds: 75n },
  margins: { claimSeconds: 15n, reorgSeconds: 15n, feeSpikeSeconds: 15n },
  timelocks: { source: 1200n, destination: 180n },
  haltSeconds: 600n,
  pollMs: 200,
  feeBumpSeconds: 6n,
} as const satisfies Partial<Chain>

/** Short for tests: the public networks wait a month. */
const WRITE_OFF_AFTER_BLOCKS = 20n

export const localChains: readonly Chain[] = [
  {
    ...bitcoinDefaults,
    id: 'bitcoin_regtest',
    reference: 'bitcoin:regtest',
    displayName: 'Bitcoin Regtest',
    nativeAsset: 'bitcoin_regtest:btc',
    icon: { text: 'rBTC', color: '#f7931a' },
    deposits: { ...bitcoinLike.deposits, small: { ...bitcoinLike.deposits.small, writeOffAfterUnits: WRITE_OFF_AFTER_BLOCKS } },
  },
  {
    ...bitcoinDefaults,
    id: 'litecoin_regtest',
    reference: 'litecoin:regtest',
    displayName: 'Litecoin Regtest',
    nativeAsset: 'litecoin_regtest:ltc',
    icon: { text: 'rLTC', color: '#345d9d' },
    deposits: { ...litecoinLike.deposits, small: { ...litecoinLike.deposits.small, writeOffAfterUnits: WRITE_OFF_AFTER_BLOCKS } },
  },
  {
    ...evmDefaults,
    id: 'ethereum_localnet',
    reference: 'evm:31337',
    displayName: 'Ethereum Localnet',
    icon: { text: 'ETH', color: '#627eea' },
    nativeAsset: 'ethereum_localnet:eth',
    explorerUrl: '',
  },
  {
    ...evmDefaults,
    id: 'arbitrum_localnet',
    reference: 'evm:31338',
    displayName: 'Arbitrum Localnet',
    icon: { text: 'ARB', color: '#213147' },
    nativeAsset: 'arbitrum_localnet:eth',
    explorerUrl: '',
  },
  {
    ...evmDefaults,
    family: 'hypercore',
    hypercore: { hypeToken: 150n },
    id: 'hypercore_localnet',
    // Of the chain that stands for HyperEVM.
    reference: 'evm:31998',
    displayName: 'HyperCore Localnet',
    icon: { text: 'HYPE', color: '#0f8a73' },
    nativeAsset: 'hypercore_localnet:hype',
    explorerUrl: '',
    htlcSchemas: ['hypercore:htlc_erc20'],
    tokenSchemas: ['hypercore:erc20'],
  },
  {
    ...tronDefaults,
    id: 'tron_localnet',
    reference: 'tron:31339',
    displayName: 'Tron Localnet',
    icon: { text: 'TRX', color: '#c4122f' },
    nativeAsset: 'tron_localnet:trx',
    explorerUrl: '',
  },
  {
    ...solanaDefaults,
    id: 'solana_localnet',
    // The genesis hash of the local chain.
    reference: 'solana:Bgk8syxnq4jbmHxhiazStka9AwY5Vyip62epmTZRKpbG',
    displayName: 'Solana Localnet',
    icon: { text: 'SOL', color: '#7b3fe4' },
    nativeAsset: 'solana_localnet:sol',
    explorerUrl: '',
  },
  {
    ...starknetDefaults,
    id: 'starknet_localnet',
    reference: 'starknet:SN_TANDEM_LOCAL',
    displayName: 'Starknet Localnet',
    icon: { text: 'STRK', color: '#0c0c4f' },
    nativeAsset: 'starknet_localnet:strk',
    explorerUrl: '',
  },
  {
    ...suiDefaults,
    id: 'sui_localnet',
    // The digest of the local chain's first checkpoint.
    reference: 'sui:A7HDShQ4tdWnj1Z53jDLTokRrav7Ri1GidLZwoC5wmvd',
    displayName: 'Sui Localnet',
    icon: { text: 'SUI', color: '#2f7fd6' },
    nativeAsset: 'sui_localnet:sui',
    explorerUrl: '',
  },
  {
    ...xrplDefaults,
    id: 'xrpl_localnet',
    // The network's id. Up to 1024 transactions do not name it.
    reference: 'xrpl:1000',
    displayName: 'XRP Ledger Localnet',
    icon: { text: 'XRP', color: '#23292f' },
    nativeAsset: 'xrpl_localnet:xrp',
    explorerUrl: '',
  },
]

const btc = currency('Bitcoin', 'BTC', 8, [10_000n, 100_000_000n])
const ltc = currency('Litecoin', 'LTC', 8, [1_000_000n, 2_000_000_000n])
const eth = currency('Ether', 'ETH', 18, [10n ** 15n, 50n * 10n ** 18n])
const wbtc = currency('Wrapped Bitcoin', 'WBTC', 8, [10_000n, 100_000_000n])
const usdc = currency('USD Coin', 'USDC', 6, [1_000_000n, 100_000_000_000n])
const usdt = currency('Tether USD', 'USDT', 6, [1_000_000n, 100_000_000_000n])
const sol = currency('Solana', 'SOL', 9, [10_000_000n, 100_000_000_000n])
const cbbtc = currency('Coinbase Wrapped Bitcoin', 'cbBTC', 8, [10_000n, 100_000_000n])
const sui = currency('Sui', 'SUI', 9, [100_000_000n, 100_000_000_000n])
const xrp = currency('XRP', 'XRP', 6, [1_000_000n, 10_000_000_000n])
const purr = currency('Purr', 'PURR', 5, [1_000_000n, 10_000_000_000n])

/** The tokens are deployed when the network starts, and so have no address before. */
const evmAssets = (chain: string): readonly Asset[] => [
  coin(chain, 'evm', eth),
  token(chain, 'evm', wbtc, null),
  token(chain, 'evm', usdc, null),
]

export const localAssets: readonly Asset[] = [
  // Deposits from half a bitcoin or ten litecoin need a second confirmation.
  coin('bitcoin_regtest', 'bitcoin', btc, [
    { from: 0n, confirmations: 1 },
    { from: 50_000_000n, confirmations: 2 },
  ]),
  coin('litecoin_regtest', 'bitcoin', ltc, [
    { from: 0n, confirmations: 1 },
    { from: 1_000_000_000n, confirmations: 2 },
  ]),
  ...evmAssets('ethereum_localnet'),
  ...evmAssets('arbitrum_localnet'),
  token('hypercore_localnet', 'hypercore', purr, null),
  token('tron_localnet', 'tron', usdt, null),
  token('tron_localnet', 'tron', wbtc, null),
  coin('solana_localnet', 'solana', sol),
  token('solana_localnet', 'solana', usdc, null),
  token('solana_localnet', 'solana', cbbtc, null),
  token('starknet_localnet', 'starknet', wbtc, null),
  coin('sui_localnet', 'sui', sui),
  token('sui_localnet', 'sui', usdc, null),
  coin('xrpl_localnet', 'xrpl', xrp),
]
