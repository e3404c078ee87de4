/** Makes a user's wallet on the local chain, which uses @solana/kit as real wallets do. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  address as addressOf,
  type Base64EncodedWireTransaction,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  type KeyPairSigner,
  partiallySignTransaction,
  type Signature,
  type Transaction,
} from '@solana/kit'
import type { LocalChainJson, LocalWallet, OrderToFund } from '@tandem/chain-kit/local/local-chain.ts'
import { createLocalSigner } from './local-signer.ts'

export interface SolanaWallet extends LocalWallet {
  /** The transaction is in base64, and others may still have to sign. */
  sign(transaction: string): Promise<Base64EncodedWireTransaction>
  send(signed: Base64EncodedWireTransaction): Promise<string>
  signInitiation(order: OrderToFund): Promise<string>
}

const CONFIRMED_LIMIT_MS = 60_000
const POLL_MS = 50

export function openSolanaWallet(local: LocalChainJson, privateKey: string): SolanaWallet {
  const rpc = createSolanaRpc(String(local.rpc_url))
  const seed = Uint8Array.from(Buffer.from(privateKey.replace(/^0x/, ''), 'hex'))
  const { address } = createLocalSigner(seed)
  let keyPair: Promise<KeyPairSigner> | undefined

  async function sign(encoded: string): Promise<Base64EncodedWireTransaction> {
    keyPair ??= createKeyPairSignerFromPrivateKeyBytes(seed)
    const transaction: Transaction = getTransactionDecoder().decode(getBase64Encoder().encode(encoded))
    return getBase64EncodedWireTransaction(await partiallySignTransaction([(await keyPair).keyPair], transaction))
  }

  async function send(signed: Base64EncodedWireTransaction): Promise<string> {
    const signature = await rpc.sendTransaction(signed, { encoding: 'base64', preflightCommitment: 'confirmed' }).send()
    await confirmed(signature)
    return signature
  }

  async function confirmed(signature: Signature): Promise<void> {
    const end = Date.now() + CONFIRMED_LIMIT_MS
    while (Date.now() < end) {
      const [status] = (await rpc.getSignatureStatuses([signature]).send()).value
      if (status?.err) throw new Error(`transaction ${signature} failed: ${JSON.stringify(status.err)}`)
      if (status && status.confirmationStatus !== 'processed') return
      await sleep(POLL_MS)
    }
    throw new Error(`transaction ${signature} was not confirmed`)
  }

  async function tokenBalance(mint: string): Promise<bigint> {
    const { value } = await rpc
      .getTokenAccountsByOwner(addressOf(address), { mint: addressOf(mint) }, { commitment: 'confirmed', encoding: 'jsonParsed' })
      .send()
    return value.reduce((sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount), 0n)
  }

  return {
    address,
    sign,
    send,
    async balance(asset) {
      const { token } = local.assets[asset] ?? {}
      return token === undefined ? (await rpc.getBalance(address, { commitment: 'confirmed' }).send()).value : tokenBalance(token)
    },
    async fund({ versioned_tx: transaction }) {
      if (transaction === undefined) throw new Error('POST /orders named no transaction to send')
      return send(await sign(transaction))
    },
    async signInitiation({ versioned_tx_gasless: transaction }) {
      if (!transaction) throw new Error('POST /orders named nothing to sign')
      return sign(transaction)
    },
    async passTime(slots) {
      const slot = await rpc.getSlot({ commitment: 'processed' }).send()
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'surfnet_timeTravel', params: [{ absoluteSlot: Number(slot) + slots }] })
      const response = await fetch(String(local.rpc_url), { method: 'POST', body })
      const { error } = (await response.json()) as { readonly error?: { readonly message: string } }
      if (error !== undefined) throw new Error(`surfnet_timeTravel: ${error.message}`)
    },
  }
}
