/** Wraps wallets of Tron: TronLink and others that inject a TronWeb, or a TronWeb with a key. No library is imported. */
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'

export type TronCall = { readonly from: string; readonly to: string; readonly data: string; readonly feeLimitSun: bigint }

/** The types do not contain `EIP712Domain`. */
export type TronTypedData = {
  readonly domain: Readonly<Record<string, unknown>>
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>
  readonly message: Readonly<Record<string, unknown>>
}

export interface TronWallet extends Wallet {
  /** A transaction does not name its network, so the wallet tells where it sends to. */
  chainId(): Promise<number>
  /** Resolves to the transaction id once a node has accepted it. `mined` resolves once it is in a block, and rejects if it failed. */
  send(call: TronCall): Promise<{ readonly hash: string; mined(signal?: AbortSignal): Promise<void> }>
  signTypedData(from: string, typedData: TronTypedData): Promise<string>
}

export interface TronLink {
  request(args: { readonly method: string }): Promise<unknown>
  /** The value is false until the user gives access. */
  readonly tronWeb: InjectedTronWeb | false
}

export interface InjectedTronWeb {
  readonly defaultAddress: { readonly base58: string | false }
  readonly transactionBuilder: { triggerSmartContract(...args: never): Promise<{ readonly transaction: unknown }> }
  readonly trx: {
    sign(transaction: never): Promise<unknown>
    sendRawTransaction(transaction: never): Promise<unknown>
    getUnconfirmedTransactionInfo(id: string): Promise<unknown>
    getBlockByNumber(height: number): Promise<unknown>
    signTypedData(...args: never): unknown
  }
}

const FAMILIES = ['tron'] as const
const RECEIPT_POLL_MS = 500

export function tronLinkWallet(tronLink: TronLink): TronWallet {
  return walletOver(async () => {
    if (tronLink.tronWeb === false || tronLink.tronWeb.defaultAddress.base58 === false)
      await tronLink.request({ method: 'tron_requestAccounts' })
    if (tronLink.tronWeb === false) throw new Error('the wallet gives access to no account')
    return tronLink.tronWeb
  })
}

export function tronWebWallet(tronWeb: InjectedTronWeb): TronWallet {
  return walletOver(async () => tronWeb)
}

/** Every version 6 of TronWeb takes these arguments. */
type Used = {
  readonly defaultAddress: InjectedTronWeb['defaultAddress']
  readonly transactionBuilder: {
    triggerSmartContract(to: string, name: '', options: object, parameters: [], from: string): Promise<{ readonly transaction: unknown }>
  }
  readonly trx: {
    sign(transaction: unknown): Promise<unknown>
    sendRawTransaction(transaction: unknown): Promise<{
      readonly result?: boolean
      readonly code?: unknown
      readonly message?: string
      readonly transaction: { readonly txID: string }
    }>
    getUnconfirmedTransactionInfo(id: string): Promise<{ readonly id?: string; readonly receipt?: { readonly result?: string } }>
    getBlockByNumber(height: number): Promise<{ readonly blockID: string }>
    signTypedData(domain: object, types: object, message: object): string | Promise<string>
  }
}

function walletOver(open: () => Promise<InjectedTronWeb>): TronWallet {
  const use = async (): Promise<Used> => (await open()) as unknown as Used

  async function account(): Promise<string> {
    const { base58 } = (await use()).defaultAddress
    if (base58 === false) throw new Error('the wallet gives access to no account')
    return base58
  }

  async function as(from: string): Promise<Used> {
    const current = await account()
    if (current !== from) throw new Error(`the wallet's account is ${current}, expected ${from}`)
    return use()
  }

  return {
    families: FAMILIES,
    address: account,
    /** The chain id is the last four bytes of the id of the first block. */
    chainId: async () => Number(`0x${(await (await use()).trx.getBlockByNumber(0)).blockID.slice(-8)}`),
    async send({ from, to, data, feeLimitSun }) {
      const { transactionBuilder, trx } = await as(from)
      const options = { input: data.replace(/^0x/, ''), feeLimit: Number(feeLimitSun), callValue: 0 }
      const { transaction } = await transactionBuilder.triggerSmartContract(to, '', options, [], from)
      const sent = await trx.sendRawTransaction(await trx.sign(transaction))
      if (sent.result !== true) throw new Error(`the node refused the transaction: ${String(sent.code)} ${sent.message ?? ''}`)
      const hash = sent.transaction.txID
      return { hash, mined: (signal) => untilMined(trx, hash, signal) }
    },
    async signTypedData(from, { domain, types, message }) {
      return (await as(from)).trx.signTypedData(domain, types, message)
    },
  }
}

async function untilMined(trx: Used['trx'], hash: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const { receipt } = await trx.getUnconfirmedTransactionInfo(hash)
    if (receipt?.result === 'SUCCESS') return
    if (receipt?.result !== undefined) throw new Error(`the transaction ${hash} failed: ${receipt.result}`)
    await new Promise((resolve) => setTimeout(resolve, RECEIPT_POLL_MS))
  }
}
