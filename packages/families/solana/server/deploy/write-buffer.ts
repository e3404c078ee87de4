/** Writes the program's bytes into a buffer account, in pieces. Pieces that are there already are not sent again. */
import { type Address, bytesEqual, createNoopSigner, type Instruction } from '@solana/kit'
import { getAllocateWithSeedInstruction, getAssignWithSeedInstruction, getTransferSolInstruction } from '@solana-program/system'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { systemProgram } from '../../contract/client/programs.ts'
import type { SolanaNode } from '../nodes/node.ts'
import { BUFFER_HEADER, decodeBuffer, initializeBuffer, loaderProgram, type SeededAccount, writeBuffer } from './loader.ts'

/** As many bytes as possible fit: a transaction has 1,232. */
const PIECE = 900

type Piece = { readonly offset: number; readonly instruction: Instruction }

export function pieceCount(code: Uint8Array): number {
  return Math.ceil(code.length / PIECE)
}

/** The result is null if there is no buffer. Rejects with `would-fail` for a buffer that is not ours. */
export async function missingPieces(
  node: SolanaNode,
  { address, base }: SeededAccount,
  code: Uint8Array,
): Promise<readonly Piece[] | null> {
  const [account = null] = await node.accounts([address])
  if (account === null || account.owner === systemProgram) return null
  const buffer = account.owner === loaderProgram ? decodeBuffer(account.data) : null
  if (buffer === null || buffer.authority !== base || buffer.code.length !== code.length)
    throw new ChainFailure('would-fail', `the account ${address}, which would hold the program until it is deployed, is not our buffer`)
  return piecesOf(address, base, code).filter(
    ({ offset }) => !bytesEqual(buffer.code.subarray(offset, offset + PIECE), code.subarray(offset, offset + PIECE)),
  )
}

function piecesOf(buffer: Address, authority: Address, code: Uint8Array): readonly Piece[] {
  return Array.from({ length: pieceCount(code) }, (_, index) => {
    const offset = index * PIECE
    return { offset, instruction: writeBuffer(buffer, authority, offset, code.subarray(offset, offset + PIECE)) }
  })
}

export async function createBuffer(node: SolanaNode, buffer: SeededAccount, code: Uint8Array): Promise<readonly Instruction[]> {
  return [...(await createLoaderAccount(node, buffer, BUFFER_HEADER + code.length)), initializeBuffer(buffer.address, buffer.base)]
}

/**
 * The same transaction must initialize the account: anyone could, once the loader owns it. `createAccountWithSeed` would fail if a stranger
 * sent lamports to the address.
 */
export async function createLoaderAccount(
  node: SolanaNode,
  { address, base, seed }: SeededAccount,
  size: number,
): Promise<readonly Instruction[]> {
  const [rent, held] = [await node.rentExempt(size), await node.balance(address)]
  const baseAccount = createNoopSigner(base)
  const derived = { newAccount: address, baseAccount, base, seed, programAddress: loaderProgram }
  const allocate = getAllocateWithSeedInstruction({ ...derived, space: size })
  const assign = getAssignWithSeedInstruction({ ...derived, account: address })
  const pay = held < rent ? [getTransferSolInstruction({ source: baseAccount, destination: address, amount: rent - held })] : []
  return [...pay, allocate, assign]
}
