/** Service and solver each list an asset by their own configuration. Before money moves they compare what both must mean by it. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Asset, Deployment } from '../asset.ts'
import type { Chain } from '../chain.ts'
import { TandemError } from '../error.ts'

const DIGEST_BYTES = 16

type Listed = Pick<Asset, 'decimals' | 'htlcSchema' | 'tokenSchema'> & { readonly deployment: Deployment }

/** It covers what decides where money goes and what an amount means, and nothing that each party may choose for itself. */
function listingDigest({ reference, family, clock, timelocks }: Chain, { decimals, htlcSchema, tokenSchema, deployment }: Listed): string {
  const facts = [
    reference,
    family,
    clock.unit,
    clock.expiry,
    timelocks.source.toString(),
    timelocks.destination.toString(),
    decimals,
    htlcSchema,
    tokenSchema,
    deployment.htlc,
    deployment.token,
  ]
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(facts)))).slice(0, 2 * DIGEST_BYTES)
}

type Registered = { chain(id: string): Chain; asset(id: string): Listed & Pick<Asset, 'id' | 'chain'> }

/** Throws `unsupported_pair` for an asset that is not active. */
export function listingOf(registry: Registered, id: string): string {
  const asset = registry.asset(id)
  return listingDigest(registry.chain(asset.chain), asset)
}

/** A service that gives no digest is not compared. */
export function assertSameListing(registry: Registered, id: string, given: string | undefined): void {
  if (given === undefined || given === listingOf(registry, id)) return
  throw new TandemError(
    'unsupported_pair',
    `service and solver list ${registry.asset(id).id} with different contracts, decimals or timelocks: compare registry and deployments of both configurations`,
  )
}
