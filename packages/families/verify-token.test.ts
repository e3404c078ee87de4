/** Every family compares the decimals of its tokens with the chain, and refuses another number by the name of the asset. */
import { createLocalKeys } from '@tandem/local/local-keys.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { connectChain, familyNamed } from './index.ts'
import { loadLocalFamily } from './local.ts'
import { localAssets, localChains } from './registry.ts'

const tokensOf = (chain: string) => localAssets.filter((asset) => asset.chain === chain && asset.tokenSchema !== null)
/** One chain of each family that has tokens. */
const withTokens = localChains.filter(
  ({ id, family }, at) => tokensOf(id).length > 0 && localChains.findIndex((other) => other.family === family) === at,
)
const keys = createLocalKeys(1)
const closers: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closers) await close()
})

test('these families have tokens', () => {
  expect(withTokens.map(({ family }) => family)).toEqual(['evm', 'hypercore', 'tron', 'solana', 'starknet', 'sui'])
})

describe.each(withTokens.map((chain) => ({ family: chain.family, chain })))('$family', ({ family, chain }) => {
  test('a token with other decimals than the registry says is refused', async () => {
    const { curve } = familyNamed(family)
    const local = await (await loadLocalFamily(family)).start(chain, { faucetKey: keys.faucet[curve], mining: 'instant' })
    closers.push(() => local.close())
    const endpoints = Object.fromEntries(Object.entries(local.endpoints).map(([kind, url]) => [kind, [url]]))
    const [asset] = tokensOf(chain.id)
    const deployment = asset === undefined ? undefined : local.deployments[asset.id]
    if (asset === undefined || deployment === undefined) throw new Error(`${chain.id} has no token`)
    const listed = { ...asset, deployment }
    async function verify(decimals: number): Promise<void> {
      const client = await connectChain(chain, { endpoints, assets: [{ ...listed, decimals }] })
      try {
        await client.verifyNode()
      } finally {
        await client.close()
      }
    }
    await verify(asset.decimals)
    for (const decimals of [asset.decimals + 1, asset.decimals - 1])
      await expect(verify(decimals)).rejects.toMatchObject({
        kind: 'would-fail',
        message: expect.stringMatching(new RegExp(`${asset.id}.*(expected ${decimals} decimals|in ${asset.decimals} decimals)`)),
      })
  })
})
