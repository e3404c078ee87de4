// This test deploys the program through the real upgradeable loader, which verifies it, and gives up its upgrade authority.
import { createHash } from 'node:crypto'
import { AccountRole, type Address, getAddressEncoder, getProgramDerivedAddress, type Instruction } from '@solana/kit'
import { getCreateAccountInstruction } from '@solana-program/system'
import { expect, test } from 'vitest'
import { htlcProgram } from './artifacts/htlc.ts'
import { systemProgram } from './client/programs.ts'
import { createSvm, keyOf, type Svm } from './testing/svm.ts'

const loader = 'BPFLoaderUpgradeab1e11111111111111111111111' as Address
const rentSysvar = 'SysvarRent111111111111111111111111111111111' as Address
const clockSysvar = 'SysvarC1ock11111111111111111111111111111111' as Address
const tags = { initializeBuffer: 0, write: 1, deploy: 2, upgrade: 3, setAuthority: 4 } as const
const { READONLY, WRITABLE, READONLY_SIGNER, WRITABLE_SIGNER } = AccountRole
const [bufferHeader, programSize, programDataHeader, chunk] = [37, 36, 45, 900]

const bytes = Buffer.from(htlcProgram.base64, 'base64')

test('deploys, is stored byte for byte, runs, and cannot be changed once its authority is given up', async () => {
  const chain = await createSvm()
  const { relayer: owner } = chain.keys
  const [program, programData] = await deploy(chain)

  chain.moveTo({ slot: chain.clock().slot + 2n })
  const stored = chain.data(programData)?.subarray(programDataHeader) ?? new Uint8Array(0)
  expect(createHash('sha256').update(stored).digest('hex')).toBe(htlcProgram.sha256)
  const empty: Instruction = { programAddress: program, accounts: [], data: new Uint8Array(0) }
  expect((await chain.send([empty])).error).toBe('InvalidInstruction')

  const giveUp = loaderCall(tags.setAuthority, [
    [programData, WRITABLE],
    [owner.address, READONLY_SIGNER],
  ])
  expect((await chain.send([giveUp])).error).toBeNull()
  expect(chain.data(programData)?.[12]).toBe(0)
  const buffer = await writeBuffer(chain, 'another buffer')
  const upgrade = loaderCall(tags.upgrade, [
    [programData, WRITABLE],
    [program, WRITABLE],
    [buffer, WRITABLE],
    [owner.address, WRITABLE],
    [rentSysvar, READONLY],
    [clockSysvar, READONLY],
    [owner.address, READONLY_SIGNER],
  ])
  expect((await chain.send([upgrade])).error).toBe('Immutable')
})

async function deploy(chain: Svm): Promise<readonly [program: Address, programData: Address]> {
  const { relayer: owner } = chain.keys
  const buffer = await writeBuffer(chain, 'buffer')
  const program = await keyOf('deployed program')
  const [programData] = await getProgramDerivedAddress({ programAddress: loader, seeds: [getAddressEncoder().encode(program.address)] })
  const create = getCreateAccountInstruction({
    payer: owner,
    newAccount: program,
    lamports: chain.rent(programSize),
    space: programSize,
    programAddress: loader,
  })
  const maxLength = Buffer.alloc(8)
  maxLength.writeBigUInt64LE(BigInt(bytes.length))
  const accounts: readonly (readonly [Address, AccountRole])[] = [
    [owner.address, WRITABLE_SIGNER],
    [programData, WRITABLE],
    [program.address, WRITABLE],
    [buffer, WRITABLE],
    [rentSysvar, READONLY],
    [clockSysvar, READONLY],
    [systemProgram, READONLY],
    [owner.address, READONLY_SIGNER],
  ]
  expect((await chain.send([create, loaderCall(tags.deploy, accounts, maxLength)], [program])).error).toBeNull()
  return [program.address, programData]
}

async function writeBuffer(chain: Svm, name: string): Promise<Address> {
  const { relayer: owner } = chain.keys
  const buffer = await keyOf(name)
  const space = bufferHeader + bytes.length
  const create = getCreateAccountInstruction({
    payer: owner,
    newAccount: buffer,
    lamports: chain.rent(space),
    space,
    programAddress: loader,
  })
  const initialize = loaderCall(tags.initializeBuffer, [
    [buffer.address, WRITABLE],
    [owner.address, READONLY],
  ])
  expect((await chain.send([create, initialize], [buffer])).error).toBeNull()
  for (let offset = 0; offset < bytes.length; offset += chunk) {
    const part = bytes.subarray(offset, offset + chunk)
    const header = Buffer.alloc(12)
    header.writeUInt32LE(offset)
    header.writeBigUInt64LE(BigInt(part.length), 4)
    const accounts = [
      [buffer.address, WRITABLE],
      [owner.address, READONLY_SIGNER],
    ] as const
    expect((await chain.send([loaderCall(tags.write, accounts, Buffer.concat([header, part]))])).error).toBeNull()
  }
  return buffer.address
}

function loaderCall(tag: number, accounts: readonly (readonly [Address, AccountRole])[], rest = Buffer.alloc(0)): Instruction {
  const data = Buffer.alloc(4)
  data.writeUInt32LE(tag)
  return {
    programAddress: loader,
    accounts: accounts.map(([address, role]) => ({ address, role })),
    data: Uint8Array.from(Buffer.concat([data, rest])),
  }
}
