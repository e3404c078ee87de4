/** Moves the amount that an initiation lacks on HyperEVM there first. Redeems and refunds are those of EVM chains. */

import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { ContractState } from '@tandem/evm/server/contract-state.ts'
import { type Action, createExecutor as createEvmExecutor } from '@tandem/evm/server/execute.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { accountOf } from '@tandem/evm/terms/address.ts'
import type { AllowanceOf } from '@tandem/evm/terms/allowance.ts'
import { type Contracts, initiateData } from '@tandem/evm/terms/htlc.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Hex } from 'viem'
import { isCrossing, tokenOf } from '../terms/htlc.ts'
import { moveToEvm } from './move-to-evm.ts'
import type { TokenLinks } from './token-link.ts'

export interface CoreExecutor {
  initiate(terms: HtlcTerms, outbox: Outbox): Promise<string>
  /** A relay sends somebody else's initiation, and pays its network fee. */
  relay(terms: HtlcTerms, data: Hex, limits: RelayLimits, outbox: Outbox): Promise<string>
  cancelUnmined(outbox: Outbox): Promise<string | null>
}

export type RelayLimits = Pick<Action, 'revertsPaidFor'>

export type CoreExecutorParts = {
  readonly chain: Chain
  readonly node: EvmNode
  readonly contracts: Contracts
  /** Its amounts, and those of `allowanceOf`, are in the units of HyperCore. */
  readonly state: ContractState
  readonly links: TokenLinks
  readonly allowanceOf: AllowanceOf
}

export function createExecutor({ chain, node, contracts, state, links, allowanceOf }: CoreExecutorParts): CoreExecutor {
  const executor = createEvmExecutor(chain, node, state, async (terms) => {
    const { evmPerCore } = await links.of(contracts.of(terms.asset))
    return allowanceOf(terms) * evmPerCore
  })

  function send(terms: HtlcTerms, data: Hex, limits: RelayLimits & Pick<Action, 'paysAmount'>, outbox: Outbox): Promise<string> {
    const contract = contracts.of(terms.asset)
    return executor.send(
      { verb: 'initiate', contract, terms, call: { to: contract.address, data, value: 0n }, isPreparation: isCrossing, ...limits },
      outbox,
    )
  }

  return {
    cancelUnmined: executor.cancelUnmined,
    async initiate(terms, outbox) {
      const contract = contracts.of(terms.asset)
      const sender = accountOf(outbox.key)
      const held = await state.tokenBalance(tokenOf(contract), sender)
      if (held < terms.amount && (await state.htlc(contract, terms)) === 'absent') {
        const { coreToken } = await links.of(contract)
        await moveToEvm(node, chain, { contract, coreToken, held, needed: terms.amount }, outbox)
      }
      return send(terms, initiateData(terms, sender), { paysAmount: true }, outbox)
    },
    relay: (terms, data, limits, outbox) => send(terms, data, { paysAmount: false, ...limits }, outbox),
  }
}
