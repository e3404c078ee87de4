// These tests check transactions over JSON-RPC: preflight, simulation, status and history, with the errors of a node.
import { type Address, getBase58Decoder } from '@solana/kit'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { describe, expect, it } from 'vitest'
import { createLocalSender } from '../local-sender.ts'
import { signTransaction } from '../local-signer.ts'
import { createMint, mintTokens } from '../local-tokens.ts'
import { base64, newSigner, openSolanaFixture, SOL } from '../solana.fixture.ts'
import { readTransaction, type WireTransaction } from '../wire-transaction.ts'

const fixture = openedForEach(() => openSolanaFixture())

const processed = { commitment: 'processed' }
const someone = newSigner().address
const transferOf = (amount: bigint, to: Address = someone) => fixture.sign([fixture.transfer(to, amount)])
const sendFailure = (wire: WireTransaction, config = {}) =>
  fixture.failure('sendTransaction', base64(wire), { encoding: 'base64', preflightCommitment: 'processed', ...config })
const balance = async (address: Address, commitment = 'processed') =>
  ((await fixture.call('getBalance', address, { commitment })) as { value: number }).value

function withSignature(wire: WireTransaction, index: number, signature: Uint8Array): WireTransaction {
  const bytes = Uint8Array.from(wire.bytes)
  bytes.set(signature, 1 + 64 * index)
  return readTransaction(bytes)
}

