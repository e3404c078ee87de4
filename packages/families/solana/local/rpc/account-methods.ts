// Answers the methods about accounts.
import type { Address, EncodedAccount } from '@solana/kit'
import type { Commitment } from '../ledger.ts'
import type { SolanaNode } from '../solana-node.ts'
import { matchesFilters } from './account-filters.ts'
import { accountJson } from './account-json.ts'
import { type Methods, readCommitment, withContext } from './context.ts'
import { addressesOf, addressOf, type Config, configOf } from './params.ts'

const MAX_ACCOUNTS = 100

export function accountMethods(node: SolanaNode): Methods {
  const { ledger } = node
  const show = (account: EncodedAccount | null, config: Config, commitment: Commitment) =>
    account && accountJson(account, config, (address) => ledger.account(address, commitment))

  return {
    getBalance([address, options]) {
      const commitment = readCommitment(node, configOf(options))
      return withContext(node, commitment, ledger.account(addressOf(address), commitment)?.lamports ?? 0)
    },
    getAccountInfo([address, options]) {
      const config = configOf(options)
      const commitment = readCommitment(node, config)
      return withContext(node, commitment, show(ledger.account(addressOf(address), commitment), config, commitment))
    },
    getMultipleAccounts([addresses, options]) {
      const config = configOf(options)
      const commitment = readCommitment(node, config)
      const found = addressesOf(addresses, MAX_ACCOUNTS).map((address: Address) => ledger.account(address, commitment))
      return withContext(
        node,
        commitment,
        found.map((account) => show(account, config, commitment)),
      )
    },
    getProgramAccounts([program, options]) {
      const config = configOf(options)
      const commitment = readCommitment(node, config)
      const found = ledger
        .programAccounts(addressOf(program), commitment)
        .filter(matchesFilters(config.filters))
        .map((account) => ({ pubkey: account.address, account: show(account, config, commitment) }))
      return config.withContext === true ? withContext(node, commitment, found) : found
    },
  }
}
