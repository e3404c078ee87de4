// Makes SPL mints of the local chain, which pay anyone any amount.
import { randomBytes } from 'node:crypto'
import { type Address, createNoopSigner } from '@solana/kit'
import { getCreateAccountInstruction } from '@solana-program/system'
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintSize,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import type { LocalSender } from './local-sender.ts'
import { createLocalSigner } from './local-signer.ts'
import type { SolanaNode } from './solana-node.ts'

export async function createMint(node: SolanaNode, authority: LocalSender, decimals: number): Promise<Address> {
  const mint = createLocalSigner(randomBytes(32))
  const space = getMintSize()
  const create = getCreateAccountInstruction({
    payer: createNoopSigner(authority.address),
    newAccount: createNoopSigner(mint.address),
    lamports: node.svm.rent(space),
    space,
    programAddress: TOKEN_PROGRAM_ADDRESS,
  })
  const { address } = authority
  const initialize = getInitializeMint2Instruction({ mint: mint.address, decimals, mintAuthority: address, freezeAuthority: address })
  await authority.confirm(authority.send([create, initialize], [mint]))
  return mint.address
}

export async function mintTokens(authority: LocalSender, mint: Address, owner: Address, amount: bigint): Promise<string> {
  const payer = createNoopSigner(authority.address)
  const [ata] = await findAssociatedTokenPda({ mint, owner, tokenProgram: TOKEN_PROGRAM_ADDRESS })
  return authority.send([
    getCreateAssociatedTokenIdempotentInstruction({ payer, ata, owner, mint }),
    getMintToInstruction({ mint, token: ata, mintAuthority: payer, amount }),
  ])
}
