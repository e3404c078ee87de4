/** What the rules of a permit share: what is asked, for which order, and whom that order lets a key pay. */
import { isDeepStrictEqual } from 'node:util'
import { bytesToHex } from '@noble/hashes/utils.js'
import { p2wpkh } from '@scure/btc-signer'
import { SigningRefused, type SigningRequest } from '@tandem/keys/permit.ts'
import type { OrderAction } from '@tandem/keys/purpose.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { scriptOfAddress } from '../../terms/script/address.ts'
import { identityOf } from '../../terms/script/user-key.ts'
import { type ParsedTransaction, parseTransaction } from '../script/transaction.ts'

export type Asked = Pick<SigningRequest, 'key' | 'purpose' | 'isOrderKey'>
export type Place = { readonly chain: Chain; readonly network: BitcoinNetwork }

/** A rule takes the arguments of its operation, and throws `SigningRefused`. */
export type RulesOf<O> = {
  readonly [K in keyof O]: O[K] extends (signer: never, ...args: infer Args) => unknown ? (asked: Asked, ...args: Args) => void : never
}

export function refuse({ purpose }: Asked, reason: string): never {
  throw new SigningRefused(purpose, reason)
}

/** All actions have one verb. */
export function actionsOf(asked: Asked): readonly [OrderAction, ...OrderAction[]] {
  const { purpose } = asked
  if (purpose.kind !== 'order') return refuse(asked, 'only orders have such signatures')
  const [{ verb }] = purpose.actions
  if (purpose.actions.some((action) => action.verb !== verb)) refuse(asked, 'one transaction does not serve several verbs')
  return purpose.actions
}

export function onlyAction(asked: Asked): OrderAction {
  const [action, ...more] = actionsOf(asked)
  return more.length === 0 ? action : refuse(asked, 'it is for one order alone')
}

export function assertParty(asked: Asked, party: 'initiator' | 'redeemer', terms: HtlcTerms): void {
  if (identityOf(asked.key) !== terms[party]) refuse(asked, `only the ${party} of the order may sign it`)
}

export function assertSameTerms(asked: Asked, terms: HtlcTerms, expected: HtlcTerms): void {
  if (!isDeepStrictEqual(terms, expected)) refuse(asked, 'it would be about another order')
}

export function walletScript({ key }: Asked): Uint8Array {
  return p2wpkh(key.publicKey).script
}

/** Our own keys pay themselves. The key of a user pays where the order says. */
export function payeeOf(asked: Asked, { to }: OrderAction, network: BitcoinNetwork): Uint8Array {
  if (to === undefined) return walletScript(asked)
  return asked.isOrderKey === true ? scriptOfAddress(to, network) : refuse(asked, `our own key pays its own wallet, and not ${to}`)
}

export function isSameScript(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one !== undefined && bytesToHex(one) === bytesToHex(other)
}

export function readTransaction(asked: Asked, raw: string): ParsedTransaction {
  return parsed(raw) ?? refuse(asked, 'the transaction cannot be read')
}

function parsed(raw: string): ParsedTransaction | null {
  try {
    return parseTransaction(raw)
  } catch {
    return null
  }
}

export function assertFee(asked: Asked, fee: bigint, cap: bigint): void {
  if (fee < 0n || fee > cap) refuse(asked, `it would pay a fee of ${fee}, and may pay ${cap}`)
}
