/** The owner of an order keeps this JSON: with it and any node, what lies at the deposit address is returned without the service. It has no secret. */
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import type { AssetId, Deployment } from '../asset.ts'
import type { Chain } from '../chain.ts'
import { TandemError } from '../error.ts'
import type { HtlcTerms } from '../htlc.ts'
import type { Order } from '../order.ts'

const Whole = Type.String({ pattern: '^[0-9]{1,78}$' })
const Text = Type.String({ minLength: 1, maxLength: 200 })

const DepositPackage = Type.Object({
  kind: Type.Literal('deposit-address'),
  family: Text,
  chain: Text,
  asset: Text,
  htlc: Type.Union([Text, Type.Null()]),
  token: Type.Union([Text, Type.Null()]),
  initiator: Text,
  redeemer: Text,
  amount: Whole,
  secret_hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  timelock: Whole,
  deadline: Whole,
  address: Text,
})
export type DepositPackage = Static<typeof DepositPackage>

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

/** Throws `bad_request` unless the value has the form of a package. Whether its address belongs to its terms is for the family to say. */
export function readDepositPackage(value: unknown): DepositPackage {
  if (!Check(DepositPackage, value)) throw new TandemError('bad_request', 'this is not the refund package of a deposit address')
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
