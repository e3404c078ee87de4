/** Builds the instructions that send money of ours without the HTLC program. */
import { type Address, createNoopSigner, type Instruction } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { getTransferInstruction } from '@solana-program/token'
import { creationFor, tokenAccountOf } from '../../terms/instructions.ts'

type CoinTransfer = { readonly sender: Address; readonly recipient: Address; readonly amount: bigint }

export function coinTransfer({ sender, recipient, amount }: CoinTransfer): Instruction {
  return getTransferSolInstruction({ source: createNoopSigner(sender), destination: recipient, amount })
}

type AnyTransfer = CoinTransfer & {
  /** The sender pays for the recipient's token account. */
  readonly createsAccount: boolean
}

/** Sends lamports, or tokens between the associated token accounts of two owners. */
export function transferInstructions(
  mint: Address | null,
  { sender, recipient, amount, createsAccount }: AnyTransfer,
): readonly Instruction[] {
  if (mint === null) return [coinTransfer({ sender, recipient, amount })]
  const [source, destination] = [tokenAccountOf(sender, mint), tokenAccountOf(recipient, mint)]
  const creation = createsAccount ? creationFor({ mint }, recipient, sender) : []
  return [...creation, getTransferInstruction({ source, destination, authority: createNoopSigner(sender), amount })]
}
