// Reads accounts of the classic Token program: mints and holdings.
import { type Address, type EncodedAccount, unwrapOption } from '@solana/kit'
import { AccountState, getMintDecoder, getTokenDecoder, type Mint, TOKEN_PROGRAM_ADDRESS, type Token } from '@solana-program/token'

const TOKEN_ACCOUNT_SIZE = 165
const MINT_SIZE = 82

export function readTokenAccount({ programAddress, data }: EncodedAccount): Token | null {
  if (programAddress !== TOKEN_PROGRAM_ADDRESS || data.length !== TOKEN_ACCOUNT_SIZE) return null
  const token = getTokenDecoder().decode(data)
  return token.state === AccountState.Uninitialized ? null : token
}

export function readMint({ programAddress, data }: EncodedAccount): Mint | null {
  if (programAddress !== TOKEN_PROGRAM_ADDRESS || data.length !== MINT_SIZE) return null
  const mint = getMintDecoder().decode(data)
  return mint.isInitialized ? mint : null
}

export function tokenAmountJson(amount: bigint, decimals: number) {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  const uiAmountString = fraction === '' ? whole : `${whole}.${fraction}`
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString }
}

/** This is the `parsed` part of the encoding `jsonParsed`. It is null for accounts that are sent as bytes. */
export function parsedTokenJson(account: EncodedAccount, decimalsOf: (mint: Address) => number | null) {
  const mint = readMint(account)
  if (mint !== null) {
    const { mintAuthority, freezeAuthority, supply, decimals, isInitialized } = mint
    const info = {
      decimals,
      freezeAuthority: unwrapOption(freezeAuthority),
      isInitialized,
      mintAuthority: unwrapOption(mintAuthority),
      supply: supply.toString(),
    }
    return { info, type: 'mint' }
  }
  const token = readTokenAccount(account)
  const decimals = token && decimalsOf(token.mint)
  if (token === null || decimals === null) return null
  const [delegate, rent, closeAuthority] = [unwrapOption(token.delegate), unwrapOption(token.isNative), unwrapOption(token.closeAuthority)]
  const info = {
    isNative: rent !== null,
    mint: token.mint,
    owner: token.owner,
    state: token.state === AccountState.Frozen ? 'frozen' : 'initialized',
    tokenAmount: tokenAmountJson(token.amount, decimals),
    ...(delegate !== null && { delegate, delegatedAmount: tokenAmountJson(token.delegatedAmount, decimals) }),
    ...(closeAuthority !== null && { closeAuthority }),
    ...(rent !== null && { rentExemptReserve: tokenAmountJson(rent, 9) }),
  }
  return { info, type: 'account' }
}
