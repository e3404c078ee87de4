/** Checks that a token is the one that the registry means. An HTLC for the wrong token is useless, and amounts in wrong decimals are wrong. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type Address, encodeFunctionData, erc20Abi } from 'viem'
import { asChainFailure } from '../send/revert.ts'
import type { EvmNode } from './node.ts'

const decimalsCall = encodeFunctionData({ abi: erc20Abi, functionName: 'decimals' })

/** `named` is the address as its chain writes it. */
export async function verifyToken(
  { id: chain }: Pick<Chain, 'id'>,
  node: Pick<EvmNode, 'code' | 'call'>,
  asset: Pick<Asset, 'id' | 'decimals'>,
  token: Address,
  named: string = token,
): Promise<void> {
  const wrong = (what: string) => new ChainFailure('would-fail', `${chain}: ${what}`)
  if ((await node.code(token)) === '0x') throw wrong(`there is no contract at ${named}, the token of ${asset.id}`)
  const answer = await node.call({ to: token, data: decimalsCall }).catch((error: unknown) => {
    throw asChainFailure(error, `${chain}: decimals of ${named}, the token of ${asset.id}`)
  })
  if (!/^0x[0-9a-f]{64}$/i.test(answer) || BigInt(answer) !== BigInt(asset.decimals))
    throw wrong(`the contract at ${named} is not the token of ${asset.id}: expected ${asset.decimals} decimals, it answers ${answer}`)
}
