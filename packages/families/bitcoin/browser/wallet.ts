/** Makes wallets for the Bitcoin family: for anybody who can pay to an address, and for wallets that sign PSBTs. */
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import type { Payment, PsbtWallet } from './pay-by-psbt.ts'

export interface BitcoinWallet extends Wallet {
  /** The result is empty if the user pays elsewhere. */
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

/** BIP21 defines the URI, such as bitcoin:bc1…?amount=0.01. The name of the coin is its scheme. */
function paymentUri({ chain, to, amount }: Payment): string {
  const coin = chain.reference.split(':')[0]
  const digits = amount.toString().padStart(9, '0')
  return `${coin}:${to}?amount=${digits.slice(0, -8)}.${digits.slice(-8)}`
}

export function payingWallet(options: { readonly address: string; pay(to: string, amount: bigint): Promise<string> }): BitcoinWallet {
  return { families: ['bitcoin'], address: async () => options.address, pay: ({ to, amount }) => options.pay(to, amount) }
}

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
