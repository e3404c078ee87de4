/**
 * Sends tokens to an address. No contract refuses a repetition and there are no nonces, so another transaction is signed only after all before have
 * expired at a confirmed block without being mined.
 */
import { sendOn } from '@tandem/chain-kit/contract/sending.ts'
import type { Transfer, TransferRequest } from '@tandem/chain-kit/port/abilities/transfer.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ContractState } from '@tandem/evm/server/contract-state.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { asChainFailure } from '@tandem/evm/server/send/revert.ts'
import { accountOf as evmAccountOf } from '@tandem/evm/terms/address.ts'
import type { Contracts } from '@tandem/evm/terms/htlc.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type Address, encodeFunctionData, erc20Abi } from 'viem'
import { toEvmAddress } from '../terms/address.ts'
import { tokenOf } from '../terms/htlc.ts'
import { withTronAddresses } from './error-addresses.ts'
import { energyFor, transferCost } from './fees/fees.ts'
import type { WalletApi } from './nodes/wallet-api.ts'
import { lanesOf, type TronCost } from './send/lane.ts'
import type { TronCall } from './send/raw-data.ts'

export function createTransfer(options: {
  readonly chain: Chain
  readonly node: EvmNode
  readonly api: WalletApi
  readonly contracts: Contracts
  readonly state: ContractState
}): Transfer {
  const { chain, node, api, contracts, state } = options
  const openLane = lanesOf(node, chain, api)

  function assertToken(asset: AssetId): void {
    if (asset === chain.nativeAsset) throw new ChainFailure('would-fail', `${asset} cannot be sent by the solver yet: only tokens can`)
  }

  function callOf({ asset, recipient, amount }: TransferRequest): TronCall {
    assertToken(asset)
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [toEvmAddress(recipient), amount] })
    return { to: tokenOf(contracts.of(asset)), data, value: 0n }
  }

  /** The return value of a transfer means nothing here: Tether's is false when it succeeds (see `HtlcTrc20.sol`). */
  async function costOf(call: TronCall, { asset, amount }: TransferRequest, from: Address): Promise<TronCost> {
    const held = await state.tokenBalance(call.to, from)
    if (held < amount) throw new ChainFailure('would-fail', `transfer: ${from} holds ${held} of ${asset}, needs ${amount}`)
    try {
      await node.call({ ...call, from })
    } catch (error) {
      throw asChainFailure(error, 'transfer')
    }
    return { verb: 'transfer', need: await energyFor(node, { ...call, from }, 'transfer'), minLimitSun: 0n }
  }

  return {
    send: (transfer, outbox) =>
      withTronAddresses(async () => {
        const call = callOf(transfer)
        const from = evmAccountOf(outbox.key)
        const lane = await openLane(outbox)
        const sending = sendOn(lane)
        for (const signed of lane.pending) {
          const tx = await sending.keep(signed, () => costOf(call, transfer, from))
          if (tx !== null) return tx
        }
        // A node may not know the block that a transaction refers to, and another node may still mine it.
        const [open] = await lane.unmined()
        if (open !== undefined)
          throw new ChainFailure('unreachable', `${open.tx} may be mined until it has expired: another is signed then`)
        const outcomes = await Promise.all(outbox.attempts.map(({ tx }) => node.outcome(`0x${tx}`)))
        if (outcomes.some((outcome) => outcome !== null)) throw new ChainFailure('superseded', 'the recorded transfer is mined')
        return sending.append(call, await costOf(call, transfer, from))
      }),

    async outcome(_, __, attempts) {
      for (const { tx } of attempts) {
        const [outcome, height] = await Promise.all([node.outcome(`0x${tx}`), node.minedAt(`0x${tx}`)])
        if (outcome === null || height === null) continue
        return outcome === 'success' ? { kind: 'paid', tx, height } : { kind: 'failed', why: `${tx} was mined and reverted`, height }
      }
      return { kind: 'pending' }
    },
    async fee({ asset }) {
      assertToken(asset)
      return transferCost(api)
    },
  }
}
