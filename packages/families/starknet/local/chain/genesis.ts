// Builds the state before the first transaction: built-in classes, the fee token STRK, the deployers, and given accounts.
import type { AccountKey } from '../account-keys.ts'
import { accountClass } from '../classes/account.ts'
import { builtInClasses, genesisClasses } from '../classes/class-set.ts'
import { erc20Class } from '../classes/erc20.ts'
import { htlcClass } from '../classes/htlc.ts'
import { UDC_ADDRESSES, udcClass } from '../classes/udc.ts'
import { createGasMeter } from '../execution/gas.ts'
import { construct, runCall } from '../execution/run-call.ts'
import type { Chain } from '../execution/run-transaction.ts'
import { type Changes, declaredKey, overlay } from '../execution/state.ts'
import { selectorOf, shortString, u256Felts } from '../felt.ts'

export const STRK_ADDRESS = 0x04718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938dn
const SEQUENCER_ADDRESS = 0x1000n
/** The supply is ten thousand million STRK. The first account owns it, except for ten thousand STRK of each other one. */
const STRK_SUPPLY = 10n ** 28n
const STRK_PER_ACCOUNT = 10n ** 22n

export type GenesisOptions = {
  readonly chainId: bigint
  /** These accounts are deployed and have STRK. */
  readonly accounts: readonly AccountKey[]
  readonly declaresHtlc: boolean
}

export function createGenesis({ chainId, accounts, declaresHtlc }: GenesisOptions): { readonly chain: Chain; readonly changes: Changes } {
  const state = overlay({ get: () => 0n })
  const chain = { classes: builtInClasses, chainId, feeToken: STRK_ADDRESS, sequencer: SEQUENCER_ADDRESS }
  const block = { number: 0, timestamp: 0 }
  const transaction = { hash: 0n, signature: [], isQuery: false }
  const execution = { ...chain, state, block, transaction, events: [], gas: createGasMeter() }

  for (const { classHash } of declaresHtlc ? [...genesisClasses, htlcClass] : genesisClasses) state.set(declaredKey(classHash), 1n)
  for (const address of UDC_ADDRESSES) construct(execution, { address, classHash: udcClass.classHash, calldata: [], caller: 0n })
  const [treasury = SEQUENCER_ADDRESS] = accounts.map(({ address }) => address)
  const calldata = [shortString('Starknet Token'), shortString('STRK'), 18n, ...u256Felts(STRK_SUPPLY), treasury]
  construct(execution, { address: STRK_ADDRESS, classHash: erc20Class.classHash, calldata, caller: 0n })
  for (const { address, publicKey } of accounts) {
    construct(execution, { address, classHash: accountClass.classHash, calldata: [publicKey], caller: 0n })
    const transfer = { to: STRK_ADDRESS, selector: selectorOf('transfer'), calldata: [address, ...u256Felts(STRK_PER_ACCOUNT)] }
    if (address !== treasury) runCall(execution, { ...transfer, caller: treasury })
  }
  return { chain, changes: state.changes }
}
