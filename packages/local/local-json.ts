/** `.tandem/local.json`: all that scripts and integrators need to drive the local stack. */
import type { LocalChainJson } from '@tandem/chain-kit/local/local-chain.ts'

export type LocalJson = {
  readonly base_url: string
  readonly app_id: string
  /** Opens the operator page, with a token that may write. */
  readonly operator_url: string
  /** The running chains, by id. */
  readonly chains: Readonly<Record<string, LocalChainJson>>
  readonly faucet_url: string
  /** Local only: POST {"running": false} stops the solvers, true starts them again. */
  readonly solver_switch_url: string
  /** Local only: POST {"chain", "units"} lets so many blocks or seconds of a timelock pass. */
  readonly time_url: string
  readonly wallets: readonly LocalWalletJson[]
}

export type LocalWalletJson = {
  readonly family: string
  /** The chains on which it is funded. */
  readonly chains: readonly string[]
  readonly private_key: string
  readonly address: string
}
