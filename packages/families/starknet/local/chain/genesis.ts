// The state before the first transaction: the built-in classes, the fee token STRK, the deployers, and the accounts of given keys.
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

/** Of STRK on every Starknet network. */
export const STRK_ADDRESS = 0x04718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938dn
const SEQUENCER_ADDRESS = 0x1000n
/** Ten thousand million STRK, which the first account owns, except for ten thousand STRK of each other one. */
const STRK_SUPPLY = 10n ** 28n
const STRK_PER_ACCOUNT = 10n ** 22n

export type GenesisOptions = {
  readonly chainId: bigint
  /** Deployed, and with STRK. */
  readonly accounts: readonly AccountKey[]
  /** Whether our HTLC is declared. */
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
