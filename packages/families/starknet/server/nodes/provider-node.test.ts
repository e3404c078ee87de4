/** These tests check how the answers of one provider are parsed, or refused by name. */

import { closeServersAfterEach, serve, serveText } from '@tandem/chain-kit/providers/wire.fixture.ts'
import { afterEach, describe, expect, it } from 'vitest'
import type { Outcome, StarknetNode } from './node.ts'
import { createProviderNode } from './provider-node.ts'

closeServersAfterEach()
const nodes: StarknetNode[] = []
afterEach(() => {
  for (const node of nodes.splice(0)) node.close()
})

type Request = { readonly id: number; readonly method: string; readonly params: Readonly<Record<string, unknown>> }
type Handler = (request: Request) => unknown
class Failure {
  readonly error: object
  constructor(code: number, message = 'no', data?: unknown) {
    this.error = { code, message, ...(data !== undefined && { data }) }
  }
}

async function nodeThat(answer: Handler) {
  const requests: string[][] = []
  const url = await serve((_, response, body) => {
    const parsed = JSON.parse(body) as Request | Request[]
    const one = (request: Request) => {
      const result = answer(request)
      return { jsonrpc: '2.0', id: request.id, ...(result instanceof Failure ? { error: result.error } : { result }) }
    }
    requests.push([parsed].flat().map(({ method }) => method))
    response.end(JSON.stringify(Array.isArray(parsed) ? parsed.map(one) : one(parsed)))
  })
  const node = createProviderNode(url, 5_000)
  nodes.push(node)
  return { node, requests }
}
const says = async (answer: unknown) => (await nodeThat(() => answer)).node

const price = (fri: string) => ({ price_in_fri: fri, price_in_wei: '0x1' })
const header = {
  block_number: 7,
  block_hash: '0x0007',
  parent_hash: '0x6',
  timestamp: 1_700_000_000,
  l1_gas_price: price('0x3'),
  l1_data_gas_price: price('0x2'),
  l2_gas_price: price('0x1'),
  transactions: ['0x1'],
}
const malformed = { kind: 'unreachable', message: expect.stringContaining('malformed') }

