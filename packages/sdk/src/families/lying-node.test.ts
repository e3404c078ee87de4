/** The destination lock as a node shows it: seen as it is, and refused when one thing of it is wrong. */
import { bcs } from '@mysten/sui/bcs'
import { GrpcTypes } from '@mysten/sui/grpc'
import { deriveDynamicFieldID } from '@mysten/sui/utils'
import { hexToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { type Address, getAddressDecoder } from '@solana/kit'
import { htlcOf } from '@tandem/bitcoin/terms/htlc.ts'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import type { Lock, Settled, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { createContracts as evmContracts, orderIdOf as evmOrderId } from '@tandem/evm/terms/htlc.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import type { SwapRecord } from '@tandem/protocol/wire/swap.ts'
import { vaultAddress } from '@tandem/solana/contract/client/addresses.ts'
import { tokenOrderCodec } from '@tandem/solana/contract/client/codecs.ts'
import { createContracts as solanaContracts, swapIdOf as solanaSwapId } from '@tandem/solana/terms/htlc.ts'
import { createContracts as starknetContracts, orderIdOf as starknetOrderId } from '@tandem/starknet/terms/htlc.ts'
import { OrderField } from '@tandem/sui/browser/order.fixture.ts'
import { swapIdOf as suiSwapId } from '@tandem/sui/terms/htlc.ts'
import { fromEvmAddress } from '@tandem/tron/terms/address.ts'
import { evmTerms, tronContracts } from '@tandem/tron/terms/htlc.ts'
import { accountOf as xrplAccount } from '@tandem/xrpl/terms/address.ts'
import { conditionOf, toRippleTime } from '@tandem/xrpl/terms/htlc.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Deployments, pinnedAsset } from '../verify/pinned.ts'

const NOW = Math.floor(Date.now() / 1000)
/** When the lock was made, and in which block. */
const MADE = NOW - 20
const [TIP, DEPTH] = [500, 3]
const AMOUNT = 50_000_000n
const HASH = 'cd'.repeat(32)
const TX = 'AB'.repeat(32)

const evm = (digit: string) => `0x${digit.repeat(40)}`
const tron = (digit: string) => fromEvmAddress(evm(digit) as `0x${string}`)
const wide = (digits: string) => `0x0${digits.repeat(31).padEnd(63, '1')}`
const sol = (value: number): Address => getAddressDecoder().decode(new Uint8Array(32).fill(value))
const xrp = (digit: string) => xrplAccount(createEd25519Key(digit.repeat(64)))
const hex = (value: number | bigint) => `0x${value.toString(16)}`

/** The time of a block: the lock is in the one at `TIP - DEPTH + 1`. */
const timeAt = (height: number) => MADE + (height - (TIP - DEPTH + 1)) * 2

/** Answers by method or path. A lie replaces one answer, or a part of it. */
type Answers = Record<string, (params: never) => unknown>

type Case = {
  readonly asset: string
  readonly deployments: Deployments
  readonly user: string
  readonly solver: string
  readonly answers: (side: SwapSide) => Answers
}

async function sideOf({ asset: id, deployments, user, solver }: Case, changed: Partial<HtlcTerms> = {}): Promise<SwapSide> {
  const { chain, asset, deployment } = await pinnedAsset(id, deployments)
  const timelock = chain.timelocks.destination
  const terms = { asset: asset.id, initiator: solver, redeemer: user, amount: AMOUNT, secretHash: HASH, timelock, ...changed }
  return {
    leg: 'destination',
    chain,
    asset,
    deployment,
    terms,
    owner: user,
    record: { initiate_tx_hash: TX, redeem_tx_hash: '' } as SwapRecord,
  }
}

const jsonMethods = (answers: Answers): typeof fetch =>
  (async (url, init) => {
    const body = String(init?.body ?? '')
    const { method = String(url).replace('http://node', ''), params } = body === '' ? {} : JSON.parse(body)
    const answer = answers[method]
    if (answer === undefined) return new Response('not found', { status: 404 })
    const result = answer(params as never)
    if (body === '') return new Response(typeof result === 'string' ? result : JSON.stringify(result))
    return Response.json({ result })
  }) as typeof fetch

/** A gRPC-web node: one frame with the message, one with the status. */
const grpcMethods = (answers: Answers): typeof fetch =>
  (async (url) => {
    const name = String(url).replace(/^.*\//, '')
    const message = answers[name]?.(null as never) as Uint8Array | undefined
    const status = new TextEncoder().encode(`grpc-status: ${message === undefined ? 5 : 0}\r\n`)
    const frame = (flag: number, bytes: Uint8Array) => [flag, ...new Uint8Array(new Uint32Array([bytes.length]).buffer).reverse(), ...bytes]
    const body = Uint8Array.from([...(message === undefined ? [] : frame(0, message)), ...frame(0x80, status)])
    return new Response(base64.encode(body), { headers: { 'content-type': 'application/grpc-web-text+proto' } })
  }) as typeof fetch

async function read(one: Case, answers: Answers, changed: Partial<HtlcTerms> = {}): Promise<Lock | null> {
  const side = await sideOf(one, changed)
  const family = await loadFamily(side.chain.family)
  const fetch = side.chain.family === 'sui' ? grpcMethods(answers) : jsonMethods(answers)
  return family.readLock(side, { url: 'http://node', fetch })
}

async function settled(one: Case, answers: Answers): Promise<Settled | undefined> {
  const side = await sideOf(one)
  const fetch = side.chain.family === 'sui' ? grpcMethods(answers) : jsonMethods(answers)
  return (await loadFamily(side.chain.family)).settledAs?.(side, { url: 'http://node', fetch })
}

const evmBlocks = {
  eth_getBlockByNumber: ([block]: readonly [string]) => {
    const height = block === 'latest' ? TIP : Number(block)
    return { number: hex(height), timestamp: hex(timeAt(height)) }
  },
}

/** The contract at one address, which knows one order. */
const evmNode = (to: string, orderId: string): Answers => ({
  ...evmBlocks,
  eth_call: ([call]: readonly [{ to: string; data: string }]) =>
    call.to === to && call.data.endsWith(orderId.slice(2)) ? hex(MADE) : hex(0),
})

const deployed = ({ asset, deployment }: SwapSide) => [{ ...asset, deployment }]

const hashed: readonly Case[] = [
  {
    asset: 'ethereum_localnet:wbtc',
    deployments: { 'ethereum_localnet:wbtc': { htlc: evm('1'), token: evm('2') } },
    user: evm('3'),
    solver: evm('4'),
    answers(side) {
      const contract = evmContracts(side.chain, deployed(side)).of(side.asset.id)
      return evmNode(contract.address, evmOrderId(contract, side.terms))
    },
  },
  {
    asset: 'hypercore_localnet:purr',
    deployments: { 'hypercore_localnet:purr': { htlc: evm('1'), token: evm('2') } },
    user: evm('3'),
    solver: evm('4'),
    answers(side) {
      const contract = evmContracts(side.chain, deployed(side)).of(side.asset.id)
      return evmNode(contract.address, evmOrderId(contract, side.terms))
    },
  },
  {
    asset: 'tron_localnet:usdt',
    deployments: { 'tron_localnet:usdt': { htlc: tron('1'), token: tron('2') } },
    user: tron('3'),
    solver: tron('4'),
    answers(side) {
      const contract = tronContracts(side.chain, deployed(side)).of(side.asset.id)
      return evmNode(contract.address, evmOrderId(contract, evmTerms(side.terms)))
    },
  },
  {
    asset: 'starknet_localnet:wbtc',
    deployments: { 'starknet_localnet:wbtc': { htlc: wide('1a'), token: wide('2a') } },
    user: wide('3a'),
    solver: wide('4a'),
    answers(side) {
      const contract = starknetContracts(side.chain, deployed(side)).of(side.asset.id)
      const order = starknetOrderId(contract, side.terms)
      return {
        starknet_getBlockWithTxHashes({ block_id: block }: { block_id: 'latest' | { block_number: number } }) {
          const height = block === 'latest' ? TIP : block.block_number
          return { block_number: height, timestamp: timeAt(height) }
        },
        starknet_call: ({ request }: { request: { contract_address: string; calldata: readonly string[] } }) =>
          request.contract_address === contract.address && request.calldata[0] === order ? [hex(MADE)] : ['0x0'],
      }
    },
  },
]

const otherTerms = (one: Case): readonly (readonly [string, Partial<HtlcTerms>])[] => [
  ['initiator', { initiator: one.deployments[one.asset]?.token ?? '' }],
  ['redeemer', { redeemer: one.deployments[one.asset]?.token ?? '' }],
  ['amount', { amount: AMOUNT + 1n }],
  ['secretHash', { secretHash: 'ce'.repeat(32) }],
  ['timelock', { timelock: 1n }],
]

describe('where the id of a lock is a hash of its terms', () => {
  test.each(hashed)('$asset: the lock is seen, with its depth and the time that is left', async (one) => {
    const side = await sideOf(one)
    const lock = await read(one, one.answers(side))
    expect(lock?.confirmations).toBe(DEPTH)
    // The later of both clocks counts.
    expect(Number(lock?.unitsLeft)).toBeGreaterThan(Number(side.terms.timelock) - 30)
    expect(Number(lock?.unitsLeft)).toBeLessThanOrEqual(Number(side.terms.timelock) - 20)
  })

  test.each(hashed)('$asset: a lock with one other term, or at another contract, is none', async (one) => {
    const answers = one.answers(await sideOf(one))
    for (const [name, changed] of otherTerms(one)) expect([name, await read(one, answers, changed)]).toEqual([name, null])
    const elsewhere = one.deployments[one.asset]?.token ?? ''
    const moved = { ...one, deployments: { [one.asset]: { htlc: elsewhere, token: elsewhere } } }
    expect(await read(moved, answers)).toBeNull()
  })

  test.each(hashed)('$asset: a settled lock is none, and was redeemed or refunded', async (one) => {
    const answers = one.answers(await sideOf(one))
    const marked = (mark: string) => ({ ...answers, eth_call: () => mark, starknet_call: () => [mark] })
    for (const mark of ['0x1', '0x2']) expect(await read(one, marked(mark))).toBeNull()
    const ends = [marked('0x1'), marked('0x2'), marked('0x0'), answers].map((node) => settled(one, node))
    expect(await Promise.all(ends)).toEqual(['redeemed', 'refunded', 'none', 'none'])
  })

  test.each(hashed)(
    '$asset: blocks of the same time are not counted, and a node that stands still shows no time that is over',
    async (one) => {
      const answers = one.answers(await sideOf(one))
      const still = { number: hex(TIP), timestamp: hex(MADE), block_number: TIP }
      const frozen = { ...answers, eth_getBlockByNumber: () => still, starknet_getBlockWithTxHashes: () => ({ ...still, timestamp: MADE }) }
      const lock = await read(one, frozen)
      expect(lock?.confirmations).toBe(1)
      expect(Number(lock?.unitsLeft)).toBeLessThanOrEqual(Number((await sideOf(one)).terms.timelock) - 20)
    },
  )
})

const solana: Case = {
  asset: 'solana_localnet:usdc',
  deployments: { 'solana_localnet:usdc': { htlc: sol(1), token: sol(2) } },
  user: sol(3),
  solver: sol(4),
  answers: (side) => solanaNode(side, {}),
}

type SolanaOrder = Parameters<typeof tokenOrderCodec.encode>[0]

function solanaNode(side: SwapSide, lie: Partial<SolanaOrder>, owner: string = sol(1)): Answers {
  const contract = solanaContracts(side.chain, deployed(side)).of(side.asset.id)
  const order: SolanaOrder = {
    status: 1,
    kind: 1,
    bump: 255,
    settledSlot: 0n,
    amount: AMOUNT,
    timelock: side.terms.timelock,
    initiatedSlot: BigInt(TIP - 5),
    initiateBefore: 0n,
    secretOrHash: hexToBytes(HASH),
    initiator: sol(4),
    redeemer: sol(3),
    rentPayer: sol(4),
    mint: sol(2),
    vault: vaultAddress(solanaSwapId(contract, side.terms) as Address),
    ...lie,
  }
  const data = base64.encode(Uint8Array.from(tokenOrderCodec.encode(order)))
  return {
    getAccountInfo: ([address]: readonly [string]) => ({
      context: { slot: TIP },
      value: address === solanaSwapId(contract, side.terms) ? { owner, lamports: 1, data: [data, 'base64'] } : null,
    }),
    // Two slots without a block.
    getBlocks: ([from, to]: readonly [number, number]) =>
      Array.from({ length: to - from + 1 }, (_, index) => from + index).filter((slot) => slot !== TIP - 1 && slot !== TIP - 2),
    getBlockTime: () => NOW - 1,
    getSignaturesForAddress: () => [],
  }
}

describe('on Solana', () => {
  test('the lock is seen: blocks are counted, not slots', async () => {
    const side = await sideOf(solana)
    expect(await read(solana, solana.answers(side))).toEqual({ confirmations: 4, unitsLeft: side.terms.timelock - 5n })
  })

  test.each<readonly [string, Partial<SolanaOrder>]>([
    ['initiator', { initiator: sol(7) }],
    ['redeemer', { redeemer: sol(7) }],
    ['amount', { amount: AMOUNT - 1n }],
    ['timelock', { timelock: 1n }],
    ['mint', { mint: sol(7) }],
    ['vault', { vault: sol(7) }],
    ['secretHash', { secretOrHash: new Uint8Array(32) }],
  ])('a lock with another %s is refused by name', async (field, lie) => {
    const side = await sideOf(solana)
    await expect(read(solana, solanaNode(side, lie))).rejects.toMatchObject({ name: 'VerificationError', field: `lock.${field}` })
  })

  test('a settled lock, one of another program and one of other terms are none', async () => {
    const side = await sideOf(solana)
    for (const status of [2, 3]) expect(await read(solana, solanaNode(side, { status }))).toBeNull()
    expect(await read(solana, solanaNode(side, {}, sol(8)))).toBeNull()
    expect(await read(solana, solana.answers(side), { amount: AMOUNT + 1n })).toBeNull()
    const ends = [1, 2, 3].map((status) => settled(solana, solanaNode(side, { status })))
    expect(await Promise.all(ends)).toEqual(['none', 'redeemed', 'refunded'])
    expect(await settled(solana, solanaNode(side, {}, sol(8)))).toBe('unknown')
  })

  test('a node that stands still is not believed', async () => {
    const answers = { ...solana.answers(await sideOf(solana)), getBlockTime: () => NOW - 3_600 }
    await expect(read(solana, answers)).rejects.toMatchObject({ name: 'NodeError', message: expect.stringContaining('has stopped') })
  })
})

const SUI_PACKAGE = wide('7b')
const COIN = `${wide('2a')}::usdc::USDC`

const sui: Case = {
  asset: 'sui_localnet:usdc',
  deployments: { 'sui_localnet:usdc': { htlc: wide('1a'), token: COIN, package: SUI_PACKAGE } },
  user: wide('3a'),
  solver: wide('4a'),
  answers: (side) => suiNode(side, {}),
}

function suiNode(side: SwapSide, lie: Partial<typeof OrderField.$inferInput>, type?: string): Answers {
  const name = hexToBytes(suiSwapId({ registry: wide('1a') as `0x${string}` }, side.terms))
  const contents = OrderField.serialize({
    id: deriveDynamicFieldID(wide('1a'), 'vector<u8>', bcs.byteVector().serialize(name).toBytes()),
    name,
    initiator: wide('4a'),
    redeemer: wide('3a'),
    secretHash: hexToBytes(HASH),
    initiatedAt: BigInt(MADE) * 1000n,
    timelock: side.terms.timelock,
    amount: AMOUNT,
    ...lie,
  }).toBytes()
  const objectType = type ?? `0x2::dynamic_field::Field<vector<u8>, ${SUI_PACKAGE}::htlc::Order<${COIN}>>`
  const { GetObjectResponse, GetTransactionResponse, GetCheckpointResponse } = GrpcTypes
  return {
    GetObject: () =>
      GetObjectResponse.toBinary(
        GetObjectResponse.create({ object: { objectType, contents: { value: contents }, previousTransaction: 'tx' } }),
      ),
    GetTransaction: () => GetTransactionResponse.toBinary(GetTransactionResponse.create({ transaction: { checkpoint: BigInt(TIP - 2) } })),
    GetCheckpoint: () =>
      GetCheckpointResponse.toBinary(
        GetCheckpointResponse.create({
          checkpoint: { sequenceNumber: BigInt(TIP), summary: { timestamp: { seconds: BigInt(NOW), nanos: 0 } } },
        }),
      ),
  }
}

describe('on Sui', () => {
  test('the lock is seen', async () => {
    const side = await sideOf(sui)
    const lock = await read(sui, sui.answers(side))
    expect(lock?.confirmations).toBe(3)
    expect(Number(lock?.unitsLeft)).toBeLessThanOrEqual(Number(side.terms.timelock) - 20_000)
    expect(Number(lock?.unitsLeft)).toBeGreaterThan(Number(side.terms.timelock) - 60_000)
  })

  test.each<readonly [string, Partial<typeof OrderField.$inferInput>]>([
    ['name', { name: new Uint8Array(32) }],
    ['initiator', { initiator: wide('9a') }],
    ['redeemer', { redeemer: wide('9a') }],
    ['secretHash', { secretHash: new Uint8Array(32) }],
    ['timelock', { timelock: 1n }],
    ['amount', { amount: AMOUNT - 1n }],
  ])('a lock with another %s is refused by name', async (field, lie) => {
    const side = await sideOf(sui)
    await expect(read(sui, suiNode(side, lie))).rejects.toMatchObject({ name: 'VerificationError', field: `lock.${field}` })
  })

  test.each([
    ['of another package', `0x2::dynamic_field::Field<vector<u8>, ${wide('8b')}::htlc::Order<${COIN}>>`],
    ['of another coin', `0x2::dynamic_field::Field<vector<u8>, ${SUI_PACKAGE}::htlc::Order<0x2::sui::SUI>>`],
    ['of another kind', `${SUI_PACKAGE}::htlc::Order<${COIN}>`],
  ])('a lock %s is refused by name', async (_, type) => {
    await expect(read(sui, suiNode(await sideOf(sui), {}, type))).rejects.toMatchObject({ field: 'lock.type' })
  })

  test('a settled lock is none, and one in no checkpoint is not confirmed', async () => {
    const side = await sideOf(sui)
    const type = `0x2::dynamic_field::Field<vector<u8>, ${SUI_PACKAGE}::htlc::Settled>`
    expect(await read(sui, suiNode(side, {}, type))).toBeNull()
    // The mark is where an order has its initiator, eight bytes with the lowest first.
    const marked = (mark: string) => settled(sui, suiNode(side, { initiator: `0x${mark}${'00'.repeat(31)}` }, type))
    expect([await marked('01'), await marked('02'), await settled(sui, sui.answers(side))]).toEqual(['redeemed', 'refunded', 'none'])
    // Another package can write any mark.
    const foreign = type.replace(SUI_PACKAGE, wide('9b'))
    expect(await settled(sui, suiNode(side, { initiator: `0x01${'00'.repeat(31)}` }, foreign))).toBe('none')
    const { GetObject: _, ...without } = sui.answers(side)
    expect(await read(sui, without)).toBeNull()
    const { GetTransaction: __, ...unconfirmed } = sui.answers(side)
    expect((await read(sui, unconfirmed))?.confirmations).toBe(0)
  })
})

const xrpl: Case = {
  asset: 'xrpl_localnet:xrp',
  deployments: {},
  user: xrp('1'),
  solver: xrp('2'),
  answers: () => xrplNode({}),
}

const escrowFields = () => ({
  Account: xrp('2'),
  Destination: xrp('1'),
  Amount: String(AMOUNT),
  Condition: conditionOf(HASH),
  CancelAfter: toRippleTime(BigInt(NOW + 100)),
})

function xrplNode(lie: Readonly<Record<string, unknown>>): Answers {
  const escrow = { LedgerEntryType: 'Escrow', ...escrowFields(), PreviousTxnID: TX, ...lie }
  return {
    tx: ([{ transaction }]: readonly [{ transaction: string }]) =>
      transaction === TX ? { validated: true, ledger_index: TIP - 1, tx_json: { Sequence: 7 } } : { error: 'txnNotFound' },
    ledger_entry: ([{ escrow: asked }]: readonly [{ escrow: { owner: string; seq: number } }]) =>
      asked.owner === xrp('2') && asked.seq === 7 ? { validated: true, node: escrow } : { error: 'entryNotFound' },
    ledger: () => ({ ledger_index: TIP, ledger: { close_time: toRippleTime(BigInt(NOW - 2)) } }),
    account_objects: () => ({ account_objects: [escrow] }),
  }
}

describe('on the XRP Ledger', () => {
  test('the lock is seen: by the transaction that the service names, or among the escrows to the user', async () => {
    const side = await sideOf(xrpl)
    for (const answers of [xrplNode({}), { ...xrplNode({}), ledger_entry: () => ({ error: 'entryNotFound' }) }]) {
      const lock = await read(xrpl, answers)
      expect(lock?.confirmations).toBe(2)
      expect(Number(lock?.unitsLeft)).toBeLessThanOrEqual(100)
      expect(Number(lock?.unitsLeft)).toBeGreaterThan(70)
    }
    expect(side.terms.timelock).toBeGreaterThan(100n)
  })

  test.each([
    ['lock.owner', { Account: xrp('3') }],
    ['lock.destination', { Destination: xrp('3') }],
    ['lock.tag', { DestinationTag: 7 }],
    ['lock.amount', { Amount: String(AMOUNT - 1n) }],
    ['lock.condition', { Condition: conditionOf('ce'.repeat(32)) }],
    ['lock', { FinishAfter: 1 }],
    ['lock', { Amount: { currency: 'USD', issuer: xrp('3'), value: '1' } }],
    ['lock', { CancelAfter: undefined }],
  ])('a lock with another %s is refused by name', async (field, lie) => {
    await expect(read(xrpl, xrplNode(lie))).rejects.toMatchObject({ name: 'VerificationError', field })
    // Among the escrows to the user it is not taken for ours.
    const { ledger_entry: _, ...listed } = xrplNode(lie)
    expect(await read(xrpl, { ...listed, ledger_entry: () => ({ error: 'entryNotFound' }) })).toBeNull()
  })

  test('a lock that was paid out, or is in no validated ledger, is none', async () => {
    const none = { account_objects: () => ({ account_objects: [] }) }
    expect(await read(xrpl, { ...xrplNode({}), ...none, ledger_entry: () => ({ error: 'entryNotFound' }) })).toBeNull()
    expect(await read(xrpl, { ...xrplNode({}), ...none, tx: () => ({ validated: false }) })).toBeNull()
    expect(await read(xrpl, { ...xrplNode({}), ...none, ledger_entry: () => ({ node: {} }) })).toBeNull()
  })

  test.each([
    ['EscrowFinish', 'redeemed'],
    ['EscrowCancel', 'refunded'],
  ])('an escrow that is gone was ended by the %s among the transactions of the user: it is %s', async (TransactionType, end) => {
    const ended = (changed: object) => ({
      tx_json: { TransactionType, Owner: xrp('2'), OfferSequence: 7, Fulfillment: 'A0' },
      meta: {
        TransactionResult: 'tesSUCCESS',
        AffectedNodes: [{ DeletedNode: { LedgerEntryType: 'Escrow', FinalFields: { ...escrowFields(), ...changed } } }],
      },
      hash: TX,
      ledger_index: TIP,
      ledger_hash: 'CD'.repeat(32),
      validated: true,
    })
    const gone = { ...xrplNode({}), account_objects: () => ({ account_objects: [] }) }
    const history = (...transactions: readonly object[]) => ({ ...gone, account_tx: () => ({ transactions }) })
    expect(await settled(xrpl, history(ended({})))).toBe(end)
    expect(await settled(xrpl, history(ended({ Amount: String(AMOUNT - 1n) }), ended({ Destination: xrp('3') })))).toBe('unknown')
    expect(await settled(xrpl, { ...xrplNode({}), account_tx: () => ({ transactions: [] }) })).toBe('none')
  })

  test('a node that refuses is not taken for an answer', async () => {
    await expect(read(xrpl, { ...xrplNode({}), tx: () => ({ error: 'slowDown' }) })).rejects.toMatchObject({ name: 'NodeError' })
  })
})

const bitcoin: Case = { asset: 'bitcoin_regtest:btc', deployments: {}, user: '', solver: '', answers: () => ({}) }

describe('on Bitcoin', () => {
  const key = 'f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9'
  const other = 'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5'
  const one = { ...bitcoin, user: key, solver: other }
  let address = ''
  beforeAll(async () => {
    const { terms, chain } = await sideOf(one)
    address = htlcOf(terms, networkOf(chain.reference)).address
  })
  const node = (value: bigint, height: number | null, time = NOW, isReward = false): Answers => ({
    [`/address/${address}/utxo`]: () => [
      { txid: '11'.repeat(32), vout: 0, value: Number(value), status: { confirmed: height !== null, block_height: height } },
    ],
    [`/tx/${'11'.repeat(32)}`]: () => ({ vin: [{ is_coinbase: isReward }] }),
    '/blocks/tip/hash': () => 'hash',
    '/block/hash': () => ({ height: TIP, timestamp: time }),
  })

  test('the lock is seen; one with another term, or worth less, is none', async () => {
    const side = await sideOf(one)
    const deposit = `${'11'.repeat(32)}:0`
    expect(await read(one, node(AMOUNT, TIP - 2))).toEqual({ confirmations: 3, unitsLeft: side.terms.timelock - 3n, deposit })
    expect(await read(one, node(AMOUNT, null))).toEqual({ confirmations: 0, unitsLeft: side.terms.timelock, deposit })
    expect(await read(one, node(AMOUNT - 1n, TIP))).toBeNull()
    for (const changed of [{ secretHash: 'ce'.repeat(32) }, { timelock: 5n }, { redeemer: other, initiator: key }])
      await expect(read(one, node(AMOUNT, TIP), changed)).rejects.toMatchObject({ name: 'NodeError' })
  })

  test('the reward of a block, which nobody can spend for 100 blocks, is none', async () => {
    expect(await read(one, node(AMOUNT, TIP - 20, NOW, true))).toBeNull()
  })

  test('an Esplora that stands still is not believed', async () => {
    await expect(read(one, node(AMOUNT, TIP, NOW - 3_600))).rejects.toMatchObject({ name: 'NodeError' })
  })

  describe('with a key of the service', () => {
    const payout = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
    const secret = '07'.repeat(32)
    const redeemTx = 'ab'.repeat(32)
    async function settledBy(changed: {
      readonly paid?: bigint
      readonly to?: string
      readonly confirmed?: boolean
      readonly witness?: string
    }) {
      const { paid = AMOUNT - 500n, to = payout, confirmed = true, witness = secret } = changed
      const known = await sideOf(one, { secretHash: hashSecret(secret) })
      const record = { ...known.record, redeem_tx_hash: redeemTx, network_fee: '500' }
      const from = { scriptpubkey_address: htlcOf(known.terms, networkOf(known.chain.reference)).address, value: Number(AMOUNT) }
      const transaction = {
        txid: redeemTx,
        vin: [{ txid: '11'.repeat(32), vout: 0, prevout: from, witness: ['00', witness, '51', 'c0'] }],
        vout: [{ value: Number(paid), scriptpubkey_address: to }],
        status: { confirmed },
      }
      const fetch = jsonMethods({ [`/tx/${redeemTx}`]: () => transaction })
      return (await loadFamily('bitcoin')).settledAs?.({ ...known, owner: payout, record }, { url: 'http://node', fetch })
    }

    test('the user is paid when the named transaction is in a block, shows the secret, and pays what was agreed', async () => {
      expect(await settledBy({})).toBe('redeemed')
      expect(await settledBy({ paid: AMOUNT - 501n })).toBe('none')
      expect(await settledBy({ to: 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry' })).toBe('none')
      expect(await settledBy({ confirmed: false })).toBe('none')
      expect(await settledBy({ witness: '08'.repeat(32) })).toBe('none')
    })

    test('a transaction that the node does not have is none', async () => {
      const known = await sideOf(one)
      const fetch = jsonMethods({})
      const record = { ...known.record, redeem_tx_hash: redeemTx }
      expect(await (await loadFamily('bitcoin')).settledAs?.({ ...known, record }, { url: 'http://node', fetch })).toBe('none')
    })
  })
})
