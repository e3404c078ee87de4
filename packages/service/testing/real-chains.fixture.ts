/** The real chain families replace the simulated chains. Their node shows empty accounts, unless a test brings its own nodes. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connectChain, familyNamed } from '@tandem/families/index.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { AssetRecord } from '@tandem/protocol/wire/asset.ts'
import { acceptanceOf } from './fake-solver.fixture.ts'
import type { TestService } from './service.fixture.ts'

/** The solver's key must be on the curve (BIP340). This is the generator. */
export const SOLVER_KEY = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'

export interface RealChains {
  close(): Promise<void>
}

/** `endpointsOf` returns null for the node with empty accounts. */
export async function useRealChains(
  service: TestService,
  endpointsOf: (chain: Chain) => Readonly<Record<string, readonly string[]>> | null = () => null,
): Promise<RealChains> {
  const node = await startNode()
  const rpc = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
  const records = (await service.call('GET', '/v2/assets?active=true')).body.result as AssetRecord[]
  for (const chain of localChains) {
    const assets = localAssets.flatMap((asset) => {
      const record = asset.chain === chain.id ? records.find(({ id }) => id === asset.id) : undefined
      return record === undefined
        ? []
        : [{ ...asset, deployment: { htlc: record.htlc.address || null, token: record.token.address || null } }]
    })
    const own = familyNamed(chain.family).endpointKinds.includes('rpc') ? { rpc: [rpc] } : { ws: [rpc.replace('http', 'ws')] }
    const { legCost, ...client } = await connectChain(chain, { assets, endpoints: endpointsOf(chain) ?? own })
    // The node with empty accounts knows no fees.
    const fees = { ...(client.payoutFee !== undefined && { payoutFee: async () => 300n }), ...(endpointsOf(chain) !== null && { legCost }) }
    Object.assign(service.chains.get(chain.id) ?? {}, client, fees)
  }
  useRealKeys(service)
  return {
    close() {
      node.closeAllConnections()
      return new Promise((resolve) => node.close(() => resolve()))
    },
  }
}

/** This must be called again after `reset`. */
export function useRealKeys(service: TestService): void {
  for (const [id, solver] of [['first', service.solver] as const, ['second', service.secondSolver] as const]) {
    solver.onOrder = (request) => {
      const { source, destination, ...rest } = acceptanceOf(id, request)
      const identity = (asset: string, given: string) => (isBitcoinFamily(asset) ? SOLVER_KEY : given)
      return {
        status: 200,
        body: {
          ...rest,
          source: { ...source, redeemer: identity(request.source.asset, source.redeemer) },
          destination: { ...destination, initiator: identity(request.destination.asset, destination.initiator) },
        },
      }
    }
  }
}

function isBitcoinFamily(asset: string): boolean {
  return localChains.some(({ id, family }) => family === 'bitcoin' && asset.startsWith(`${id}:`))
}

/** Every account is empty on this simulated EVM node. */
async function startNode(): Promise<Server> {
  const answers: Readonly<Record<string, string>> = { eth_call: `0x${'0'.repeat(64)}`, eth_estimateGas: '0x10000' }
  const answer = ({ id, method }: { id: number; method: string }) => ({ jsonrpc: '2.0', id, result: answers[method] })
  const server = createServer(async (request, response) => {
    const asked = JSON.parse(Buffer.concat(await request.toArray()).toString())
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
