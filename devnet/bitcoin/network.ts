// What distinguishes one Bitcoin-like test network from another, as data.
import { hash256 } from './wire/hashes.ts'

export type BitcoinNetwork = {
  /** The name in getblockchaininfo. */
  readonly chain: string
  readonly bech32: string
  readonly pubKeyHash: number
  readonly scriptHash: number
  readonly wif: number
  /** The whole genesis block, hexadecimal. */
  readonly genesisBlock: string
  /** Compact target that every block must carry: test networks do not retarget. */
  readonly powLimitBits: number
  /** What proof of work hashes a header with. */
  readonly powHash: (header: Uint8Array) => Uint8Array
  readonly initialSubsidySats: bigint
  readonly halvingInterval: number
  readonly coinbaseMaturity: number
  readonly subversion: string
}

const GENESIS_COINBASE =
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f323030' +
  '39204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe' +
  '5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000'

const REGTEST_GENESIS_HEADER =
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff7f2002000000'

export const bitcoinRegtest: BitcoinNetwork = {
  chain: 'regtest',
  bech32: 'bcrt',
  pubKeyHash: 0x6f,
  scriptHash: 0xc4,
  wif: 0xef,
  genesisBlock: `${REGTEST_GENESIS_HEADER}01${GENESIS_COINBASE}`,
  powLimitBits: 0x207fffff,
  powHash: hash256,
  initialSubsidySats: 5_000_000_000n,
  halvingInterval: 150,
  coinbaseMaturity: 100,
  subversion: '/Tandem-simulator:0.1.0/',
}
