// Sends transactions of accounts whose keys are in this process: the faucet, the deployment, tests.
import { ec } from 'starknet'
import { type AccountKey, accountOfKey } from './account-keys.ts'
import type { StarknetNode } from './chain/node.ts'
import { revertText } from './execution/panic.ts'
import { nonceKey } from './execution/state.ts'
import { type Felts, hex, hexes } from './felt.ts'
import { readTransaction, signed, type WireTransaction } from './transactions/wire-transaction.ts'

export type LocalCall = { readonly to: bigint; readonly selector: bigint; readonly calldata: Felts }

export type LocalInvokeOptions = { readonly nonce?: bigint; readonly tip?: bigint; readonly priceFactor?: bigint }

export interface LocalSender extends AccountKey {
  /** Signed, with plenty of gas. By default with the next nonce. */
  invoke(calls: readonly LocalCall[], options?: LocalInvokeOptions): WireTransaction
  /** Submits it, makes a block if it waits, and returns its hash. Throws if it reverts. */
  execute(calls: readonly LocalCall[]): string
}

const MAX_L2_GAS = 50_000_000n
const MAX_L1_DATA_GAS = 100_000n
const VERSION = '0x3'

export function createLocalSender(node: StarknetNode, privateKey: string): LocalSender {
  const account = accountOfKey(privateKey)
  const { ledger, chain } = node

  function invoke(calls: readonly LocalCall[], { nonce, tip = 0n, priceFactor = 2n }: LocalInvokeOptions = {}): WireTransaction {
    const { prices } = node.nextBlock()
    const bound = (amount: bigint, price: bigint) => ({ max_amount: hex(amount), max_price_per_unit: hex(price * priceFactor) })
    const unsigned = readTransaction(
      {
        type: 'INVOKE',
        version: VERSION,
        sender_address: hex(account.address),
        calldata: hexes([BigInt(calls.length), ...calls.flatMap(callFelts)]),
        nonce: hex(nonce ?? ledger.state.get(nonceKey(account.address))),
        tip: hex(tip),
        resource_bounds: {
          l1_gas: bound(0n, prices.l1Gas),
          l1_data_gas: bound(MAX_L1_DATA_GAS, prices.l1DataGas),
          l2_gas: bound(MAX_L2_GAS, prices.l2Gas),
        },
        signature: [],
        paymaster_data: [],
        account_deployment_data: [],
        nonce_data_availability_mode: 'L1',
        fee_data_availability_mode: 'L1',
      },
      chain.chainId,
      () => {
        throw new Error('an invoke declares no class')
      },
    )
    return signed(unsigned, signatureOf(account, unsigned.hash))
  }

  return {
    ...account,
    invoke,
    execute(calls) {
      const transaction = invoke(calls)
      node.submit(transaction)
      if (node.pool.has(transaction.hash)) node.mine()
      const { revert } = ledger.transaction(transaction.hash)?.mined ?? { revert: undefined }
      if (revert === undefined) throw new Error(`transaction ${hex(transaction.hash)} was not mined`)
      if (revert !== null) throw new Error(revertText(revert))
      return hex(transaction.hash)
    },
  }
}

export function signatureOf({ privateKey }: Pick<AccountKey, 'privateKey'>, messageHash: bigint): Felts {
  const { r, s } = ec.starkCurve.sign(hex(messageHash), privateKey)
  return [r, s]
}

function callFelts({ to, selector, calldata }: LocalCall): Felts {
  return [to, selector, BigInt(calldata.length), ...calldata]
}