describe('a block', () => {
  it('is parsed, whatever zeros the node writes; several are one request, without those that it has not reached', async () => {
    const { node, requests } = await nodeThat(({ params: { block_id } }) => {
      const { block_number = 7 } = block_id as { block_number?: number }
      return block_number > 7 ? new Failure(24, 'Block not found') : { ...header, block_number }
    })
    const block = {
      height: 7n,
      hash: '0x7',
      parentHash: '0x6',
      time: 1_700_000_000n,
      gasPrices: { l1Gas: 3n, l1DataGas: 2n, l2Gas: 1n },
    }
    expect(await node.block('latest')).toEqual(block)
    expect((await node.blocks([6n, 7n, 8n])).map(({ height }) => height)).toEqual([6n, 7n])
    expect(await node.block(8n)).toBeNull()
    expect(requests.map(({ length }) => length)).toEqual([1, 3, 1])
  })

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a list', [header]],
    ['a pre-confirmed block', { ...header, block_hash: undefined }],
    ['a hash that is no field element', { ...header, block_hash: `0x80000000000001100000000000000000000000000000000${'0'.repeat(15)}1` }],
    ['a hash of more digits', { ...header, block_hash: `0x1${'0'.repeat(64)}` }],
    ['a height as text', { ...header, block_number: '0x7' }],
    ['a time before 1970', { ...header, timestamp: -1 }],
    ['no price', { ...header, l2_gas_price: undefined }],
    ['a price in words', { ...header, l2_gas_price: price('cheap') }],
  ])('that is %s is malformed', async (_, answer) => {
    await expect((await says(answer)).block('latest')).rejects.toMatchObject(malformed)
  })

  it('at another height than asked is malformed', async () => {
    await expect((await says(header)).block(8n)).rejects.toMatchObject(malformed)
  })

  it('that is accepted on L1 is final; before there is one, none is', async () => {
    const { node } = await nodeThat(({ params }) =>
      params.block_id === 'l1_accepted' ? { ...header, block_number: 5 } : new Failure(-32_602),
    )
    expect(await node.finalHeight()).toBe(5n)
    expect(await (await says(new Failure(24))).finalHeight()).toBe(0n)
    await expect((await says(new Failure(-32_602, 'Invalid params'))).finalHeight()).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('a provider', () => {
  it.each([
    ['no JSON', '<html>', 200],
    ['half of it', '{"jsonrpc":"2.0","id":1,"result":{"block_n', 200],
    ['no result', '{"jsonrpc":"2.0","id":1}', 200],
    ['too many requests', '{}', 429],
    ['an internal error', '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}', 500],
    ['a limit', '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"rate limit exceeded"}}', 200],
    ['an unexpected error', '{"jsonrpc":"2.0","id":1,"error":{"code":63,"message":"An unexpected error occurred"}}', 200],
  ])('that answers with %s is unreachable', async (_, body, status) => {
    const node = createProviderNode(await serveText(body, status), 5_000)
    nodes.push(node)
    const call = { to: '0x1', selector: '0x2', calldata: [] } as const
    for (const ask of [() => node.block('latest'), () => node.call(call), () => node.broadcast({ type: 'INVOKE' })])
      await expect(ask()).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('names its chain by a short string, and its version', async () => {
    const { node } = await nodeThat(({ method }) => (method === 'starknet_chainId' ? '0x534e5f4d41494e' : '0.10.0'))
    expect([await node.chainId(), await node.specVersion()]).toEqual(['SN_MAIN', '0.10.0'])
  })
})

describe('state', () => {
  it('of an address without a contract is no class and the nonce 0; another refusal is no answer', async () => {
    const absent = await says(new Failure(20, 'Contract not found'))
    expect([await absent.classHashAt('0x5'), await absent.nonce('0x5')]).toEqual([null, 0n])
    expect(await (await says(new Failure(28, 'Class hash not found'))).isDeclared('0x5')).toBe(false)
    const broken = await says(new Failure(24, 'Block not found'))
    for (const ask of [broken.classHashAt, broken.nonce, broken.isDeclared])
      await expect(ask('0x5')).rejects.toMatchObject({ kind: 'unreachable' })
    const deployed = await says('0x00c1a')
    expect([await deployed.classHashAt('0x5'), await deployed.nonce('0x5')]).toEqual(['0xc1a', 0xc1an])
  })

  it('is read at the newest block that is accepted on L2', async () => {
    const { node } = await nodeThat(({ params }) => (params.block_id === 'latest' ? ['0x1', '0x0'] : new Failure(-32_602)))
    const call = { to: '0x5', selector: '0x6', calldata: ['0x7'] } as const
    expect(await node.call(call)).toEqual(['0x1', '0x0'])
    expect(await node.callAmount(call, ([low]) => BigInt(low ?? 0), 'down')).toBe(1n)
    const undecodable = () => {
      throw new RangeError('too short')
    }
    await expect(node.callAmount(call, undecodable, 'down')).rejects.toMatchObject({ name: 'NodeRefusal', code: 0 })
  })

  it('that a contract refuses comes with all its reasons, the innermost last', async () => {
    const inner = { contract_address: '0x2', error: "0x48 ('HTLC: duplicate order')" }
    const node = await says(new Failure(40, 'Contract error', { revert_error: { contract_address: '0x1', error: inner } }))
    const refused = await node.call({ to: '0x5', selector: '0x6', calldata: [] }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 40, message: 'Contract error', reason: expect.stringMatching(/duplicate order'\)$/) })
    const endless = await says(new Failure(40, 'Contract error', { revert_error: `${'trace '.repeat(10_000)}the reason` }))
    const long = await endless.call({ to: '0x5', selector: '0x6', calldata: [] }).catch((error: { reason: string }) => error.reason)
    expect(long).toMatch(/the reason$/)
    expect(String(long).length).toBeLessThan(5_000)
  })
})

describe('the outcome of a transaction', () => {
  it.each<[string, unknown, Outcome | null]>([
    ['received', { finality_status: 'RECEIVED' }, { kind: 'pending' }],
    ['a candidate', { finality_status: 'CANDIDATE' }, { kind: 'pending' }],
    ['pre-confirmed', { finality_status: 'PRE_CONFIRMED', execution_status: 'SUCCEEDED' }, { kind: 'pending' }],
    ['accepted on L2', { finality_status: 'ACCEPTED_ON_L2', execution_status: 'SUCCEEDED' }, { kind: 'succeeded' }],
    ['accepted on L1', { finality_status: 'ACCEPTED_ON_L1', execution_status: 'SUCCEEDED' }, { kind: 'succeeded' }],
    [
      'reverted',
      { finality_status: 'ACCEPTED_ON_L2', execution_status: 'REVERTED', failure_reason: 'HTLC: order settled' },
      { kind: 'reverted', reason: 'HTLC: order settled' },
    ],
    ['reverted before it is accepted', { finality_status: 'PRE_CONFIRMED', execution_status: 'REVERTED' }, { kind: 'pending' }],
    ['rejected', { finality_status: 'REJECTED', failure_reason: 'no fee' }, { kind: 'rejected', reason: 'no fee' }],
    ['unknown', new Failure(29, 'Transaction hash not found'), null],
  ])('%s', async (_, answer, outcome) => {
    expect(await (await says(answer)).outcome('0x1')).toEqual(outcome)
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['another status', { finality_status: 'FINE' }],
    ['accepted with no result', { finality_status: 'ACCEPTED_ON_L2' }],
  ])('that is %s is malformed', async (_, answer) => {
    await expect((await says(answer)).outcome('0x1')).rejects.toMatchObject(malformed)
  })
})

describe('what a transaction has emitted', () => {
  const event = { from_address: '0x0005', keys: ['0x01', '0x2'], data: ['0x9'] }

  it('is read from its receipt, whatever zeros the node writes', async () => {
    const { node, requests } = await nodeThat(() => ({ block_hash: '0x7', block_number: 7, events: [event, { ...event, keys: [] }] }))
    expect(await node.emitted('0x77')).toEqual([
      { address: '0x5', keys: ['0x1', '0x2'] },
      { address: '0x5', keys: [] },
    ])
    expect(requests).toEqual([['starknet_getTransactionReceipt']])
  })

  it.each<[string, unknown]>([
    ['a receipt of a pre-confirmed block, which may still change', { block_number: 7, events: [event] }],
    ['no events', { block_hash: '0x7' }],
    ['an event of nobody', { block_hash: '0x7', events: [{ ...event, from_address: undefined }] }],
    ['nothing', null],
  ])('is malformed in %s', async (_, answer) => {
    await expect((await says(answer)).emitted('0x77')).rejects.toMatchObject(malformed)
  })

  it('is not known of a transaction that the node lacks', async () => {
    await expect((await says(new Failure(29, 'Transaction hash not found'))).emitted('0x77')).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('sending', () => {
  const estimate = {
    l1_gas_consumed: '0x1',
    l1_data_gas_consumed: '0x2',
    l2_gas_consumed: '0x3',
    l1_gas_price: '0x4',
    l1_data_gas_price: '0x5',
    l2_gas_price: '0x6',
    overall_fee: '0x7',
    unit: 'FRI',
  }

  it('asks for the fee, with or without validation', async () => {
    const flags: unknown[] = []
    const { node } = await nodeThat(({ params }) => {
      flags.push(params.simulation_flags)
      return [estimate]
    })
    const parsed = { gas: { l1Gas: 1n, l1DataGas: 2n, l2Gas: 3n }, prices: { l1Gas: 4n, l1DataGas: 5n, l2Gas: 6n }, fee: 7n }
    expect(await node.estimate({ type: 'INVOKE' }, { validates: true })).toEqual(parsed)
    await node.estimate({ type: 'INVOKE' }, { validates: false })
    expect(flags).toEqual([[], ['SKIP_VALIDATE']])
    for (const answer of [[], [estimate, estimate], [{ ...estimate, unit: 'WEI' }], [{ ...estimate, l2_gas_consumed: 3 }]])
      await expect((await says(answer)).estimate({ type: 'INVOKE' }, { validates: true })).rejects.toMatchObject(malformed)
  })

  it.each([
    ['INVOKE', 'starknet_addInvokeTransaction', 'invoke_transaction'],
    ['DEPLOY_ACCOUNT', 'starknet_addDeployAccountTransaction', 'deploy_account_transaction'],
    ['DECLARE', 'starknet_addDeclareTransaction', 'declare_transaction'],
  ] as const)('%s goes to its method, never in a batch', async (type, method, name) => {
    const { node, requests } = await nodeThat(({ params }) => (name in params ? { transaction_hash: '0x1' } : new Failure(-32_602)))
    await Promise.all([node.broadcast({ type }), node.broadcast({ type, nonce: '0x1' })])
    expect(requests).toEqual([[method], [method]])
  })

  it('a transaction that the node has is accepted; other refusals are distinguished by their code', async () => {
    await (await says(new Failure(59, 'A transaction with the same hash already exists in the mempool'))).broadcast({ type: 'INVOKE' })
    const refused = (await says(new Failure(52, 'Invalid transaction nonce', 'expected 3'))).broadcast({ type: 'INVOKE' })
    await expect(refused).rejects.toMatchObject({ name: 'NodeRefusal', code: 52, reason: expect.stringContaining('expected 3') })
  })
})
