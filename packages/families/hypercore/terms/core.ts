/**
 * Encodes HyperCore as HyperEVM sees it: fixed addresses, reads and actions. The source is Hyperliquid's documentation:
 * "Interacting with HyperCore" and "HyperCore <> HyperEVM transfers".
 */

import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import { textForms as evm } from '@tandem/evm/terms/address.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  isHex,
  numberToHex,
  pad,
  parseAbi,
  size,
  slice,
} from 'viem'

/** Accounts, swap ids and hashes are those of EVM chains, without HyperCore's system addresses. */
export const textForms: TextForms = { ...evm, parseAddress: parseAccount, parseIdentity: parseAccount }

/** HYPE has 18 decimals on HyperEVM and 8 on HyperCore. */
export const WEI_PER_HYPE_UNIT = 10n ** 10n

/** We never ask for more than 0.01 HYPE for a transfer to HyperEVM, whatever gas price a node names. */
export const MAX_CROSSING_VALUE = 10n ** 16n
export const CORE_WRITER: Address = '0x3333333333333333333333333333333333333333'
export const SPOT_BALANCE: Address = '0x0000000000000000000000000000000000000801'
export const TOKEN_INFO: Address = '0x000000000000000000000000000000000000080c'
export const CORE_USER_EXISTS: Address = '0x0000000000000000000000000000000000000810'

export const coreWriterAbi = parseAbi(['function sendRawAction(bytes data)'])

const SPOT_SEND: Hex = '0x01000006'
const spotSendParameters = [{ type: 'address' }, { type: 'uint64' }, { type: 'uint64' }] as const

export type SpotSend = { readonly to: Address; readonly token: bigint; readonly amount: bigint }

/** A token has the same bridge address on both sides. */
export function systemAddressOf(token: bigint): Address {
  return `0x20${numberToHex(token, { size: 19 }).slice(2)}`
}

/** A system address is 0x20, zeros and an index, or the address of the native coin. */
export function isSystemAddress(address: string): boolean {
  return /^0x20(0{22})[0-9a-f]{16}$/i.test(address) || /^0x(22){20}$/.test(address)
}

/** The sender's spot account sends a token after the block. If it cannot, HyperCore drops the action silently. */
export function spotSendData({ to, token, amount }: SpotSend): Hex {
  const action = concat([SPOT_SEND, encodeAbiParameters(spotSendParameters, [to, token, amount])])
  return encodeFunctionData({ abi: coreWriterAbi, functionName: 'sendRawAction', args: [action] })
}

/** Returns null for any other action. */
export function parseSpotSend(action: Hex): SpotSend | null {
  if (size(action) !== 100 || slice(action, 0, 4) !== SPOT_SEND) return null
  const [to, token, amount] = [0, 1, 2].map((word) => slice(action, 4 + 32 * word, 36 + 32 * word))
  if (!isHex(to) || !isHex(token) || !isHex(amount)) return null
  return { to: `0x${to.slice(26)}`, token: BigInt(token), amount: BigInt(amount) }
}

export function spotBalanceInput(user: Address, token: bigint): Hex {
  return concat([pad(user, { size: 32 }), numberToHex(token, { size: 32 })])
}

export function tokenInput(token: bigint): Hex {
  return numberToHex(token, { size: 32 })
}

function parseAccount(text: string): string {
  const address = evm.parseAddress(text)
  if (isSystemAddress(address))
    throw new TandemError('invalid_address', `"${text}" is a system address of HyperCore: money sent there belongs to nobody`)
  return address
}

/** HYPE has this index on HyperCore, and pays there for transfers to HyperEVM. */
export function hypeTokenOf({ id, familyData }: Chain): bigint {
  if (familyData === undefined || !('hypeToken' in familyData) || typeof familyData.hypeToken !== 'bigint')
    throw new Error(`${id} is no chain of HyperCore`)
  return familyData.hypeToken
}
