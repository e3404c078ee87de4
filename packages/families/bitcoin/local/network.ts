// Lists the parameters of Bitcoin-like test networks.
import { scryptSync } from 'node:crypto'
import { hash256 } from './wire/bytes.ts'

export type BitcoinNetwork = {
  readonly chain: string
  readonly bech32: string
  readonly pubKeyHash: number
  readonly scriptHash: number
  /** These version bytes are also read as those of a script hash. */
  readonly scriptHashAliases: readonly number[]
  readonly wif: number
  readonly genesisBlock: string
  /** Every block must carry this compact target: test networks do not retarget. */
  readonly powLimitBits: number
  /** The proof-of-work hash of a header is not the block's id. */
  readonly powHash: (header: Uint8Array) => Uint8Array
  readonly initialSubsidySats: bigint
  readonly halvingInterval: number
  readonly coinbaseMaturity: number
  /** No amount, nor any sum of amounts, may be larger. */
  readonly maxMoneySats: bigint
  readonly relay: RelayPolicy
  readonly rpc: RpcDialect
}

export type RelayPolicy = {
  readonly minSatsPerKvb: bigint
  readonly dustSatsPerKvb: bigint
  readonly maxVersion: number
  readonly minStrippedSize: number
  /** If true, pay-to-anchor outputs have a type of their own. If false, they count as an unknown witness version. */
  readonly anchors: boolean
  /** If true, any transaction is replaceable, without a signal (BIP125). If false, the first transaction stays. */
  readonly replaces: boolean
}

export type RpcDialect = {
  readonly version: number
  readonly protocolVersion: number
  readonly subversion: string
  readonly without: readonly string[]
}

const GENESIS_COINBASE =
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f323030' +
  '39204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe' +
  '5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000'

const REGTEST_GENESIS_HEADER =
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff7f2002000000'

/** The rules are those of Bitcoin Core 29. */
export const bitcoinRegtest: BitcoinNetwork = {
  chain: 'regtest',
  bech32: 'bcrt',
  pubKeyHash: 0x6f,
  scriptHash: 0xc4,
  scriptHashAliases: [],
  wif: 0xef,
  genesisBlock: `${REGTEST_GENESIS_HEADER}01${GENESIS_COINBASE}`,
  powLimitBits: 0x207fffff,
  powHash: hash256,
  initialSubsidySats: 5_000_000_000n,
  halvingInterval: 150,
  coinbaseMaturity: 100,
  maxMoneySats: 2_100_000_000_000_000n,
  relay: {
    minSatsPerKvb: 1_000n,
    dustSatsPerKvb: 3_000n,
    maxVersion: 3,
    minStrippedSize: 65,
    anchors: true,
    replaces: true,
  },
  rpc: { version: 290_000, protocolVersion: 70_016, subversion: '/Tandem-simulator:0.1.0/', without: [] },
}

const LITECOIN_GENESIS_COINBASE =
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4804ffff001d0104404e592054696d65732030352f4f63742f32303131' +
  '205374657665204a6f62732c204170706c65e280997320566973696f6e6172792c2044696573206174203536ffffffff0100f2052a010000004341040184710fa689ad502369' +
  '0c80f3a49c8f13f8d45b8c857fbcbc8bc4a8e4d3eb4b10f4d4604fa08dce601aaf0f470216fe1b51850b4acf21b179c45070ac7b03a9ac00000000'

const LITECOIN_REGTEST_GENESIS_HEADER =
  '010000000000000000000000000000000000000000000000000000000000000000000000d9ced4ed1130f7b7faad9be25323ffafa33232a17c3edf6cfd97bee6bafbdd97dae5494dffff7f2000000000'

/**
 * The rules are those of Litecoin Core 0.21: Bitcoin Core 0.21 with taproot, MWEB and scrypt. Here all are active from block 1, and MWEB
 * never is. In Litecoin Core CSV starts at 432, BIP34 at 500, BIP66 at 1251, BIP65 at 1351.
 */
export const litecoinRegtest: BitcoinNetwork = {
  chain: 'regtest',
  bech32: 'rltc',
  pubKeyHash: 0x6f,
  scriptHash: 0x3a,
  scriptHashAliases: [0xc4],
  wif: 0xef,
  genesisBlock: `${LITECOIN_REGTEST_GENESIS_HEADER}01${LITECOIN_GENESIS_COINBASE}`,
  powLimitBits: 0x207fffff,
  powHash: (header) => scryptSync(header, header, 32, { N: 1024, r: 1, p: 1 }),
  initialSubsidySats: 5_000_000_000n,
  halvingInterval: 150,
  coinbaseMaturity: 100,
  maxMoneySats: 8_400_000_000_000_000n,
  relay: {
    minSatsPerKvb: 1_000n,
    dustSatsPerKvb: 30_000n,
    maxVersion: 2,
    minStrippedSize: 82,
    anchors: false,
    replaces: false,
  },
  rpc: { version: 210_400, protocolVersion: 70_017, subversion: '/Tandem-simulator:0.1.0/', without: ['gettxspendingprevout'] },
}

export const regtestNetworks: Readonly<Record<string, BitcoinNetwork>> = {
  'bitcoin:regtest': bitcoinRegtest,
  'litecoin:regtest': litecoinRegtest,
}
