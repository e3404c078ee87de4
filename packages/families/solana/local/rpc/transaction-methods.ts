// Answers the methods about transactions: sending, simulating, status and history.
import type { Address, EncodedAccount } from '@solana/kit'
import type { LedgerBlock } from '../ledger.ts'
import { innerInstructions, type MinedTransaction, returnDataOf } from '../mined-transaction.ts'
import { preflight } from '../preflight.ts'
import type { SolanaNode } from '../solana-node.ts'
import { errorText, type TransactionErrorJson } from '../transaction-error.ts'
import { accountJson } from './account-json.ts'
import { type Methods, readCommitment, withContext } from './context.ts'
import {
  addressesOf,
  addressOf,
  type Config,
  configOf,
  countOf,
  historyCommitmentOf,
  optionalCountOf,
  signatureOf,
  transactionOf,
} from './params.ts'
import { invalidParams, preflightFailure, signatureFailure } from './rpc-error.ts'
import { returnDataJson, transactionJson, versionLimitOf } from './transaction-json.ts'

const MAX_STATUSES = 256
/** A node knows the transactions of this many blocks without a search in its history. */
const RECENT_BLOCKS = 300
const MAX_SIGNATURES = 1_000

export type Airdrop = (address: Address, lamports: number) => string

export function transactionMethods(node: SolanaNode, airdrop: Airdrop): Methods {
  const { ledger } = node

  function blockOf({ slot, wire }: MinedTransaction): LedgerBlock {
    const block = ledger.blockAt(slot)
    if (block === null) throw new Error(`transaction ${wire.signature} is in no block`)
    return block
  }

  return {
    sendTransaction([encoded, options]) {
      const config = configOf(options)
      const wire = transactionOf(encoded, config)
      if (config.skipPreflight !== true) {
        const commitment = readCommitment(node, { ...config, commitment: config.preflightCommitment })
        const { error, meta } = preflight(node, wire, { commitment, verifySignatures: true, replaceBlockhash: false })
        refuseMalformed(error)
        if (error !== null)
          throw preflightFailure(errorText(error), {
            accounts: null,
            err: error,
            innerInstructions: null,
            loadedAccountsDataSize: null,
            logs: meta?.logs() ?? [],
            replacementBlockhash: null,
            returnData: null,
            unitsConsumed: meta?.computeUnitsConsumed() ?? 0,
          })
      }
      node.broadcast(wire)
      return wire.signature
    },
    simulateTransaction([encoded, options]) {
      const config = configOf(options)
      const wire = transactionOf(encoded, config)
      const commitment = readCommitment(node, config)
      const [verifySignatures, replaceBlockhash] = [config.sigVerify === true, config.replaceRecentBlockhash === true]
      if (verifySignatures && replaceBlockhash) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash')
      const { error, meta, accountsAfter } = preflight(node, wire, { commitment, verifySignatures, replaceBlockhash })
      refuseMalformed(error)
      const returned = meta && returnDataOf(meta)
      const block = ledger.tip(commitment)
      return withContext(node, commitment, {
        err: error,
        logs: meta?.logs() ?? [],
        unitsConsumed: meta?.computeUnitsConsumed() ?? 0,
        returnData: returned && returnDataJson(returned),
        accounts: accountsJson(config.accounts, accountsAfter, (address) => ledger.account(address, commitment), error !== null),
        innerInstructions: config.innerInstructions === true && meta ? innerInstructions(meta) : null,
        replacementBlockhash: replaceBlockhash ? { blockhash: block.blockhash, lastValidBlockHeight: node.lastValidHeight(block) } : null,
      })
    },
    requestAirdrop: ([address, lamports]) => airdrop(addressOf(address), countOf(lamports)),
    getSignatureStatuses([signatures, options]) {
      const searchesHistory = configOf(options).searchTransactionHistory === true
      const oldest = ledger.tip('processed').height - (searchesHistory ? Number.POSITIVE_INFINITY : RECENT_BLOCKS)
      if (!Array.isArray(signatures)) throw invalidParams('Invalid params: expected a sequence of signatures.')
      if (signatures.length > MAX_STATUSES) throw invalidParams(`Too many inputs provided; max ${MAX_STATUSES}`)
      const statuses = signatures.map(signatureOf).map((signature) => {
        const mined = ledger.transaction(signature)
        if (mined === null) return null
        const block = blockOf(mined)
        if (block.height < oldest) return null
        const commitment = ledger.commitmentOf(block)
        return {
          slot: mined.slot,
          confirmations: commitment === 'finalized' ? null : ledger.tip('processed').height - block.height,
          err: mined.error,
          status: mined.error === null ? { Ok: null } : { Err: mined.error },
          confirmationStatus: commitment,
        }
      })
      return withContext(node, 'processed', statuses)
    },
    getTransaction([signature, options]) {
      const config = typeof options === 'string' ? { encoding: options } : configOf(options)
      const commitment = historyCommitmentOf(config)
      const mined = ledger.transaction(signatureOf(signature))
      if (mined === null || mined.slot > ledger.tip(commitment).slot) return null
      return { slot: mined.slot, blockTime: blockOf(mined).time, ...transactionJson(mined, config.encoding, versionLimitOf(config)) }
    },
    getSignaturesForAddress([address, options]) {
      const config = configOf(options)
      const commitment = readCommitment(node, config, historyCommitmentOf)
      const limit = optionalCountOf(config.limit) ?? MAX_SIGNATURES
      if (limit < 1 || limit > MAX_SIGNATURES) throw invalidParams(`Invalid limit; max ${MAX_SIGNATURES}`)
      const { slot } = ledger.tip(commitment)
      const all = ledger.transactionsOf(addressOf(address)).filter((mined) => mined.slot <= slot)
      return between(all, config)
        .slice(0, limit)
        .map((mined) => ({
          signature: mined.wire.signature,
          slot: mined.slot,
          err: mined.error,
          memo: null,
          blockTime: blockOf(mined).time,
          confirmationStatus: ledger.commitmentOf(blockOf(mined)),
        }))
    },
  }

  /** `before` and `until` need not name transactions of this address. */
  function between(newestFirst: readonly MinedTransaction[], { before, until }: Config): readonly MinedTransaction[] {
    const [upper, lower] = [placeOf(before), placeOf(until)]
    // A node that does not know `before` finds nothing older than it. One that does not know `until` has no lower bound.
    if (upper === null) return []
    return newestFirst.filter((mined) => {
      const place = orderOf(mined)
      return (
        (upper === undefined || comparePlaces(place, upper) < 0) &&
        (lower === undefined || lower === null || comparePlaces(place, lower) > 0)
      )
    })
  }

  function placeOf(signature: unknown): Place | null | undefined {
    if (signature === undefined || signature === null) return undefined
    const mined = ledger.transaction(signatureOf(signature))
    return mined && orderOf(mined)
  }

  function orderOf(mined: MinedTransaction): Place {
    return [mined.slot, blockOf(mined).transactions.indexOf(mined)]
  }
}

/** A node reports these errors before it runs the transaction. */
function refuseMalformed(error: TransactionErrorJson | null): void {
  if (error === 'SignatureFailure') throw signatureFailure()
  if (error === 'SanitizeFailure') throw invalidParams(`invalid transaction: ${errorText(error)}`)
}

type Place = readonly [slot: number, index: number]

function comparePlaces([slotA, indexA]: Place, [slotB, indexB]: Place): number {
  return slotA - slotB || indexA - indexB
}

function accountsJson(
  wanted: unknown,
  after: readonly EncodedAccount[],
  current: (address: Address) => EncodedAccount | null,
  failed: boolean,
): unknown {
  if (wanted === undefined || wanted === null) return null
  const { addresses, encoding } = configOf(wanted)
  const list = addressesOf(addresses, MAX_STATUSES)
  if (failed) return list.map(() => null)
  const find = (address: Address) => after.find((account) => account.address === address) ?? current(address)
  return list.map((address) => {
    const account = find(address)
    return account && account.lamports > 0n ? accountJson(account, { encoding: encoding ?? 'base64' }, find) : null
  })
}
