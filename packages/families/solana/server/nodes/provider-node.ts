/** Makes a node of one provider: it parses the answers of the JSON-RPC. */
import {
  type Address,
  type Base64EncodedWireTransaction,
  type Blockhash,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
} from '@solana/kit'
import { AccountState, getTokenDecoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { list, malformed, record, text, whole } from '@tandem/chain-kit/providers/json.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import { address, amount, base64, transactionError, valueIn } from '../../terms/nodes/json.ts'
import { parseTransaction, TRANSACTION_OPTIONS } from '../../terms/nodes/read-transaction.ts'
import { createHistory } from './history.ts'
import type { BroadcastVerdict, NodeAccount, Outcome, SlotBlock, SolanaNode } from './node.ts'
import { createBlockReader } from './read-blocks.ts'
import { createOrderReader } from './read-orders.ts'
import { createRpc } from './rpc.ts'

const CONFIRMED = { commitment: 'confirmed' } as const
const MAX_ACCOUNTS = 100
/** A transaction is valid for this many blocks after the one whose hash it names. */
const LIFETIME_BLOCKS = 150n

/** `signatures` rejects with a Refusal if this provider cannot answer and another may. */
export function createProviderNode(endpoint: Endpoint, timeoutMs: number): SolanaNode {
  const rpc = createRpc(endpoint, timeoutMs)
  const blocks = createBlockReader(rpc)

  async function accounts(addresses: readonly Address[], options: object = {}): Promise<readonly (NodeAccount | null)[]> {
    if (addresses.length === 0) return []
    const found = list(valueIn(await rpc.read('getMultipleAccounts', [addresses, { ...CONFIRMED, encoding: 'base64', ...options }])))
    if (found.length !== addresses.length) throw malformed(`${addresses.length} accounts`)
    return found.map((one) => (one === null ? null : parseAccount(one)))
  }

  async function accountsSince(addresses: readonly Address[], minSlot: bigint): Promise<readonly (NodeAccount | null)[]> {
    const pages = Array.from({ length: Math.ceil(addresses.length / MAX_ACCOUNTS) }, (_, i) =>
      accounts(addresses.slice(i * MAX_ACCOUNTS, (i + 1) * MAX_ACCOUNTS), { minContextSlot: Number(minSlot) }),
    )
    return (await Promise.all(pages)).flat()
  }

  async function statusOf(signature: Signature): Promise<Readonly<Record<string, unknown>> | null> {
    const [status] = list(valueIn(await rpc.read('getSignatureStatuses', [[signature], { searchTransactionHistory: true }])))
    return status === null ? null : record(status)
  }

  return {
    ...blocks,
    ...createHistory(rpc, blocks),
    ...createOrderReader(accountsSince, blocks),
    genesisHash: async () => address(await rpc.read('getGenesisHash', [])),
    accounts: (addresses) => accounts(addresses),
    balance: async (owner) => amount(valueIn(await rpc.read('getBalance', [owner, CONFIRMED]))),
    async tokenBalance(tokens) {
      const [account] = await accounts([tokens])
      return account?.owner === TOKEN_PROGRAM_ADDRESS ? tokenAmount(account) : 0n
    },
    rentExempt: async (size) => amount(await rpc.read('getMinimumBalanceForRentExemption', [size, CONFIRMED])),

    transactions: (signatures) =>
      Promise.all(
        signatures.map(async (signature) => {
          const answer = await rpc.read('getTransaction', [signature, TRANSACTION_OPTIONS])
          return answer === null ? null : parseTransaction(signature, answer)
        }),
      ),
    outcome: async (signature) => outcomeIn(await statusOf(signature)),

    async latestBlockhash() {
      const newest = await blocks.block('latest')
      if (newest === null) throw malformed('a newest block')
      return lifetimeOf(newest)
    },
    async isExpired(signature, lastValidBlockHeight, commitment) {
      // The height is read first: a transaction cannot be mined after it.
      const height = whole(await rpc.read('getBlockHeight', [{ commitment }]))
      return height > lastValidBlockHeight && (await statusOf(signature)) === null
    },
    async priorityFee(writable, percentile) {
      const fees = list(await rpc.read('getRecentPrioritizationFees', [writable])).map((one) => amount(record(one).prioritizationFee))
      const sorted = fees.sort((a, b) => Number(a - b))
      return sorted[Math.min(Math.floor((sorted.length * percentile) / 100), sorted.length - 1)] ?? 0n
    },
    async simulate(transaction, { replaceBlockhash = false } = {}) {
      const options = { ...CONFIRMED, encoding: 'base64', sigVerify: false, replaceRecentBlockhash: replaceBlockhash }
      const { err, logs, unitsConsumed } = record(valueIn(await rpc.read('simulateTransaction', [transaction, options])))
      return { error: transactionError(err), logs: parseLogs(logs), unitsConsumed: unitsConsumed == null ? 0n : whole(unitsConsumed) }
    },
    broadcast: (transaction) => broadcast(transaction),
    close: rpc.close,
  }

  async function broadcast(transaction: Base64EncodedWireTransaction): Promise<BroadcastVerdict> {
    try {
      await rpc.request('sendTransaction', [transaction, { encoding: 'base64', preflightCommitment: 'confirmed' }])
      return { kind: 'accepted' }
    } catch (error) {
      if (error instanceof Refusal) return verdictOf(error)
      throw error
    }
  }
}

export function lifetimeOf({ hash, ordinal }: SlotBlock) {
  return { blockhash: hash as Blockhash, lastValidBlockHeight: ordinal + LIFETIME_BLOCKS }
}

function verdictOf({ code, message, data }: Refusal): BroadcastVerdict {
  const isPreflight = code === SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE
  const { err, logs } = isPreflight && data !== null ? record(data) : {}
  const error = transactionError(err) ?? message
  if (error === 'AlreadyProcessed') return { kind: 'accepted' }
  if (error === 'BlockhashNotFound') return { kind: 'blockhash-not-found', isPartlyAccepted: false }
  return { kind: 'refused', isPartlyAccepted: false, error, logs: parseLogs(logs) }
}

/** A processed block may still be dropped: a transaction counts as mined when its block is confirmed. */
function outcomeIn(status: Readonly<Record<string, unknown>> | null): Outcome | null {
  if (status === null || (status.confirmationStatus !== 'confirmed' && status.confirmationStatus !== 'finalized')) return null
  return { slot: whole(status.slot), error: transactionError(status.err) }
}

function parseAccount(value: unknown): NodeAccount {
  const { lamports, owner, executable, data } = record(value)
  if (typeof executable !== 'boolean') throw malformed('an account')
  return { lamports: amount(lamports), owner: address(owner), executable, data: base64(data) }
}

function tokenAmount({ data }: NodeAccount): bigint {
  try {
    const { amount: held, state } = getTokenDecoder().decode(data)
    return state === AccountState.Frozen ? 0n : held
  } catch (error) {
    throw new ChainFailure('unreachable', 'the node shows a malformed token account', { cause: error })
  }
}

function parseLogs(value: unknown): readonly string[] {
  return value === null || value === undefined ? [] : list(value).map(text)
}
