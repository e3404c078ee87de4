/** Locks on chains without the contract of EVM: what nodes list is found, and what they make up is not. */
import { bcs } from '@mysten/sui/bcs'
import { GrpcTypes } from '@mysten/sui/grpc'
import { deriveDynamicFieldID } from '@mysten/sui/utils'
import { hexToBytes } from '@noble/hashes/utils.js'
import { base58, base64 } from '@scure/base'
import { type Address, getAddressDecoder } from '@solana/kit'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import { vaultAddress } from '@tandem/solana/contract/client/addresses.ts'
import { tokenOrderCodec } from '@tandem/solana/contract/client/codecs.ts'
import { createContracts as solanaContracts, swapIdOf as solanaSwapId } from '@tandem/solana/terms/htlc.ts'
import { encodeEvent } from '@tandem/starknet/contract/client/events.ts'
import { orderTermsOf, createContracts as starknetContracts, orderIdOf as starknetOrderId } from '@tandem/starknet/terms/htlc.ts'
import { OrderField, orderFields } from '@tandem/sui/browser/order.fixture.ts'
import { swapIdOf as suiSwapId } from '@tandem/sui/terms/htlc.ts'
import { accountOf as xrplAccount } from '@tandem/xrpl/terms/address.ts'
import { conditionOf, toRippleTime } from '@tandem/xrpl/terms/htlc.ts'
import { describe, expect, test, vi } from 'vitest'
import type { SwapContext } from '../swap/context.ts'
import { chainNamed, type Deployments, pinnedAsset } from '../verify/pinned.ts'
import { findLocks } from './find-locks.ts'

const NOW = Math.floor(Date.now() / 1000)
const TIP = 500
const AMOUNT = 50_000_000n
const secretOf = (index: number) => (index + 1).toString(16).padStart(64, '0')
const HASH = hashSecret(secretOf(7))
const hex = (value: number | bigint) => `0x${value.toString(16)}`

type Answers = Record<string, (params: never) => unknown>

async function find(chain: string, answers: Answers, deployments: Deployments, user?: string) {
  const asked: string[] = []
  const fetch = (async (_url: string, { body }: { body: string }) => {
    const { method, params } = JSON.parse(body)
    asked.push(method)
    return Response.json({ result: answers[method]?.(params as never) })
  }) as typeof globalThis.fetch
  const keys = { startAt: async () => undefined, secretFor: async (index: number) => secretOf(index) }
  const context = { keys, options: { nodes: { [chain]: 'http://node' }, deployments, fetch } } as unknown as SwapContext
  return { ...(await findLocks(context, user === undefined ? {} : { addresses: { [chain]: user } })), asked }
}

