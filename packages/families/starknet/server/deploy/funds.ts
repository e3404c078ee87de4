/** Checks whether an account can pay for its operator's transaction. */

import type { AccountRequest } from '@tandem/chain-kit/port/abilities/deploy.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { formatUnits } from '@tandem/protocol/amount.ts'
import type { Felt } from '../../contract/client/felt.ts'
import { addressOfFelt, feltOf } from '../../terms/address.ts'
import { starknetDataOf } from '../../terms/chain-data.ts'
import type { ContractState } from '../contract-state.ts'

const FEE_DECIMALS = 18

export async function requireFunds(
  { chain, dryRun, onProgress }: Pick<AccountRequest, 'chain' | 'dryRun' | 'onProgress'>,
  state: ContractState,
  account: Felt,
  what: string,
  cost: bigint,
): Promise<void> {
  const balance = await state.tokenBalance(feltOf(starknetDataOf(chain).feeToken), account)
  const inStrk = (amount: bigint) => `${formatUnits(amount, FEE_DECIMALS)} STRK`
  const text = `${what} costs up to ${inStrk(cost)}; ${addressOfFelt(account)} holds ${inStrk(balance)} on ${chain.displayName}`
  if (balance >= cost || dryRun) onProgress(text)
  else throw new ChainFailure('would-fail', `${text}: send it ${inStrk(cost - balance)} or more, and run this again`)
}
