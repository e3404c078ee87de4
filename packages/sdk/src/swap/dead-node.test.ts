/** The user's own nodes are asked before the wallet is: with one that would not show the swap, nothing is paid. */
import { expect, test } from 'vitest'
import { createHostileService, quote, request } from './hostile-service.fixture.ts'
import { verifyAndPay } from './pay.ts'
import { makeOrder } from './prepare.ts'
import { loadSwap } from './saved-swap.ts'

const nodes = { bitcoin_regtest: 'http://esplora.example/KEY', ethereum_localnet: 'http://rpc.example/KEY' }
const LONG_AGO = 1_600_000_000

type Chain = Awaited<ReturnType<typeof createHostileService>>['chain']

const broken: readonly (readonly [string, 'bitcoin_regtest' | 'ethereum_localnet', (chain: Chain) => void])[] = [
  ['a destination that does not answer', 'ethereum_localnet', (chain) => Reflect.deleteProperty(chain, 'eth_chainId')],
  ['a destination of another network', 'ethereum_localnet', (chain) => Object.assign(chain, { eth_chainId: () => '0x1' })],
  [
    'a destination that stands still',
    'ethereum_localnet',
    (chain) => Object.assign(chain, { eth_getBlockByNumber: () => ({ timestamp: LONG_AGO }) }),
  ],
  ['a destination without our contract', 'ethereum_localnet', (chain) => Object.assign(chain, { eth_getCode: () => '0x' })],
  ['a destination that answers nonsense', 'ethereum_localnet', (chain) => Object.assign(chain, { eth_getBlockByNumber: () => 'moo' })],
  ['a source that does not answer', 'bitcoin_regtest', (chain) => Reflect.deleteProperty(chain, 'hash')],
  ['a source of another network', 'bitcoin_regtest', (chain) => Object.assign(chain, { 0: () => 'ff'.repeat(32) })],
  [
    'a source that stands still',
    'bitcoin_regtest',
    (chain) => Object.assign(chain, { newest: () => ({ height: 1, timestamp: LONG_AGO }) }),
  ],
]

test.each(broken)('%s: nothing is paid, and the node is named without its key', async (_, id, spoil) => {
  const { context, chain, wallet, paid } = await createHostileService(nodes)
  const { saved, created } = await makeOrder(context, request, quote, wallet)
  const pay = () => verifyAndPay(context, saved, wallet, { gasless: false, created })
  const well = { ...chain }
  spoil(chain)
  const error = (await pay().catch((thrown: unknown) => thrown)) as Error
  expect(error).toMatchObject({ name: 'NodeError' })
  expect(error.message).toContain(`the node of ${id} (${new URL(nodes[id]).host})`)
  expect(error.message).toContain(`nodes.${id}`)
  expect(error.message).not.toContain('KEY')
  expect(paid).toEqual([])
  // It can be paid later.
  expect((await loadSwap(context, saved.orderId)).phase).toBe('made')
  Object.assign(chain, well)
  await pay()
  expect(paid).toHaveLength(1)
})

test('the stop of the caller is no problem of a node', async () => {
  const { context, chain, wallet, paid } = await createHostileService(nodes)
  const { saved, created } = await makeOrder(context, request, quote, wallet)
  const stop = new AbortController()
  chain.eth_chainId = () => {
    stop.abort(new Error('the user left'))
    throw new Error('aborted')
  }
  await expect(verifyAndPay(context, saved, wallet, { gasless: false, created, signal: stop.signal })).rejects.toThrow('the user left')
  expect(paid).toEqual([])
})