describe('on the XRP Ledger', () => {
  const CHAIN = 'xrpl_localnet'
  const [user, solver, stranger] = ['1', '2', '3'].map((digit) => xrplAccount(createEd25519Key(digit.repeat(64)))) as [
    string,
    string,
    string,
  ]
  const TX = 'AB'.repeat(32)
  const escrowWith = (changed: object = {}) => ({
    LedgerEntryType: 'Escrow',
    Account: solver,
    Destination: user,
    Amount: String(AMOUNT),
    Condition: conditionOf(HASH),
    CancelAfter: toRippleTime(BigInt(NOW + 3_000)),
    PreviousTxnID: TX,
    ...changed,
  })
  const nodeWith = (entry: object): Answers => ({
    account_objects: ([{ account }]: readonly [{ account: string }]) => ({ account_objects: account === user ? [entry] : [] }),
    tx: () => ({ validated: true, ledger_index: TIP - 10, tx_json: { Sequence: 7 } }),
    ledger_entry: () => ({ validated: true, node: entry }),
    ledger: () => ({ ledger_index: TIP, ledger: { close_time: toRippleTime(BigInt(NOW - 2)) } }),
  })

  test('escrows of the user are found: to the user, and by the user', async () => {
    const { locks } = await find(CHAIN, nodeWith(escrowWith()), {}, user)
    expect(locks).toMatchObject([{ index: 7, leg: 'destination', isYours: true, state: 'open', can: 'redeem', terms: { amount: AMOUNT } }])
    const own = { Account: user, Destination: solver, CancelAfter: toRippleTime(BigInt(NOW - 60)) }
    const { locks: paid } = await find(CHAIN, nodeWith(escrowWith(own)), {}, user)
    expect(paid).toMatchObject([{ leg: 'source', isYours: true, can: 'refund' }])
  })

  test('without an account nothing is asked, and that is told', async () => {
    const { locks, searched, asked } = await find(CHAIN, nodeWith(escrowWith()), {})
    expect({ locks, asked }).toEqual({ locks: [], asked: [] })
    expect(searched).toMatchObject([{ chain: CHAIN, chainName: chainNamed(CHAIN).displayName, needsAddress: true, problem: null }])
  })

  test.each([
    ['of another secret', { Condition: conditionOf('cd'.repeat(32)) }],
    ['with a further field', { FinishAfter: 1 }],
    ['of a token', { Amount: { currency: 'USD', issuer: solver, value: '1' } }],
    ['with no condition of this kind', { Condition: 'A0' }],
  ])('an escrow %s is none of the user', async (_, changed) => {
    expect((await find(CHAIN, nodeWith(escrowWith(changed)), {}, user)).locks).toEqual([])
  })

  test('an escrow that is listed and not in the ledger is none; one to somebody else is shown as such', async () => {
    const listed = { ...nodeWith(escrowWith()), ledger_entry: () => ({ validated: true, node: escrowWith({ Amount: '1' }) }) }
    expect((await find(CHAIN, listed, {}, user)).locks).toEqual([])
    expect((await find(CHAIN, nodeWith(escrowWith({ Destination: stranger })), {}, user)).locks).toMatchObject([{ isYours: false }])
  })

  test('an account with more escrows than are asked for is told of', async () => {
    const endless = { ...nodeWith(escrowWith()), account_objects: () => ({ account_objects: [escrowWith()], marker: 'more' }) }
    const { locks, searched, asked } = await find(CHAIN, endless, {}, user)
    expect(locks).toHaveLength(1)
    expect(searched).toMatchObject([{ problem: 'there is more than was read' }])
    expect(asked.length).toBeLessThan(60)
  })
})

