// Deploys the program through the upgradeable loader, as on a public cluster, and gives its upgrade authority up.
import { randomBytes } from 'node:crypto'
import { type Address, createNoopSigner, type Instruction } from '@solana/kit'
import { getCreateAccountInstruction } from '@solana-program/system'
import { htlcProgram } from '../contract/artifacts/htlc.ts'
import {
  BUFFER_HEADER,
  deployBuffer,
  giveUpAuthority,
  initializeBuffer,
  loaderProgram,
  PROGRAM_SIZE,
  writeBuffer,
} from '../server/deploy/loader.ts'
import type { LocalSender } from './local-sender.ts'
import { createLocalSigner, type LocalSigner } from './local-signer.ts'
import type { SolanaNode } from './solana-node.ts'

/** Of the program, in bytes: what fits into one transaction. */
const PIECE = 900
const code = Uint8Array.from(Buffer.from(htlcProgram.base64, 'base64'))

/** Resolves to the program's address once it can be called. */
export async function deployLocalProgram(node: SolanaNode, owner: LocalSender): Promise<Address> {
  const [buffer, program] = [createLocalSigner(randomBytes(32)), createLocalSigner(randomBytes(32))]
  const run = (instructions: readonly Instruction[], others: readonly LocalSigner[] = []) => owner.confirm(owner.send(instructions, others))
  const create = (account: LocalSigner, space: number) =>
    getCreateAccountInstruction({
      payer: createNoopSigner(owner.address),
      newAccount: createNoopSigner(account.address),
      lamports: node.svm.rent(space),
      space,
      programAddress: loaderProgram,
    })

  await run([create(buffer, BUFFER_HEADER + code.length), initializeBuffer(buffer.address, owner.address)], [buffer])
  const pieces: string[] = []
  for (let offset = 0; offset < code.length; offset += PIECE)
    pieces.push(owner.send([writeBuffer(buffer.address, owner.address, offset, code.subarray(offset, offset + PIECE))]))
  for (const piece of pieces) await owner.confirm(piece)
  const deploy = await deployBuffer(program.address, buffer.address, owner.address, code.length)
  await run([create(program, PROGRAM_SIZE), deploy], [program])
  // In a later block than the deployment, so the program can be called afterwards.
  await run([await giveUpAuthority(program.address, owner.address)])
  return program.address
}
