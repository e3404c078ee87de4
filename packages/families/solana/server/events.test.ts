/** These tests read events on the local chain, for every caller of our program and every way in which nodes list transactions. */
import { createHash } from 'node:crypto'
import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compressTransactionMessageUsingAddressLookupTables,
  createKeyPairSignerFromPrivateKeyBytes,
  createNoopSigner,
  createSolanaRpc,
  createTransactionMessage,
  getAddressDecoder,
  getAddressEncoder,
  getBase64EncodedWireTransaction,
  getU64Encoder,
  type Instruction,
  isOffCurveAddress,
  lamports,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { honest } from '@tandem/chain-kit/testing/providers.fixture.ts'
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, type Hex32, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { orderAddress } from '../contract/client/addresses.ts'
import { closeOrder, initiateSol, redeemSol, refundSol } from '../contract/client/instructions.ts'
import { orderTermsOf } from '../terms/htlc.ts'
import { createForwarder, forwarded } from './forwarder.fixture.ts'
import {
  type Behaviour,
  forgedTransaction,
  lyingAbout,
  randomAddress,
  redemption,
  startTestProvider,
  type TestProvider,
} from './nodes/provider.fixture.ts'
import { createSolanaFixture, type SolanaFixture } from './solana.fixture.ts'

const ASSET = 'solana_localnet:sol'
const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111' as Address
const LOOKUP_TABLES = 'AddressLookupTab1e1111111111111111111111111' as Address

let fixture: SolanaFixture
let providers: readonly [TestProvider, TestProvider, TestProvider]
let client: ChainClient
const clients: ChainClient[] = []

beforeAll(async () => {
  fixture = await createSolanaFixture()
  providers = [await startTestProvider(fixture.local), await startTestProvider(fixture.local), await startTestProvider(fixture.local)]
  client = fixture.connect()
})
afterEach(async () => {
  for (const provider of providers) provider.behave(honest)
  await Promise.all(clients.splice(0).map((one) => one.close()))
})
afterAll(async () => {
  await client?.close()
  await Promise.all(providers?.map((provider) => provider.close()) ?? [])
  await fixture?.close()
})

function connect(quorum: number, which: readonly number[] = [0, 1, 2]): ChainClient {
  const rpc = which.map((index) => providers[index as 0 | 1 | 2].url)
  const opened = fixture.connect({ endpoints: { rpc }, quorum })
  clients.push(opened)
  return opened
}

type Swap = { readonly terms: HtlcTerms; readonly secret: Hex32; readonly order: Address; readonly from: bigint }

async function propose(): Promise<Swap> {
  const secret = createSecret()
  const { user, solver, contracts, program } = fixture
  const terms = {
    asset: ASSET,
    initiator: user.address,
    redeemer: solver.address,
    amount: 10_000_000n,
    timelock: 400n,
    secretHash: hashSecret(secret),
  } as const
  const { address: order } = orderAddress(program, orderTermsOf(contracts.of(ASSET), terms))
  return { terms, secret, order, from: (await client.tip()).height + 1n }
}

function initiateOf({ terms }: Swap): Instruction {
  const { user, program, contracts } = fixture
  const { mint: _, ...order } = orderTermsOf(contracts.of(ASSET), terms)
  return initiateSol(program, { ...order, mint: null }, { funder: user.address, rentPayer: user.address, initiateBefore: soon() })
}

let now = 0n
const soon = () => now + 60n

async function funded(): Promise<Swap> {
  now = (await client.tip()).time
  const swap = await propose()
  fixture.send([initiateOf(swap)], fixture.user)
  fixture.local.mine()
  return swap
}

const redeemOf = ({ order, terms, secret }: Swap) =>
  redeemSol(fixture.program, order, terms.redeemer as Address, Uint8Array.from(Buffer.from(secret, 'hex')))

const watch = ({ terms, order }: Swap) => createWatchedSwaps([{ swapId: order, terms, deposits: [] }])

async function eventsOf(swap: Swap, by: ChainClient = client) {
  const tip = await by.tip()
  const events = await by.events(watch(swap), swap.from, tip.height)
  const branch = await by.branchEvents?.(watch(swap), swap.from, tip, [])
  expect(branch?.events).toEqual(events)
  return events
}

const kindsOf = async (swap: Swap, by?: ChainClient) => (await eventsOf(swap, by)).map(({ kind }) => kind)

function mention(amount: bigint): Instruction {
  const { user, program } = fixture
  const transfer = getTransferSolInstruction({ source: createNoopSigner(user.address), destination: user.address, amount })
  return { ...transfer, accounts: [...transfer.accounts, { address: program, role: 0 }] }
}

