/** The parts of `SdkFamily` that all families whose HTLCs are contracts share. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { ContractsOf, DeployedAsset } from '../contract/contracts.ts'
import type { HeldAsset, SdkFamily, SourceSide, SwapSide } from './family.ts'
import { verifySwap } from './verify-swap.ts'

type Forms<C> = {
  readonly createContracts: (chain: Chain, assets: readonly DeployedAsset[]) => ContractsOf<C>
  readonly parseAddress: (text: string) => string
  readonly swapIdOf: (contract: C, terms: HtlcTerms) => string
}

type Sides<Plan> = Pick<SdkFamily<Plan>, 'parseAddress' | 'verifySource' | 'verifyDestination'>

export function contractSides<C>({ createContracts, parseAddress, swapIdOf }: Forms<C>) {
  const contractOf = ({ chain, asset, deployment }: HeldAsset) => createContracts(chain, [{ ...asset, deployment }]).of(asset.id)

  function verifySide(side: SwapSide, payer: string | null): C {
    const contract = contractOf(side)
    verifySwap(side, { parse: parseAddress, payer, swapId: () => swapIdOf(contract, side.terms) })
    return contract
  }

  return {
    contractOf,
    /** `planOf` gets a source whose parties and swap id are verified. */
    sidesWith: <Plan>(planOf: (side: SourceSide, contract: C) => Plan | Promise<Plan>): Sides<Plan> => ({
      parseAddress,
      verifySource: (side) => planOf(side, verifySide(side, side.payer)),
      verifyDestination: (side) => void verifySide(side, null),
    }),
  }
}
