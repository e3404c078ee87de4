/** Connects the family to a local chain of its own, with two parties that own XRP. Its network is one whose transactions name it. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import type { Key } from '@tandem/keys/key.ts'
import { createKey, randomPrivateKey } from '@tandem/keys/keyring.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { createLocalSender, type LocalSender } from '../local/local-sender.ts'
import { openXrplFixture, XRP, type XrplFixture } from '../local/xrpl.fixture.ts'
import { accountOf } from '../terms/address.ts'
import { networkField } from '../terms/network.ts'
import { xrpl } from './index.ts'

type Fields = Readonly<Record<string, unknown>>

export type TestParty = {
  readonly key: Key
  readonly address: string
  send(fields: Fields): ReturnType<LocalSender['send']>
}

export interface FamilyFixture {
  readonly devnet: XrplFixture
  readonly chain: Chain
  readonly asset: ConnectOptions['assets'][number]
  readonly user: TestParty
  readonly solver: TestParty
  openParty(drops: bigint): TestParty
  connect(options?: Partial<ConnectOptions>): ChainClient
  close(): Promise<void>
}

const NETWORK_ID = 31_340

export async function createFamilyFixture(): Promise<FamilyFixture> {
  const local = localChains.find(({ id }) => id === 'xrpl_localnet')
  const known = localAssets.find(({ id }) => id === 'xrpl_localnet:xrp')
  if (local === undefined || known === undefined) throw new Error('the local registry has no chain xrpl_localnet with XRP')
  const chain: Chain = { ...local, reference: `xrpl:${NETWORK_ID}` }
  const devnet = await openXrplFixture({ networkId: NETWORK_ID })
  const asset = { ...known, deployment: { htlc: null, token: null } }
  const network = networkField(chain)

  function openParty(drops: bigint): TestParty {
    const secret = randomPrivateKey(xrpl.curve)
    const key = createKey(xrpl.curve, secret)
    const sender = createLocalSender(devnet.chain.node, secret)
    const address = accountOf(key)
    if (drops > 0n) devnet.fund(address, drops)
    return { key, address, send: (fields) => sender.send({ ...fields, ...network }) }
  }

  return {
    devnet,
    chain,
    asset,
    user: openParty(100_000n * XRP),
    solver: openParty(100_000n * XRP),
    openParty,
    connect: (options = {}) => xrpl.connect(chain, { assets: [asset], endpoints: { ws: [devnet.url] }, ...options }),
    close: devnet.close,
  }
}
