// Shows a mined transaction in the encodings that clients ask for.
import { getBase58Decoder } from '@solana/kit'
import type { MinedTransaction, ReturnData, TokenBalance } from '../mined-transaction.ts'
import { tokenAmountJson } from '../token-accounts.ts'
import type { WireTransaction } from '../wire-transaction.ts'
import { type Config, optionalCountOf } from './params.ts'
import { invalidParams, unsupportedVersion } from './rpc-error.ts'

const base58 = getBase58Decoder()

/** Undefined means that the client reads legacy transactions only. */
export function versionLimitOf({ maxSupportedTransactionVersion }: Config): number | undefined {
  return optionalCountOf(maxSupportedTransactionVersion)
}

export function transactionJson(mined: MinedTransaction, encoding: unknown, versionLimit: number | undefined) {
  const { version } = mined.wire.message
  if (version !== 'legacy' && versionLimit === undefined) throw unsupportedVersion(version)
  return {
    transaction: encodedTransaction(mined, encoding),
    meta: metaJson(mined, encoding),
    ...(versionLimit !== undefined && { version }),
  }
}

export function transactionAccountsJson(mined: MinedTransaction, versionLimit: number | undefined) {
  const { version } = mined.wire.message
  if (version !== 'legacy' && versionLimit === undefined) throw unsupportedVersion(version)
  const { err, status, fee, preBalances, postBalances, preTokenBalances, postTokenBalances } = metaJson(mined, 'json')
  return {
    transaction: { accountKeys: accountKeysJson(mined), signatures: mined.wire.signatures },
    meta: { err, status, fee, preBalances, postBalances, preTokenBalances, postTokenBalances },
    ...(versionLimit !== undefined && { version }),
  }
}

function encodedTransaction(mined: MinedTransaction, encoding: unknown): unknown {
  const { wire } = mined
  switch (encoding ?? 'json') {
    case 'base64':
      return [Buffer.from(wire.bytes).toString('base64'), 'base64']
    case 'base58':
      return [base58.decode(wire.bytes), 'base58']
    case 'json':
      return { signatures: wire.signatures, message: messageJson(wire) }
    case 'jsonParsed':
      return { signatures: wire.signatures, message: parsedMessageJson(mined) }
    default:
      throw invalidParams(`this simulator does not support the encoding \`${String(encoding)}\` for transactions`)
  }
}

function messageJson({ message }: WireTransaction) {
  const { header, staticAccounts, lifetimeToken, instructions } = message
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
    ...lookupsJson(message),
  }
}

function lookupsJson(message: WireTransaction['message']) {
  if (message.version === 'legacy') return {}
  const lookups = message.addressTableLookups ?? []
  return {
    addressTableLookups: lookups.map(({ lookupTableAddress, writableIndexes, readonlyIndexes }) => ({
      accountKey: lookupTableAddress,
      writableIndexes,
      readonlyIndexes,
    })),
  }
}

/** Instructions have the form in which a node shows those of programs that it cannot parse. */
function parsedMessageJson(mined: MinedTransaction) {
  const { message } = mined.wire
  return {
    accountKeys: accountKeysJson(mined),
    recentBlockhash: message.lifetimeToken,
    instructions: message.instructions.map(({ programAddressIndex, accountIndices = [], data }) => ({
      programId: mined.addresses[programAddressIndex],
      accounts: accountIndices.map((index) => mined.addresses[index]),
      data: base58.decode(data ?? new Uint8Array(0)),
      stackHeight: 1,
    })),
    ...lookupsJson(message),
  }
}

function accountKeysJson({ addresses, wire, writable }: MinedTransaction) {
  const { header, staticAccounts } = wire.message
  return addresses.map((pubkey, index) => ({
    pubkey,
    signer: index < header.numSignerAccounts,
    writable: writable.includes(pubkey),
    source: index < staticAccounts.length ? 'transaction' : 'lookupTable',
  }))
}

function innerJson({ inner, addresses }: MinedTransaction, encoding: unknown) {
  if (encoding !== 'jsonParsed') return inner
  return inner.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map(({ programIdIndex, accounts, data, stackHeight }) => ({
      programId: addresses[programIdIndex],
      accounts: accounts.map((account) => addresses[account]),
      data,
      stackHeight,
    })),
  }))
}

function metaJson(mined: MinedTransaction, encoding: unknown) {
  const { error, fee, balancesBefore, balancesAfter, tokensBefore, tokensAfter, logs, units, loaded, returnData } = mined
  return {
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    fee,
    preBalances: balancesBefore,
    postBalances: balancesAfter,
    preTokenBalances: tokensBefore.map(tokenBalanceJson),
    postTokenBalances: tokensAfter.map(tokenBalanceJson),
    logMessages: logs,
    innerInstructions: innerJson(mined, encoding),
    computeUnitsConsumed: units,
    ...(encoding !== 'jsonParsed' && { loadedAddresses: loaded }),
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
