/** The file `.tandem/local.json` has all that scripts and integrators need to use the local stack. */
import type { LocalChainJson } from '@tandem/chain-kit/local/local-chain.ts'

export type LocalJson = {
  readonly base_url: string
  readonly app_id: string
  /** The URL opens the operator page with a token that may write. */
  readonly operator_url: string
  readonly chains: Readonly<Record<string, LocalChainJson>>
  readonly faucet_url: string
  /** POST {"running": false} stops the solvers, true starts them again. */
  readonly solver_switch_url: string
  /** POST {"chain", "units"} lets this many blocks or seconds of a timelock pass. */
  readonly time_url: string
  readonly wallets: readonly LocalWalletJson[]
}

export type LocalWalletJson = {
  readonly family: string
  readonly chains: readonly string[]
  readonly private_key: string
  readonly address: string
}