test('initiated, redeemed in the same block, closed later: in order, and the secret is shown', async () => {
  now = (await client.tip()).time
  const swap = await propose()
  fixture.send([initiateOf(swap), redeemOf(swap)], fixture.user)
  fixture.local.mine()
  const events = await eventsOf(swap)
  expect(events).toMatchObject([
    { kind: 'initiated', amount: swap.terms.amount, expiresAt: (events[0]?.block?.height ?? 0n) + 400n },
    { kind: 'redeemed', secret: swap.secret },
  ])
  expect(new Set(events.map(({ tx, index }) => `${tx} ${index}`)).size).toBe(2)
  fixture.local.passTime(200)
  fixture.send([closeOrder(fixture.program, swap.order, fixture.user.address)], fixture.solver)
  fixture.local.mine()
  expect(await eventsOf(swap)).toEqual(events)
})

test('a refund, and the slot from which on it is possible', async () => {
  const swap = await funded()
  const [initiated] = await eventsOf(swap)
  const expiresAt = (initiated?.block?.height ?? 0n) + swap.terms.timelock
  expect(initiated).toMatchObject({ expiresAt })
  const refund = refundSol(fixture.program, swap.order, fixture.user.address)
  const slotsLeft = Number(expiresAt - (await client.tip()).height)
  fixture.local.skip(slotsLeft - 2)
  fixture.send([refund], fixture.solver)
  fixture.local.mine()
  expect((await client.tip()).height).toBe(expiresAt - 1n)
  expect(await kindsOf(swap)).toEqual(['initiated'])
  fixture.send([refund], fixture.solver)
  fixture.local.mine()
  expect(await kindsOf(swap)).toEqual(['initiated', 'refunded'])
})

describe('a program of somebody else calls ours', () => {
  const forwarder = randomAddress()
  beforeAll(() => {
    const code = randomAddress()
    const put = (address: Address, data: Buffer, executable: boolean) =>
      fixture.local.node.svm.setAccount(address, {
        address,
        data: Uint8Array.from(data),
        executable,
        lamports: lamports(10_000_000_000n),
        programAddress: LOADER,
        space: BigInt(data.length),
      })
    put(code, Buffer.concat([Buffer.from([3, 0, 0, 0]), Buffer.alloc(41), createForwarder()]), false)
    put(forwarder, Buffer.concat([Buffer.from([2, 0, 0, 0]), Buffer.from(getAddressEncoder().encode(code))]), true)
  })

  test('an inner redeem counts', async () => {
    const swap = await funded()
    fixture.send([forwarded(forwarder, redeemOf(swap))], fixture.solver)
    fixture.local.mine()
    expect(await eventsOf(swap)).toMatchObject([{ kind: 'initiated' }, { kind: 'redeemed', secret: swap.secret }])
  })

  test('an inner redeem counts if the program and the order are named by a lookup table only', async () => {
    const swap = await funded()
    const table = randomAddress()
    const addresses = [swap.order, swap.terms.redeemer as Address, fixture.program]
    putTable(table, addresses)
    const signature = await sendWithTable([forwarded(forwarder, redeemOf(swap))], table, addresses)
    fixture.local.mine()
    const events = await eventsOf(swap)
    expect(events).toMatchObject([{ kind: 'initiated' }, { kind: 'redeemed', secret: swap.secret, tx: signature }])
    // With too few addresses, the indices of instructions would refer to other accounts.
    const [first] = providers
    first.behave(changedTransactions((meta) => ({ ...meta, loadedAddresses: { readonly: [], writable: [] } })))
    await expect(eventsOf(swap, connect(1, [0]))).rejects.toThrow('expected the addresses of lookup tables')
  })

  test('a node that records no inner instructions is useless, and the others are read', async () => {
    const swap = await funded()
    fixture.send([forwarded(forwarder, redeemOf(swap))], fixture.solver)
    fixture.local.mine()
    providers[0].behave(changedTransactions((meta) => ({ ...meta, innerInstructions: null })))
    await expect(eventsOf(swap, connect(1, [0]))).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('inner instructions'),
    })
    expect(await kindsOf(swap, connect(2))).toEqual(['initiated', 'redeemed'])
  })

  function putTable(address: Address, addresses: readonly Address[]): void {
    const never = Buffer.from(getU64Encoder().encode(2n ** 64n - 1n))
    const header = Buffer.concat([Buffer.from([1, 0, 0, 0]), never, Buffer.alloc(56 - 12)])
    const data = Uint8Array.from(Buffer.concat([header, ...addresses.map((one) => Buffer.from(getAddressEncoder().encode(one)))]))
    const account = {
      address,
      data,
      executable: false,
      lamports: lamports(10_000_000n),
      programAddress: LOOKUP_TABLES,
      space: BigInt(data.length),
    }
    fixture.local.node.svm.setAccount(address, account)
  }

  async function sendWithTable(instructions: readonly Instruction[], table: Address, addresses: readonly Address[]): Promise<string> {
    const payer = await createKeyPairSignerFromPrivateKeyBytes(Uint8Array.from(createHash('sha256').update('payer').digest()))
    fixture.local.airdrop(payer.address, 1_000_000_000n)
    fixture.local.mine()
    const { hash } = await client.tip()
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => setTransactionMessageFeePayerSigner(payer, empty),
      (unlimited) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: hash as Blockhash, lastValidBlockHeight: 0n }, unlimited),
      (bare) => appendTransactionMessageInstructions(instructions, bare),
      (long) => compressTransactionMessageUsingAddressLookupTables(long, { [table]: [...addresses] }),
    )
    const signed = await partiallySignTransactionMessageWithSigners(message)
    return createSolanaRpc(fixture.local.url)
      .sendTransaction(getBase64EncodedWireTransaction(signed), { encoding: 'base64', skipPreflight: true })
      .send()
  }
})

