/** Checks that a mint is the token of an asset, and of the Token program that our program accepts. */
import { type Address, isAddress } from '@solana/kit'
import { getMintDecoder, getMintSize } from '@solana-program/token'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import { tokenProgram } from '../../contract/client/programs.ts'
import type { SolanaNode } from '../nodes/node.ts'

export async function verifyMint(
  node: Pick<SolanaNode, 'accounts'>,
  asset: Pick<Asset, 'id' | 'decimals'>,
  token: string,
): Promise<Address> {
  const wrong = (what: string) => new ChainFailure('would-fail', `${token} is not the token of ${asset.id}: ${what}`)
  if (!isAddress(token)) throw wrong('it is not an address')
  const [account = null] = await node.accounts([token])
  if (account === null) throw wrong('there is no account')
  if (account.owner !== tokenProgram)
    throw wrong(`its owner is ${account.owner}, and only mints of the classic Token program are supported`)
  if (account.data.length !== getMintSize()) throw wrong('it is not a mint')
  const { decimals, isInitialized } = getMintDecoder().decode(account.data)
  if (!isInitialized) throw wrong('it is not a mint')
  if (decimals !== asset.decimals) throw wrong(`expected ${asset.decimals} decimals, it has ${decimals}`)
  return token
}
