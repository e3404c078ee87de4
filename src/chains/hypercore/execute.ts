/** Initiations of a token of HyperCore: the amount that the sender lacks on HyperEVM is moved there first. Redeems and refunds are those of EVM chains. */
import type { Hex } from 'viem'
import type { Chain } from '../../protocol/chain.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { accountOf } from '../evm/address.ts'
import type { ContractState } from '../evm/contract-state.ts'
import { type Action, createExecutor as createEvmExecutor } from '../evm/execute.ts'
import { type Contracts, initiateData } from '../evm/htlc.ts'
import type { EvmNode } from '../evm/nodes/node.ts'
import type { Outbox } from '../port/outbox.ts'
import { isCrossing, tokenOf } from './htlc.ts'
import { moveToEvm } from './move-to-evm.ts'
import type { TokenLinks } from './token-link.ts'

export interface CoreExecutor {
  initiate(terms: HtlcTerms, outbox: Outbox): Promise<string>
  /** A relay: sends somebody else's initiation and pays its network fee. */
  relay(terms: HtlcTerms, data: Hex, limits: RelayLimits, outbox: Outbox): Promise<string>
  cancelUnmined(outbox: Outbox): Promise<string | null>
}

export type RelayLimits = Pick<Action, 'revertsPaidFor'>

/** `state`: in the units of HyperCore. */
export function createExecutor(chain: Chain, node: EvmNode, contracts: Contracts, state: ContractState, links: TokenLinks): CoreExecutor {
  const executor = createEvmExecutor(chain, node, state)

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
