/** These tests relay what users sign, on a real SVM. The relay signs only what it issued, whatever a hostile user sends. */
import { randomUUID } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import {
  AccountRole,
  type Address,
  type Blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  decompileTransactionMessage,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
  type SignatureBytes,
  type Transaction,
} from '@solana/kit'
import { VersionedTransaction } from '@solana/web3.js'
import { getAdvanceNonceAccountInstruction, getTransferSolInstruction } from '@solana-program/system'
import { AccountState } from '@solana-program/token'
import type { Gasless } from '@tandem/chain-kit/port/abilities/gasless.ts'
import { rawSignerOf } from '@tandem/keys/keys.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fundingOf } from '../terms/funding.ts'
import { buildTransaction, parseMessage, wireOf } from '../terms/send/transaction.ts'
import { readHtlcState, readOrder } from './contract-state.ts'
import { createExecutor, type SolanaExecutor } from './execute.ts'
import { createGasless } from './gasless.ts'
import { startLocalFixture, type TestParty, type TestSwap } from './local-chain.fixture.ts'

const fixture = opened(startLocalFixture)
let executor: SolanaExecutor
let gasless: Gasless
beforeAll(async () => {
  executor = createExecutor(fixture.node)
  gasless = createGasless(fixture.node, fixture.contracts, executor, fixture.relay.address)
})

const proposed = (over: Partial<HtlcTerms> = {}): Promise<TestSwap> =>
  fixture.swap(fixture.token, { initiator: fixture.user.address, redeemer: fixture.solver.address, ...over })

async function issued({ terms, deadline }: TestSwap): Promise<string> {
  const request = { terms, deadline, payer: null, approval: 'exact' } as const
  const funding = await fundingOf(fixture.node, fixture.contracts.of(terms.asset), fixture.relay.address, request)
  if (funding.kind !== 'versionedTransaction' || funding.gasless === null) throw new Error('no gasless transaction')
  return funding.gasless
}

const decode = (base64: string): Transaction => getTransactionDecoder().decode(getBase64Encoder().encode(base64))
/** A wallet signs whatever it is given. */
const signed = (transaction: Transaction, by: TestParty = fixture.user): string => {
  const signature = rawSignerOf(by.key).signMessage(Uint8Array.from(transaction.messageBytes)) as SignatureBytes
  return wireOf({ ...transaction, signatures: { ...transaction.signatures, [by.address]: signature } })
}
const signedFor = async (swap: TestSwap) => signed(decode(await issued(swap)))
const verify = ({ terms, deadline }: TestSwap, signature: string) => gasless.verify(terms, signature, deadline)
const relayed = ({ terms, deadline }: TestSwap, signature: string, key: string = randomUUID()) =>
  gasless.initiate(terms, signature, fixture.relay.outbox.open(key), deadline)
const stateOf = ({ terms }: TestSwap) => readHtlcState(fixture.node, fixture.token, terms)

async function altered(
  swap: TestSwap,
  change: {
    readonly instructions?: (issued: readonly Instruction[]) => readonly Instruction[]
    readonly feePayer?: Address
    readonly unitPrice?: bigint
    readonly unitLimit?: number
    readonly blockhash?: Blockhash
  },
  by: TestParty = fixture.user,
): Promise<string> {
  const { instructions, budget, blockhash } = parseMessage(decode(await issued(swap)).messageBytes)
  const { instructions: alter = (same: readonly Instruction[]) => same, ...frame } = change
  return signed(buildTransaction(alter(instructions), { feePayer: fixture.relay.address, blockhash, ...budget, ...frame }), by)
}

