/** These tests check a registry, its package and its coin before money goes there. */
import { bcs } from '@mysten/sui/bcs'
import { afterAll, describe, expect, it } from 'vitest'
import { htlcPackage } from '../contract/artifacts/htlc.ts'
import { publicationKind, publishedPackage } from '../contract/client/package.ts'
import { createRegistry } from '../local/local-contracts.ts'
import { type Address, paddedAddress, parseAddress } from '../terms/address.ts'
import { connectNode } from './nodes/connect-node.ts'
import type { SuiNode } from './nodes/node.ts'
import { createFamilyFixture } from './sui.fixture.ts'
import { verifyPackage } from './verify-package.ts'

const fixture = await createFamilyFixture()
const { devnet, chain } = fixture
const node = connectNode(chain, { endpoints: { rpc: [devnet.url] } })
const { packageId } = fixture.deployedOf('sui_localnet:sui')
afterAll(async () => {
  node.close()
  await fixture.close()
})

/** Somebody publishes our code and keeps the upgrade capability. */
async function publishUpgradeable(): Promise<Address> {
  const publish = { Publish: { modules: [htlcPackage.module], dependencies: [...htlcPackage.dependencies] } }
  const keep = { TransferObjects: { objects: [{ Result: 0 }], address: { Input: 0 } } }
  const owner = bcs.Address.serialize(devnet.faucet.address).toBase64()
  const kind = { ProgrammableTransaction: { inputs: [{ Pure: { bytes: owner } }], commands: [publish, keep] } }
  const { effects } = await devnet.faucet.sender.executeKind(bcs.TransactionKind.serialize(kind).toBytes())
  devnet.chain.mine()
  const published = effects.changed.find(({ after }) => after?.data.kind === 'package')?.after
  return parseAddress(published?.id ?? '')
}

describe('a package', () => {
  const verify = (id: Address, changes: Partial<SuiNode> = {}) => verifyPackage({ ...node, ...changes }, id)

  it('of ours is accepted', async () => {
    await verify(packageId)
  })

  it('that somebody can upgrade is refused, although its code is ours', async () => {
    await expect(verify(await publishUpgradeable())).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(/is upgradeable/),
    })
  })

  it('that is shown with the transaction of another is refused', async () => {
    const { effects } = await devnet.faucet.sender.executeKind(publicationKind())
    devnet.chain.mine()
    const other = parseAddress(effects.changed.find(({ after }) => after?.data.kind === 'package')?.after?.id ?? '')
    const [publication, ofOther] = [await verify(packageId), await verify(other)]
    expect([publication, ofOther].map(publishedPackage)).toEqual([packageId, other])
    await expect(verify(packageId, { publication: async () => ofOther })).rejects.toThrow(/published another package/)
  })

  it('with other code, another module, or none is refused', async () => {
    const modules = await node.modules(packageId)
    const code = modules?.get('htlc') ?? new Uint8Array()
    const changed = Uint8Array.from(code, (byte, i) => (i === 500 ? byte ^ 1 : byte))
    const cases = [
      new Map([['htlc', changed]]),
      new Map([
        ['htlc', code],
        ['more', code],
      ]),
      new Map([['other', code]]),
    ]
    for (const found of cases) await expect(verify(packageId, { modules: async () => found })).rejects.toThrow(/other code/)
    await expect(verify(fixture.contracts.of('sui_localnet:sui').registry)).rejects.toThrow(/does not exist/)
  })
})

describe('a registry', () => {
  const verifying = async (asset: 'sui_localnet:sui' | 'sui_localnet:usdc', htlc: string) => {
    const known = fixture.assetNamed(asset)
    const client = fixture.connect({ assets: [{ ...known, deployment: { ...known.deployment, htlc } }] })
    try {
      await client.verifyNode()
    } finally {
      await client.close()
    }
  }
  const { sui, usdc } = devnet.htlcs

  it('of our package for the coin of the asset is accepted, whoever made it', async () => {
    await verifying('sui_localnet:sui', (await fixture.createTwin('sui_localnet:sui')).registry)
  })

  it.each([
    ['of another coin', usdc.registry, /locks .*::USDC, expected .*::sui::SUI/],
    ['that does not exist', `0x${'ab'.repeat(32)}`, /there is no object/],
    ['that is the package', packageId, /is a package, expected a registry/],
    ['that is the clock', paddedAddress('0x6'), /is no shared registry but .*::clock::Clock/],
  ])('%s is refused', async (_, htlc, message) => {
    await expect(verifying('sui_localnet:sui', htlc)).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringMatching(message) })
  })

  it('of a package that somebody can upgrade is refused', async () => {
    const { id } = await createRegistry(devnet.faucet.sender, await publishUpgradeable(), sui.coinType)
    devnet.chain.mine()
    await expect(verifying('sui_localnet:sui', id)).rejects.toThrow(/is upgradeable/)
  })
})

it('a node of another network is refused', async () => {
  const client = fixture.connect()
  const other = { ...chain, reference: 'sui:testnet' }
  const { sui } = await import('./index.ts')
  const elsewhere = sui.connect(other, { assets: [], endpoints: { rpc: [devnet.url] } })
  await expect(elsewhere.verifyNode()).rejects.toMatchObject({
    kind: 'would-fail',
    message: expect.stringContaining('69WiPg3DAQiwdxfncX6wYQ2siKwAe6L9BZthQea3JNMD'),
  })
  await Promise.all([client.close(), elsewhere.close()])
})
