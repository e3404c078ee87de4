// Shows an account in the encodings that clients ask for.
import { type EncodedAccount, getBase58Decoder } from '@solana/kit'
import { parsedTokenJson, readMint } from '../token-accounts.ts'
import { type Config, configOf, countOf } from './params.ts'
import { invalidParams } from './rpc-error.ts'

const base58 = getBase58Decoder()
/** The largest 64-bit number means that an account pays no rent by epoch. */
const NO_RENT_EPOCH = 2n ** 64n - 1n
/** Longer data is too slow to encode in base58. */
const MAX_BASE58_DATA = 128

export function accountJson(account: EncodedAccount, config: Config, find: (address: EncodedAccount['address']) => EncodedAccount | null) {
  const { lamports, programAddress, executable, data } = account
  return {
    lamports,
    owner: programAddress,
    executable,
    rentEpoch: NO_RENT_EPOCH,
    space: data.length,
    data: dataJson(account, config, find),
  }
}

function dataJson(account: EncodedAccount, { encoding, dataSlice }: Config, find: Parameters<typeof accountJson>[2]): unknown {
  const data = slice(Buffer.from(account.data), dataSlice)
  switch (encoding ?? 'binary') {
    case 'base64':
      return [data.toString('base64'), 'base64']
    case 'base58':
    case 'binary':
      if (data.length > MAX_BASE58_DATA)
        throw invalidParams(`Encoded binary (base 58) data should be less than ${MAX_BASE58_DATA} bytes, please use Base64 encoding.`)
      return encoding === 'base58' ? [base58.decode(data), 'base58'] : base58.decode(data)
    case 'jsonParsed': {
      const parsed = parsedTokenJson(account, (mint) => decimalsOf(find(mint)))
      return parsed === null ? [data.toString('base64'), 'base64'] : { program: 'spl-token', parsed, space: account.data.length }
    }
    default:
      throw invalidParams(`this simulator does not support the encoding \`${String(encoding)}\` for accounts`)
  }
}

function decimalsOf(mint: EncodedAccount | null): number | null {
  return (mint && readMint(mint)?.decimals) ?? null
}

function slice(data: Buffer, wanted: unknown): Buffer {
  if (wanted === undefined || wanted === null) return data
  const { offset, length } = configOf(wanted)
  return data.subarray(countOf(offset), countOf(offset) + countOf(length))
}
