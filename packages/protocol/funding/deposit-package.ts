/** The owner of an order keeps this JSON: with it and any node, what lies at the deposit address is returned without the service. It has no secret. */
import type { AssetId, Deployment } from '../asset.ts'
import type { Chain } from '../chain.ts'
import { TandemError } from '../error.ts'
import type { HtlcTerms } from '../htlc.ts'
import type { Order } from '../order.ts'

export type DepositPackage = {
  readonly kind: 'deposit-address'
  readonly family: string
  readonly chain: string
  readonly asset: string
  readonly htlc: string | null
  readonly token: string | null
  readonly initiator: string
  readonly redeemer: string
  readonly amount: string
  readonly secret_hash: string
  readonly timelock: string
  readonly deadline: string
  readonly address: string
}

const TEXT = /^.{1,200}$/s
const WHOLE = /^[0-9]{1,78}$/
/** Fields that may be null are texts otherwise. This file is part of the SDK, which has no library for schemas. */
const FORMS: Readonly<Record<keyof DepositPackage, RegExp>> = {
  kind: /^deposit-address$/,
  family: TEXT,
  chain: TEXT,
  asset: TEXT,
  htlc: TEXT,
  token: TEXT,
  initiator: TEXT,
  redeemer: TEXT,
  amount: WHOLE,
  secret_hash: /^[0-9a-f]{64}$/,
  timelock: WHOLE,
  deadline: WHOLE,
  address: TEXT,
}
const NULLABLE: ReadonlySet<string> = new Set(['htlc', 'token'])

export function depositPackageOf({ source, deadline }: Order, deployment: Deployment, { family }: Chain): DepositPackage {
  const { chain, terms, depositAddress } = source
  if (depositAddress === null) throw new Error('the order has no deposit address')
  return writeDepositPackage({ family, chain, terms, deadline, address: depositAddress }, deployment)
}

type Kept = Pick<DepositPackage, 'family' | 'chain' | 'address'> & { readonly terms: HtlcTerms; readonly deadline: bigint }

export function writeDepositPackage({ family, chain, terms, deadline, address }: Kept, { htlc, token }: Deployment): DepositPackage {
  return {
    kind: 'deposit-address',
    family,
    chain,
    asset: terms.asset,
    htlc,
    token,
    initiator: terms.initiator,
    redeemer: terms.redeemer,
    amount: terms.amount.toString(),
    secret_hash: terms.secretHash,
    timelock: terms.timelock.toString(),
    deadline: deadline.toString(),
    address,
  }
}

function isPackage(value: unknown): value is DepositPackage {
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Readonly<Record<string, unknown>>
  return Object.entries(FORMS).every(([name, form]) => {
    const field = fields[name]
    return field === null ? NULLABLE.has(name) : typeof field === 'string' && form.test(field)
  })
}

/** Throws `bad_request` unless the value has the form of a package. Whether its address belongs to its terms is for the family to say. */
export function readDepositPackage(value: unknown): DepositPackage {
  if (!isPackage(value)) throw new TandemError('bad_request', 'this is not the refund package of a deposit address')
  return value
}

export function termsOf({ asset, initiator, redeemer, amount, secret_hash, timelock }: DepositPackage): HtlcTerms {
  return {
    asset: asset as AssetId,
    initiator,
    redeemer,
    amount: BigInt(amount),
    secretHash: secret_hash,
    timelock: BigInt(timelock),
  }
}
