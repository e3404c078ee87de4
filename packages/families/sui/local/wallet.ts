/** Makes a user's wallet on the local chain: one key, and the SDK over the gRPC of nodes. */
import { SuiGrpcClient } from '@mysten/sui/grpc'
import { Transaction } from '@mysten/sui/transactions'
import type { LocalChainJson, LocalWallet } from '@tandem/chain-kit/local/local-chain.ts'
import { keypairOf } from './account-keys.ts'
import { SUI_TYPE } from './objects/types.ts'

export interface SuiWallet extends LocalWallet {
  readonly client: SuiGrpcClient
  /** The wallet adds sender and gas. Resolves to the digest once the transaction is in a checkpoint; rejects if it fails. */
  execute(tx: Transaction): Promise<string>
  balanceOf(owner: string, coinType: string): Promise<bigint>
}

const POLL_SCHEDULE_MS = [0, 20, 50, 100, 200, 400]

export function openSuiWallet(local: LocalChainJson, privateKey: string): SuiWallet {
  const keypair = keypairOf(privateKey)
  const address = keypair.toSuiAddress()
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: String(local.rpc_url) })

  async function execute(tx: Transaction): Promise<string> {
    tx.setSender(address)
    const sent = await keypair.signAndExecuteTransaction({ transaction: tx, client })
    if (sent.$kind === 'FailedTransaction') throw new Error(`transaction failed: ${sent.FailedTransaction.status.error?.message}`)
    const { digest } = sent.Transaction
    await client.waitForTransaction({ digest, pollSchedule: POLL_SCHEDULE_MS })
    return digest
  }

  async function balanceOf(owner: string, coinType: string): Promise<bigint> {
    return BigInt((await client.getBalance({ owner, coinType })).balance.balance)
  }

  return {
    address,
    client,
    execute,
    balanceOf,
    balance: (asset) => balanceOf(address, local.assets[asset]?.token ?? SUI_TYPE),
    async fund({ ptb_bytes: bytes }) {
      if (bytes === undefined) throw new Error('POST /orders named no transaction to send')
      return execute(Transaction.fromKind(Uint8Array.from(bytes)))
    },
    async passTime(ms) {
      await client.forkingService.advanceClock({ durationMs: BigInt(ms) })
    },
  }
}
