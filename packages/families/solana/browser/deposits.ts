/** What users do with a deposit address alone: compute it, read what it holds, lock that, or take it out. */
import type { Address, Instruction } from '@solana/kit'
import { getTokenDecoder } from '@solana-program/token'
import type { DepositAddresses, DepositSide, HeldAsset, Node } from '@tandem/chain-kit/browser/family.ts'
import { token2022Program, tokenProgram } from '../contract/client/programs.ts'
import { parseAddress } from '../terms/address.ts'
import { depositAccountOf, depositAddressOf, initiateDepositedInstruction, returnDepositInstructions } from '../terms/deposit.ts'
import type { HtlcContract } from '../terms/htlc.ts'
import { accountInfo } from './node.ts'
import { sendCall } from './send-call.ts'
import type { SolanaWallet } from './wallet.ts'

export function depositsWith(contractOf: (side: HeldAsset) => HtlcContract): DepositAddresses<SolanaWallet> {
  return {
    addressOf: (side) => depositAddressOf(contractOf(side), side),
    async amountAt(side, node) {
      const contract = contractOf(side)
      const { account } = await accountInfo(node, depositAccountOf(contract, side))
      if (account === null) return 0n
      return contract.mint === null ? account.lamports : getTokenDecoder().decode(account.data).amount
    },
    initiate: (side, by) => sendCall(side, 'initiate', by, (payer) => [initiateDepositedInstruction(contractOf(side), side, payer)]),
    giveBack: (side, by, token) => sendCall(side, 'reclaim', by, (payer) => returnOf(side, payer, token, by.node)),
  }

  /** The owner's own wallet takes the money out at any time; for anybody else the program waits until no initiation can use it. */
  async function returnOf(
    side: DepositSide,
    payer: Address,
    token: string | null | undefined,
    node: Node | null,
  ): Promise<readonly Instruction[]> {
    const contract = contractOf(side)
    const mint = token === undefined ? contract.mint : token === null ? null : parseAddress(token)
    const returned = mint === null ? null : { mint, tokenProgram: await programOf(mint, node) }
    return returnDepositInstructions(contract, side, { returned, payer })
  }
}

/** The program has the last word. */
async function programOf(mint: Address, node: Node | null): Promise<Address> {
  const account = node === null ? null : (await accountInfo(node, mint)).account
  const program = [tokenProgram, token2022Program].find((one) => one === account?.owner)
  if (program === undefined) throw new Error(`the node shows no mint at ${mint}`)
  return program
}
