/** Wallets of chains of the Bitcoin family: anybody who can pay to an address, or a wallet that signs PSBTs. */

import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import type { Payment, PsbtWallet } from './wallet-payment.ts'

export interface BitcoinWallet extends Wallet {
  /** Resolves to the transaction id, or to an empty text if the user pays elsewhere. */
  pay(payment: Payment, signal?: AbortSignal): Promise<string>
}

/** Shows the deposit address to the user, who pays with any wallet. `address` gets refunds and payouts. */
export function depositWallet(options: {
  readonly address: string
  show(payment: Payment & { readonly uri: string }): void | Promise<void>
}): BitcoinWallet {
  return {
    families: ['bitcoin'],
    address: async () => options.address,
    async pay(payment) {
      await options.show({ ...payment, uri: paymentUri(payment) })
      return ''
    },
  }
}

/** BIP21, with the name of the coin in front: bitcoin:bc1…?amount=0.01 */
function paymentUri({ chain, to, amount }: Payment): string {
  const coin = chain.reference.split(':')[0]
  const digits = amount.toString().padStart(9, '0')
  return `${coin}:${to}?amount=${digits.slice(0, -8)}.${digits.slice(-8)}`
}

/** A wallet that sends by itself, as wallets with `sendBitcoin(to, sats)` do. */
export function payingWallet(options: { readonly address: string; pay(to: string, amount: bigint): Promise<string> }): BitcoinWallet {
  return { families: ['bitcoin'], address: async () => options.address, pay: ({ to, amount }) => options.pay(to, amount) }
}

/** Builds the payment from the coins at the wallet's address; the wallet signs it. The builder is loaded when it is first used. */
export function psbtWallet(options: PsbtWallet): BitcoinWallet {
  return {
    families: ['bitcoin'],
    address: async () => options.address,
    async pay(payment, signal) {
      const { payByPsbt } = await import('./pay-by-psbt.ts')
      return payByPsbt(options, payment, signal)
    },
  }
}
