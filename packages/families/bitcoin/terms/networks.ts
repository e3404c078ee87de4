/** Lists the parameters of each network of the Bitcoin family, by `chain.reference`. */

export type BitcoinNetwork = {
  readonly name: string
  readonly coin: string
  readonly unit: string
  /** BIP173 calls it the human-readable part of segwit addresses. */
  readonly bech32: string
  /** We print base58 addresses with these version bytes. */
  readonly pubKeyHash: number
  readonly scriptHash: number
  /** Wallets of this network accept these version bytes for `scriptHash`, too. */
  readonly scriptHashAliases: readonly number[]
  readonly wif: number
  /** Litecoin's confidential extension (MWEB, LIP-0002 to 0004) has addresses that no HTLC can pay. */
  readonly mweb: { readonly bech32: string } | null
  /** The hash of block 0, as nodes print it, identifies the network. */
  readonly genesisHash: string
  /**
   * BIP325: all signets have the same block 0 and differ from block 1 on, which their own challenge signs. It is absent on all other
   * networks. A null means that it is unknown: then no node can be verified until the operator names it (`chain-data.ts`).
   */
  readonly firstBlockHash?: string | null
  readonly work: ProofOfWork

  // Fee rates are in units per 1000 vB.

  readonly fallbackFeeRate: bigint
  /** Nodes do not relay a transaction below this rate. */
  readonly minFeeRate: bigint
  /** Nodes do not relay an output that costs more to spend at this rate than it is worth. */
  readonly dustFeeRate: bigint
  /** A higher estimate is an error of the node, or an attempt to burn our money. */
  readonly maxFeeRate: bigint
  /** Nodes either replace an unconfirmed transaction by one with a higher fee (RBF, BIP125), or keep the first seen. */
  readonly replaces: boolean
}

/** A header must prove this work: see `server/blocks/proof-of-work.ts`. */
export type ProofOfWork = {
  readonly hash: 'sha256d' | 'scrypt'
  /** The easiest target of the network (`powLimit`) is in its compact form. */
  readonly easiestBits: number
  /**
   * retargets: the target changes every 2016 blocks, by at most four times; else a block has the target of its parent.
   * varies: on test networks a block may have the easiest target if its parent is 20 minutes old, so the parent says little.
   * fixed: every block has the easiest target.
   */
  readonly difficulty: 'retargets' | 'varies' | 'fixed'
  /**
   * No block that we read has a lower difficulty. It is as nodes print it, in multiples of 2^32 hashes. A forged block costs at least this
   * much work, even the first header that we read. 0 means that only the easiest target counts.
   */
  readonly minDifficulty: bigint
}

/** Block 824,000 (January 2024) had 14 times as much. */
const BITCOIN_MIN_DIFFICULTY = 5_000_000_000_000n
/** The blocks up to 2,772,730 (October 2024) had 8 times as much on average. */
const LITECOIN_MIN_DIFFICULTY = 1_000_000n
const NO_MIN_DIFFICULTY = { minDifficulty: 0n } as const

/** Bitcoin Core's and Litecoin Core's chainparams.cpp have these: `powLimit`, `fPowAllowMinDifficultyBlocks`, `fPowNoRetargeting`. */
const sha256d = { hash: 'sha256d', easiestBits: 0x1d00ffff } as const
const scrypt = { hash: 'scrypt', easiestBits: 0x1e0fffff } as const
/** BIP325 defines signets. The challenge is not checked. */
const signetWork = { hash: 'sha256d', easiestBits: 0x1e0377ae, difficulty: 'retargets', ...NO_MIN_DIFFICULTY } as const
const regtestWork = { easiestBits: 0x207fffff, difficulty: 'fixed', ...NO_MIN_DIFFICULTY } as const

/** Bitcoin Core's defaults are `-dustrelayfee`, and the `-minrelaytxfee` of releases before 30, whose nodes are still many. */
const bitcoinCoin = {
  coin: 'Bitcoin',
  unit: 'satoshis',
  scriptHashAliases: [],
  mweb: null,
  minFeeRate: 1_000n,
  dustFeeRate: 3_000n,
  // At 1,000 sat/vB a redeem would cost 0.00143 bitcoin.
  maxFeeRate: 1_000_000n,
  replaces: true,
} as const

