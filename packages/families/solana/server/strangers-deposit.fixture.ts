/** Shows how strangers initiate from a deposit: with every rent payer, rest, account, role and byte that the terms do not fix. */
import { type AccountMeta, AccountRole, type Address, createNoopSigner, type Instruction } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { getCreateAssociatedTokenIdempotentInstruction, getTransferInstruction } from '@solana-program/token'
import { type AgreedSwap, each, type StrangersWay, strangersWay } from '@tandem/chain-kit/testing/strangers-initiation.fixture.ts'
import fc from 'fast-check'
import { depositAccountOf, depositAddressOf, initiateDepositedInstruction } from '../terms/deposit.ts'
import type { HtlcContract } from '../terms/htlc.ts'
import { tokenAccountOf } from '../terms/instructions.ts'

type Built = { readonly programAddress: Address; readonly accounts: readonly AccountMeta[]; readonly data: Uint8Array }

type Means = {
  readonly user: Address
  readonly stranger: Address
  /** Both sign where they are named. */
  send(instructions: readonly Instruction[]): void
  /** The names are those of accounts that an attacker may put in place of any other. */
  readonly strange: fc.Arbitrary<string>
  strangeAccount(name: string, instruction: Built): Address
}

const REST = each(0n, 1n, 890_879n, 890_880n, 5_000_000n)

export function depositWays(contract: HtlcContract, { user, stranger, send, strange, strangeAccount }: Means): readonly StrangersWay[] {
  const { mint } = contract

  async function paid(swap: AgreedSwap, rest = 0n): Promise<readonly Instruction[]> {
    const owner = depositAddressOf(contract, swap)
    const authority = createNoopSigner(user)
    const amount = swap.terms.amount + rest
    if (mint === null) return [getTransferSolInstruction({ source: authority, destination: owner, amount })]
    const [source, destination] = [tokenAccountOf(user, mint), depositAccountOf(contract, swap)]
    return [
      getCreateAssociatedTokenIdempotentInstruction({ payer: authority, ata: destination, owner, mint }),
      getTransferInstruction({ source, destination, authority, amount }),
    ]
  }
  async function built(swap: AgreedSwap, rentPayer = user): Promise<Built> {
    const { programAddress, accounts = [], data = new Uint8Array() } = initiateDepositedInstruction(contract, swap, rentPayer)
    return { programAddress, accounts: accounts as readonly AccountMeta[], data: Uint8Array.from(data) }
  }

  return [
    strangersWay('from a deposit, of any size', {
      outcome: 'counts',
      ...REST,
      async initiate(swap, rest) {
        send([...(await paid(swap, rest)), await built(swap)])
      },
    }),
    strangersWay('from a deposit, with rent from others', {
      outcome: 'counts',
      ...each('user' as const, 'stranger' as const),
      async initiate(swap, party) {
        send([...(await paid(swap)), await built(swap, party === 'user' ? user : stranger)])
      },
    }),
    strangersWay('from a deposit that lacks a unit', {
      outcome: 'never',
      ...each(-1n),
      async initiate(swap, rest) {
        send([...(await paid(swap, rest)), await built(swap)])
      },
    }),
    strangersWay('from a deposit for another deadline', {
      outcome: 'never',
      ...each(-1n, 1n),
      async initiate(swap, seconds) {
        const other = { ...swap, deadline: swap.deadline + seconds }
        const [at, wrong] = [depositAddressOf(contract, swap), depositAddressOf(contract, other)]
        const instruction = await built(other)
        const accounts = instruction.accounts.map((meta) => (meta.address === wrong ? { ...meta, address: at } : meta))
        send([...(await paid(swap)), { ...instruction, accounts }])
      },
    }),
    strangersWay('from a deposit, with an account exchanged', {
      outcome: 'may',
      choices: fc.record({ at: fc.nat(8), by: strange, writable: fc.boolean() }),
      async initiate(swap, { at, by, writable }) {
        const instruction = await built(swap)
        const address = strangeAccount(by, instruction)
        const signs = [user, stranger].includes(address)
        const role = (writable ? AccountRole.WRITABLE : AccountRole.READONLY) | (signs ? AccountRole.READONLY_SIGNER : 0)
        const exchanged = at % instruction.accounts.length
        send([
          ...(await paid(swap)),
          { ...instruction, accounts: instruction.accounts.map((meta, i) => (i === exchanged ? { address, role } : meta)) },
        ])
      },
    }),
    strangersWay('from a deposit, with a byte changed', {
      outcome: 'may',
      choices: fc.record({ at: fc.nat(110), to: fc.nat(255) }),
      async initiate(swap, { at, to }) {
        const instruction = await built(swap)
        const data = instruction.data.map((byte, i) => (i === at % instruction.data.length ? to : byte))
        send([...(await paid(swap)), { ...instruction, data }])
      },
    }),
  ]
}
