/** Makes wallets that pay to an address: where HTLCs are addresses, and for orders with a deposit address on all other chains. */
import { depositWallet as linkedWallet } from '@tandem/bitcoin/browser/wallet.ts'
import type { PayingWallet, Payment } from '@tandem/chain-kit/browser/wallet.ts'
import { familyNames } from '@tandem/families/names.ts'

/**
 * Shows the address to the user, who pays with any wallet or from an exchange. `address` gets what is refunded, returned or paid out. `uri` is a link for wallets
 * where the chain has one that all of them know, else the address.
 */
export function depositWallet(options: {
  readonly address: string
  show(payment: Payment & { readonly uri: string }): void | Promise<void>
}): PayingWallet {
  const linked = linkedWallet(options)
  return {
    families: familyNames,
    address: linked.address,
    async pay(payment, signal) {
      if (linked.families.includes(payment.chain.family)) return linked.pay(payment, signal)
      await options.show({ ...payment, uri: payment.to })
      return ''
    },
  }
}

/** `pay` sends the amount by a wallet that the SDK does not know, and resolves to the hash of the transaction. */
export function payingWallet(options: { readonly address: string; pay(to: string, amount: bigint): Promise<string> }): PayingWallet {
  return { families: familyNames, address: async () => options.address, pay: ({ to, amount }) => options.pay(to, amount) }
}
