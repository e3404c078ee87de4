// Answers the methods about SPL tokens.
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import type { SolanaNode } from '../solana-node.ts'
import { readMint, readTokenAccount, tokenAmountJson } from '../token-accounts.ts'
import { accountJson } from './account-json.ts'
import { type Methods, readCommitment, withContext } from './context.ts'
import { addressOf, configOf } from './params.ts'
import { invalidParams } from './rpc-error.ts'

export function tokenMethods(node: SolanaNode): Methods {
  const { ledger } = node
  return {
    getTokenAccountBalance([address, options]) {
      const commitment = readCommitment(node, configOf(options))
      const account = ledger.account(addressOf(address), commitment)
      if (account === null) throw invalidParams('Invalid param: could not find account')
      const tokens = readTokenAccount(account)
      const mint = tokens && ledger.account(tokens.mint, commitment)
      const decimals = mint && readMint(mint)?.decimals
      if (tokens === null || decimals === null || decimals === undefined) throw invalidParams('Invalid param: not a Token account')
      return withContext(node, commitment, tokenAmountJson(tokens.amount, decimals))
    },
    getTokenSupply([address, options]) {
      const commitment = readCommitment(node, configOf(options))
      const account = ledger.account(addressOf(address), commitment)
      if (account === null) throw invalidParams('Invalid param: could not find account')
      const mint = readMint(account)
      if (mint === null) throw invalidParams('Invalid param: not a Token mint')
      return withContext(node, commitment, tokenAmountJson(mint.supply, mint.decimals))
    },
    getTokenAccountsByOwner([owner, filter, options]) {
      const [config, { mint, programId }] = [configOf(options), configOf(filter)]
      const commitment = readCommitment(node, config)
      const holder = addressOf(owner)
      if (mint === undefined && programId === undefined) throw invalidParams('Invalid params: expected `mint` or `programId`.')
      const [wantedMint, wantedProgram] = [
        mint === undefined ? null : addressOf(mint),
        programId === undefined ? null : addressOf(programId),
      ]
      const found = ledger.programAccounts(wantedProgram ?? TOKEN_PROGRAM_ADDRESS, commitment).filter((account) => {
        const tokens = readTokenAccount(account)
        return tokens?.owner === holder && (wantedMint === null || tokens.mint === wantedMint)
      })
      return withContext(
        node,
        commitment,
        found.map((account) => ({
          pubkey: account.address,
          account: accountJson(account, config, (address) => ledger.account(address, commitment)),
        })),
      )
    },
  }
}