test('terms have one order: the program refuses an initiation at another bump', async () => {
  now = (await client.tip()).time
  const swap = await propose()
  const genuine = initiateOf(swap)
  const address = otherBump(orderTermsOf(fixture.contracts.of(ASSET), swap.terms))
  expect(address).not.toBe(swap.order)
  const accounts = (genuine.accounts ?? []).map((meta, i) => (i === 0 ? { ...meta, address } : meta))
  fixture.send([{ ...genuine, accounts }], fixture.user)
  fixture.local.mine()
  expect(fixture.local.node.svm.account(address)).toBeNull()
  expect(await kindsOf(swap)).toEqual([])
})

function otherBump({ initiator, redeemer, secretHash, amount, timelock }: ReturnType<typeof orderTermsOf>) {
  const [bytes, number] = [getAddressEncoder(), getU64Encoder()]
  const canonical = orderAddress(fixture.program, { initiator, redeemer, secretHash, amount, timelock, mint: null }).bump
  for (let bump = canonical - 1; bump >= 0; bump -= 1) {
    const seeds = [
      Buffer.from('htlc'),
      bytes.encode(initiator),
      bytes.encode(redeemer),
      secretHash,
      number.encode(amount),
      number.encode(timelock),
    ]
    const hash = createHash('sha256')
    for (const part of [...seeds, Uint8Array.of(bump), bytes.encode(fixture.program), Buffer.from('ProgramDerivedAddress')])
      hash.update(Uint8Array.from(part))
    const address = getAddressDecoder().decode(Uint8Array.from(hash.digest()))
    if (isOffCurveAddress(address)) return address
  }
  throw new Error('there is no other bump')
}

describe('many transactions of strangers', () => {
  function spam(count: number, instructionOf: (index: number) => Instruction): void {
    for (let sent = 0; sent < count; sent += 1) {
      fixture.send([instructionOf(sent)], fixture.user)
      if (sent % 200 === 199) fixture.local.mine()
    }
  }

  test('failed ones between two polls hide nothing, and are not read', async () => {
    const swap = await funded()
    const by = connect(1, [0])
    const first = await by.tip()
    expect((await by.branchEvents?.(watch(swap), swap.from, first, []))?.events).toHaveLength(1)
    const wrong = (index: number) => redeemSol(fixture.program, swap.order, fixture.solver.address, Buffer.from(`${index}`.padStart(32)))
    spam(500, wrong)
    fixture.send([redeemOf(swap)], fixture.solver)
    fixture.local.mine()
    spam(600, wrong)
    fixture.local.mine()
    const [provider] = providers
    provider.asked.length = 0
    const events = (await by.branchEvents?.(watch(swap), first.height + 1n, await by.tip(), []))?.events
    expect(events?.map(({ kind }) => kind)).toEqual(['initiated', 'redeemed'])
    const count = (method: string) => provider.asked.filter((one) => one === method).length
    expect(count('getTransaction')).toBe(1)
    // The reads are one page of the program, then the list of the order, which the failed transactions name too.
    expect(count('getSignaturesForAddress')).toBeLessThanOrEqual(4)
  })

  test('catching up: more successful ones than a page has', async () => {
    const swap = await funded()
    spam(120, (index) => mention(BigInt(index)))
    fixture.send([redeemOf(swap)], fixture.solver)
    fixture.local.mine()
    expect(await kindsOf(swap, connect(2))).toEqual(['initiated', 'redeemed'])
  })
})