describe('what a user signs', () => {
  it('is read and signed by @solana/web3.js as wallets do, and relayed as it is', async () => {
    const swap = await proposed()
    const transaction = VersionedTransaction.deserialize(Buffer.from(await issued(swap), 'base64'))
    const signature = rawSignerOf(fixture.user.key).signMessage(transaction.message.serialize())
    transaction.signatures[1] = signature
    const text = Buffer.from(transaction.serialize()).toString('base64')
    const before = [await fixture.node.balance(fixture.user.address), await fixture.tokensOf(fixture.user.address)]
    await verify(swap, text)
    await relayed(swap, text)
    fixture.mine()
    expect(await readOrder(fixture.node, fixture.token, swap.terms)).toMatchObject({
      status: 'open',
      initiateBefore: swap.deadline,
      rentPayer: fixture.relay.address,
    })
    const after = [await fixture.node.balance(fixture.user.address), await fixture.tokensOf(fixture.user.address)]
    expect(before.map((one, index) => one - (after[index] ?? 0n))).toEqual([0n, swap.terms.amount])
    await verify(swap, text)
  })

  it('may also be paid by the user, or by the payer of the order', async () => {
    for (const payer of [null, fixture.solver]) {
      for (const contract of [fixture.sol, fixture.token]) {
        const { terms, deadline } = await fixture.swap(contract, { initiator: fixture.user.address, redeemer: fixture.relay.address })
        const request = { terms, deadline, payer: payer?.address ?? null, approval: 'exact' } as const
        const funding = await fundingOf(fixture.node, contract, fixture.relay.address, request)
        if (funding.kind !== 'versionedTransaction') throw new Error(funding.kind)
        expect(funding.gasless === null).toBe(contract === fixture.sol)
        const who = payer ?? fixture.user
        expect(await fixture.node.broadcast(signed(decode(funding.transaction), who) as never)).toEqual({ kind: 'accepted' })
        fixture.mine()
        expect(await readOrder(fixture.node, contract, terms)).toMatchObject({
          status: 'open',
          rentPayer: who.address,
          initiator: fixture.user.address,
          initiateBefore: deadline,
        })
      }
    }
  })

  it('has no gasless form without a relay', async () => {
    const { terms, deadline } = await proposed()
    const request = { terms, deadline, payer: null, approval: 'exact' } as const
    expect(await fundingOf(fixture.node, fixture.token, null, request)).toMatchObject({ gasless: null })
    expect(createGasless(fixture.node, fixture.contracts, executor, null).supports(terms.asset)).toBe(false)
    expect([gasless.supports(fixture.sol.asset), gasless.supports(fixture.token.asset)]).toEqual([false, true])
  })
})

