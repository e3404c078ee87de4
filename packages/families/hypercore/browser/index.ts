/**
 * On HyperCore the user moves tokens from the spot account to an account of its own at the HTLC, by one transaction. Then it signs, or
 * sends a second transaction that gives the consent.
 */

import { verifyParsed, verifySame, verifyThat } from '@tandem/chain-kit/browser/check.ts'
import { contractSides } from '@tandem/chain-kit/browser/contract-sides.ts'
import type { SdkFamily, SourceSide } from '@tandem/chain-kit/browser/family.ts'
import { verifyCall } from '@tandem/chain-kit/browser/verify-call.ts'
import { readLock, settledAs } from '@tandem/evm/browser/read-lock.ts'
import { settling } from '@tandem/evm/browser/settle.ts'
import { verifyNode } from '@tandem/evm/browser/verify-node.ts'
import type { EvmCall, EvmWallet } from '@tandem/evm/browser/wallet.ts'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { createContracts, type HtlcContract, type InitiateTypedData, initiateTypedData, swapIdOf } from '@tandem/evm/terms/htlc.ts'
import type { FundingResult } from '@tandem/protocol/funding/funding.ts'
import { type Address, decodeFunctionData, encodeFunctionData, erc20Abi, type Hex, isHex, pad } from 'viem'
import {
  CORE_USER_EXISTS,
  coreWriterAbi,
  MAX_CROSSING_VALUE,
  parseSpotSend,
  SPOT_BALANCE,
  spotBalanceInput,
  textForms,
  WEI_PER_HYPE_UNIT,
} from '../terms/core.ts'
import { fundingOf } from '../terms/funding.ts'
import { accountAt, ownerOf, tokenOf } from '../terms/htlc.ts'

export type HypercorePlan = {
  readonly contract: HtlcContract
  /** The service names this token. Before anything is sent, it is compared with the HTLC at the wallet's own node. */
  readonly coreToken: bigint
  /** The unit is that of HyperCore. */
  readonly amount: bigint
  readonly account: Address
  readonly move: EvmCall
  readonly initiate: EvmCall
  /** Null means that a delegate pays: no signature can fund the order then. */
  readonly typedData: InitiateTypedData | null
}

const { parseAddress } = textForms
const ARRIVAL_POLL_MS = 500
/** HyperCore moves the money after the block of the transaction, or drops the transfer. These polls last long enough to see which. */
const ARRIVAL_POLLS = 40

const { contractOf, sidesWith } = contractSides({ createContracts, parseAddress, swapIdOf })

export const family: SdkFamily<HypercorePlan, EvmWallet> = {
  name: 'hypercore',
  ...sidesWith(planOf),
  deploymentOf: () => null,
  verifyNode: (side, node) => verifyNode(side.chain, contractOf(side), node),
  async fund({ contract, coreToken, amount, account, move, initiate, typedData }, wallet, { gasless, signal }) {
    const { chainId } = contract
    const read = async (to: Address, data: Hex) => firstWordOf(await wallet.call(chainId, to, data))
    const ofHtlc = (functionName: 'coreToken' | 'evmPerCore') =>
      read(contract.address, encodeFunctionData({ abi: htlcCore.abi, functionName }))
    verifySame('core_to_evm_transfer.data', await ofHtlc('coreToken'), coreToken)
    // Another HTLC, e.g. an older one, has other account addresses. It could not move money that is sent to ours.
    const named = await wallet.call(
      chainId,
      contract.address,
      encodeFunctionData({ abi: htlcCore.abi, functionName: 'accountOf', args: [move.from as Address] }),
    )
    verifySame('core_to_evm_transfer.data', named.toLowerCase(), pad(account, { size: 32 }))
    const evmPerCore = await ofHtlc('evmPerCore')
    const balance = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })
    const spot = spotBalanceInput(account, coreToken)
    const hasArrived = async () => (await read(tokenOf(contract), balance)) / evmPerCore + (await read(SPOT_BALANCE, spot)) >= amount
    signal?.throwIfAborted()
    if (!(await hasArrived())) {
      await (await wallet.send(chainId, move)).mined(signal)
      for (let polls = 0; !(await hasArrived()); polls += 1) {
        signal?.throwIfAborted()
        if (polls === ARRIVAL_POLLS) throw new Error(await whyDropped())
        await new Promise((resolve) => setTimeout(resolve, ARRIVAL_POLL_MS))
      }
    }
    signal?.throwIfAborted()
    if (gasless && typedData !== null) return { kind: 'signed', signature: await wallet.signTypedData(chainId, initiate.from, typedData) }
    return { kind: 'sent', tx: (await wallet.send(chainId, initiate)).hash }

    async function whyDropped(): Promise<string> {
      const exists = (await read(CORE_USER_EXISTS, pad(account, { size: 32 }))) === 1n
      const fee = exists
        ? ''
        : ', or less than one quote token (1 USDC), which HyperCore takes once for the first transfer to a new account'
      return `HyperCore has dropped core_to_evm_transfer silently: ${move.from} has less than ${amount} of token ${coreToken} free in its spot account${fee}. Nothing is lost: pay in what is missing and resume the swap`
    }
  },
  readLock: (side, node) => readLock(contractOf(side), side.terms, node),
  settledAs: (side, node) => settledAs(contractOf(side), side.terms, node),
  ...settling(contractOf),
}

