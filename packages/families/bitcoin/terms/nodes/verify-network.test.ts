/** Tests how a node proves which network it serves. */
import { describe, expect, it } from 'vitest'
import { bitcoinNetworks, networkOf } from '../networks.ts'
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
    expect(() => verifiableNetwork('bitcoin:signet-alpen')).toThrow(/its block 1 is unknown/)
    for (const first of [signetFirst, '34'.repeat(32)])
      await expect(verify('bitcoin:signet-alpen', node(signet.genesisHash, first))).rejects.toThrow(/another signet than Alpen signet/)
    const known = Object.keys(bitcoinNetworks).filter((reference) => reference !== 'bitcoin:signet-alpen')
    for (const reference of known) expect(verifiableNetwork(reference)).toBe(bitcoinNetworks[reference])
  })
})
