// These tests read accounts and tokens over JSON-RPC: encodings, filters, and the state of each commitment.
import { type Address, address } from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { createLocalSender, type LocalSender } from '../local-sender.ts'
import { createMint, mintTokens } from '../local-tokens.ts'
import { newSigner, openSolanaFixture, SOL } from '../solana.fixture.ts'

const fixture = opened(openSolanaFixture)
let authority: LocalSender
let mint: Address
let holding: Address
const owner = newSigner().address
const nobody = newSigner().address
const processed = { commitment: 'processed' }
const AMOUNT = 1_234_500n

beforeAll(async () => {
  authority = createLocalSender(fixture.chain.node, fixture.payer)
  mint = await createMint(fixture.chain.node, authority, 6)
  await authority.confirm(await mintTokens(authority, mint, owner, AMOUNT))
  holding = (await held({ mint })).value[0]?.pubkey as Address
})

type Held = { readonly value: readonly { readonly pubkey: string; readonly account: { readonly data: unknown; readonly owner: string } }[] }
const held = async (filter: object, config: object = { ...processed, encoding: 'base64' }) =>
  (await fixture.call('getTokenAccountsByOwner', owner, filter, config)) as Held
const valueFrom = async (method: string, ...params: unknown[]) => ((await fixture.call(method, ...params)) as { value: unknown }).value

describe('accounts', () => {
  it('have a balance and data at each commitment', async () => {
    const fresh = newSigner().address
    await fixture.send(fixture.sign([fixture.transfer(fresh, SOL)]))
    fixture.chain.mine()
    expect(await valueFrom('getBalance', fresh, processed)).toBe(Number(SOL))
    expect(await valueFrom('getBalance', fresh, { commitment: 'confirmed' })).toBe(0)
    expect(await valueFrom('getAccountInfo', fresh, { commitment: 'confirmed', encoding: 'base64' })).toBeNull()
    expect(await valueFrom('getAccountInfo', fresh, { ...processed, encoding: 'base64' })).toEqual({
      lamports: Number(SOL),
      owner: '11111111111111111111111111111111',
      executable: false,
      // The largest 64-bit number, which JSON.parse rounds.
      rentEpoch: 2 ** 64,
      space: 0,
      data: ['', 'base64'],
    })
    fixture.chain.mine()
    const many = await valueFrom('getMultipleAccounts', [fresh, nobody, holding], { commitment: 'confirmed', encoding: 'base64' })
    expect(many).toMatchObject([{ lamports: Number(SOL) }, null, { space: 165 }])
  })

  it('keep every digit of 64-bit numbers', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'getAccountInfo',
      params: [holding, { ...processed, encoding: 'base64' }],
    })
    expect(await fixture.post(body)).toContain('"rentEpoch":18446744073709551615,')
  })

  it('are encoded as requested, whole or in part', async () => {
    const data = async (config: object) =>
      ((await valueFrom('getAccountInfo', holding, { ...processed, ...config })) as { data: unknown }).data
    const [text] = (await data({ encoding: 'base64' })) as [string]
    expect(Buffer.from(text, 'base64').readBigUInt64LE(64)).toBe(AMOUNT)
    const part = { dataSlice: { offset: 64, length: 8 } }
    expect(await data({ encoding: 'base64', ...part })).toEqual([Buffer.from(text, 'base64').subarray(64, 72).toString('base64'), 'base64'])
    expect(await data({ encoding: 'base58', ...part })).toEqual([expect.any(String), 'base58'])
    expect(await data(part)).toEqual(expect.any(String))
    expect((await fixture.failure('getAccountInfo', holding, { encoding: 'base58', ...processed })).code).toBe(-32_602)
    expect((await fixture.failure('getAccountInfo', holding, { encoding: 'morse', ...processed })).code).toBe(-32_602)
  })

  it('of a program are found by size and by bytes', async () => {
    const config = { ...processed, encoding: 'base64' }
    const find = async (filters: unknown, more = {}) =>
      ((await fixture.call('getProgramAccounts', TOKEN_PROGRAM_ADDRESS, { ...config, filters, ...more })) as { pubkey: string }[]).map(
        ({ pubkey }) => pubkey,
      )
    const byOwner = { memcmp: { offset: 32, bytes: owner } }
    expect(await find([{ dataSize: 165 }, byOwner])).toEqual([holding])
    expect(await find([{ dataSize: 82 }])).toContain(mint)
    expect(await find([{ dataSize: 82 }, byOwner])).toEqual([])
    expect(await find(['tokenAccountState', byOwner])).toEqual([holding])
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(AMOUNT)
    expect(await find([{ memcmp: { offset: 64, bytes: bytes.toString('base64'), encoding: 'base64' } }])).toEqual([holding])
    expect(await valueFrom('getProgramAccounts', TOKEN_PROGRAM_ADDRESS, { ...config, filters: [byOwner], withContext: true })).toHaveLength(
      1,
    )
    for (const filters of [7, [{ size: 1 }], [7], new Array(5).fill(byOwner), [{ memcmp: { offset: 0, bytes: '0' } }]])
      expect((await fixture.failure('getProgramAccounts', TOKEN_PROGRAM_ADDRESS, { ...config, filters })).code).toBe(-32_602)
  })

  it('of a program are those of the commitment', async () => {
    const closed = (commitment: string) =>
      fixture.call('getProgramAccounts', TOKEN_PROGRAM_ADDRESS, { commitment, encoding: 'base64', filters })
    const someone = newSigner().address
    const filters = [{ memcmp: { offset: 32, bytes: someone } }]
    await mintTokens(authority, mint, someone, 1n)
    fixture.chain.mine()
    expect([await closed('processed'), await closed('confirmed')]).toEqual([[expect.anything()], []])
  })
})

