/** Computes the lamports that a transaction takes from its sender: fee, rent of new accounts, gas for a recipient, and the amount where SOL is locked. */
import type { Address, Instruction } from '@solana/kit'
import { getTransferSolInstructionDataDecoder } from '@solana-program/system'
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { ShortOfCoin } from '@tandem/chain-kit/contract/payout-gas.ts'
import type { LegCost } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { HtlcVerb } from '@tandem/protocol/htlc.ts'
import { decodeInstruction } from '../../contract/client/decode.ts'
import { systemProgram } from '../../contract/client/programs.ts'
import { fixedUnits, type SentVerb, unitPrice } from '../../terms/fees/fees.ts'
import type { SolanaNode } from '../nodes/node.ts'

export const DECIMALS = 9
const MICRO_LAMPORTS = 1_000_000n

/** The rents are in lamports, at 6,960 lamports a byte; that price has only ever fallen. */
export const RENT = { account: 890_880n, tokenAccount: 2_039_280n, solOrder: 2_060_160n, tokenOrder: 2_505_600n } as const

/**
 * An initiation leaves this many lamports: rent locked for strangers' orders, or an amount in SOL, must not keep us from redeeming what we
 * are owed. They are enough for four redeems at the highest price, each with a new token account.
 */
const KEPT_FOR_DUTIES = 30_000_000n

/** The sender keeps this beside the rent of its own account. */
export function lamportsKept(verb: SentVerb): bigint {
  return verb === 'initiate' || verb === 'transfer' ? KEPT_FOR_DUTIES : 0n
}

const MIN_FEE_LAMPORTS = 5_000n

/** The network fee is not included. */
export function lamportsTaken(instructions: readonly Instruction[], sender: Address): bigint {
  return instructions.reduce((sum, instruction) => sum + takenBy(instruction, sender), 0n)
}

function takenBy({ programAddress, accounts = [], data }: Instruction, sender: Address): bigint {
  if (programAddress === ASSOCIATED_TOKEN_PROGRAM_ADDRESS) return RENT.tokenAccount
  if (data === undefined) return 0n
  if (programAddress === systemProgram) return getTransferSolInstructionDataDecoder().decode(data).amount
  const event = decodeInstruction(programAddress, { programAddress, accounts: accounts.map(({ address }) => address), data })
  if (event?.kind !== 'initiated') return 0n
  const { terms, funder, rentPayer } = event
  const rent = terms.mint === null ? RENT.solOrder : RENT.tokenOrder + RENT.tokenAccount
  return (rentPayer === sender ? rent : 0n) + (terms.mint === null && funder === sender ? terms.amount : 0n)
}

export type Funds = {
  readonly account: Address
  readonly lamports: bigint
  /** This is the upper limit of what unmined transactions may still take. */
  readonly reserved: bigint
}

/** The account itself must keep its rent. */
export function isEnough({ lamports, reserved }: Funds, needed: bigint): boolean {
  return lamports - reserved >= needed + RENT.account
}

export function shortOf(what: string, { account, lamports, reserved }: Funds, needed: bigint): ShortOfCoin {
  const unmined = reserved === 0n ? '' : `, of which ${reserved} are reserved for unmined transactions`
  return new ShortOfCoin(
    `${what}: ${account} holds ${lamports} lamports${unmined}; it needs ${needed + RENT.account}: fee, rent, and what it must keep`,
  )
}

/** Throws `would-fail` with the amounts unless the account can pay for this. */
export async function assertLamports(
  node: Pick<SolanaNode, 'balance'>,
  what: string,
  account: Address,
  instructions: readonly Instruction[],
): Promise<void> {
  const funds = { account, lamports: await node.balance(account), reserved: 0n }
  const needed = MIN_FEE_LAMPORTS + lamportsTaken(instructions, account)
  if (!isEnough(funds, needed)) throw shortOf(what, funds, needed)
}

/** A transfer of tokens may have to create the account of the recipient. */
export async function transferCost(node: Pick<SolanaNode, 'priorityFee'>, isToken: boolean): Promise<bigint> {
  const units = fixedUnits('redeem', isToken)
  const price = await unitPrice(node, 'transfer', [], units)
  return MIN_FEE_LAMPORTS + (BigInt(units) * price + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS + (isToken ? RENT.tokenAccount : 0n)
}

export async function legCostOf(node: Pick<SolanaNode, 'priorityFee'>, isToken: boolean): Promise<LegCost> {
  const costOf = async (verb: HtlcVerb) => {
    const units = fixedUnits(verb, isToken && verb === 'redeem')
    return MIN_FEE_LAMPORTS + (BigInt(units) * (await unitPrice(node, verb, [], units)) + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS
  }
  const [initiate, redeem, refund] = await Promise.all([costOf('initiate'), costOf('redeem'), costOf('refund')])
  return {
    decimals: DECIMALS,
    // One more transaction brings the rent of the HTLC back.
    initiate: initiate + MIN_FEE_LAMPORTS,
    redeem,
    refund,
    bound: isToken ? RENT.tokenOrder + RENT.tokenAccount : RENT.solOrder,
    kept: RENT.account,
    leaves: KEPT_FOR_DUTIES,
    ...(isToken && { newRecipient: RENT.tokenAccount }),
  }
}
