/** Gives lamports to the recipient of a token payout, in the transaction of its redeem. */
import type { Address, Blockhash, Instruction } from '@solana/kit'
import type { PayoutGas } from '@tandem/chain-kit/port/abilities/spending.ts'
import { SIMULATION_UNITS } from '../../terms/fees/fees.ts'
import { buildTransaction, wireOf } from '../../terms/send/transaction.ts'
import { assertLamports, DECIMALS, RENT } from '../fees/funds.ts'
import type { SolanaNode } from '../nodes/node.ts'
import { coinTransfer } from './transfer-instructions.ts'

const anyBlockhash = '11111111111111111111111111111111' as Blockhash

export const payoutGas: PayoutGas = { decimals: DECIMALS, minAmount: RENT.account }

/**
 * They follow the redeem. The result is empty if the recipient cannot take the lamports, or is a program, which cannot use them: its tokens do not wait for
 * that. A recorded transaction cannot be replaced, so the transfer is tried first, alone: there are addresses that none may write to.
 */
export async function gasInstructions(
  node: Pick<SolanaNode, 'accounts' | 'balance' | 'simulate'>,
  { sender, recipient, gas }: { readonly sender: Address; readonly recipient: Address; readonly gas: bigint },
): Promise<readonly Instruction[]> {
  const given = [coinTransfer({ sender, recipient, amount: gas })]
  const frame = { feePayer: sender, blockhash: anyBlockhash, unitLimit: SIMULATION_UNITS, unitPrice: 0n }
  const [[account = null], { error }] = await Promise.all([
    node.accounts([recipient]),
    node.simulate(wireOf(buildTransaction(given, frame)), { replaceBlockhash: true }),
  ])
  if (account?.executable === true) return []
  if (error === null) return given
  await assertLamports(node, 'redeem', sender, given)
  return []
}