describe('tokens', () => {
  it('have balances, a supply and owners', async () => {
    const ui = { amount: String(AMOUNT), decimals: 6, uiAmount: 1.2345, uiAmountString: '1.2345' }
    expect(await valueFrom('getTokenAccountBalance', holding, processed)).toEqual(ui)
    expect(await valueFrom('getTokenSupply', mint, processed)).toMatchObject({ decimals: 6 })
    expect((await held({ mint })).value).toHaveLength(1)
    expect((await held({ programId: TOKEN_PROGRAM_ADDRESS })).value[0]?.pubkey).toBe(holding)
    expect((await held({ programId: '11111111111111111111111111111111' })).value).toEqual([])
    expect((await held({ mint }, { encoding: 'base64' })).value).toEqual([])
  })

  it('are parsed for wallets', async () => {
    const config = { ...processed, encoding: 'jsonParsed' }
    expect(await valueFrom('getAccountInfo', holding, config)).toMatchObject({
      data: {
        program: 'spl-token',
        space: 165,
        parsed: { type: 'account', info: { mint, owner, state: 'initialized', isNative: false, tokenAmount: { amount: String(AMOUNT) } } },
      },
    })
    expect(await valueFrom('getAccountInfo', mint, config)).toMatchObject({
      data: { parsed: { type: 'mint', info: { decimals: 6, isInitialized: true, mintAuthority: fixture.payer.address } } },
    })
    expect(await valueFrom('getAccountInfo', fixture.payer.address, config)).toMatchObject({ data: ['', 'base64'] })
  })

  it('are refused where there are none', async () => {
    const messages = [
      await fixture.failure('getTokenAccountBalance', nobody, processed),
      await fixture.failure('getTokenAccountBalance', mint, processed),
      await fixture.failure('getTokenSupply', nobody, processed),
      await fixture.failure('getTokenSupply', holding, processed),
      await fixture.failure('getTokenAccountsByOwner', owner, {}, processed),
    ]
    expect(messages.map(({ code }) => code)).toEqual(messages.map(() => -32_602))
    expect(messages.slice(0, 4).map(({ message }) => message)).toEqual([
      'Invalid param: could not find account',
      'Invalid param: not a Token account',
      'Invalid param: could not find account',
      'Invalid param: not a Token mint',
    ])
  })
})

it.each([
  ['getBalance', []],
  ['getBalance', [7]],
  ['getBalance', ['not base58: 0OIl']],
  ['getBalance', ['abc']],
  ['getAccountInfo', [String(address('11111111111111111111111111111111')), 'confirmed']],
  ['getMultipleAccounts', ['11111111111111111111111111111111']],
  ['getMultipleAccounts', [new Array(101).fill('11111111111111111111111111111111')]],
  ['getTokenAccountsByOwner', ['11111111111111111111111111111111']],
])('%s refuses %j', async (method, params) => {
  expect((await fixture.failure(method, ...params)).code).toBe(-32_602)
})
