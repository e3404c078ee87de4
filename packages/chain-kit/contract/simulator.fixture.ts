/** Simulates a contract family. The simulator has no chain and logs the executor's calls in order. */
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { ChainFailure } from '../port/failure.ts'
import type { Outbox } from '../port/outbox.ts'
import { createMemoryOutbox, type MemoryOutbox } from '../testing/outbox.fixture.ts'
import type { ContractAction, HtlcState } from './action.ts'
import { createContractExecutor, type Executor } from './execute.ts'
import type { ContractFamily } from './family.ts'
import type { ContractTypes, Followed, Lane, Outcome } from './lane.ts'

export type SimulatedCall = { readonly to: 'htlc' | 'token' | 'self' }
type SimulatedSigned = { readonly tx: string; readonly call: SimulatedCall; readonly at: bigint }

export interface SimulatedTypes extends ContractTypes {
  readonly call: SimulatedCall
  readonly signed: SimulatedSigned
  readonly cost: string
  readonly refusal: 'underpriced'
}

export type SimulatedAction = ContractAction<SimulatedCall>

export interface ContractSimulator {
  readonly executor: Executor<SimulatedAction>
  readonly outbox: MemoryOutbox
  /** Everything between `key` and `record` needs the key. */
  readonly log: string[]
  state: HtlcState
  stateReads: number
  readonly outcomes: Map<string, Outcome>
  missingApprovals: number
  refusals: number
  isPartlyAccepted: boolean
  followed: Followed<SimulatedTypes> | ChainFailure
  /** Every recorded call does more than is wanted now. */
  exceeds: boolean
}

export const SENDER = 'sender'

export function createContractSimulator(replayProtection: 'nonce' | 'expiry'): ContractSimulator {
  const isOrdered = replayProtection === 'nonce'
  const outbox = createMemoryOutbox(createSecp256k1Key(`0x${'11'.repeat(32)}`))
  const log: string[] = []
  const outcomes = new Map<string, Outcome>()
  const read = ({ tx, raw, at }: { tx: string; raw: string; at: bigint }): SimulatedSigned => ({
    tx,
    call: { to: raw as SimulatedCall['to'] },
    at,
  })
  let signatures = 0

  function openLane(box: Outbox): Lane<SimulatedTypes> {
    const unmined = box.attempts.map(read).filter(({ tx }) => (outcomes.get(tx) ?? null) === null)
    const sign = async ({ to }: SimulatedCall, cost: string): Promise<SimulatedSigned> => {
      log.push(`key ${to} for ${cost}`)
      signatures += 1
      const attempt = { tx: `tx${signatures}`, raw: to, slots: [], feeRate: 1n }
      await box.withKey((held) => held.record(attempt))
      log.push(`record ${attempt.tx}`)
      return read({ ...attempt, at: box.now })
    }
    return {
      pending: unmined,
      unmined: async () => unmined,
      findPending: async ({ to }) => unmined.find((signed) => signed.call.to === to) ?? null,
      async follow({ tx }) {
        log.push(`follow ${tx}`)
        if (simulator.followed instanceof ChainFailure) throw simulator.followed
        return simulator.followed
      },
      async broadcast({ tx }) {
        log.push(`broadcast ${tx}`)
        if (simulator.refusals === 0) return 'accepted'
        simulator.refusals -= 1
        return 'underpriced'
      },
      isPartlyAccepted: () => simulator.isPartlyAccepted,
      allocate: async (call, cost) => ({ signed: await sign(call, cost), isNew: true }),
      replacement: isOrdered
        ? { noop: { to: 'self' }, isNoop: ({ to }) => to === 'self', replace: (_, call, cost) => sign(call, cost) }
        : null,
    }
  }

  const family: ContractFamily<SimulatedTypes, SimulatedAction> = {
    senderOf: () => SENDER,
    read: async (attempt) => read(attempt),
    isOwn: (_, { to }) => to === 'htlc',
    mayDoNothing: () => false,
    exceeds: () => simulator.exceeds,
    async htlcState() {
      simulator.stateReads += 1
      return simulator.state
    },
    outcome: async (tx) => outcomes.get(tx) ?? null,
    openLane: async (box) => openLane(box),
    sortReverts: async (_, reverted) => ({ all: reverted, byOthers: reverted, atFeeCap: [] }),
    revertWeight: ({ tx }) => Number(tx.replace('tx', '')),
    approvals: async () => Array.from({ length: simulator.missingApprovals }, () => ({ to: 'token' }) as const),
    async simulate({ call, verb }) {
      log.push(`simulate ${call.to}`)
      if (call.to === 'htlc' && simulator.missingApprovals > 0) throw new ChainFailure('would-fail', 'no allowance')
      // The contract initiates a swap once.
      if (call.to === 'htlc' && verb === 'initiate' && simulator.state !== 'absent') throw new ChainFailure('would-fail', 'it exists')
    },
    async estimate({ call }) {
      log.push(`estimate ${call.to}`)
      return 'estimate'
    },
    async tryPayout() {
      log.push('try payout')
      return 'payout cost'
    },
    simulatesOwnRedeem: !isOrdered,
    queuedCost: isOrdered ? async () => 'fixed cost' : null,
  }

  const simulator: ContractSimulator = {
    executor: createContractExecutor(family),
    outbox,
    log,
    state: 'absent',
    stateReads: 0,
    outcomes,
    missingApprovals: 0,
    refusals: 0,
    isPartlyAccepted: false,
    followed: { kind: 'waits' },
    exceeds: false,
  }
  return simulator
}

export function actionOf(verb: SimulatedAction['verb'], over: Partial<HtlcTerms> = {}): SimulatedAction {
  const terms: HtlcTerms = {
    asset: 'simulated:coin',
    initiator: 'initiator',
    redeemer: 'redeemer',
    amount: 1n,
    timelock: 600n,
    secretHash: '22'.repeat(32),
    ...over,
  }
  return { verb, terms, call: { to: 'htlc' }, paysAmount: verb === 'initiate' }
}
