// Puts our program into the state after its deployment by the upgradeable loader, with its upgrade authority given up.
import { randomBytes } from 'node:crypto'
import { type Address, address, getAddressDecoder, getAddressEncoder, getProgramDerivedAddress, lamports } from '@solana/kit'
import { htlcProgram } from '../contract/artifacts/htlc.ts'
import type { Svm } from './svm.ts'

const loader = address('BPFLoaderUpgradeab1e11111111111111111111111')
const [PROGRAM, PROGRAM_DATA] = [2, 3]
/** The header has the state, the slot of the deployment, and unused space for an authority. */
const PROGRAM_DATA_HEADER = 4 + 8 + 1 + 32

export async function addLocalProgram(svm: Svm): Promise<Address> {
  const program = getAddressDecoder().decode(randomBytes(32))
  const [programData] = await getProgramDerivedAddress({ programAddress: loader, seeds: [getAddressEncoder().encode(program)] })
  const add = (at: Address, data: Uint8Array, executable: boolean) =>
    svm.setAccount(at, {
      address: at,
      data,
      executable,
      lamports: lamports(svm.rent(data.length)),
      programAddress: loader,
      space: BigInt(data.length),
    })
  // The code comes first: with the program account, which names it, the runtime loads it.
  add(
    programData,
    Buffer.concat([u32(PROGRAM_DATA), Buffer.alloc(PROGRAM_DATA_HEADER - 4), Buffer.from(htlcProgram.base64, 'base64')]),
    false,
  )
  add(program, Buffer.concat([u32(PROGRAM), Uint8Array.from(getAddressEncoder().encode(programData))]), true)
  return program
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
