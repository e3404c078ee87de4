/** Reads the HTLC and its token at the newest block. */

import type { HtlcState } from '@tandem/chain-kit/contract/action.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type Call, initiatedAtCall, tokenCall } from '../contract/client/calls.ts'
import { type Felt, selectorOf } from '../contract/client/felt.ts'
import { orderMarks } from '../contract/client/order.ts'
import { feltOf, parseAddress } from '../terms/address.ts'
import { starknetDataOf } from '../terms/chain-data.ts'
import { type Contracts, type HtlcContract, orderIdOf } from '../terms/htlc.ts'
import type { StarknetNode } from './nodes/node.ts'
import { asChainFailure } from './refusal.ts'

export interface ContractState {
  htlc(contract: HtlcContract, terms: HtlcTerms): Promise<HtlcState>
  allowance(token: Felt, owner: Felt, spender: Felt): Promise<bigint>
  tokenBalance(token: Felt, owner: Felt): Promise<bigint>
  lockedToken(htlc: Felt): Promise<Felt>
}

const erc20 = { allowance: selectorOf('allowance'), balanceOf: selectorOf('balance_of') } as const

export function createContractState(node: StarknetNode): ContractState {
  async function read<T>(call: Call, what: string, decode: (answer: readonly Felt[]) => T): Promise<T> {
    try {
      return decode(await node.call(call))
    } catch (error) {
      throw asChainFailure(error, `${what} of ${call.to}`)
    }
  }

  return {
    async htlc(contract, terms) {
      const what = 'initiated_at'
      const mark = await read(initiatedAtCall(contract.address, orderIdOf(contract, terms)), what, (answer) => one(answer, what))
      if (mark === orderMarks.neverInitiated) return 'absent'
      return mark === orderMarks.redeemed ? 'redeemed' : mark === orderMarks.refunded ? 'refunded' : 'open'
    },
    allowance(token, owner, spender) {
      const call = { to: token, selector: erc20.allowance, calldata: [owner, spender] }
      return read(call, 'allowance', (answer) => amountOf(answer, 'allowance'))
    },
    async tokenBalance(token, owner) {
      const call = { to: token, selector: erc20.balanceOf, calldata: [owner] }
      try {
        // The balance may change with every block, and providers may be some blocks apart.
        return await node.callAmount(call, (answer) => amountOf(answer, 'balance_of'), 'down')
      } catch (error) {
        throw asChainFailure(error, `balance_of of ${token}`)
      }
    },
    async lockedToken(htlc) {
      return `0x${(await read(tokenCall(htlc), 'token', (answer) => one(answer, 'token'))).toString(16)}`
    },
  }
}

const HALF = 2n ** 128n

/** A u256 has the low half first, then the high one. */
function amountOf(answer: readonly Felt[], what: string): bigint {
  const [low, high] = answer.map(BigInt)
  if (low === undefined || high === undefined || answer.length !== 2 || low >= HALF || high >= HALF) throw notOurs(what)
  return low + high * HALF
}

function one(answer: readonly Felt[], what: string): bigint {
  const [value] = answer
  if (value === undefined || answer.length !== 1) throw notOurs(what)
  return BigInt(value)
}

function notOurs(what: string): ChainFailure {
  return new ChainFailure('would-fail', `${what}: the answer does not decode: is the contract there?`)
}

/** The asset may be STRK, in which fees are paid, or a token. An account that is not deployed may own both. */
export async function balanceOf(
  state: Pick<ContractState, 'tokenBalance'>,
  chain: Chain,
  contracts: Contracts,
  asset: AssetId,
  owner: string,
): Promise<bigint> {
  // This coin pays for gas, even if it cannot be swapped here.
  const token = asset === chain.nativeAsset ? feltOf(starknetDataOf(chain).feeToken) : contracts.of(asset).token
  return state.tokenBalance(token, feltOf(parseAddress(owner)))
}
