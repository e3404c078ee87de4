// A mined transaction as nodes show it, in the encodings that clients ask for.
import { getBase58Decoder } from '@solana/kit'
import type { MinedTransaction, ReturnData, TokenBalance } from '../mined-transaction.ts'
import { tokenAmountJson } from '../token-accounts.ts'
import type { WireTransaction } from '../wire-transaction.ts'
import { type Config, optionalCountOf } from './params.ts'
import { invalidParams, unsupportedVersion } from './rpc-error.ts'

const base58 = getBase58Decoder()

/** Undefined: the client reads legacy transactions only. */
export function versionLimitOf({ maxSupportedTransactionVersion }: Config): number | undefined {
  return optionalCountOf(maxSupportedTransactionVersion)
}

export function transactionJson(mined: MinedTransaction, encoding: unknown, versionLimit: number | undefined) {
  const { version } = mined.wire.message
  if (version !== 'legacy' && versionLimit === undefined) throw unsupportedVersion(version)
  return {
    transaction: encodedTransaction(mined.wire, encoding),
    meta: metaJson(mined),
    ...(versionLimit !== undefined && { version }),
  }
}

function encodedTransaction(wire: WireTransaction, encoding: unknown): unknown {
  switch (encoding ?? 'json') {
    case 'base64':
      return [Buffer.from(wire.bytes).toString('base64'), 'base64']
    case 'base58':
      return [base58.decode(wire.bytes), 'base58']
    case 'json':
      return { signatures: wire.signatures, message: messageJson(wire) }
    default:
      throw invalidParams(`this simulator does not support the encoding \`${String(encoding)}\` for transactions`)
  }
}

function messageJson({ message }: WireTransaction) {
  const { header, staticAccounts, lifetimeToken, instructions } = message
  const lookups = 'addressTableLookups' in message ? (message.addressTableLookups ?? []) : []
  return {
    accountKeys: staticAccounts,
    header: {
      numRequiredSignatures: header.numSignerAccounts,
      numReadonlySignedAccounts: header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
    },
    recentBlockhash: lifetimeToken,
    instructions: instructions.map(({ programAddressIndex, accountIndices = [], data }) => ({
      programIdIndex: programAddressIndex,
      accounts: accountIndices,
      data: base58.decode(data ?? new Uint8Array(0)),
      stackHeight: 1,
    })),
    ...(message.version !== 'legacy' && {
      addressTableLookups: lookups.map(({ lookupTableAddress, writableIndexes, readonlyIndexes }) => ({
        accountKey: lookupTableAddress,
        writableIndexes,
        readonlyIndexes,
      })),
    }),
  }
}

function metaJson(mined: MinedTransaction) {
  const { error, fee, balancesBefore, balancesAfter, tokensBefore, tokensAfter, logs, inner, units, loaded, returnData } = mined
  return {
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    fee,
    preBalances: balancesBefore,
    postBalances: balancesAfter,
    preTokenBalances: tokensBefore.map(tokenBalanceJson),
    postTokenBalances: tokensAfter.map(tokenBalanceJson),
    logMessages: logs,
    innerInstructions: inner,
    computeUnitsConsumed: units,
    loadedAddresses: loaded,
    rewards: [],
    ...(returnData !== null && { returnData: returnDataJson(returnData) }),
  }
}

function tokenBalanceJson({ accountIndex, mint, owner, programId, amount, decimals }: TokenBalance) {
  return { accountIndex, mint, owner, programId, uiTokenAmount: tokenAmountJson(amount, decimals) }
}

export function returnDataJson({ programId, data }: ReturnData) {
  return { programId, data: [Buffer.from(data).toString('base64'), 'base64'] }
}