describe('on Solana', () => {
  const CHAIN = 'solana_localnet'
  const sol = (value: number): Address => getAddressDecoder().decode(new Uint8Array(32).fill(value))
  const [PROGRAM, MINT, user, solver] = [sol(1), sol(2), sol(3), sol(4)]
  const deployments = { 'solana_localnet:usdc': { htlc: PROGRAM, token: MINT } }

  async function nodeWith(changed: Partial<Parameters<typeof tokenOrderCodec.encode>[0]> = {}, owner: string = PROGRAM): Promise<Answers> {
    const { chain, asset, deployment } = await pinnedAsset('solana_localnet:usdc', deployments)
    const timelock = chain.timelocks.destination
    const terms: HtlcTerms = { asset: asset.id, initiator: solver, redeemer: user, amount: AMOUNT, secretHash: HASH, timelock }
    const address = solanaSwapId(solanaContracts(chain, [{ ...asset, deployment }]).of(asset.id), terms)
    const data = Uint8Array.from(
      tokenOrderCodec.encode({
        status: 1,
        kind: 1,
        bump: 255,
        settledSlot: 0n,
        amount: AMOUNT,
        timelock,
        initiatedSlot: BigInt(TIP - 50),
        initiateBefore: 0n,
        secretOrHash: hexToBytes(HASH),
        initiator: solver,
        redeemer: user,
        rentPayer: solver,
        mint: MINT,
        vault: vaultAddress(address as Address),
        ...changed,
      }),
    )
    const account = { owner, lamports: 1, data: [base64.encode(data), 'base64'] }
    return {
      getProgramAccounts([program, { filters }]: readonly [string, { filters: readonly [{ memcmp: { offset: number; bytes: string } }] }]) {
        const [{ memcmp }] = filters
        const isEqual = base58.encode(data.slice(memcmp.offset, memcmp.offset + 32)) === memcmp.bytes
        return program === PROGRAM && isEqual ? [{ pubkey: address, account }] : []
      },
      getAccountInfo: ([asked]: readonly [string]) => ({ context: { slot: TIP }, value: asked === address ? account : null }),
      getBlocks: ([from, to]: readonly [number, number]) => Array.from({ length: to - from + 1 }, (_, n) => from + n),
      getBlockTime: () => NOW - 1,
    }
  }

  test('orders that name the user are found in two requests, settled ones too', async () => {
    const { locks, asked } = await find(CHAIN, await nodeWith(), deployments, user)
    expect(locks).toMatchObject([{ index: 7, leg: 'destination', isYours: true, state: 'open', can: 'redeem', terms: { amount: AMOUNT } }])
    expect(asked.filter((method) => method === 'getProgramAccounts')).toHaveLength(2)
    const paid = await nodeWith({ status: 2, secretOrHash: hexToBytes(secretOf(7)) })
    expect((await find(CHAIN, paid, deployments, user)).locks).toMatchObject([{ state: 'redeemed', can: 'nothing' }])
    expect((await find(CHAIN, await nodeWith(), deployments, solver)).locks).toMatchObject([{ isYours: false }])
  })

  test('locks that a node invents are not found', async () => {
    for (const lie of [
      { amount: AMOUNT + 1n },
      { mint: sol(7) },
      { secretOrHash: new Uint8Array(32) },
      { timelock: 9n },
      { vault: sol(9) },
    ]) {
      const { locks, asked } = await find(CHAIN, await nodeWith(lie), deployments, user)
      expect({ locks, looks: asked.filter((method) => method === 'getAccountInfo') }).toEqual({ locks: [], looks: [] })
    }
    expect((await find(CHAIN, await nodeWith({}, sol(8)), deployments, user)).locks).toEqual([])
    const short = {
      ...(await nodeWith()),
      getProgramAccounts: () => [{ pubkey: sol(5), account: { data: [base64.encode(new Uint8Array(9).fill(1)), 'base64'] } }],
    }
    expect(await find(CHAIN, short, deployments, user)).toMatchObject({ locks: [], searched: [{ problem: null }] })
  })
})

