/** Follows the transactions of one account on one EVM chain: see `contract/nonce-lane.ts`. */

import type { Duty, Lane } from '@tandem/chain-kit/contract/lane.ts'
import type { NonceTypes } from '@tandem/chain-kit/contract/nonce-account.ts'
import { openNonceLane } from '@tandem/chain-kit/contract/nonce-lane.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { accountOf } from '../../terms/address.ts'
import { evmDataOf } from '../../terms/chain-data.ts'
import { chainIdOf } from '../../terms/htlc.ts'
import { dataFees } from '../fees/data-fee.ts'
import { type Fees, feeCapOf, feeModelOf, higherFees, raiseFees, suggestFees } from '../fees/fees.ts'
import { fallbackGas } from '../fees/gas.ts'
import type { EvmNode } from '../nodes/node.ts'
import { broadcast } from './broadcast.ts'
import { isSignedBy, readAttempt, type Signed, signTransaction, type TransactionCall } from './transaction.ts'

export interface EvmTypes extends NonceTypes {
  readonly call: TransactionCall
  readonly signed: Signed
  readonly cost: bigint
  readonly fees: Fees
}

export function openLane(node: EvmNode, chain: Chain, outbox: Outbox, duty: Duty): Promise<Lane<EvmTypes>> {
  const model = feeModelOf(chain)
  const format = { chainId: chainIdOf(chain), gasPrice: model.gasPrice }
  const address = accountOf(outbox.key)
  return openNonceLane<EvmTypes>(
    {
      address,
      coin: `the native coin of ${chain.id}`,
      noop: { to: address, data: '0x', value: 0n },
      isNoop: ({ to }) => to === address,
      isSameCall: (a, b) => a.to === b.to && a.data === b.data && a.value === b.value,
      read: readAttempt,
      isOurs: (signed) => isSignedBy(signed, address, format.chainId),
      sign: (signer, { cost, ...rest }) => signTransaction(format, signer, { ...rest, gas: cost }),
      partsOf: ({ gas, fees }) => ({ cost: gas, fees }),
      nextNonce: () => node.transactionCount(address),
      balance: () => node.balance(address),
      isKnown: (tx) => node.isKnown(tx),
      hidesUnmined: evmDataOf(chain).hidesUnmined,
      newestBlock: () => node.block('latest'),
      broadcast: ({ raw }, onPartlyAccepted) => broadcast(node, raw, onPartlyAccepted),
      suggestFees: () => suggestFees(node, model),
      raiseFees(fees, suggested, { urgent, isObligatory }) {
        const raised = raiseFees(fees, { urgent, cap: feeCapOf(suggested, model, { isObligatory }) })
        return raised && higherFees(raised, suggested)
      },
      isSameCost: (a, b) => a === b,
      surcharges: (call) => dataFees(node, chain, call),
      highestCost: ({ call, cost, fees }) => call.value + cost * fees.maxFeePerGas,
      // Where data takes gas, the redeem takes about as much as an initiation.
      redeemCost: (gas) => (gas > fallbackGas.redeem ? gas : fallbackGas.redeem),
    },
    chain,
    outbox,
    duty,
  )
}
