// Encodes HyperCore as HyperEVM sees it, from Hyperliquid's documentation: "Interacting with HyperCore", "HyperCore <> HyperEVM transfers",
// L1Read.sol. The simulator judges packages/families/hypercore, so it takes nothing from there: a constant that is wrong on both sides
// would go unnoticed.
import {
  type Address,
  concatHex,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  numberToHex,
  padHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'

/** "The EVM transfer address 0x222..2 is a system contract." */
export const HYPE_BRIDGE: Address = `0x${'22'.repeat(20)}`
export const CORE_WRITER: Address = `0x${'33'.repeat(20)}`

/** "The precompile addresses start at 0x…0800"; L1Read.sol numbers them. */
const precompile = (index: number) => numberToHex(0x800 + index, { size: 20 })
export const SPOT_BALANCE = precompile(1)
export const TOKEN_INFO = precompile(12)
export const CORE_USER_EXISTS = precompile(16)

/** HYPE has 18 decimals on HyperEVM and 8 on HyperCore. */
export const WEI_PER_HYPE_UNIT = 10n ** (18n - 8n)

export const coreWriterAbi = parseAbi(['event RawAction(address indexed user, bytes data)', 'function sendRawAction(bytes data)'])

/** "Byte 1: encoding version", "bytes 2-4: action ID" in big-endian. */
const [VERSION, SPOT_SEND] = [1, 6]
const header = concatHex([numberToHex(VERSION, { size: 1 }), numberToHex(SPOT_SEND, { size: 3 })])
const fields = parseAbiParameters('address destination, uint64 token, uint64 wei')
const FIELDS_DIGITS = 3 * 64

export type SpotSend = { readonly to: Address; readonly token: bigint; readonly amount: bigint }

/** HYPE is an exception to "First byte 0x20 and the remaining bytes all zeros, except for the token index encoded in big-endian format." */
export function systemAddressOf(token: bigint): Address {
  return numberToHex((0x20n << 152n) + token, { size: 20 })
}

export function spotSendCall({ to, token, amount }: SpotSend): { readonly to: Address; readonly data: Hex } {
  const action = concatHex([header, encodeAbiParameters(fields, [to, token, amount])])
  return { to: CORE_WRITER, data: encodeFunctionData({ abi: coreWriterAbi, functionName: 'sendRawAction', args: [action] }) }
}

export function readSpotSendCall(data: Hex): SpotSend | null {
  return readSpotSend(decodeFunctionData({ abi: coreWriterAbi, data }).args[0])
}

export function readSpotSend(action: Hex): SpotSend | null {
  if (!action.startsWith(header) || action.length !== header.length + FIELDS_DIGITS) return null
  const [to, token, amount] = decodeAbiParameters(fields, `0x${action.slice(header.length)}`)
  return { to: to.toLowerCase() as Address, token, amount }
}

/** SPOT_BALANCE takes `abi.encode(user, token)`. */
export function spotBalanceInput(user: Address, token: bigint): Hex {
  return concatHex([padHex(user, { size: 32 }), numberToHex(token, { size: 32 })])
}