describe('sendTransaction', () => {
  it('returns the signature at once; the transaction waits for a block', async () => {
    const wire = transferOf(SOL)
    expect(await fixture.send(wire)).toBe(wire.signature)
    expect(await balance(someone)).toBe(0)
    fixture.chain.mine()
    expect(await balance(someone)).toBe(Number(SOL))
  })

  it('takes base58 as well', async () => {
    const wire = transferOf(SOL, newSigner().address)
    const text = getBase58Decoder().decode(wire.bytes)
    expect(await fixture.call('sendTransaction', text, { preflightCommitment: 'processed' })).toBe(wire.signature)
  })

  it('refuses one that would fail, with its logs, and spends nothing', async () => {
    const before = await balance(fixture.payer.address)
    expect(await sendFailure(transferOf(1_000n * SOL))).toEqual({
      code: -32_002,
      message: 'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
      data: {
        accounts: null,
        err: { InstructionError: [0, { Custom: 1 }] },
        innerInstructions: null,
        loadedAccountsDataSize: null,
        logs: expect.arrayContaining([expect.stringContaining('insufficient lamports')]),
        replacementBlockhash: null,
        returnData: null,
        unitsConsumed: 150,
      },
    })
    fixture.chain.mine()
    expect(await balance(fixture.payer.address)).toBe(before)
  })

  it('takes one that fails without preflight, and charges its fee', async () => {
    const before = await balance(fixture.payer.address)
    const signature = await fixture.send(transferOf(1_000n * SOL), { skipPreflight: true })
    fixture.chain.mine(2)
    expect(await balance(fixture.payer.address)).toBe(before - 5_000)
    expect(await fixture.call('getTransaction', signature, { commitment: 'confirmed', maxSupportedTransactionVersion: 0 })).toMatchObject({
      meta: { err: { InstructionError: [0, { Custom: 1 }] }, status: { Err: { InstructionError: [0, { Custom: 1 }] } }, fee: 5_000 },
    })
    expect(await fixture.call('getSignaturesForAddress', someone, { commitment: 'confirmed' })).toMatchObject([
      { signature, err: { InstructionError: [0, { Custom: 1 }] } },
    ])
  })

  it('runs the preflight in the state of its commitment', async () => {
    const rich = newSigner()
    await fixture.send(transferOf(SOL, rich.address))
    fixture.chain.mine()
    const { blockhash } = fixture.chain.node.ledger.tip('finalized')
    const wire = fixture.sign([fixture.transfer(someone, 1_000_000n, rich)], [rich], blockhash)
    expect(await sendFailure(wire, { preflightCommitment: 'confirmed' })).toMatchObject({
      code: -32_002,
      data: { err: { InstructionError: [0, { Custom: 1 }] } },
    })
    expect(await fixture.send(wire, { preflightCommitment: 'processed' })).toBe(wire.signature)
    const newest = transferOf(SOL)
    expect(await sendFailure(newest, { preflightCommitment: undefined })).toMatchObject({ data: { err: 'BlockhashNotFound' } })
  })

  it('refuses an unknown or expired blockhash, and a payer without an account', async () => {
    const wire = transferOf(SOL)
    fixture.chain.mine(151)
    expect(await sendFailure(wire)).toMatchObject({
      code: -32_002,
      message: 'Transaction simulation failed: Blockhash not found',
      data: { err: 'BlockhashNotFound', logs: [] },
    })
    expect(await fixture.send(wire, { skipPreflight: true })).toBe(wire.signature)
    fixture.chain.mine()
    expect(await fixture.call('getSignatureStatuses', [wire.signature])).toMatchObject({ value: [null] })
    const unknown = fixture.sign([fixture.transfer(someone, SOL)], [], someone)
    expect(await sendFailure(unknown)).toMatchObject({ data: { err: 'BlockhashNotFound' } })
    const [stranger, { blockhash }] = [newSigner(), fixture.chain.node.ledger.tip('processed')]
    const poor = signTransaction([fixture.transfer(someone, 1n, stranger)], [stranger], { blockhash, lastValidBlockHeight: 0 })
    expect(await sendFailure(poor)).toMatchObject({ code: -32_002, data: { err: 'AccountNotFound' } })
    expect(await fixture.send(poor, { skipPreflight: true })).toBe(poor.signature)
    fixture.chain.mine()
    expect(await fixture.call('getSignatureStatuses', [poor.signature])).toMatchObject({ value: [null] })
  })

  it('executes a transaction once', async () => {
    const wire = transferOf(SOL)
    await fixture.send(wire)
    await fixture.send(wire)
    fixture.chain.mine()
    expect(await sendFailure(wire)).toMatchObject({
      code: -32_002,
      message: 'Transaction simulation failed: This transaction has already been processed',
      data: { err: 'AlreadyProcessed' },
    })
    expect(await fixture.send(wire, { skipPreflight: true })).toBe(wire.signature)
    fixture.chain.mine()
    expect(await balance(someone)).toBe(Number(SOL))
  })

  it('refuses wrong and absent signatures', async () => {
    const other = newSigner()
    await fixture.send(transferOf(SOL, other.address))
    fixture.chain.mine()
    const wire = fixture.sign([fixture.transfer(someone, 1_000_000n, other)], [other])
    expect(await sendFailure(withSignature(wire, 1, new Uint8Array(64)))).toEqual({
      code: -32_003,
      message: 'Transaction signature verification failure',
    })
    const forged = withSignature(wire, 0, other.sign(Uint8Array.from(wire.transaction.messageBytes)))
    expect((await sendFailure(forged)).code).toBe(-32_003)
    await fixture.send(forged, { skipPreflight: true })
    fixture.chain.mine()
    expect(await balance(someone)).toBe(0)
  })

  it.each([
    ['nothing', []],
    ['a number', [7]],
    ['no base64', ['%%%', { encoding: 'base64' }]],
    ['no base58', ['0OIl']],
    ['no transaction', ['AQID', { encoding: 'base64' }]],
    ['an unknown encoding', ['AQID', { encoding: 'hex' }]],
    ['too many bytes', [Buffer.alloc(1_233).toString('base64'), { encoding: 'base64' }]],
  ])('refuses %s', async (_, params) => {
    expect((await fixture.failure('sendTransaction', ...params)).code).toBe(-32_602)
  })

  it('refuses bytes after the transaction', async () => {
    const text = Buffer.concat([transferOf(SOL).bytes, Buffer.alloc(1)]).toString('base64')
    expect((await fixture.failure('sendTransaction', text, { encoding: 'base64' })).code).toBe(-32_602)
  })
})

