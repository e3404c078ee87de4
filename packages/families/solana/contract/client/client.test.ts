// These tests compare the client with other implementations and with the committed interface of the program.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  AccountRole,
  type Address,
  createAddressWithSeed,
  getAddressDecoder,
  getAddressEncoder,
  getI64Encoder,
  getProgramDerivedAddress,
  getU64Encoder,
} from '@solana/kit'
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS, findAssociatedTokenPda } from '@solana-program/token'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { fieldSizes, programInterfaces } from '../interface.ts'
import { createHtlc, type Kind, kinds } from '../testing/order.ts'
import { associatedTokenAddress, depositAddress, orderAddress, vaultAddress } from './addresses.ts'
import { initiateCodec, redeemCodec, solOrderCodec, tagCodec, tokenOrderCodec } from './codecs.ts'
import { decodeInstruction, decodeOrderAccount } from './decode.ts'
import { redeemSol } from './instructions.ts'
import { associatedTokenProgram, token2022Program, tokenProgram } from './programs.ts'

const interfaceOf = { SOL: programInterfaces.htlc, token: programInterfaces.htlc_spltoken } as const

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
const addressBytes = getAddressEncoder()

describe.each(kinds)('the client for %s', (kind) => {
  it('derives the addresses that @solana/kit derives', async () => {
    const htlc = await createHtlc(kind)
    const { program } = htlc
    const property = fc.asyncProperty(bytes32, fc.bigInt(0n, 2n ** 64n - 1n), async (secretHash, amount) => {
      const order = htlc.newOrder({ secretHash, amount })
      const { initiator, redeemer, timelock, mint } = order.terms
      const u64 = getU64Encoder()
      const parties = [addressBytes.encode(initiator), addressBytes.encode(redeemer), secretHash]
      const seeds = [...parties, Uint8Array.of(...u64.encode(amount), ...u64.encode(timelock))]
      const [address, bump] = await getProgramDerivedAddress({
        programAddress: program,
        seeds: mint === null ? ['htlc', ...seeds] : ['htlc_token', ...seeds, addressBytes.encode(mint)],
      })
      expect(orderAddress(program, order.terms)).toEqual({ address, bump })
      const vault = await createAddressWithSeed({ baseAddress: address, programAddress: tokenProgram, seed: 'thevault' })
      expect(vaultAddress(address)).toBe(vault)
      const deadline = getI64Encoder().encode(order.initiateBefore)
      const deposit = ['deposit', addressBytes.encode(address), deadline]
      const [expected, depositBump] = await getProgramDerivedAddress({ programAddress: program, seeds: deposit })
      expect(depositAddress(program, order.terms, order.initiateBefore)).toEqual({ address: expected, bump: depositBump })
    })
    await fc.assert(property, { numRuns: 20 })
  })

  it('derives the token accounts that @solana-program/token derives', async () => {
    const { program } = await createHtlc(kind)
    const property = fc.asyncProperty(bytes32, fc.constantFrom(tokenProgram, token2022Program), async (bytes, ofMint) => {
      const mint = getAddressDecoder().decode(bytes)
      const [expected] = await findAssociatedTokenPda({ owner: program, mint, tokenProgram: ofMint })
      expect(associatedTokenAddress(program, mint, ofMint)).toBe(expected)
    })
    await fc.assert(property, { numRuns: 20 })
    expect(associatedTokenProgram).toBe(ASSOCIATED_TOKEN_PROGRAM_ADDRESS)
  })

  it('builds the instructions that the interface describes', async () => {
    const htlc = await createHtlc(kind)
    const order = htlc.newOrder()
    const built = {
      initiate: htlc.initiate(order),
      redeem: htlc.redeem(order),
      refund: htlc.refund(order),
      instant_refund: htlc.instantRefund(order),
      close: htlc.close(order),
      initiate_deposited: htlc.initiateDeposited(order),
      return_deposit: htlc.returnDeposit(order, { of: 'SOL' }),
      return_deposited_tokens: htlc.returnDeposit(order, { of: { mint: htlc.mint } }),
    }
    const { instructions } = interfaceOf[kind]
    expect(instructions.map(({ name }) => name)).toEqual(Object.keys(built))
    for (const { name, tag, accounts, fields } of instructions) {
      const { accounts: metas, data } = built[name as keyof typeof built]
      const roles = accounts.map(({ writable, signer }) => (signer ? 2 : 0) + (writable ? 1 : 0))
      expect(
        metas.map(({ role }) => role as number),
        name,
      ).toEqual(roles)
      expect(Number(tagCodec.decode(data.slice(0, 8)).tag)).toBe(tag)
      expect(data.length).toBe(8 + fields.reduce((sum, { type }) => sum + fieldSizes[type], 0))
    }
    const sizes = { SOL: solOrderCodec.fixedSize, token: tokenOrderCodec.fixedSize }
    expect(interfaceOf[kind].order.map(({ type }) => fieldSizes[type]).reduce((sum, size) => sum + size, 0)).toBe(sizes[kind])
  })

  it('has an IDL with the same accounts, arguments and discriminators', () => {
    const idl = readIdl(kind)
    expect(idl.instructions.map(({ name, discriminator }) => [name, discriminator])).toEqual(
      interfaceOf[kind].instructions.map(({ name, tag }) => [name, [tag, 0, 0, 0, 0, 0, 0, 0]]),
    )
    expect(idl.instructions.map(({ accounts, args }) => [accounts.map(({ name }) => name), args.map(({ name }) => name)])).toEqual(
      interfaceOf[kind].instructions.map(({ accounts, fields }) => [accounts.map(({ name }) => name), fields.map(({ name }) => name)]),
    )
  })

  it('reads back what it wrote', async () => {
    const htlc = await createHtlc(kind)
    const order = htlc.newOrder()
    const read = ({ accounts, data }: ReturnType<typeof htlc.initiate>) =>
      decodeInstruction(htlc.program, { programAddress: htlc.program, accounts: accounts.map(({ address }) => address), data })
    expect(read(htlc.initiate(order))).toEqual({
      kind: 'initiated',
      order: order.address,
      terms: order.terms,
      initiateBefore: order.initiateBefore,
      funder: htlc.keys.funder.address,
      rentPayer: htlc.keys.rentPayer.address,
    })
    expect(read(htlc.initiateDeposited(order))).toEqual({ ...read(htlc.initiate(order)), funder: order.deposit })
    expect(read(htlc.returnDeposit(order))).toBeNull()
    expect(read(htlc.redeem(order))).toEqual({ kind: 'redeemed', order: order.address, secret: order.secret })
    expect(read(htlc.refund(order))).toEqual({ kind: 'refunded', order: order.address, byConsent: false })
    expect(read(htlc.instantRefund(order))).toEqual({ kind: 'refunded', order: order.address, byConsent: true })
    expect(read(htlc.close(order))).toEqual({ kind: 'closed', order: order.address })
  })
})