describe('bad input is refused by name before a lamport is spent', () => {
  let before: bigint
  beforeEach(async () => {
    before = await fixture.node.balance(fixture.relay.address)
  })

  async function expectRefused(swap: TestSwap, signature: string, code: string, message: RegExp): Promise<void> {
    await expect(verify(swap, signature)).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
    const key = randomUUID()
    await expect(relayed(swap, signature, key)).rejects.toMatchObject({ kind: 'would-fail' })
    expect(fixture.relay.outbox.attempts(key)).toEqual([])
    fixture.mine()
    expect(await fixture.node.balance(fixture.relay.address)).toBe(before)
  }

  const drain = (): Instruction => {
    const source = { address: fixture.relay.address } as never
    const transfer = getTransferSolInstruction({ source, destination: fixture.user.address, amount: 1_000_000n })
    return { ...transfer, accounts: transfer.accounts.map(({ address, role }) => ({ address, role })) }
  }

  it.each([
    ['not base64', 'nonsense!', /not base64/],
    ['base64url', `${'-_'.repeat(100)}`, /not base64/],
    ['no transaction', Buffer.from('hello').toString('base64'), /not a transaction|malformed/],
    ['too long', 'AAAA'.repeat(500), /longer than 1232 bytes/],
  ])('%s', async (_, text, message) => {
    await expectRefused(await proposed(), text, 'invalid_signature', message)
  })

  it('bytes after its end', async () => {
    const swap = await proposed()
    const text = Buffer.concat([Buffer.from(await signedFor(swap), 'base64'), Buffer.from([0])]).toString('base64')
    await expectRefused(swap, text, 'invalid_signature', /bytes follow|malformed|not a transaction|not the versioned/)
  })

  it('a transaction of another order', async () => {
    const swap = await proposed()
    await expectRefused(swap, await signedFor(await proposed()), 'invalid_signature', /not the versioned_tx_gasless of this order/)
  })

  it('the same order with another deadline', async () => {
    const swap = await proposed()
    const later = { ...swap, deadline: swap.deadline + 1n }
    await expectRefused(swap, await signedFor(later), 'invalid_signature', /not the versioned_tx_gasless of this order/)
  })

  it('a further instruction', async () => {
    const swap = await proposed()
    const text = await altered(swap, { instructions: (same) => [...same, drain()] })
    await expectRefused(swap, text, 'invalid_signature', /it calls .*11111111111111111111111111111111, expected/)
  })

  it('a missing instruction', async () => {
    const swap = await proposed()
    const { blockhash } = parseMessage(decode(await issued(swap)).messageBytes)
    const frame = { feePayer: fixture.relay.address, blockhash, unitLimit: 1, unitPrice: 0n }
    const text = wireOf(buildTransaction([], frame))
    await expectRefused(swap, text, 'invalid_signature', /it calls nothing, expected/)
  })

  it('an instruction that pays the rent to the user', async () => {
    const swap = await proposed()
    const text = await altered(swap, {
      instructions: ([first]) => {
        if (first?.accounts === undefined) throw new Error('no instruction')
        const accounts = first.accounts.map((meta, index) =>
          index === 3 ? { address: fixture.user.address, role: AccountRole.WRITABLE_SIGNER } : meta,
        )
        return [{ ...first, accounts }]
      },
    })
    await expectRefused(swap, text, 'invalid_signature', /not the versioned_tx_gasless of this order/)
  })

  it('another fee payer', async () => {
    const swap = await proposed()
    const text = await altered(swap, { feePayer: fixture.user.address })
    await expectRefused(swap, text, 'invalid_signature', /its fee payer is .*, expected/)
  })

  it('a signature by somebody else, over something else, or none', async () => {
    const swap = await proposed()
    const issuedOne = decode(await issued(swap))
    const { user, relay, stranger } = fixture
    const withSignature = (address: Address, signature: Uint8Array | null) =>
      wireOf({ ...issuedOne, signatures: { ...issuedOne.signatures, [address]: signature as SignatureBytes | null } })
    const byStranger = rawSignerOf(stranger.key).signMessage(Uint8Array.from(issuedOne.messageBytes))
    const overOther = rawSignerOf(user.key).signMessage(new Uint8Array(10))
    for (const wrong of [byStranger, overOther])
      await expectRefused(swap, withSignature(user.address, wrong), 'invalid_signature', /its signature is not by/)
    await expectRefused(swap, withSignature(user.address, null), 'invalid_signature', /is missing/)
    const both = decode(signed(issuedOne))
    const filled = wireOf({ ...both, signatures: { ...both.signatures, [relay.address]: byStranger as SignatureBytes } })
    await expectRefused(swap, filled, 'invalid_signature', /fee payer .* must be left empty/)
  })

  it('a higher price than we pay, or more units', async () => {
    const swap = await proposed()
    await expectRefused(swap, await altered(swap, { unitPrice: 10_000_000n }), 'invalid_signature', /priority fee is above/)
    await expectRefused(swap, await altered(swap, { unitLimit: 1_400_000 }), 'invalid_signature', /not the versioned_tx_gasless/)
  })

  it('a durable nonce', async () => {
    const swap = await proposed()
    const advance = getAdvanceNonceAccountInstruction({
      nonceAccount: fixture.newAddress(),
      nonceAuthority: { address: fixture.user.address } as never,
    })
    const plain = { ...advance, accounts: advance.accounts.map(({ address, role }) => ({ address, role })) }
    const text = await altered(swap, { instructions: (same) => [plain, ...same] })
    await expectRefused(swap, text, 'invalid_signature', /it calls|malformed/)
  })

  it('an address lookup table', async () => {
    const swap = await proposed()
    const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(decode(await issued(swap)).messageBytes))
    if (message.version !== 0) throw new Error('expected version 0')
    const tables = { [fixture.newAddress()]: [fixture.mint] }
    const text = signed(compileTransaction(compressTransactionMessageUsingAddressLookupTables(message, tables)))
    await expectRefused(swap, text, 'invalid_signature', /lookup tables/)
  })

  it('an amount above 64 bits', async () => {
    const swap = await proposed()
    const large = { ...swap, terms: { ...swap.terms, amount: 2n ** 64n } }
    await expectRefused(large, await signedFor(swap), 'amount_out_of_range', /64 bits/)
  })

  it('a frozen, missing, given away or too poor token account', async () => {
    const { user, stranger } = fixture
    const swap = await proposed()
    const text = await signedFor(swap)
    await fixture.putTokens(user.address, 10n ** 9n, AccountState.Frozen)
    await expectRefused(swap, text, 'bad_request', /is frozen/)
    await fixture.putTokens(user.address, 10n ** 9n, AccountState.Initialized, stranger.address)
    await expectRefused(swap, text, 'bad_request', /belongs to/)
    const tokens = await fixture.putTokens(user.address, swap.terms.amount - 1n)
    await expectRefused(swap, text, 'bad_request', /holds 4999999 of .* needs 5000000/)
    expect(await gasless.spendable?.(swap.terms)).toBe(4_999_999n)
    fixture.chain.node.svm.setAccount(tokens, null)
    await expectRefused(swap, text, 'bad_request', /holds 0 of .* needs 5000000/)
    await fixture.putTokens(user.address)
    await verify(swap, text)
  })

  it('an expired blockhash, with the way to a fresh one', async () => {
    const swap = await proposed()
    const text = await signedFor(swap)
    fixture.passLifetime()
    await expectRefused(swap, text, 'bad_request', /has expired: GET \/orders\/\{order_id\}\/funding/)
    const fresh = await signedFor(swap)
    await verify(swap, fresh)
    await relayed(swap, fresh)
    fixture.mine()
    expect(await stateOf(swap)).toBe('open')
  })

  it('a blockhash that never was', async () => {
    const swap = await proposed()
    const text = await altered(swap, { blockhash: fixture.newAddress() as string as Blockhash })
    await expectRefused(swap, text, 'bad_request', /has expired/)
  })

  it('everything that is changed by one bit', async () => {
    const swap = await proposed()
    const bytes = Buffer.from(await signedFor(swap), 'base64')
    const accepted: number[] = []
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes)
      changed[index] = (changed[index] ?? 0) ^ (1 << (index % 8))
      await verify(swap, changed.toString('base64')).then(
        () => accepted.push(index),
        (error: unknown) => expect(error).toMatchObject({ code: expect.stringMatching(/^(invalid_signature|bad_request)$/) }),
      )
    }
    expect(accepted).toEqual([])
  })
})

