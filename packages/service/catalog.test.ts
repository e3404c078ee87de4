/** Tests what the catalog lists of the main networks, which no local stack has. */
import { readFile } from 'node:fs/promises'
import { environments } from '@tandem/families/registry.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import { expect, test } from 'vitest'
import { listChains } from './catalog.ts'
import type { ServiceContext } from './context.ts'
import { renderIcons } from './icons/render-icons.ts'

const published = new URL('../families/deployments/mainnet.json', import.meta.url)

async function contextOf(served: readonly string[]): Promise<ServiceContext> {
  const deployments = JSON.parse(await readFile(published, 'utf8'))
  const partial = {
    registry: createRegistry({ ...environments.mainnet, deployments, served: new Set(served) }),
    operatorHalts: { list: async () => [] },
    prices: { find: () => 100_000_000n },
    chainHealthy: () => true,
    solverKeys: { of: () => [] },
    signatureOffers: { of: () => [] },
    clients: new Map(),
    settings: { destinationGas: { usdMicros: new Map(), solvers: [] } },
  }
  return partial as unknown as ServiceContext
}

test('every icon that the main networks name exists, and a chain never has the icon of a coin', async () => {
  const context = await contextOf([])
  const icons = renderIcons(context.registry)
  const chains = await listChains(context, {}, 'https://swap.example')
  const svgOf = (url: string) => icons.get(/^https:\/\/swap\.example\/icons\/(.+)\.svg$/.exec(url)?.[1] ?? '') ?? ''
  expect(chains.map(({ chain }) => chain)).toEqual(expect.arrayContaining(['sui', 'xrpl', 'hypercore', 'hyperevm']))
  for (const { chain, icon, assets } of chains) {
    expect(svgOf(icon), chain).toContain('<rect ')
    for (const asset of assets) expect(svgOf(asset.icon), asset.id).toContain('<circle ')
  }
})

test('a main network is active without a deployment only where no contract is needed', async () => {
  const chains = await listChains(await contextOf(['sui', 'xrpl', 'hypercore']), {}, 'https://swap.example')
  const listed = chains.filter(({ chain }) => ['sui', 'xrpl', 'hypercore'].includes(chain))
  expect(
    Object.fromEntries(listed.map(({ chain, id, is_active, assets }) => [chain, [id, is_active, assets.map((one) => one.id)]])),
  ).toEqual({
    sui: ['sui:mainnet', false, ['sui:sui']],
    xrpl: ['xrpl:mainnet', true, ['xrpl:xrp']],
    hypercore: ['evm:999', false, ['hypercore:purr']],
  })
})
