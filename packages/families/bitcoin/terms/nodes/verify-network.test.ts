/** Tests how a node proves which network it serves. */
import { describe, expect, it } from 'vitest'
import { firstBlock } from '../chain-data.ts'
import { bitcoinNetworks, networkOf } from '../networks.ts'
import { rows } from '../registry.ts'
import { verifiableNetwork, verifyNetwork } from './verify-network.ts'

const node = (genesisHash: string, first: string | null) => ({
  genesisHash: async () => genesisHash,
  secondHash: async () => first,
})

const verify = (reference: string, backend: ReturnType<typeof node>) => verifyNetwork({ id: 'a_chain' }, networkOf(reference), backend)

const signet = networkOf('bitcoin:signet')
const signetFirst = signet.firstBlockHash ?? ''

describe('a node is verified', () => {
  it.each(['bitcoin:mainnet', 'bitcoin:testnet4', 'litecoin:mainnet', 'litecoin:testnet', 'litecoin:regtest'])(
    'by block 0 on %s, where block 1 does not matter',
    async (reference) => {
      const { genesisHash } = networkOf(reference)
      await expect(verify(reference, node(genesisHash, null))).resolves.toBeUndefined()
      await expect(verify(reference, node('12'.repeat(32), null))).rejects.toThrow(/the node of a_chain is on another network than/)
    },
  )

  it('by block 1 on a signet: all signets have the same block 0', async () => {
    expect(networkOf('bitcoin:signet-alpen').genesisHash).toBe(signet.genesisHash)
    await expect(verify('bitcoin:signet', node(signet.genesisHash, signetFirst))).resolves.toBeUndefined()
    await expect(verify('bitcoin:signet', node(signet.genesisHash, '34'.repeat(32)))).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(/another signet than signet: its block 1 is 3434/),
    })
    await expect(verify('bitcoin:signet', node(signet.genesisHash, null))).rejects.toThrow(/no block 1 yet/)
  })

  it('never on a signet whose block 1 is unknown: connecting to it fails', async () => {
    expect(() => verifiableNetwork({ reference: 'bitcoin:signet-alpen' })).toThrow(/its block 1 is unknown/)
    for (const first of [signetFirst, '34'.repeat(32)])
      await expect(verify('bitcoin:signet-alpen', node(signet.genesisHash, first))).rejects.toThrow(/another signet than Alpen signet/)
    const known = Object.keys(bitcoinNetworks).filter((reference) => reference !== 'bitcoin:signet-alpen')
    for (const reference of known) expect(verifiableNetwork({ reference })).toBe(bitcoinNetworks[reference])
  })

  it('by the block 1 that the operator names, and by no other', async () => {
    const chain = rows.testnet.chains.find(({ id }) => id === 'alpen_signet')
    if (chain === undefined) throw new Error('alpen_signet is missing')
    const hash = '34'.repeat(32)
    const named = firstBlock.named(chain, hash)
    expect([firstBlock.of(chain), firstBlock.of(named)]).toEqual([null, hash])
    const network = verifiableNetwork(named)
    await expect(verifyNetwork(named, network, node(signet.genesisHash, hash))).resolves.toBeUndefined()
    for (const first of [signetFirst, '35'.repeat(32), null])
      await expect(verifyNetwork(named, network, node(signet.genesisHash, first))).rejects.toThrow(/the node of alpen_signet/)
    await expect(verifyNetwork(named, network, node('12'.repeat(32), hash))).rejects.toThrow(/another network/)
  })

  it.each(rows.testnet.chains.filter(({ family, id }) => family === 'bitcoin' && id !== 'alpen_signet'))(
    '$id takes no block 1 from the operator: the registry knows its own',
    (chain) => {
      expect(() => firstBlock.named(chain, '34'.repeat(32))).toThrow(/is verified without it: remove the setting/)
    },
  )

  it.each(['', '34'.repeat(31), 'AB'.repeat(32), `0x${'34'.repeat(32)}`, '00'.repeat(32)])('"%s" is no hash of a block', (hash) => {
    const chain = rows.testnet.chains.find(({ id }) => id === 'alpen_signet')
    if (chain === undefined) throw new Error('alpen_signet is missing')
    expect(() => firstBlock.named(chain, hash)).toThrow(/expected the hash of block 1/)
  })
})
