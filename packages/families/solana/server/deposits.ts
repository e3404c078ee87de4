/** Reads what lies at the deposit addresses of many swaps at once, locks it, and returns to the initiator what no swap can use. */
import type { Address, Blockhash, Instruction, Signature } from '@solana/kit'
import { assertReclaimsLeft, lastingRefusal } from '@tandem/chain-kit/contract/reclaim.ts'
import { sendOn } from '@tandem/chain-kit/contract/sending.ts'
import type { Prefund, PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { accountOf } from '../terms/address.ts'
import { depositAccountOf, depositAddressOf, initiateDepositedInstruction, returnDepositInstruction } from '../terms/deposit.ts'
import { SIMULATION_UNITS, unitsFrom } from '../terms/fees/fees.ts'
import type { Contracts, HtlcContract } from '../terms/htlc.ts'
import { buildTransaction, wireOf } from '../terms/send/transaction.ts'
import type { SolanaExecutor } from './execute.ts'
import type { NodeAccount, SolanaNode } from './nodes/node.ts'
import { BlockhashUnknown, openLane } from './send/lane.ts'
import { readTokenAccount } from './send/token-account.ts'
import { asChainFailure } from './send/transaction-failure.ts'

/** Nodes read at most this many accounts in one request. */
const ACCOUNTS_PER_REQUEST = 100

const anyBlockhash = '11111111111111111111111111111111' as Blockhash

export function createDeposits(node: SolanaNode, contracts: Contracts, executor: Pick<SolanaExecutor, 'initiateDeposited'>): Prefund {
  const contractOf = ({ terms }: PrefundedSwap) => contracts.of(terms.asset)

  async function amounts(swaps: readonly PrefundedSwap[]): Promise<readonly bigint[]> {
    const addresses = swaps.map((swap) => depositAccountOf(contractOf(swap), swap))
    const found: (NodeAccount | null)[] = []
    for (let start = 0; start < addresses.length; start += ACCOUNTS_PER_REQUEST)
      found.push(...(await node.accounts(addresses.slice(start, start + ACCOUNTS_PER_REQUEST))))
    return swaps.map((swap, index) => amountIn(contractOf(swap), swap, found[index] ?? null))
  }

  async function initiate(swap: PrefundedSwap, outbox: Outbox): Promise<string> {
    const contract = contractOf(swap)
    const instruction = initiateDepositedInstruction(contract, swap, accountOf(outbox.key))
    return executor.initiateDeposited(contract, swap.terms, instruction, outbox)
  }

  async function reclaim(swap: PrefundedSwap, outbox: Outbox): Promise<string | null> {
    const instruction = returnDepositInstruction(contractOf(swap), swap)
    const lane = await openLane(node, outbox)
    const sending = sendOn(lane)
    // One that was mined returned an earlier payment.
    for (const signed of lane.pending) {
      const live = await sending.keep(signed, noReplacement).catch((error: unknown) => {
        // Another one is signed at once: if both are mined, the second returns nothing.
        if (error instanceof BlockhashUnknown) return null
        throw error
      })
      if (live !== null) return live
    }
    const [left = 0n] = await amounts([swap])
    if (left === 0n) return null
    const outcome = (tx: string) => node.outcome(tx as Signature)
    await assertReclaimsLeft(left, { outcome, alone: 'the initiator may send the return' }, outbox)
    const unitLimit = await unitsOf(instruction, accountOf(outbox.key))
    return sending.append({ instructions: [instruction] }, { verb: 'reclaim', unitLimit })
  }

  /** The refusal may last: the swap can still be initiated, or the initiator has no account that could take the money. A retry costs us only reads. */
  async function unitsOf(instruction: Instruction, feePayer: Address): Promise<number> {
    const frame = { feePayer, blockhash: anyBlockhash, unitLimit: SIMULATION_UNITS, unitPrice: 0n }
    const { error, logs, unitsConsumed } = await node.simulate(wireOf(buildTransaction([instruction], frame)), { replaceBlockhash: true })
    if (error === null) return unitsFrom(unitsConsumed)
    throw lastingRefusal(asChainFailure(error, 'reclaim', logs))
  }

  return { addressOf: (swap) => depositAddressOf(contractOf(swap), swap), amounts, initiate, reclaim }
}

/** Only the Associated Token program creates such a token account, for this owner; a node need not tell the truth. */
function amountIn(contract: HtlcContract, swap: PrefundedSwap, account: NodeAccount | null): bigint {
  if (contract.mint === null) return account?.lamports ?? 0n
  const tokens = readTokenAccount(account)
  return tokens?.mint === contract.mint && tokens.owner === depositAddressOf(contract, swap) ? tokens.amount : 0n
}

async function noReplacement(): Promise<never> {
  throw new Error('nothing is replaced on Solana')
}
