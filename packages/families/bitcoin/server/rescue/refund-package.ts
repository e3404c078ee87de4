/** Parses a refund package: JSON with which the initiator refunds deposits without the service. */
import { parseAssetId } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { type BitcoinHtlc, htlcOf } from '../../terms/htlc.ts'
import { type BitcoinNetwork, bitcoinNetworks } from '../../terms/networks.ts'
import { treeOf, VERSION } from '../../terms/rescue/create-refund-package.ts'

const Hex32Text = Type.String({ pattern: '^[0-9a-f]{64}$' })
const WholeText = Type.String({ pattern: '^[1-9][0-9]{0,18}$' })
const LeafRecord = Type.Object({ script: Type.String(), control_block: Type.String() })

/** Unknown fields are ignored: a package outlives the version that made it. */
const PackageRecord = Type.Object({
  family: Type.Literal('bitcoin'),
  version: Type.Literal(VERSION),
  chain: Type.String(),
  network: Type.String(),
  address: Type.String(),
  terms: Type.Object({
    asset: Type.String({ pattern: '^[a-z0-9_]+:[a-z0-9_.]+$' }),
    initiator: Hex32Text,
    redeemer: Hex32Text,
    amount: WholeText,
    secret_hash: Hex32Text,
    timelock: WholeText,
  }),
  script_tree: Type.Object({
    internal_key: Hex32Text,
    redeem: LeafRecord,
    refund: LeafRecord,
    instant_refund: LeafRecord,
  }),
  private_key: Type.Union([Hex32Text, Type.Null()]),
  refund_address: Type.Union([Type.String(), Type.Null()]),
})

export type ParsedPackage = {
  readonly network: BitcoinNetwork
  readonly terms: HtlcTerms
  readonly htlc: BitcoinHtlc
  readonly privateKey: string | null
  readonly refundAddress: string | null
}

/** Inconsistent fields throw `bad_request`: a changed or damaged file must not decide where money is sent. */
export function parseRefundPackage(value: unknown): ParsedPackage {
  if (!Value.Check(PackageRecord, value)) throw unusable(describeFirst(value))
  const network = bitcoinNetworks[value.network]
  if (network === undefined) throw unusable(`its network "${value.network}" is not one of ${Object.keys(bitcoinNetworks).join(', ')}`)
  const terms: HtlcTerms = {
    asset: parseAssetId(value.terms.asset),
    initiator: value.terms.initiator,
    redeemer: value.terms.redeemer,
    amount: BigInt(value.terms.amount),
    secretHash: value.terms.secret_hash,
    timelock: BigInt(value.terms.timelock),
  }
  const htlc = buildOrThrow(terms, network)
  if (htlc.address !== value.address) throw unusable(`its parts disagree: its terms make the address ${htlc.address}, not ${value.address}`)
  const tree = treeOf(htlc)
  for (const part of ['internal_key', 'redeem', 'refund', 'instant_refund'] as const) {
    if (!Value.Equal(value.script_tree[part], tree[part]))
      throw unusable(`its parts disagree: script_tree.${part} is not that of its terms`)
  }
  return { network, terms, htlc, privateKey: value.private_key, refundAddress: value.refund_address }
}

function buildOrThrow(terms: HtlcTerms, network: BitcoinNetwork): BitcoinHtlc {
  try {
    return htlcOf(terms, network)
  } catch (cause) {
    throw unusable(`its terms make no HTLC: ${cause instanceof Error ? cause.message : 'they are broken'}`, cause)
  }
}

/** No error quotes the value: it may be the key. */
function describeFirst(value: unknown): string {
  const path = Value.Errors(PackageRecord, value)[0]?.instancePath.split('/').slice(1).join('.') ?? ''
  return path === '' ? 'it is not complete' : `${path} is missing or invalid`
}

function unusable(reason: string, cause?: unknown): TandemError {
  return new TandemError('bad_request', `the refund package cannot be used: ${reason}`, { cause })
}