describe('a hostile user', () => {
  it('that empties its account after the check costs us one fee, and after three of them nothing more', async () => {
    const { relay, user } = fixture
    const spent: bigint[] = []
    for (let times = 0; times < 4; times += 1) {
      const swap = await proposed()
      const [text, key] = [await signedFor(swap), randomUUID()]
      const before = await fixture.node.balance(relay.address)
      const open = () => ({ ...relay.outbox.open(key), revertedRelays: relay.outbox.reverted.size })
      const send = () => gasless.initiate(swap.terms, text, open(), swap.deadline)
      if (times === 3)
        await expect(send()).rejects.toMatchObject({ kind: 'would-fail', refusal: expect.stringContaining('no more are paid for') })
      else {
        const tx = await send()
        await fixture.putTokens(user.address, 0n)
        fixture.mine()
        expect(await gasless.hasReverted?.(tx)).toBe(true)
        await expect(send()).rejects.toMatchObject({ kind: 'would-fail', revertedTx: tx })
      }
      spent.push(before - (await fixture.node.balance(relay.address)))
      await fixture.putTokens(user.address)
    }
    expect(spent.map((lamports) => lamports <= 30_000n)).toEqual([true, true, true, true])
    expect(spent[3]).toBe(0n)
  })

  it('that sends the same transaction again pays once', async () => {
    const swap = await proposed()
    const [text, key] = [await signedFor(swap), randomUUID()]
    const before = await fixture.tokensOf(fixture.user.address)
    const tx = await relayed(swap, text, key)
    expect(await relayed(swap, text, key)).toBe(tx)
    fixture.mine()
    expect(await relayed(swap, text, key)).toBe(tx)
    await expect(relayed(swap, text)).rejects.toMatchObject({ kind: 'superseded' })
    expect(before - (await fixture.tokensOf(fixture.user.address))).toBe(swap.terms.amount)
  })

  it('gets nothing of the rent that we paid', async () => {
    const swap = await proposed({ timelock: 5n })
    await relayed(swap, await signedFor(swap))
    fixture.mine(6)
    const before = await fixture.node.balance(fixture.user.address)
    await executor.refund(fixture.token, swap.terms, fixture.relay.outbox.open(randomUUID()))
    fixture.mine()
    expect(await stateOf(swap)).toBe('refunded')
    expect(await fixture.node.balance(fixture.user.address)).toBe(before)
  })
})

