/** HyperCore: the user moves tokens from the spot account to HyperEVM, and from there to the address of the order. */
import { type Address, decodeFunctionData, encodeFunctionData, erc20Abi, type Hex, isHex, slice } from 'viem'
import { htlcCore } from '../../../../contracts/evm/artifacts/htlc-core.ts'
import { createContracts, type HtlcContract, swapIdOf } from '../../../../src/chains/evm/htlc.ts'
import { coreWriterAbi, parseSpotSend } from '../../../../src/chains/hypercore/core.ts'
import { fundingOf } from '../../../../src/chains/hypercore/funding.ts'
import { tokenOf } from '../../../../src/chains/hypercore/htlc.ts'
import { textForms } from '../../../../src/chains/hypercore/text-forms.ts'
import type { TokenLink } from '../../../../src/chains/hypercore/token-link.ts'
import type { FundingResult } from '../../../../src/protocol/funding/funding.ts'
import { verifyParsed, verifySame } from '../../verify/check.ts'
import { verifyCall } from '../../verify/verify-call.ts'
import { verifySwap } from '../../verify/verify-swap.ts'
import type { EvmCall, EvmWallet } from '../../wallets/evm.ts'
import { readLock, settledAs } from '../evm/read-lock.ts'
import { settling } from '../evm/settle.ts'
import type { SdkFamily, SourceSide, SwapSide } from '../family.ts'

export type HypercorePlan = {
  readonly contract: HtlcContract
  /** As the service says: compared with the HTLC, as the wallet's own node shows it, before anything is sent. */
  readonly link: TokenLink
  /** In units of the ERC-20. */
  readonly amount: bigint
  /** From the spot account to HyperEVM. */
  readonly move: EvmCall
  /** To the address of the order. */
  readonly pay: EvmCall
}

const { parseAddress } = textForms
const ARRIVAL_POLL_MS = 500

export const family: SdkFamily<HypercorePlan, EvmWallet> = {
  name: 'hypercore',
  parseAddress,
  deploymentOf: () => null,
  verifySource(side) {
    return planOf(side, verifySide(side, side.payer))
  },
  verifyDestination(side) {
    verifySide(side, null)
  },
  /** The same with and without `gasless`: the money must be brought to HyperEVM by a transaction of the user's in any case. */
  async fund({ contract, link, amount, move, pay }, wallet, { signal }) {
    const read = async (to: Address, data: Hex) => BigInt(await wallet.call(contract.chainId, to, data))
    const ofHtlc = (functionName: 'coreToken' | 'evmPerCore') =>
      read(contract.address, encodeFunctionData({ abi: htlcCore.abi, functionName }))
    verifySame('core_to_evm_transfer.data', await ofHtlc('coreToken'), link.coreToken)
    verifySame('initiate_transaction.data', await ofHtlc('evmPerCore'), link.evmPerCore)
    const question = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [pay.from as Address] })
    const hasArrived = async () => (await read(tokenOf(contract), question)) >= amount
    signal?.throwIfAborted()
    if (!(await hasArrived())) {
      await (await wallet.send(contract.chainId, move)).mined(signal)
      // HyperCore moves it after the block, or not at all if the spot account holds less.
      while (!(await hasArrived())) {
        signal?.throwIfAborted()
        await new Promise((resolve) => setTimeout(resolve, ARRIVAL_POLL_MS))
      }
    }
    signal?.throwIfAborted()
    return { kind: 'sent', tx: (await wallet.send(contract.chainId, pay)).hash }
  },
  readLock: (side, node) => readLock(contractOf(side), side.terms, node),
  settledAs: (side, node) => settledAs(contractOf(side), side.terms, node),
  ...settling(contractOf),
}

function contractOf({ chain, asset, deployment }: SwapSide): HtlcContract {
  return createContracts(chain, [{ ...asset, deployment }]).of(asset.id)
}

function verifySide(side: SwapSide, payer: string | null): HtlcContract {
  const contract = contractOf(side)
  verifySwap(side, { parse: parseAddress, payer, swapId: () => swapIdOf(contract, side.terms) })
  return contract
}

async function planOf({ terms, deadline, payer, funding }: SourceSide, contract: HtlcContract): Promise<HypercorePlan> {
  const told = funding as Partial<FundingResult<'calls'>>
  const { core_to_evm_transfer: moved, initiate_transaction: paid } = told
  const link = {
    coreToken: verifyParsed('core_to_evm_transfer.data', 'a transfer of a spot account', moved?.data ?? '', coreTokenIn),
    evmPerCore: verifyParsed('initiate_transaction.data', 'a transfer of the token', paid?.data ?? '', amountIn) / terms.amount,
  }
  const from = parseAddress(payer ?? terms.initiator)
  const ours = await fundingOf({ forPayer: async () => 0n }, contract, link, { terms, deadline, payer: from, approval: 'exact' })
  const { transfer, initiate, reclaim, revoke, typedData } = ours
  if (transfer === undefined || reclaim === undefined || revoke === undefined)
    throw new Error('the funding of an order on HyperCore has six parts')
  verifyCall('core_to_evm_transfer', transfer, 'hex', moved)
  verifyCall('initiate_transaction', initiate, 'hex', paid)
  verifyCall('reclaim_transaction', reclaim, 'hex', told.reclaim_transaction)
  verifyCall('revoke_transaction', revoke, 'hex', told.revoke_transaction)
  verifySame('typed_data', typedData, told.typed_data)
  verifySame('approval_transaction', null, told.approval_transaction)
  verifySame('approval_reset_transaction', undefined, told.approval_reset_transaction)
  const { chainId: _, gasLimit: __, ...move } = transfer
  const { chainId: ___, gasLimit: ____, ...pay } = initiate
  return { contract, link, amount: terms.amount * link.evmPerCore, move: { from, ...move }, pay: { from, ...pay } }
}

function coreTokenIn(data: string): bigint {
  const { args } = decodeFunctionData({ abi: coreWriterAbi, data: hexOf(data) })
  const send = parseSpotSend(args[0])
  // The numbers of tokens have 64 bits.
  if (send === null || send.token >= 2n ** 64n) throw new Error('not a transfer')
  return send.token
}

/** The second argument of `transfer`. */
function amountIn(data: string): bigint {
  return BigInt(slice(hexOf(data), 36, 68))
}

function hexOf(text: string): Hex {
  if (!isHex(text)) throw new Error('not hex')
  return text
}
