// Sends transactions of accounts whose keys are in this process: the faucet, the deployment, tests.
import { type AccountKey, accountOfKey } from './account-keys.ts'
import type { StarknetNode } from './chain/node.ts'
import { accountClass } from './classes/account.ts'
import { revertText } from './execution/panic.ts'
import { nonceKey } from './execution/state.ts'
import { hex } from './felt.ts'
import { boundsFor, type Invocation, type RawCall, signedAccountDeployment, signedInvoke } from './transactions/invoke.ts'
import type { WireTransaction } from './transactions/wire-transaction.ts'

export interface LocalSender extends AccountKey {
  invoke(calls: readonly RawCall[], options?: Partial<Invocation>): WireTransaction
  /** Makes a block if none is due, and returns the hash. Throws if the transaction reverts. */
  execute(calls: readonly RawCall[]): string
  /** The account must have STRK. The deployment has a block of its own. */
  deploy(): string
}

const PLENTY = { l1Gas: 0n, l1DataGas: 100_000n, l2Gas: 50_000_000n }

export function createLocalSender(node: StarknetNode, privateKey: string): LocalSender {
  const account = accountOfKey(privateKey)
  const { ledger, chain } = node
  const plenty = () => boundsFor(PLENTY, node.nextBlock().prices)

  function invoke(calls: readonly RawCall[], options: Partial<Invocation> = {}): WireTransaction {
    const nonce = ledger.state.get(nonceKey(account.address))
    return signedInvoke({ sender: account.address, calls, nonce, tip: 0n, bounds: plenty(), ...options }, chain.chainId, privateKey)
  }

  function finish(transaction: WireTransaction): string {
    node.submit(transaction)
    if (node.pool.has(transaction.hash)) node.mine()
    const place = ledger.transaction(transaction.hash)
    if (place === null) throw new Error(`transaction ${hex(transaction.hash)} was not mined`)
    if (place.mined.revert !== null) throw new Error(revertText(place.mined.revert))
    return hex(transaction.hash)
  }

  return {
    ...account,
    invoke,
    execute: (calls) => finish(invoke(calls)),
    deploy() {
      const { classHash } = accountClass
      const { publicKey } = account
      return finish(signedAccountDeployment({ classHash, publicKey, tip: 0n, bounds: plenty() }, chain.chainId, privateKey))
    },
  }
}