describe('simulateTransaction', () => {
  const simulate = async (wire: WireTransaction, config = {}) =>
    ((await fixture.call('simulateTransaction', base64(wire), { encoding: 'base64', ...processed, ...config })) as { value: unknown }).value

  it('shows what would be, and changes nothing', async () => {
    const value = await simulate(transferOf(SOL), { accounts: { addresses: [someone, fixture.payer.address], encoding: 'base64' } })
    expect(value).toMatchObject({
      err: null,
      unitsConsumed: 150,
      accounts: [{ lamports: Number(SOL) }, { lamports: Number(99n * SOL) - 5_000 }],
    })
    expect(await balance(someone)).toBe(0)
    expect(await simulate(transferOf(1_000n * SOL), { accounts: { addresses: [someone] } })).toMatchObject({
      err: { InstructionError: [0, { Custom: 1 }] },
      accounts: [null],
    })
  })

  it('needs neither signatures nor a valid blockhash, if the options say so', async () => {
    const unsigned = withSignature(transferOf(SOL), 0, new Uint8Array(64))
    expect(await simulate(unsigned)).toMatchObject({ err: null, replacementBlockhash: null })
    expect(
      (await fixture.failure('simulateTransaction', base64(unsigned), { encoding: 'base64', ...processed, sigVerify: true })).code,
    ).toBe(-32_003)
    const expired = transferOf(SOL)
    fixture.chain.mine(151)
    expect(await simulate(expired)).toMatchObject({ err: 'BlockhashNotFound' })
    const { blockhash } = fixture.chain.node.ledger.tip('processed')
    expect(await simulate(expired, { replaceRecentBlockhash: true })).toMatchObject({ err: null, replacementBlockhash: { blockhash } })
    const both = { encoding: 'base64', sigVerify: true, replaceRecentBlockhash: true }
    expect((await fixture.failure('simulateTransaction', base64(expired), both)).code).toBe(-32_602)
  })

  it('shows inner instructions', async () => {
    const authority = createLocalSender(fixture.chain.node, fixture.payer)
    const mint = await createMint(fixture.chain.node, authority, 6)
    const signature = await mintTokens(authority, mint, someone, 5n)
    fixture.chain.mine(2)
    const mined = fixture.chain.node.ledger.transaction(signature)
    if (mined === null) throw new Error('not mined')
    const again = readTransaction(mined.wire.bytes)
    fixture.chain.faults.reorg(2, { transactions: 'drop' })
    expect(await simulate(again, { innerInstructions: true, replaceRecentBlockhash: true })).toMatchObject({
      err: null,
      innerInstructions: [{ index: 1, instructions: [{ stackHeight: 2 }, {}, {}, {}] }],
    })
    expect(await simulate(again, { replaceRecentBlockhash: true })).toMatchObject({ innerInstructions: null })
  })
})

