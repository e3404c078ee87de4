/** Implements the part of a client that is the same in every family whose executor takes a contract and the terms. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { HtlcTerms, SwapId } from '@tandem/protocol/htlc.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import type { ChainClient } from '../port/client.ts'
import type { HtlcReading } from '../port/htlc-reading.ts'
import type { Outbox } from '../port/outbox.ts'
import { readingOf } from '../providers/htlc-reading.ts'
import { assertPayee, type HtlcState } from './action.ts'
import type { ContractsOf } from './contracts.ts'
import { assertGivesAnotherCoin, redeemGiving } from './payout-gas.ts'

export interface HtlcExecutor<C> {
  initiate(contract: C, terms: HtlcTerms, outbox: Outbox): Promise<string>
  /** The recipient also gets this much gas: see `SpendRequest`. */
  redeem(contract: C, terms: HtlcTerms, secret: Hex32, outbox: Outbox, gas?: bigint): Promise<string>
  refund(contract: C, terms: HtlcTerms, outbox: Outbox): Promise<string>
  cancelUnmined(outbox: Outbox): Promise<string | null>
}

type Parts<C> = {
  readonly chain: Chain
  readonly contracts: ContractsOf<C>
  readonly swapIdOf: (contract: C, terms: HtlcTerms) => SwapId
  readonly stateOf: (contract: C, terms: HtlcTerms) => Promise<HtlcState>
  readonly tryPayout: (contract: C, terms: HtlcTerms) => Promise<unknown>
  readonly executor: HtlcExecutor<C>
}

type ContractClient = Required<Pick<ChainClient, 'swapId' | 'readHtlc' | 'verifyPayout' | 'initiate' | 'redeem' | 'refund' | 'cancel'>>

export function contractClient<C>({ chain, contracts, swapIdOf, stateOf, tryPayout, executor }: Parts<C>): ContractClient {
  return {
    swapId: (terms) => swapIdOf(contracts.of(terms.asset), terms),
    readHtlc(terms) {
      const contract = contracts.of(terms.asset)
      return readContractHtlc(chain.id, swapIdOf(contract, terms), terms, () => stateOf(contract, terms))
    },
    async verifyPayout(terms, to) {
      assertPayee(to, terms.redeemer)
      await tryPayout(contracts.of(terms.asset), terms)
    },
    initiate: (terms, outbox) => executor.initiate(contracts.of(terms.asset), terms, outbox),
    async redeem(terms, { to, secret, gas }, outbox) {
      assertPayee(to, terms.redeemer)
      const contract = contracts.of(terms.asset)
      if (gas === undefined) return executor.redeem(contract, terms, secret, outbox)
      assertGivesAnotherCoin(chain, terms)
      return redeemGiving(gas, (given) => executor.redeem(contract, terms, secret, outbox, given))
    },
    async refund(terms, { to }, outbox) {
      assertPayee(to, terms.initiator)
      return executor.refund(contracts.of(terms.asset), terms, outbox)
    },
    cancel: executor.cancelUnmined,
  }
}

/** Reads the HTLC of a contract, which is funded once: its only deposit has the id of the swap, and that id binds the contract and every term. */

export function readContractHtlc(
  chain: ChainId,
  swapId: SwapId,
  { amount }: HtlcTerms,
  ask: () => Promise<HtlcState>,
): Promise<HtlcReading> {
  return readingOf(chain, swapId, async () => {
    const state = await ask()
    if (state === 'open') return { id: swapId, state, amount }
    return { id: swapId, state: state === 'settled' ? 'gone' : state }
  })
}
