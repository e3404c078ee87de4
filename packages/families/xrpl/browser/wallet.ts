/** Wallets of the XRP Ledger: anything that signs and submits a transaction, or a wallet of xrpl.js with its client. No library is imported. */

import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import type { EscrowCreate } from '@tandem/protocol/funding/escrow-create.ts'

/** Ends an escrow. Field names are the chain's. */
export type EscrowFinish = {
  readonly TransactionType: 'EscrowFinish'
  readonly Account: string
  readonly Owner: string
  readonly OfferSequence: number
  readonly Condition: string
  readonly Fulfillment: string
}

export type EscrowCancel = {
  readonly TransactionType: 'EscrowCancel'
  readonly Account: string
  readonly Owner: string
  readonly OfferSequence: number
}

export type XrplTransaction = EscrowCreate | EscrowFinish | EscrowCancel

export interface XrplWallet extends Wallet {
  /** Of the network that it submits to: 0 is the main one. A transaction does not name it on the older networks. */
  networkId(): Promise<number>
  /** Adds fee, sequence and last ledger, signs and submits. Resolves to the hash once a node has accepted it. A finish costs more than other transactions. */
  submit(transaction: XrplTransaction): Promise<string>
}

/** What wallet extensions offer under various names. */
export interface XrplSigner {
  readonly address: string
  /** Of the network that it submits to: 0 is the main one, 1 the test network. */
  networkId(): Promise<number>
  signAndSubmit(transaction: XrplTransaction): Promise<{ readonly hash: string }>
}

const FAMILIES = ['xrpl'] as const

export function xrplWallet(signer: XrplSigner): XrplWallet {
  return {
    families: FAMILIES,
    address: async () => signer.address,
    networkId: () => signer.networkId(),
    async submit(transaction) {
      return (await signer.signAndSubmit(transaction)).hash
    },
  }
}

/** The part of xrpl.js's `Wallet` that is used. */
export interface XrplJsWallet {
  readonly classicAddress: string
  sign(transaction: never): { readonly tx_blob: string; readonly hash: string }
}

/** The part of xrpl.js's `Client` that is used. It must be connected. */
export interface XrplJsClient {
  autofill(transaction: never): Promise<object>
  request(request: never): Promise<unknown>
  submit(blob: string): Promise<{ readonly result: { readonly engine_result: string; readonly engine_result_message: string } }>
}

type ServerInfo = { readonly result: { readonly info: { readonly network_id?: number } } }

export function xrplJsWallet(wallet: XrplJsWallet, client: XrplJsClient): XrplWallet {
  return xrplWallet({
    address: wallet.classicAddress,
    async networkId() {
      const { result } = (await client.request({ command: 'server_info' } as never)) as ServerInfo
      // Servers of the main network need not name it.
      return result.info.network_id ?? 0
    },
    async signAndSubmit(transaction) {
      // The types of xrpl.js list every transaction; those of escrows are among them.
      const { tx_blob, hash } = wallet.sign((await client.autofill(transaction as never)) as never)
      const { engine_result: code, engine_result_message: message } = (await client.submit(tx_blob)).result
      // `ter`: it waits for a ledger.
      if (!/^te[sr]/.test(code)) throw new Error(`the ledger refused the transaction: ${code}, ${message}`)
      return { hash }
    },
  })
}
