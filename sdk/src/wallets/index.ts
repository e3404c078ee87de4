/** The wallets of all families. A new one is exported here. */
export { type BitcoinWallet, depositWallet, payingWallet, psbtWallet } from './bitcoin.ts'
export { discoverWallets } from './eip6963.ts'
export { type EvmWallet, eip1193Wallet, ethersWallet, viemWallet } from './evm.ts'
export type { Wallet } from './wallet.ts'