describe('a relay', () => {
  it('that expires unmined is signed again only by the user, and the old one is reported as expired', async () => {
    const swap = await proposed()
    const [text, key] = [await signedFor(swap), randomUUID()]
    fixture.chain.faults.drop(1)
    const tx = await relayed(swap, text, key)
    fixture.passLifetime()
    await expect(relayed(swap, text, key)).rejects.toMatchObject({
      kind: 'would-fail',
      expiredTx: tx,
      refusal: expect.stringContaining('GET /orders/{order_id}/funding'),
    })
    expect(fixture.relay.outbox.attempts(key)).toHaveLength(1)
    const second = await relayed(swap, await signedFor(swap), key)
    expect(second).not.toBe(tx)
    fixture.mine()
    expect(await stateOf(swap)).toBe('open')
  })

  it('that has expired is not recorded again, even if a node says that it would succeed', async () => {
    const swap = await proposed()
    const [text, key] = [await signedFor(swap), randomUUID()]
    fixture.chain.faults.drop(1)
    await relayed(swap, text, key)
    fixture.passLifetime()
    const simulate = async () => ({ error: null, logs: [], unitsConsumed: 9_000n })
    const fooled = createExecutor({ ...fixture.node, simulate })
    const again = createGasless(fixture.node, fixture.contracts, fooled, fixture.relay.address)
    const outbox = fixture.relay.outbox.open(key)
    await expect(again.initiate(swap.terms, text, outbox, swap.deadline)).rejects.toMatchObject({ kind: 'would-fail' })
    expect(fixture.relay.outbox.attempts(key)).toHaveLength(1)
  })

  it('is not sent while an older one of the same order can still be mined', async () => {
    const swap = await proposed()
    const [first, key] = [await signedFor(swap), randomUUID()]
    const tx = await relayed(swap, first, key)
    const second = await altered(swap, { unitPrice: 7n })
    expect(await relayed(swap, second, key)).toBe(tx)
    expect(fixture.relay.outbox.attempts(key)).toHaveLength(1)
    fixture.mine()
  })

  it('without lamports says what it lacks, and does not blame the user', async () => {
    const swap = await proposed()
    const text = await signedFor(swap)
    const before = await fixture.node.balance(fixture.relay.address)
    fixture.setLamports(fixture.relay.address, 2_000_000n)
    const short = { name: 'ChainFailure', kind: 'would-fail', message: expect.stringMatching(/holds 2000000 lamports; it needs 54\d{5}/) }
    await expect(verify(swap, text)).rejects.toMatchObject(short)
    await expect(relayed(swap, text)).rejects.toMatchObject(short)
    fixture.setLamports(fixture.relay.address, before)
  })

  it('is only ever by the key that the user was given', async () => {
    const swap = await proposed()
    const text = await signedFor(swap)
    await expect(gasless.initiate(swap.terms, text, fixture.solver.outbox.open('x'), swap.deadline)).rejects.toThrow(/does not relay/)
  })

  it('signs the bytes that it issued', async () => {
    const swap = await proposed()
    const [text, key] = [await signedFor(swap), randomUUID()]
    await relayed(swap, text, key)
    const [attempt] = fixture.relay.outbox.attempts(key)
    const sent = getTransactionDecoder().decode(Buffer.from(attempt?.raw ?? '', 'hex'))
    expect(Buffer.from(sent.messageBytes)).toEqual(Buffer.from(decode(text).messageBytes))
    const [first] = Object.values(sent.signatures)
    expect(ed25519.verify(Uint8Array.from(first ?? []), Uint8Array.from(sent.messageBytes), fixture.relay.key.publicKey)).toBe(true)
    fixture.mine()
  })
})