function planOf({ terms, deadline, payer, funding }: SourceSide, contract: HtlcContract): HypercorePlan {
  const shown = funding as Partial<FundingResult<'calls'>>
  const { core_to_evm_transfer: moved, initiate_transaction: initiated } = shown
  const coreToken = verifyParsed('core_to_evm_transfer.data', 'a transfer of a spot account', moved?.data ?? '', coreTokenIn)
  // The cost of a transfer to HyperEVM depends on the gas price. If the value is too high, the surplus stays in the payer's `account`.
  const crossing = verifyParsed('initiate_transaction.value', 'an amount of HYPE', initiated?.value ?? '', BigInt)
  const isSmall = crossing >= 0n && crossing <= MAX_CROSSING_VALUE && crossing % WEI_PER_HYPE_UNIT === 0n
  verifyThat(isSmall, 'initiate_transaction.value', `at most ${MAX_CROSSING_VALUE} wei, in units of HyperCore`, initiated?.value)
  const { transfer, initiate, reclaim, revoke, typedData } = fundingOf(contract, coreToken, crossing, { terms, deadline, payer })
  if (transfer === undefined || reclaim === undefined || revoke === undefined)
    throw new Error('the funding of an order on HyperCore has five parts')
  verifyCall('core_to_evm_transfer', transfer, 'hex', moved)
  verifyCall('initiate_transaction', initiate, 'hex', initiated)
  verifyCall('reclaim_transaction', reclaim, 'hex', shown.reclaim_transaction)
  verifyCall('revoke_transaction', revoke, 'hex', shown.revoke_transaction)
  verifySame('typed_data', typedData, shown.typed_data)
  verifySame('approval_transaction', null, shown.approval_transaction)
  verifySame('approval_reset_transaction', undefined, shown.approval_reset_transaction)
  const from = ownerOf({ terms, payer })
  const { chainId: _, gasLimit: __, ...move } = transfer
  const { chainId: ___, gasLimit: ____, ...consent } = initiate
  return {
    contract,
    coreToken,
    amount: terms.amount,
    account: accountAt(contract, from),
    move: { from, ...move },
    initiate: { from, ...consent },
    typedData: payer === null ? initiateTypedData(contract, terms) : null,
  }
}

function coreTokenIn(data: string): bigint {
  const { args } = decodeFunctionData({ abi: coreWriterAbi, data: hexOf(data) })
  const send = parseSpotSend(args[0])
  if (send === null || send.token >= 2n ** 64n) throw new Error('not a transfer')
  return send.token
}

function firstWordOf(answer: string): bigint {
  return BigInt(answer.slice(0, 66))
}

function hexOf(text: string): Hex {
  if (!isHex(text)) throw new Error('not hex')
  return text
}
