/** Claims are what affiliates can take on each chain, with the signatures that they need. An engine signs; anyone may ask, so questions are shared. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import { shareCalls } from '@tandem/party/store/database/share-statements.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { ClaimState, SignClaims } from './claim-question.ts'
import { isPayable, whyUnpayable } from './payable.ts'

/** `total` is all that the affiliate has earned in final orders and that solvers have paid in. */
export type Earned = { readonly affiliate: string; readonly chain: ChainId; readonly asset: AssetId; readonly total: bigint }

export interface Claims {
  paysOn(chain: ChainId): boolean
  /** The result is in the order of `earned`. */
  read(earned: readonly Earned[]): Promise<readonly ClaimState[]>
}

const NONE: ClaimState = { kind: 'none' }

/** Where no contract pays affiliates. */
export const noClaims: Claims = { paysOn: () => false, read: async (earned) => earned.map(() => NONE) }

export function createClaims(clients: ReadonlyMap<ChainId, ChainClient>, keys: PublicKeyring, sign: SignClaims): Claims {
  /** One question about an affiliate is open at a time. Who asks meanwhile gets its answer. */
  const asked = new Map<string, Promise<ClaimState>>()
  /** One question about an asset is open at a time. What is asked meanwhile goes into the next ones, of 50 affiliates, which a signal can carry. */
  const ofAssets = new Map<AssetId, (affiliate: string) => Promise<ClaimState>>()

  function payerOn(chain: ChainId): { readonly client: ChainClient; readonly contract: string } | null {
    const client = clients.get(chain)
    const key = client === undefined ? null : keys.find(client)
    return client?.distributor === undefined || key === null ? null : { client, contract: client.distributor.contractOf(key) }
  }

  function askAbout(asset: AssetId, contract: string): (affiliate: string) => Promise<ClaimState> {
    const ask = ofAssets.get(asset) ?? shareCalls((affiliates) => sign({ asset, contract, affiliates }), { maxStatements: 1 })
    ofAssets.set(asset, ask)
    return ask
  }

  async function readOne({ affiliate, chain, asset, total }: Earned): Promise<ClaimState> {
    const payer = payerOn(chain)
    if (payer === null) return NONE
    if (!isPayable(payer.client, affiliate)) return { kind: 'unavailable', reason: whyUnpayable({ affiliate, chain }) }
    if (total === 0n) return NONE
    const name = `${asset} ${affiliate}`
    const answer = asked.get(name) ?? askAbout(asset, payer.contract)(affiliate).finally(() => asked.delete(name))
    asked.set(name, answer)
    try {
      return await answer
    } catch (error) {
      if (!(error instanceof TandemError)) throw error
      return { kind: 'unavailable', reason: error.message }
    }
  }

  return {
    paysOn: (chain) => payerOn(chain) !== null,
    read: (earned) => Promise.all(earned.map(readOne)),
  }
}
