/** Gives a user a wallet on the local chain: unmodified xrpl.js. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalChainJson, LocalWallet, OrderToFund } from '@tandem/chain-kit/local/local-chain.ts'
import { type Client, RippledError, type SubmittableTransaction, type TxResponse } from 'xrpl'
import { walletOfKey } from './account-keys.ts'
import { openXrplClient } from './open-client.ts'

export interface XrplWallet extends LocalWallet {
  send(transaction: Readonly<Record<string, unknown>>): Promise<string>
  balanceOf(account: string): Promise<bigint>
}

const POLL_MS = 50

export function openXrplWallet(local: LocalChainJson, privateKey: string): XrplWallet {
  const wallet = walletOfKey(privateKey)
  const { classicAddress: address } = wallet

  async function connected<T>(run: (client: Client) => Promise<T>): Promise<T> {
    const client = await openXrplClient(String(local.ws_url))
    try {
      return await run(client)
    } finally {
      await client.disconnect()
    }
  }

  function send(transaction: Readonly<Record<string, unknown>>): Promise<string> {
    return connected(async (client) => {
      const filled = await client.autofill({ Account: address, ...transaction } as unknown as SubmittableTransaction)
      const signed = wallet.sign(filled)
      const { result } = await client.submit(signed.tx_blob)
      const outcome = await validated(client, signed.hash, filled.LastLedgerSequence ?? 0)
      if (outcome !== 'tesSUCCESS') throw new Error(`transaction ${signed.hash} failed: ${outcome ?? result.engine_result}`)
      return signed.hash
    })
  }

  function balanceOf(account: string): Promise<bigint> {
    return connected(async (client) => {
      try {
        const { result } = await client.request({ command: 'account_info', account, ledger_index: 'validated' })
        return BigInt(result.account_data.Balance)
      } catch (error) {
        if (error instanceof RippledError && errorOf(error) === 'actNotFound') return 0n
        throw error
      }
    })
  }

  return {
    address,
    send,
    balanceOf,
    balance: () => balanceOf(address),
    async fund(order) {
      const { escrow_create_tx: transaction } = order as OrderToFund & { readonly escrow_create_tx?: Readonly<Record<string, unknown>> }
      if (transaction === undefined) throw new Error('POST /orders named no transaction to send')
      return send(transaction)
    },
    passTime: (seconds) =>
      connected(async (client) => {
        await client.connection.request({ command: 'ledger_accept', pass_seconds: seconds } as never)
      }),
  }
}

async function validated(client: Client, hash: string, lastLedger: number): Promise<string | undefined> {
  for (;;) {
    const newest = await client.getLedgerIndex()
    const found = await transactionOf(client, hash)
    const meta = found?.result.validated ? found.result.meta : undefined
    if (typeof meta === 'object') return meta.TransactionResult
    if (newest > lastLedger) return undefined
    await sleep(POLL_MS)
  }
}

async function transactionOf(client: Client, hash: string): Promise<TxResponse | null> {
  try {
    return await client.request({ command: 'tx', transaction: hash })
  } catch (error) {
    if (error instanceof RippledError && errorOf(error) === 'txnNotFound') return null
    throw error
  }
}

function errorOf({ data }: RippledError): unknown {
  return typeof data === 'object' && data !== null && 'error' in data ? data.error : undefined
}