describe('on Sui', () => {
  const CHAIN = 'sui_localnet'
  const ASSET = 'sui_localnet:usdc'
  const wide = (digits: string) => `0x0${digits.repeat(31).padEnd(63, '1')}`
  const [REGISTRY, PACKAGE, COIN] = [wide('1a'), wide('7b'), `${wide('2a')}::usdc::USDC`]
  const deployments = { [ASSET]: { htlc: REGISTRY, token: COIN, package: PACKAGE } }
  const [user, solver] = [wide('3a'), wide('4a')]
  const ORDER = `${PACKAGE}::htlc::Order<${COIN}>`
  const timelock = chainNamed(CHAIN).timelocks.destination

  const Order = bcs.struct('Order', orderFields)
  const order = {
    initiator: solver,
    redeemer: user,
    secretHash: hexToBytes(HASH),
    initiatedAt: BigInt(NOW - 20) * 1000n,
    timelock,
    amount: AMOUNT,
  }

  /** Over gRPC-web: one frame with the message, one with the status. `listed`: by page. */
  function nodeWith(listed: readonly { readonly valueType: string; readonly value: Uint8Array }[], kept: typeof order | null = order) {
    const { GetObjectResponse, GetTransactionResponse, GetCheckpointResponse, ListDynamicFieldsRequest, ListDynamicFieldsResponse } =
      GrpcTypes
    const terms = { asset: ASSET, initiator: solver, redeemer: user, amount: AMOUNT, secretHash: HASH, timelock } as HtlcTerms
    const name = hexToBytes(suiSwapId({ registry: REGISTRY as `0x${string}` }, terms))
    const id = deriveDynamicFieldID(REGISTRY, 'vector<u8>', bcs.byteVector().serialize(name).toBytes())
    const objectType = `0x2::dynamic_field::Field<vector<u8>, ${ORDER}>`
    const answers: Record<string, (body: Uint8Array) => Uint8Array | undefined> = {
      ListDynamicFields(body) {
        const { parent, pageToken } = ListDynamicFieldsRequest.fromBinary(body.slice(5))
        const page = pageToken?.[0] ?? 0
        const next = page + 1 < listed.length ? { nextPageToken: Uint8Array.of(page + 1) } : {}
        const at = listed[page]
        const dynamicFields = at === undefined || parent !== REGISTRY ? [] : [{ valueType: at.valueType, value: { value: at.value } }]
        return ListDynamicFieldsResponse.toBinary(ListDynamicFieldsResponse.create({ dynamicFields, ...next }))
      },
      GetObject() {
        if (kept === null) return undefined
        const contents = { value: OrderField.serialize({ id, name, ...kept }).toBytes() }
        return GetObjectResponse.toBinary(GetObjectResponse.create({ object: { objectType, contents, previousTransaction: 'tx' } }))
      },
      GetTransaction: () =>
        GetTransactionResponse.toBinary(GetTransactionResponse.create({ transaction: { checkpoint: BigInt(TIP - 2) } })),
      GetCheckpoint: () =>
        GetCheckpointResponse.toBinary(
          GetCheckpointResponse.create({
            checkpoint: { sequenceNumber: BigInt(TIP), summary: { timestamp: { seconds: BigInt(NOW), nanos: 0 } } },
          }),
        ),
    }
    return (async (url: string, { body }: { body: Uint8Array | string }) => {
      const bytes = typeof body === 'string' ? base64.decode(body) : body
      const message = answers[String(url).replace(/^.*\//, '')]?.(bytes)
      const status = new TextEncoder().encode(`grpc-status: ${message === undefined ? 5 : 0}\r\n`)
      const frame = (flag: number, content: Uint8Array) => [
        flag,
        ...new Uint8Array(new Uint32Array([content.length]).buffer).reverse(),
        ...content,
      ]
      const answer = Uint8Array.from([...(message === undefined ? [] : frame(0, message)), ...frame(0x80, status)])
      return new Response(base64.encode(answer), { headers: { 'content-type': 'application/grpc-web-text+proto' } })
    }) as unknown as typeof globalThis.fetch
  }

  async function findBy(fetch: typeof globalThis.fetch, given: object = {}) {
    const keys = { startAt: async () => undefined, secretFor: async (index: number) => secretOf(index) }
    const context = { keys, options: { nodes: { [CHAIN]: 'http://node' }, deployments, fetch } } as unknown as SwapContext
    return findLocks(context, { addresses: { [CHAIN]: user }, ...given })
  }

  const settled = { valueType: `${PACKAGE}::htlc::Settled`, value: new Uint8Array(8) }
  const open = { valueType: ORDER, value: Order.serialize(order).toBytes() }

  test('an open order is found among those of the registry, on whichever page it is', async () => {
    const { locks, searched } = await findBy(nodeWith([settled, open]))
    expect(locks).toMatchObject([{ index: 7, leg: 'destination', isYours: true, state: 'open', can: 'redeem', terms: { amount: AMOUNT } }])
    expect(searched).toMatchObject([{ since: null, problem: null }])
  })

  test('what a node makes up is not found, and too many pages are told of', async () => {
    const lies = [
      { ...open, valueType: `${wide('8b')}::htlc::Order<${COIN}>` },
      { ...open, valueType: 'no type' },
      { ...open, value: Uint8Array.of(1, 2, 3) },
      { ...open, value: Order.serialize({ ...order, secretHash: new Uint8Array(32) }).toBytes() },
      { ...open, value: Order.serialize({ ...order, amount: AMOUNT + 1n }).toBytes() },
    ]
    for (const lie of lies) expect(await findBy(nodeWith([lie]))).toMatchObject({ locks: [], searched: [{ problem: null }] })
    expect((await findBy(nodeWith([open], null))).locks).toEqual([])
    const endless = vi.fn(nodeWith(Array.from({ length: 200 }, () => settled)))
    const { locks, searched } = await findBy(endless, { maxRequests: 10 })
    expect(endless.mock.calls).toHaveLength(10)
    expect({ locks, searched }).toMatchObject({ locks: [], searched: [{ problem: 'there is more than was read' }] })
  })
})

describe('on Starknet', () => {
  const CHAIN = 'starknet_localnet'
  const wide = (digits: string) => `0x0${digits.repeat(31).padEnd(63, '1')}`
  const ASSET = 'starknet_localnet:wbtc'
  const deployments = { [ASSET]: { htlc: wide('1a'), token: wide('2a') } }
  const [user, solver] = [wide('3a'), wide('4a')]

  async function nodeWith(lie: Partial<HtlcTerms> = {}, isMade = true): Promise<Answers> {
    const { chain, asset, deployment } = await pinnedAsset(ASSET, deployments)
    const contract = starknetContracts(chain, [{ ...asset, deployment }]).of(asset.id)
    const timelock = chain.timelocks.source
    const terms: HtlcTerms = { asset: asset.id, initiator: user, redeemer: solver, amount: AMOUNT, secretHash: HASH, timelock }
    const orderId = starknetOrderId(contract, terms)
    const event = { ...encodeEvent({ kind: 'initiated', orderId, terms: orderTermsOf({ ...terms, ...lie }) }), transaction_hash: '0x77' }
    const broken = { keys: ['x'], data: ['y'], transaction_hash: '0x1' }
    const blockAt = (number: number) => ({ block_number: number, timestamp: NOW - (TIP - number) * 2 })
    return {
      starknet_getBlockWithTxHashes: ({ block_id: id }: { block_id: 'latest' | { block_number: number } }) =>
        blockAt(id === 'latest' ? TIP : id.block_number),
      // Two pages: the lock is on the second.
      starknet_getEvents: ({ filter }: { filter: { continuation_token?: string; address: string } }) =>
        filter.continuation_token === undefined
          ? { events: [broken], continuation_token: 'next' }
          : { events: filter.address === contract.address ? [event] : [] },
      starknet_call: ({ request }: { request: { calldata: readonly string[] } }) =>
        request.calldata[0] === orderId && isMade ? [hex(NOW - 30)] : ['0x0'],
    }
  }

  test('a payment is found by its event, on whichever page it is', async () => {
    const { locks, searched } = await find(CHAIN, await nodeWith(), deployments, user)
    expect(locks).toMatchObject([
      { index: 7, leg: 'source', isYours: true, state: 'open', can: 'wait', tx: '0x77', terms: { amount: AMOUNT } },
    ])
    expect(searched).toMatchObject([{ problem: null, needsAddress: false }])
  })

  test('locks that a node invents are not found', async () => {
    for (const lie of [{ amount: AMOUNT + 1n }, { initiator: solver }, { secretHash: 'cd'.repeat(32) }, { timelock: 9n }]) {
      const { locks, asked } = await find(CHAIN, await nodeWith(lie), deployments, user)
      expect({ locks, looks: asked.filter((method) => method === 'starknet_call') }).toEqual({ locks: [], looks: [] })
    }
    expect((await find(CHAIN, await nodeWith({}, false), deployments, user)).locks).toEqual([])
    const odd = { ...(await nodeWith()), starknet_getEvents: () => ({}) }
    expect((await find(CHAIN, odd, deployments, user)).searched).toMatchObject([{ problem: expect.stringContaining('no list') }])
  })
})
