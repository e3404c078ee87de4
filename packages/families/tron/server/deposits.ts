/** Deposit addresses on Tron: as on EVM chains, with energy in place of gas. */

import type { Executor } from '@tandem/chain-kit/contract/execute.ts'
import { sendReclaim } from '@tandem/chain-kit/contract/reclaim.ts'
import type { Prefund } from '@tandem/chain-kit/port/abilities/prefund.ts'
import { depositAmounts, simulateReclaim } from '@tandem/evm/server/deposits.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { accountOf as evmAccountOf } from '@tandem/evm/terms/address.ts'
import { initiateDepositData, reclaimDepositedData } from '@tandem/evm/terms/deposit.ts'
import type { Contracts } from '@tandem/evm/terms/htlc.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { fromEvmAddress } from '../terms/address.ts'
import { evmSwap, tronDepositAddress } from '../terms/deposit.ts'
import { withTronAddresses } from './error-addresses.ts'
import type { Action } from './execute.ts'
import { relayEnergy } from './fees/relay-energy.ts'
import type { WalletApi } from './nodes/wallet-api.ts'
import { lanesOf } from './send/lane.ts'

type Parts = {
  readonly chain: Chain
  readonly node: EvmNode
  readonly api: WalletApi
  readonly contracts: Contracts
  readonly executor: Executor<Action>
}

export function createDeposits({ chain, node, api, contracts, executor }: Parts): Required<Omit<Prefund, 'isProven'>> {
  const openLane = lanesOf(node, chain, api)
  const amounts = depositAmounts(
    node,
    (asset) => contracts.of(asset),
    (contract, swap) => tronDepositAddress(chain, contract, swap),
  )
  return {
    addressOf: (swap) => fromEvmAddress(tronDepositAddress(chain, contracts.of(swap.terms.asset), swap)),
    amounts: (swaps) => withTronAddresses(() => amounts(swaps)),
    initiate(swap, outbox) {
      const contract = contracts.of(swap.terms.asset)
      const inner = evmSwap(swap)
      const call = { to: contract.address, data: initiateDepositData(contract, inner), value: 0n }
      return withTronAddresses(() => executor.send({ verb: 'initiate', contract, terms: inner.terms, call, paysAmount: false }, outbox))
    },
    reclaim(swap, outbox) {
      const contract = contracts.of(swap.terms.asset)
      const call = { to: contract.address, data: reclaimDepositedData(contract, evmSwap(swap), contract.token), value: 0n }
      const from = evmAccountOf(outbox.key)
      return withTronAddresses(async () =>
        sendReclaim(
          {
            lane: await openLane(outbox),
            call,
            costNow: async () => ({ verb: 'reclaim' as const, need: await relayEnergy(node, { ...call, from }), minLimitSun: 0n }),
            held: async () => (await amounts([swap]))[0] ?? 0n,
            simulate: () => simulateReclaim(node, { ...call, from }),
            outcome: (tx) => node.outcome(`0x${tx}`),
            alone: 'the initiator may send reclaimDeposited',
          },
          outbox,
        ),
      )
    },
  }
}
