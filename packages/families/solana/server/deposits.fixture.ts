/** Acts as strangers who pay plain transfers to deposit addresses, lock what lies there, or return it: over the chain's own transactions. */
import { AccountRole, type Address, createNoopSigner, type Instruction } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { getCreateAssociatedTokenIdempotentInstruction, getTransferCheckedInstruction } from '@solana-program/token'
import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import type { ConformanceFixture, OtherMoney } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { returnSol, returnTokens } from '../contract/client/instructions.ts'
import { tokenProgram } from '../contract/client/programs.ts'
import { mintTokens } from '../local/local-tokens.ts'
import { depositAddressOf, initiateDepositedInstruction, returnDepositInstruction } from '../terms/deposit.ts'
import { type HtlcContract, orderTermsOf } from '../terms/htlc.ts'
import { tokenAccountOf } from '../terms/instructions.ts'
import type { TestProvider } from './nodes/provider.fixture.ts'
import type { SolanaFixture } from './solana.fixture.ts'

const SLOTS_PER_SECOND = 2.5
/** No account can hold less. */
const LEAST_LAMPORTS = 890_880n
const WEALTH = 10n ** 12n

export async function depositsOf(
  { local, faucet, user, mints }: SolanaFixture,
  contract: HtlcContract,
  provider: TestProvider,
): Promise<NonNullable<ConformanceFixture['depositAddress']>> {
  const stranger = createNoopSigner(faucet.address)
  for (const mint of Object.values(mints)) await faucet.confirm(await mintTokens(faucet, mint, faucet.address, WEALTH))

  async function payTokens(mint: Address, decimals: number, owner: string, amount: bigint): Promise<void> {
    const to = owner as Address
    const [source, destination] = [tokenAccountOf(faucet.address, mint), tokenAccountOf(to, mint)]
    faucet.send([
      getCreateAssociatedTokenIdempotentInstruction({ payer: stranger, ata: destination, owner: to, mint }),
      getTransferCheckedInstruction({ source, mint, destination, authority: stranger, amount, decimals }),
    ])
  }
  async function payLamports(to: string, amount: bigint): Promise<void> {
    faucet.send([getTransferSolInstruction({ source: stranger, destination: to as Address, amount })])
  }
  const by = ({ deadline }: PrefundedSwap) => ({ deadline, isSignedByInitiator: false })
  async function returnOf(swap: PrefundedSwap, mint: Address): Promise<Instruction> {
    const deposit = depositAddressOf(contract, swap)
    const [tokens, initiatorTokens] = [tokenAccountOf(deposit, mint), tokenAccountOf(user.address, mint)]
    const returned = { tokens, initiatorTokens, mint, tokenProgram }
    return returnTokens(contract.program, orderTermsOf(contract, swap.terms), by(swap), returned)
  }

  const tokensNamed = (name: string, mint: Address, decimals: number): OtherMoney => ({
    name,
    amount: 12_345n,
    pay: (address) => payTokens(mint, decimals, address, 12_345n),
    giveBack: async (swap) => void faucet.send([await returnOf(swap, mint)]),
    balanceOf: async (owner) => tokensAt(local, tokenAccountOf(owner as Address, mint)),
  })
  const coin: OtherMoney = {
    name: 'SOL',
    amount: LEAST_LAMPORTS + 5n,
    pay: (address) => payLamports(address, LEAST_LAMPORTS + 5n),
    giveBack: async (swap) => void faucet.send([returnSol(contract.program, orderTermsOf(contract, swap.terms), by(swap))]),
    balanceOf: async (owner) => local.node.svm.account(owner as Address)?.lamports ?? 0n,
  }

  return {
    ...(contract.mint === null && { least: LEAST_LAMPORTS }),
    pay: (address, amount) =>
      contract.mint === null ? payLamports(address, amount) : payTokens(contract.mint, contract.decimals, address, amount),
    async passDeadline(deadline) {
      const { time } = local.node.ledger.tip('processed')
      if (BigInt(time) <= deadline) local.passTime(Math.ceil(Number(deadline - BigInt(time) + 1n) * SLOTS_PER_SECOND))
    },
    initiate: async (swap) => void faucet.send([initiateDepositedInstruction(contract, swap, faucet.address)]),
    giveBack: async (swap) => void faucet.send([returnDepositInstruction(contract, swap)]),
    withdraw: async (swap) => void faucet.send([signedBy(user.address, returnDepositInstruction(contract, swap))], [user.signer]),
    otherMoney: [tokensNamed('another token', mints.cbbtc, 8), contract.mint === null ? tokensNamed('USDC', mints.usdc, 6) : coin],
    async requestsOf(work) {
      const before = provider.asked.length
      await work()
      return provider.asked.length - before
    },
  }
}

function signedBy(signer: Address, instruction: Instruction): Instruction {
  const { accounts = [] } = instruction
  return {
    ...instruction,
    accounts: accounts.map((meta) => (meta.address === signer ? { ...meta, role: AccountRole.WRITABLE_SIGNER } : meta)),
  } as Instruction
}

function tokensAt({ node }: SolanaFixture['local'], address: Address): bigint {
  const account = node.svm.account(address)
  return account === null ? 0n : Buffer.from(account.data).readBigUInt64LE(64)
}