describe('history', () => {
  it('shows a transaction in every encoding, with token balances and inner instructions', async () => {
    const authority = createLocalSender(fixture.chain.node, fixture.payer)
    const mint = await createMint(fixture.chain.node, authority, 6)
    const signature = await mintTokens(authority, mint, someone, 5n)
    fixture.chain.mine(2)
    const get = (config: object) =>
      fixture.call('getTransaction', signature, { commitment: 'confirmed', maxSupportedTransactionVersion: 0, ...config })
    const json = (await get({ encoding: 'json' })) as {
      transaction: { message: { accountKeys: string[] } }
      meta: { innerInstructions: unknown[] }
    }
    expect(json).toMatchObject({
      version: 0,
      meta: {
        preTokenBalances: [],
        postTokenBalances: [{ mint, owner: someone, uiTokenAmount: { amount: '5', decimals: 6 } }],
        innerInstructions: [{ index: 1, instructions: [{ stackHeight: 2, data: expect.any(String) }, {}, {}, {}] }],
      },
    })
    expect(await get({ encoding: 'base64' })).toMatchObject({ transaction: [expect.any(String), 'base64'] })
    expect(await get({ encoding: 'base58' })).toMatchObject({ transaction: [expect.any(String), 'base58'] })
    expect(await get({ encoding: 'jsonParsed' })).toMatchObject({
      transaction: {
        message: {
          accountKeys: json.transaction.message.accountKeys.map((pubkey) => ({ pubkey, source: 'transaction' })),
          instructions: [{ programId: 'ComputeBudget111111111111111111111111111111' }, {}, {}],
        },
      },
      meta: { innerInstructions: [{ instructions: [{ programId: expect.any(String), accounts: expect.any(Array) }, {}, {}, {}] }] },
    })
    expect((await fixture.failure('getTransaction', signature, { commitment: 'confirmed' })).code).toBe(-32_015)
    expect((await fixture.failure('getTransaction', signature, processed)).code).toBe(-32_602)
    expect((await fixture.failure('getTransaction', 'abc')).code).toBe(-32_602)
  })

  it('lists the signatures of an account, newest first, in pages', async () => {
    const sent: string[] = []
    for (let amount = 1n; amount <= 5n; amount += 1n) {
      sent.unshift(await fixture.send(transferOf(amount * SOL)))
      if (amount !== 3n) fixture.chain.mine()
    }
    fixture.chain.mine()
    const list = async (config: object = {}) =>
      ((await fixture.call('getSignaturesForAddress', someone, { commitment: 'confirmed', ...config })) as { signature: string }[]).map(
        ({ signature }) => signature,
      )
    expect(await list()).toEqual(sent)
    expect(await list({ limit: 2 })).toEqual(sent.slice(0, 2))
    expect(await list({ limit: 2, before: sent[1] })).toEqual(sent.slice(2, 4))
    expect(await list({ until: sent[2] })).toEqual(sent.slice(0, 2))
    expect(await list({ before: sent[0], until: sent[4] })).toEqual(sent.slice(1, 4))
    expect(await list({ commitment: 'finalized' })).toEqual([])
    const unknown = transferOf(9n).signature
    expect([await list({ before: unknown }), await list({ until: unknown })]).toEqual([[], sent])
    expect(await fixture.call('getSignaturesForAddress', newSigner().address)).toEqual([])
    expect((await fixture.failure('getSignaturesForAddress', someone, { limit: 1_001 })).code).toBe(-32_602)
    expect((await fixture.failure('getSignaturesForAddress', someone, { limit: 0 })).code).toBe(-32_602)
    expect((await fixture.failure('getSignaturesForAddress', someone, processed)).code).toBe(-32_602)
    const slot = fixture.chain.node.ledger.tip('confirmed').slot + 1
    expect((await fixture.failure('getSignaturesForAddress', someone, { commitment: 'confirmed', minContextSlot: slot })).code).toBe(
      -32_016,
    )
  })

  it('forgets the status of old transactions, unless the whole history is searched', async () => {
    const signature = await fixture.send(transferOf(SOL))
    fixture.chain.mine(301)
    const status = async (config?: object) =>
      ((await fixture.call('getSignatureStatuses', [signature], config)) as { value: unknown[] }).value[0]
    expect(await status()).toMatchObject({ confirmationStatus: 'finalized' })
    fixture.chain.mine()
    expect(await status()).toBeNull()
    expect(await status({ searchTransactionHistory: true })).toMatchObject({ confirmationStatus: 'finalized', err: null })
    expect((await fixture.failure('getSignatureStatuses', signature)).code).toBe(-32_602)
    expect((await fixture.failure('getSignatureStatuses', new Array(257).fill(signature))).code).toBe(-32_602)
  })
})

it('requestAirdrop pays in the next block', async () => {
  expect(await fixture.call('requestAirdrop', someone, Number(SOL))).toEqual(expect.any(String))
  await fixture.call('requestAirdrop', someone, 5)
  fixture.chain.mine()
  expect(await balance(someone)).toBe(Number(SOL) + 5)
  expect((await fixture.failure('requestAirdrop', someone, -1)).code).toBe(-32_602)
})
