/** The facts about each Bitcoin network, found by `chain.reference`. */

export type BitcoinNetwork = {
  readonly name: string
  /** Human-readable part of segwit addresses (BIP173). */
  readonly bech32: string
  /** Version bytes of base58 addresses. */
  readonly pubKeyHash: number
  readonly scriptHash: number
  readonly wif: number
  /** Hash of block 0, as nodes print it: the identity of the network. */
  readonly genesisHash: string
  /** Satoshis per 1000 vB when a node has seen too little to estimate. */
  readonly fallbackFeeRate: bigint
}

const testVersions = { pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef } as const

export const bitcoinNetworks: Readonly<Record<string, BitcoinNetwork>> = {
  'bitcoin:mainnet': {
    name: 'mainnet',
    bech32: 'bc',
    pubKeyHash: 0x00,
    scriptHash: 0x05,
    wif: 0x80,
    genesisHash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
    fallbackFeeRate: 20_000n,
  },
  'bitcoin:testnet': {
    name: 'testnet',
    bech32: 'tb',
    ...testVersions,
    genesisHash: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
    fallbackFeeRate: 2_000n,
  },
  'bitcoin:testnet4': {
    name: 'testnet4',
    bech32: 'tb',
    ...testVersions,
    genesisHash: '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
    fallbackFeeRate: 2_000n,
  },
  'bitcoin:signet': {
    name: 'signet',
    bech32: 'tb',
    ...testVersions,
    genesisHash: '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
    fallbackFeeRate: 2_000n,
  },
  'bitcoin:regtest': {
    name: 'regtest',
    bech32: 'bcrt',
    ...testVersions,
    genesisHash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
    fallbackFeeRate: 1_000n,
  },
}

export function networkOf(reference: string): BitcoinNetwork {
  const network = bitcoinNetworks[reference]
  if (network === undefined)
    throw new Error(`"${reference}" is no Bitcoin network: expected one of ${Object.keys(bitcoinNetworks).join(', ')}`)
  return network
}
