// Pays SOL by ordinary transactions, from an account that holds the supply from the first block on.
import { randomBytes } from 'node:crypto'
import { type Address, createNoopSigner, lamports } from '@solana/kit'
import { getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { createLocalSender } from './local-sender.ts'
import { createLocalSigner } from './local-signer.ts'
import type { SolanaNode } from './solana-node.ts'

/** The supply is half a billion SOL, as on the main network. */
const SUPPLY = lamports(500_000_000_000_000_000n)

export function createAirdrop(node: SolanaNode): (address: Address, amount: bigint) => string {
  const sender = createLocalSender(node, createLocalSigner(randomBytes(32)))
  const { address } = sender
  node.svm.setAccount(address, {
    address,
    data: new Uint8Array(0),
    executable: false,
    lamports: SUPPLY,
    programAddress: SYSTEM_PROGRAM_ADDRESS,
    space: 0n,
  })
  return (destination, amount) => sender.send([getTransferSolInstruction({ source: createNoopSigner(address), destination, amount })])
}