const bitcoinTest = { ...bitcoinCoin, bech32: 'tb', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef, fallbackFeeRate: 2_000n } as const

/**
 * The values are those of Litecoin Core 0.21: chainparams.cpp (SCRIPT_ADDRESS2 is what it prints, SCRIPT_ADDRESS what it also reads),
 * policy.h (DUST_RELAY_TX_FEE, ten times Bitcoin's), validation.h. A litecoind says the same over RPC.
 */
const litecoinCoin = {
  coin: 'Litecoin',
  unit: 'litoshis',
  minFeeRate: 1_000n,
  dustFeeRate: 30_000n,
  maxFeeRate: 1_000_000n,
  // `-mempoolreplacement` is off unless an operator turns it on.
  replaces: false,
} as const

const litecoinTest = {
  ...litecoinCoin,
  pubKeyHash: 0x6f,
  scriptHash: 0x3a,
  scriptHashAliases: [0xc4],
  wif: 0xef,
  mweb: { bech32: 'tmweb' },
  fallbackFeeRate: 2_000n,
} as const

const SIGNET_GENESIS = '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6'

export const bitcoinNetworks: Readonly<Record<string, BitcoinNetwork>> = {
  'bitcoin:mainnet': {
    ...bitcoinCoin,
    name: 'mainnet',
    work: { ...sha256d, difficulty: 'retargets', minDifficulty: BITCOIN_MIN_DIFFICULTY },
    bech32: 'bc',
    pubKeyHash: 0x00,
    scriptHash: 0x05,
    wif: 0x80,
    genesisHash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
    fallbackFeeRate: 20_000n,
  },
  'bitcoin:testnet': {
    ...bitcoinTest,
    name: 'testnet',
    work: { ...sha256d, difficulty: 'varies', ...NO_MIN_DIFFICULTY },
    genesisHash: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
  },
  'bitcoin:testnet4': {
    ...bitcoinTest,
    name: 'testnet4',
    work: { ...sha256d, difficulty: 'varies', ...NO_MIN_DIFFICULTY },
    genesisHash: '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
  },
  'bitcoin:signet': {
    ...bitcoinTest,
    name: 'signet',
    work: signetWork,
    genesisHash: SIGNET_GENESIS,
    // Bitcoin Core's own test feature_signet.py begins with this block.
    firstBlockHash: '00000086d6b2636cb2a392d45edc4ec544a10024d30141c9adf4bfd9de533b53',
  },
  'bitcoin:signet-alpen': {
    ...bitcoinTest,
    name: 'Alpen signet',
    work: signetWork,
    genesisHash: SIGNET_GENESIS,
    // Alpen Labs' repository `bitcoin_signet` has two challenges, in bitcoin.conf and in .env.example: neither is said to be the public network's.
    firstBlockHash: null,
  },
  'bitcoin:regtest': {
    ...bitcoinTest,
    name: 'regtest',
    work: { ...sha256d, ...regtestWork },
    bech32: 'bcrt',
    genesisHash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
    fallbackFeeRate: 1_000n,
  },
  'litecoin:mainnet': {
    ...litecoinCoin,
    name: 'mainnet',
    work: { ...scrypt, difficulty: 'retargets', minDifficulty: LITECOIN_MIN_DIFFICULTY },
    bech32: 'ltc',
    pubKeyHash: 0x30,
    scriptHash: 0x32,
    scriptHashAliases: [0x05],
    wif: 0xb0,
    mweb: { bech32: 'ltcmweb' },
    genesisHash: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2',
    fallbackFeeRate: 10_000n,
  },
  'litecoin:testnet': {
    ...litecoinTest,
    name: 'testnet',
    work: { ...scrypt, difficulty: 'varies', ...NO_MIN_DIFFICULTY },
    bech32: 'tltc',
    genesisHash: '4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0',
  },
  'litecoin:regtest': {
    ...litecoinTest,
    name: 'regtest',
    work: { ...scrypt, ...regtestWork },
    bech32: 'rltc',
    genesisHash: '530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9',
    fallbackFeeRate: 1_000n,
  },
}

export function networkOf(reference: string): BitcoinNetwork {
  const network = bitcoinNetworks[reference]
  if (network === undefined)
    throw new Error(`"${reference}" is not a network of the Bitcoin family: expected one of ${Object.keys(bitcoinNetworks).join(', ')}`)
  return network
}
