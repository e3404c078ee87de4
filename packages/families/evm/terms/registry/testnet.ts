/**
 * Lists EVM chains of the test networks, and what can be swapped on them.
 * Where no comment says otherwise, ids, explorers and `blockMs` are those of viem. `publicRpcs` are those that the chain's own
 * documentation or viem names, and others that several public code bases use. Their operators are not trusted: hence the quorum. The
 * sources in the comment above an address agree.
 */
import { testnetCurrencies as currencies } from '@tandem/protocol/registry/currencies.ts'
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
  monadLike,
  opStackLike,
  token,
} from './kinds.ts'

/** No address by the issuer is confirmed for that test network: an operator may name a token of its own in its deployments. */
const UNCONFIRMED = null

export const testnet: Environment = {
  chains: [
    {
      ...fastEvm,
      id: 'alpen_testnet',
      // viem's list says so. Alchemy's documentation says 20310, with an explorer at explorer.testnet.alpen.org; a node would settle it.
      reference: 'evm:8150',
      displayName: 'Alpen Testnet',
      icon: { text: 'ALP', color: '#a8581c' },
      nativeAsset: 'alpen_testnet:sbtc',
      explorerUrl: 'https://explorer.testnet.alpenlabs.io',
      // This is an estimate, because no published figure was found.
      blockMs: 5000n,
      requiredConfirmations: 3,
      blockBoundsMs: { fastest: 1000n, slowest: 60_000n },
      familyData: charging(bitcoinGasFees),
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
      ...monadLike,
      id: 'monad_testnet',
      reference: 'evm:10143',
      displayName: 'Monad Testnet',
      icon: { text: 'MON', color: '#6e54ff' },
      nativeAsset: 'monad_testnet:mon',
      explorerUrl: 'https://testnet.monadexplorer.com',
      publicRpcs: ['https://testnet-rpc.monad.xyz', 'https://rpc-testnet.monadinfra.com'],
    },
  ],
  assets: [
    token('arbitrum_sepolia', currencies.wbtc, UNCONFIRMED),
    token('ethereum_sepolia', currencies.wbtc, UNCONFIRMED),
    coin('alpen_testnet', currency('Signet Bitcoin', 'sBTC', 18, currencies.bitcoinLimits(18))),
    token('alpen_testnet', currencies.usdc, UNCONFIRMED),
    token('arbitrum_sepolia', currencies.ibtc, UNCONFIRMED),
    token('arbitrum_sepolia', currency('Seed', 'SEED', 18, [10n ** 18n, 10n ** 23n]), UNCONFIRMED),
    // Circle's repository `skills` (use-currencies.usdc); Aave's address book.
    token('arbitrum_sepolia', currencies.usdc, '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d'),
    token('base_sepolia', currency('Coinbase Wrapped Litecoin', 'cbLTC', 8, [1_000_000n, 10_000_000_000n]), UNCONFIRMED),
    token('base_sepolia', currency('Coinbase Wrapped XRP', 'cbXRP', 6, [1_000_000n, 10_000_000_000n]), UNCONFIRMED),
    token('base_sepolia', currencies.ibtc, UNCONFIRMED),
    // Circle's repository `skills` (use-currencies.usdc).
    token('base_sepolia', currencies.usdc, '0x036CbD53842c5426634e7929541eC2318f3dCF7e'),
    token('base_sepolia', currencies.usdt, UNCONFIRMED),
    token('base_sepolia', currencies.wbtc, UNCONFIRMED),
    token('bnbchain_testnet', currencies.wbtc, UNCONFIRMED),
    token('citrea_testnet', currencies.cbbtc, UNCONFIRMED),
    coin('citrea_testnet', currency('Citrea Bitcoin', 'cBTC', 18, currencies.bitcoinLimits(18))),
    token('citrea_testnet', currencies.usdc, UNCONFIRMED),
    token('citrea_testnet', currencies.usdt, UNCONFIRMED),
    token('citrea_testnet', currencies.wbtc, UNCONFIRMED),
    // JuiceSwap's documentation, JuiceDollar's contracts, Garden's SDK: the wrapper of Citrea's coin.
    token(
      'citrea_testnet',
      currency('Wrapped Citrea Bitcoin', 'WCBTC', 18, currencies.bitcoinLimits(18)),
      '0x8d0c9d1c17aE5e40ffF9bE350f57840E9E66Cd93',
    ),
    // Circle's repository `skills` (use-currencies.usdc); Starknet's list of bridged tokens.
    token('ethereum_sepolia', currencies.usdc, '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238'),
    token('monad_testnet', currencies.cbbtc, UNCONFIRMED),
    // Monad's list of protocols: Circle USDC. Its older token list has another address.
    token('monad_testnet', currencies.usdc, '0x534b2f3A21130d7a60830c2Df862319e593943A3'),
  ],
}