test('any bytes are decoded or refused, never a crash', async () => {
  const { program, keys } = await createHtlc('SOL')
  const accounts = fc.array(fc.constantFrom(program, keys.stranger.address, keys.funder.address), { maxLength: 10 })
  const tagged = fc
    .tuple(fc.nat(13), fc.uint8Array({ maxLength: 110 }))
    .map(([tag, rest]) => Uint8Array.of(tag, 0, 0, 0, 0, 0, 0, 0, ...rest))
  const lengths = [initiateCodec, redeemCodec].map(({ fixedSize }) => fixedSize)
  const property = fc.property(accounts, fc.oneof(fc.uint8Array({ maxLength: 110 }), tagged), (named, data) => {
    const event = decodeInstruction(program, { programAddress: program, accounts: named, data })
    if (event?.kind === 'initiated' || event?.kind === 'redeemed') expect(lengths).toContain(data.length)
  })
  fc.assert(property, { numRuns: 1_000 })
})

test('instructions of other programs are not ours', async () => {
  const htlc = await createHtlc('SOL')
  const { accounts, data } = htlc.close(htlc.newOrder())
  const executed = { programAddress: htlc.keys.stranger.address, accounts: accounts.map(({ address }) => address), data }
  expect(decodeInstruction(htlc.program, executed)).toBeNull()
})

test('accounts of zeros are no orders', () => {
  for (const length of [0, 7, 168, 232]) expect(decodeOrderAccount(new Uint8Array(length))).toBeNull()
})

test('a secret of another length than 32 bytes is refused', () => {
  const address = '11111111111111111111111111111111' as Address
  for (const length of [0, 31, 33]) expect(() => redeemSol(address, address, address, new Uint8Array(length))).toThrow(RangeError)
})

test('roles of the interface are those of @solana/kit', () => {
  expect([AccountRole.READONLY, AccountRole.WRITABLE, AccountRole.READONLY_SIGNER, AccountRole.WRITABLE_SIGNER]).toEqual([0, 1, 2, 3])
})

interface Idl {
  readonly instructions: readonly {
    readonly name: string
    readonly discriminator: readonly number[]
    readonly accounts: readonly { readonly name: string }[]
    readonly args: readonly { readonly name: string }[]
  }[]
}

function readIdl(kind: Kind): Idl {
  const file = kind === 'SOL' ? 'htlc.json' : 'htlc_spltoken.json'
  return JSON.parse(readFileSync(join(import.meta.dirname, '../artifacts', file), 'utf8')) as Idl
}
