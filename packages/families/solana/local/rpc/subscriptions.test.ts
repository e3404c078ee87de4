// These tests check that each subscription reports what reached its commitment, and nothing else.
import type { Address } from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createLocalSender } from '../local-sender.ts'
import { createMint, mintTokens } from '../local-tokens.ts'
import { newSigner, openSolanaFixture, SOL, type SolanaFixture } from '../solana.fixture.ts'

type Notification = { readonly method: string; readonly params: { readonly subscription: number; readonly result: unknown } }
type Answer = { readonly id: number; readonly result?: unknown; readonly error?: { readonly code: number } }

let fixture: SolanaFixture
let socket: WebSocket
let heard: Notification[]
let answers: Map<number, (answer: Answer) => void>
let lastId = 0
beforeEach(async () => {
  fixture = await openSolanaFixture()
  await connect(fixture.chain.webSocketUrl)
})
afterEach(async () => {
  socket.terminate()
  await fixture.close()
})

async function connect(url: string): Promise<void> {
  socket = new WebSocket(url)
  heard = []
  answers = new Map()
  socket.on('message', (text) => {
    const message = JSON.parse(String(text))
    if ('method' in message) heard.push(message)
    else answers.get(message.id)?.(message)
  })
  await new Promise((resolve) => socket.once('open', resolve))
}

function ask(method: string, ...params: readonly unknown[]): Promise<Answer> {
  lastId += 1
  const id = lastId
  const answer = new Promise<Answer>((resolve) => answers.set(id, resolve))
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  return answer
}

async function subscribe(kind: string, ...params: readonly unknown[]): Promise<number> {
  const { result, error } = await ask(`${kind}Subscribe`, ...params)
  if (typeof result !== 'number') throw new Error(`${kind}: ${JSON.stringify(error)}`)
  return result
}

/** All messages sent before have arrived once this request is answered. */
async function results(id: number): Promise<readonly unknown[]> {
  await ask('getHealth')
  return heard.filter(({ params }) => params.subscription === id).map(({ params }) => params.result)
}

const at = (commitment: string, more = {}) => ({ commitment, ...more })
const someone = newSigner().address
const pay = (amount: bigint, to: Address = someone) => fixture.send(fixture.sign([fixture.transfer(to, amount)]))

