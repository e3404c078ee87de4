/** Checks that a token is the one that the registry means. An HTLC for the wrong token is useless, and amounts in wrong decimals are wrong. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { selectorOf } from '../../contract/client/felt.ts'
import { addressOfFelt } from '../../terms/address.ts'
import { asChainFailure } from '../refusal.ts'
import type { Felt, StarknetNode } from './node.ts'

const DECIMALS = selectorOf('decimals')

export async function verifyToken(
  chain: Pick<Chain, 'id'>,
  node: Pick<StarknetNode, 'classHashAt' | 'call'>,
  asset: Pick<Asset, 'id' | 'decimals'>,
  token: Felt,
): Promise<void> {
  const address = addressOfFelt(token)
  const wrong = (what: string) => new ChainFailure('would-fail', `${chain.id}: ${what}`)
  if ((await node.classHashAt(token)) === null) throw wrong(`there is no contract at ${address}, the token of ${asset.id}`)
  const [answer, ...rest] = await node.call({ to: token, selector: DECIMALS, calldata: [] }).catch((error: unknown) => {
    throw asChainFailure(error, `decimals of ${address}`)
  })
  const found = answer === undefined || rest.length > 0 ? null : BigInt(answer)
  if (found !== BigInt(asset.decimals))
    throw wrong(`the contract at ${address} is not the token of ${asset.id}: expected ${asset.decimals} decimals, it answers ${found}`)
}
