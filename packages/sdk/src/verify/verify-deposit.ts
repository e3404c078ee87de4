/** Verifies what the service answered to an order with a deposit address: the address is computed here. */
import { verifySame } from '@tandem/chain-kit/browser/check.ts'
import type { DepositAddresses, DepositSide, Funded, SdkFamily, SourceSide } from '@tandem/chain-kit/browser/family.ts'
import type { PayingWallet, Payment, Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import { type DepositPackage, writeDepositPackage } from '@tandem/protocol/funding/deposit-package.ts'
import type { FundingResult } from '@tandem/protocol/funding/funding.ts'

/** Throws before anybody pays unless the address is that of these terms. Resolves to what is to be paid. */
export async function verifyDeposit(family: SdkFamily, side: SourceSide): Promise<Payment> {
  const { chain, record, terms, funding: answer } = side
  const { addressOf } = addressesOf(family, chain.id)
  await family.verifyDestination(side)
  const to = addressOf(side)
  verifySame('source_swap.deposit_address', to, record.deposit_address)
  verifySame('source_swap.deposit_amount', '0', record.deposit_amount)
  const funding = answer as Partial<FundingResult<'deposit'>>
  verifySame('to', to, funding.to)
  verifySame('amount', terms.amount.toString(), funding.amount)
  // A user who keeps the package instead of this storage must get the money back with it.
  if (funding.refund_package != null) verifySame('refund_package', packageOf(side, to), funding.refund_package)
  return { chain, to, amount: terms.amount }
}

export function packageOf({ chain, deployment, terms, deadline }: DepositSide, address: string): DepositPackage {
  return writeDepositPackage({ family: chain.family, chain: chain.id, terms, deadline, address }, deployment)
}

export function addressesOf({ depositAddresses }: SdkFamily, chain: string): DepositAddresses<Wallet> {
  if (depositAddresses === undefined) throw new Error(`orders on ${chain} have no deposit addresses`)
  return depositAddresses
}

/** Throws unless the wallet pays to addresses. The result makes it pay, once. */
export function payerOf(wallet: Wallet, payment: Payment, signal?: AbortSignal): () => Promise<Funded> {
  if (!('pay' in wallet) || typeof wallet.pay !== 'function')
    throw new Error(
      'an order with a deposit address is paid by a wallet that pays to addresses, as depositWallet and payingWallet make them',
    )
  const { pay } = wallet as PayingWallet
  return async () => ({ kind: 'sent', tx: await pay(payment, signal) })
}
