/** Proves that the program at an address is ours, byte for byte, and that nobody can change it. */
import { createHash } from 'node:crypto'
import type { Address } from '@solana/kit'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { htlcProgram } from '../../contract/artifacts/htlc.ts'
import { systemProgram } from '../../contract/client/programs.ts'
import type { SolanaNode } from '../nodes/node.ts'
import { decodeProgram, decodeProgramData, loaderProgram } from './loader.ts'

type Node = Pick<SolanaNode, 'accounts'>

/** Rejects with `would-fail` unless our program is there, without an upgrade authority. */
export async function verifyProgram(node: Node, program: Address): Promise<void> {
  const found = await findProgram(node, program)
  if (found === null) throw notOurs(program, 'there is none')
  if (found.authority !== null) throw notOurs(program, `${found.authority} can still change it: its upgrade authority is not given up`)
}

/** The result is null if nothing is there. Rejects with `would-fail` if something else is. `authority` is null if the program is final. */
export async function findProgram(node: Node, program: Address): Promise<{ readonly authority: Address | null } | null> {
  const [account = null] = await node.accounts([program])
  // Anyone can send lamports to an address, so an account with only lamports is no obstacle.
  if (account === null || (account.owner === systemProgram && account.data.length === 0)) return null
  const programData = account.owner === loaderProgram ? decodeProgram(account.data) : null
  if (programData === null) throw notOurs(program, `the account is not a program of the upgradeable loader, its owner is ${account.owner}`)
  const [code = null] = await node.accounts([programData])
  const decoded = code === null || code.owner !== loaderProgram ? null : decodeProgramData(code.data)
  if (decoded === null) throw notOurs(program, `its code at ${programData} cannot be read`)
  const hash = createHash('sha256').update(decoded.code).digest('hex')
  if (hash !== htlcProgram.sha256)
    throw notOurs(
      program,
      `the SHA-256 of its code is ${hash}, expected ${htlcProgram.sha256}. It is another program, or another version of ours`,
    )
  return { authority: decoded.authority }
}

function notOurs(program: Address, why: string): ChainFailure {
  return new ChainFailure('would-fail', `the program at ${program} is not our HTLC: ${why}`)
}
