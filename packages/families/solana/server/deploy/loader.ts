/** Builds the instructions of the upgradeable loader (BPF Loader v3) that a deployment needs, and decodes its accounts. */
import {
  AccountRole,
  type Address,
  address,
  createAddressWithSeed,
  getAddressDecoder,
  getAddressEncoder,
  getProgramDerivedAddress,
  getU32Decoder,
  type Instruction,
  type ReadonlyUint8Array,
} from '@solana/kit'
import { systemProgram } from '../../contract/client/programs.ts'

export const loaderProgram = address('BPFLoaderUpgradeab1e11111111111111111111111')
const rentSysvar = address('SysvarRent111111111111111111111111111111111')
const clockSysvar = address('SysvarC1ock11111111111111111111111111111111')

export const PROGRAM_SIZE = 36
export const BUFFER_HEADER = 37
export const PROGRAM_DATA_HEADER = 45

const states = { buffer: 1, program: 2, programData: 3 } as const
const tags = { initializeBuffer: 0, write: 1, deploy: 2, setAuthority: 4 } as const
const { READONLY, WRITABLE, READONLY_SIGNER, WRITABLE_SIGNER } = AccountRole

export type Authority = { readonly authority: Address | null; readonly code: Uint8Array }

export function decodeBuffer(data: ReadonlyUint8Array): Authority | null {
  return decodeAuthority(data, states.buffer, 4, BUFFER_HEADER)
}

export function decodeProgramData(data: ReadonlyUint8Array): Authority | null {
  return decodeAuthority(data, states.programData, 12, PROGRAM_DATA_HEADER)
}

function decodeAuthority(data: ReadonlyUint8Array, state: number, offset: number, header: number): Authority | null {
  if (data.length < header || stateOf(data) !== state) return null
  const authority = data[offset] === 0 ? null : getAddressDecoder().decode(data, offset + 1)
  return { authority, code: Uint8Array.from(data.slice(header)) }
}

/** The result is the address of the account with the code. */
export function decodeProgram(data: ReadonlyUint8Array): Address | null {
  return data.length === PROGRAM_SIZE && stateOf(data) === states.program ? getAddressDecoder().decode(data, 4) : null
}

function stateOf(data: ReadonlyUint8Array): number {
  return getU32Decoder().decode(data)
}

export async function programDataAddress(program: Address): Promise<Address> {
  const [found] = await getProgramDerivedAddress({ programAddress: loaderProgram, seeds: [getAddressEncoder().encode(program)] })
  return found
}

/** The address of this loader's account follows from the base key and the seed. Only the base key can create it. */
export type SeededAccount = { readonly address: Address; readonly base: Address; readonly seed: string }

export async function seededAccount(base: Address, seed: string): Promise<SeededAccount> {
  return { address: await createAddressWithSeed({ baseAddress: base, programAddress: loaderProgram, seed }), base, seed }
}

export function initializeBuffer(buffer: Address, authority: Address): Instruction {
  return loaderCall(tags.initializeBuffer, [
    [buffer, WRITABLE],
    [authority, READONLY],
  ])
}

export function writeBuffer(buffer: Address, authority: Address, offset: number, part: ReadonlyUint8Array): Instruction {
  const header = Buffer.alloc(12)
  header.writeUInt32LE(offset)
  header.writeBigUInt64LE(BigInt(part.length), 4)
  const accounts = [
    [buffer, WRITABLE],
    [authority, READONLY_SIGNER],
  ] as const
  return loaderCall(tags.write, accounts, Buffer.concat([header, Uint8Array.from(part)]))
}

/** The buffer becomes the program. The lamports of the buffer first go to the payer. */
export async function deployBuffer(program: Address, buffer: Address, payer: Address, length: number): Promise<Instruction> {
  const maxLength = Buffer.alloc(8)
  maxLength.writeBigUInt64LE(BigInt(length))
  const accounts = [
    [payer, WRITABLE_SIGNER],
    [await programDataAddress(program), WRITABLE],
    [program, WRITABLE],
    [buffer, WRITABLE],
    [rentSysvar, READONLY],
    [clockSysvar, READONLY],
    [systemProgram, READONLY],
    [payer, READONLY_SIGNER],
  ] as const
  return loaderCall(tags.deploy, accounts, maxLength)
}

/** Nobody can change the program after this: it sets no new authority. */
export async function giveUpAuthority(program: Address, authority: Address): Promise<Instruction> {
  return loaderCall(tags.setAuthority, [
    [await programDataAddress(program), WRITABLE],
    [authority, READONLY_SIGNER],
  ])
}

function loaderCall(tag: number, accounts: readonly (readonly [Address, AccountRole])[], rest = Buffer.alloc(0)): Instruction {
  const data = Buffer.alloc(4)
  data.writeUInt32LE(tag)
  return {
    programAddress: loaderProgram,
    accounts: accounts.map(([account, role]) => ({ address: account, role })),
    data: Uint8Array.from(Buffer.concat([data, rest])),
  }
}
