/** Checks what an operator adds to the registry against the chains that it serves, and against its deployments. */
import { basicFormsOf } from '@tandem/families/index.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Environment } from '@tandem/protocol/registry/environment.ts'
import { pairProblem, tokensListedTwice } from '@tandem/protocol/registry/problems.ts'
import type { PartyConfig } from './schema.ts'

export function additionProblems(
  config: Pick<PartyConfig, 'chains' | 'deployments'>,
  rows: Environment,
  added: Environment,
): readonly string[] {
  return [...pairProblems(config, rows, added), ...tokenProblems(config, rows)]
}

/** Pairs of the registry's own chains are tested with it. Where one is the operator's, the pair is checked here. */
function pairProblems(
  { chains: served }: Pick<PartyConfig, 'chains'>,
  { chains, assets }: Environment,
  added: Environment,
): readonly string[] {
  const isAdded = new Set([...added.chains.map(({ id }) => id), ...added.assets.map(({ chain }) => chain)])
  const assetsOf = (chain: Chain) => assets.filter((asset) => asset.chain === chain.id)
  const isServed = chains.filter(({ id }) => Object.hasOwn(served, id))
  return isServed.flatMap((source) =>
    isServed
      .filter((destination) => isAdded.has(source.id) || isAdded.has(destination.id))
      .filter((destination) => source !== destination || assetsOf(source).length > 1)
      .flatMap((destination) => {
        const problem = pairProblem(source, destination, assetsOf(source))
        return problem === null ? [] : [`/registry/chains: ${problem}`]
      }),
  )
}

/** The tokens of the deployments count too: the registry does not know their addresses. */
function tokenProblems({ deployments = {} }: Pick<PartyConfig, 'deployments'>, { chains, assets }: Environment): readonly string[] {
  const withTokens = assets.map((asset) => {
    const chain = chains.find(({ id }) => id === asset.chain)
    const token = asset.tokenAddress ?? deployments[asset.id]?.token ?? null
    return { ...asset, tokenAddress: chain === undefined || token === null ? token : (basicFormsOf(chain).comparable(token) ?? token) }
  })
  return tokensListedTwice(withTokens).map(
    ({ asset, other }) => `/registry/assets: ${asset.id} and ${other.id} are both the token ${asset.tokenAddress}: list it once`,
  )
}