describe('one provider of three', () => {
  const tip = () => client.tip()

  async function expectIgnored(
    swap: Swap,
    behaviour: Behaviour,
    alone: RegExp | readonly string[],
    truth: readonly string[],
  ): Promise<void> {
    for (const liar of [0, 1, 2] as const) {
      providers[liar].behave(behaviour)
      const lied = connect(1, [liar]).events(watch(swap), swap.from, (await tip()).height)
      if (alone instanceof RegExp) await expect(lied).rejects.toMatchObject({ kind: 'unreachable', message: expect.stringMatching(alone) })
      else expect((await lied).map(({ kind }) => kind)).toEqual(alone)
      expect(await kindsOf(swap, connect(2))).toEqual(truth)
      providers[liar].behave(honest)
    }
  }

  test('invents a redeem with a wrong secret', async () => {
    const swap = await funded()
    const forged = redemption(fixture.contracts.of(ASSET), swap.terms, createSecret())
    await expectIgnored(swap, forgedTransaction(forged, (await tip()).height), /contradicts the order/, ['initiated'])
  })

  test('claims another slot for a transaction', async () => {
    const swap = await funded()
    const moved = lyingAbout({
      getTransaction: (_, truth) => truth && { ...(truth as object), slot: (truth as { slot: number }).slot - 1 },
    })
    await expectIgnored(swap, moved, /contradicts the order/, ['initiated'])
  })

  test('claims another slot for it everywhere', async () => {
    fixture.local.mine()
    const swap = await funded()
    const down = (entry: unknown) => ({ ...(entry as object), slot: (entry as { slot: number }).slot - 1 })
    const moved = lyingAbout({
      getTransaction: (_, truth) => truth && down(truth),
      getSignaturesForAddress: (_, truth) => (truth as unknown[]).map(down),
    })
    await expectIgnored(swap, moved, [], ['initiated'])
  })

  test('calls a transaction failed', async () => {
    const swap = await funded()
    const failed = lyingAbout({
      getSignaturesForAddress: (_, truth) =>
        (truth as object[]).map((entry) => ({ ...entry, err: { InstructionError: [0, { Custom: 6000 }] } })),
    })
    await expectIgnored(swap, failed, [], ['initiated'])
  })

  test('lists a transaction and does not have it', async () => {
    const swap = await funded()
    await expectIgnored(swap, lyingAbout({ getTransaction: () => null }), /does not have it/, ['initiated'])
  })

  test('shows another transaction in its place', async () => {
    const swap = await funded()
    const other = await funded()
    const [{ tx } = { tx: '' }] = await eventsOf(other)
    const swapped = lyingAbout({ getTransaction: ([, options], _, ask) => ask('getTransaction', [tx, options]) })
    await expectIgnored(swap, swapped, /malformed: expected transaction/, ['initiated'])
  })

  test('has pruned its history', async () => {
    const swap = await funded()
    const first = Number(swap.from) + 1
    fixture.local.mine(3)
    const pruned = lyingAbout({
      getFirstAvailableBlock: () => first,
      getSignaturesForAddress: (_, truth) => (truth as { slot: number }[]).filter(({ slot }) => slot >= first),
    })
    await expectIgnored(swap, pruned, /pruned its history below slot/, ['initiated'])
  })

  test('is on another branch', async () => {
    const swap = await funded()
    const { hash, height }: Block = await tip()
    const fork = lyingAbout({
      getBlock: ([slot], truth) => (slot === Number(height) ? { ...(truth as object), blockhash: randomAddress() } : truth),
      getSignaturesForAddress: () => [],
    })
    for (const liar of [0, 1, 2] as const) {
      providers[liar].behave(fork)
      const by = connect(2)
      expect((await by.tip()).hash).toBe(hash)
      expect(await kindsOf(swap, by)).toEqual(['initiated'])
      providers[liar].behave(honest)
    }
  })
})

function changedTransactions(change: (meta: object) => object): Behaviour {
  return lyingAbout({
    getTransaction: (_, truth) => truth && { ...(truth as object), meta: change((truth as { meta: object }).meta) },
  })
}
