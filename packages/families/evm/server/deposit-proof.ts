/** Proves that a chain executes what deposit addresses need. Not every chain has transient storage, CREATE2 by EIP-1014 and SELFDESTRUCT. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type Address, concat, type Hex } from 'viem'
import { depositAddressOf, reclaimDepositedData } from '../terms/deposit.ts'
import type { Contracts, HtlcContract } from '../terms/htlc.ts'
import { PROBE } from './deposits.ts'
import type { EvmNode } from './nodes/node.ts'
import { NodeRefusal } from './nodes/rpc.ts'

export interface DepositProof {
  /** One request, because all HTLCs of a chain run in the same machine. A chain without the proof is told to the operator, and is no failure. */
  find(): Promise<void>
  isProven(): boolean
}

export function createDepositProof(chain: Chain, node: EvmNode, contracts: Contracts, onTrouble?: (what: string) => void): DepositProof {
  let isProven = false
  return {
    async find() {
      const [contract] = contracts.all
      if (contract === undefined || isProven) return
      // A node that hangs once must not take the addresses away until the next start.
      isProven = (await returnsDeposit(node, contract)) ?? (await returnsDeposit(node, contract)) ?? false
      if (!isProven)
        onTrouble?.(
          `${chain.id}: orders get no deposit addresses, because no call showed that the chain executes what they need: its nodes must simulate with state overrides, and it needs EIP-1153, EIP-1014 and SELFDESTRUCT in the creating transaction`,
        )
    },
    isProven: () => isProven,
  }
}

/**
 * In a simulated state there is 1 wei at the deposit address of the probe, and code at its initiator that calls the HTLC and answers with its own balance.
 * The account must be created where we compute it, read its task, and credit the initiator as it destroys itself. That it is gone after the
 * transaction cannot be simulated. Null means that there is no answer.
 */
async function returnsDeposit(node: EvmNode, contract: HtlcContract): Promise<boolean | null> {
  const initiator = PROBE.terms.initiator as Address
  try {
    const answer = await node.call({
      to: initiator,
      data: reclaimDepositedData(contract, PROBE, null),
      overrides: {
        [initiator]: { balance: 0n, code: callerOf(contract.address) },
        [depositAddressOf(contract, PROBE)]: { balance: 1n },
      },
    })
    // A node that ignores overrides finds no code there, and answers with nothing.
    return answer !== '0x' && BigInt(answer) === 1n
  } catch (error) {
    if (error instanceof NodeRefusal) return false
    // Providers differ too where only some simulate with overrides.
    if (error instanceof ChainFailure && error.kind === 'unreachable') return null
    throw error
  }
}

/** It passes its calldata on, and answers with its balance, or reverts as the call does. No instruction is newer than SELFBALANCE. */
function callerOf(target: Address): Hex {
  const [copyCalldata, call, made, revert, balance] = [
    '0x363d3d37',
    '0x3d3d363d3d73',
    '0x5af1602d57',
    '0x3d600060003e3d6000fd',
    '0x5b4760005260206000f3',
  ] as const
  return concat([copyCalldata, call, target, made, revert, balance])
}