describe('subscriptions', () => {
  it('to slots tell each block with its parent and the newest finalized slot', async () => {
    const [slots, roots] = [await subscribe('slot'), await subscribe('root')]
    fixture.chain.mine()
    fixture.chain.skip()
    fixture.chain.mine()
    expect(await results(slots)).toEqual([
      { slot: 1_041, parent: 1_040, root: 1_010 },
      { slot: 1_043, parent: 1_041, root: 1_011 },
    ])
    expect(await results(roots)).toEqual([1_010, 1_011])
  })

  it('to a signature tell once, at their commitment, also if it was reached before', async () => {
    const signature = await pay(SOL)
    const [early, later] = [
      await subscribe('signature', signature, at('processed')),
      await subscribe('signature', signature, at('confirmed')),
    ]
    fixture.chain.mine()
    expect(await results(early)).toEqual([{ context: expect.objectContaining({ slot: 1_041 }), value: { err: null } }])
    expect(await results(later)).toEqual([])
    fixture.chain.mine(3)
    expect(await results(early)).toHaveLength(1)
    expect(await results(later)).toHaveLength(1)
    const late = await subscribe('signature', signature, at('confirmed'))
    await ask('getHealth')
    expect(await results(late)).toHaveLength(1)
    expect((await ask('signatureUnsubscribe', late)).error?.code).toBe(-32_602)
  })

  it('to a signature tell its error', async () => {
    const wire = fixture.sign([fixture.transfer(someone, 1_000n * SOL)])
    const id = await subscribe('signature', wire.signature, at('processed'))
    await fixture.send(wire, { skipPreflight: true })
    fixture.chain.mine()
    expect(await results(id)).toMatchObject([{ value: { err: { InstructionError: [0, { Custom: 1 }] } } }])
  })

  it('to an account tell its state at the commitment, and that it was closed', async () => {
    const owner = newSigner()
    const [now, later] = [
      await subscribe('account', owner.address, at('processed', { encoding: 'base64' })),
      await subscribe('account', owner.address, at('confirmed', { encoding: 'base64' })),
    ]
    await pay(SOL, owner.address)
    fixture.chain.mine()
    expect(await results(now)).toMatchObject([{ value: { lamports: Number(SOL), data: ['', 'base64'] } }])
    expect(await results(later)).toEqual([])
    await fixture.send(fixture.sign([fixture.transfer(someone, SOL, owner)], [owner]))
    fixture.chain.mine(2)
    expect(await results(now)).toMatchObject([{}, { value: { lamports: 0 } }])
    expect(await results(later)).toMatchObject([{ value: { lamports: Number(SOL) } }, { value: { lamports: 0 } }])
  })

  it('to a program tell its accounts, filtered', async () => {
    const authority = createLocalSender(fixture.chain.node, fixture.payer)
    const mint = await createMint(fixture.chain.node, authority, 6)
    const owner = newSigner().address
    const id = await subscribe(
      'program',
      TOKEN_PROGRAM_ADDRESS,
      at('processed', { encoding: 'jsonParsed', filters: [{ memcmp: { offset: 32, bytes: owner } }] }),
    )
    await mintTokens(authority, mint, someone, 1n)
    await mintTokens(authority, mint, owner, 2n)
    fixture.chain.mine()
    expect(await results(id)).toMatchObject([
      { value: { account: { data: { parsed: { info: { owner, tokenAmount: { amount: '2' } } } } } } },
    ])
  })

  it('to logs tell every transaction, or those that name an account', async () => {
    const other = newSigner().address
    const [all, ours] = [await subscribe('logs', 'all', at('processed')), await subscribe('logs', { mentions: [other] }, at('processed'))]
    const [first, second] = [await pay(SOL), await pay(SOL, other)]
    fixture.chain.mine()
    expect(await results(all)).toMatchObject([{ value: { signature: first } }, { value: { signature: second, err: null } }])
    expect(await results(ours)).toMatchObject([
      { value: { signature: second, logs: expect.arrayContaining([expect.stringContaining('success')]) } },
    ])
    expect((await ask('logsSubscribe', { mentions: [] })).error?.code).toBe(-32_602)
  })

  it('tell of the blocks of a fork', async () => {
    const [slots, logs] = [await subscribe('slot'), await subscribe('logs', { mentions: [someone] }, at('processed'))]
    await pay(SOL)
    fixture.chain.mine()
    fixture.chain.faults.reorg(1)
    expect(await results(slots)).toMatchObject([
      { slot: 1_041, parent: 1_040 },
      { slot: 1_042, parent: 1_040 },
      { slot: 1_043, parent: 1_042 },
    ])
    expect(await results(logs)).toHaveLength(2)
  })

  it('end when the client says so, or goes', async () => {
    const id = await subscribe('slot')
    expect((await ask('slotUnsubscribe', id)).result).toBe(true)
    expect((await ask('slotUnsubscribe', id)).error?.code).toBe(-32_602)
    const other = await subscribe('slot')
    expect((await ask('rootUnsubscribe', other)).error?.code).toBe(-32_602)
    fixture.chain.mine()
    expect(await results(id)).toEqual([])
    expect(await results(other)).toHaveLength(1)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.close()
    await closed
    await connect(fixture.chain.url.replace('http', 'ws'))
    expect((await ask('slotUnsubscribe', other)).error?.code).toBe(-32_602)
  })

  it.each([
    ['signatureSubscribe', ['abc']],
    ['accountSubscribe', []],
    ['programSubscribe', [7]],
    ['logsSubscribe', ['some']],
    ['accountSubscribe', [String(someone), { commitment: 'certain' }]],
  ])('%s refuses %j', async (method, params) => {
    expect((await ask(method, ...params)).error?.code).toBe(-32_602)
  })
})

it('a websocket answers requests too, but HTTP has no subscriptions', async () => {
  expect((await ask('getSlot', at('processed'))).result).toBe(1_040)
  expect((await ask('nothingSubscribe')).error?.code).toBe(-32_601)
  expect((await ask('constructorSubscribe')).error?.code).toBe(-32_601)
  expect((await fixture.failure('slotSubscribe')).code).toBe(-32_601)
})

it('slots pass for a subscriber who only listens, and only for one', async () => {
  fixture.chain.setMining('timed')
  const id = await subscribe('slot')
  const start = fixture.chain.node.ledger.tip('processed').slot
  await expect.poll(() => fixture.chain.node.ledger.tip('processed').slot).toBeGreaterThan(start)
  await ask('slotUnsubscribe', id)
  const end = fixture.chain.node.ledger.tip('processed').slot
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect(fixture.chain.node.ledger.tip('processed').slot).toBe(end)
})

it('no slots pass for a subscription to a signature after its notification', async () => {
  const signature = await pay(SOL)
  fixture.chain.mine(2)
  fixture.chain.setMining('timed')
  const id = await subscribe('signature', signature, at('confirmed'))
  await vi.waitFor(() => expect(heard.map(({ params }) => params.subscription)).toContain(id), { timeout: 60_000 })
  await new Promise((resolve) => setTimeout(resolve, 500))
  const { slot } = fixture.chain.node.ledger.tip('processed')
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect(fixture.chain.node.ledger.tip('processed').slot).toBe(slot)
})
