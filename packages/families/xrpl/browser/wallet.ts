/** Connects wallets of the XRP Ledger: anything that signs and submits a transaction, or a wallet of xrpl.js. No library is imported. */
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import type { EscrowCreate } from '@tandem/protocol/funding/escrow-create.ts'

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
  /** The main network has the id 0. A transaction does not name the network on the older networks. */
  networkId(): Promise<number>
  /** The wallet adds fee, sequence and last ledger. A finish costs more than other transactions. The result is the hash. */
  submit(transaction: XrplTransaction): Promise<string>
}

/** Wallet extensions offer this interface under various names. */
export interface XrplSigner {
  readonly address: string
  /** The main network has the id 0, the test network 1. */
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

export interface XrplJsWallet {
  readonly classicAddress: string
  sign(transaction: never): { readonly tx_blob: string; readonly hash: string }
}

/** The client must be connected. */
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
      // `ter` means that the transaction waits for a ledger.
      if (!/^te[sr]/.test(code)) throw new Error(`the ledger refused the transaction: ${code}, ${message}`)
      return { hash }
    },
  })
}
