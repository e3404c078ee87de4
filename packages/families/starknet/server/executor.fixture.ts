/** Opens an executor on the simulator with manual mining, for one test file, and closes it after the tests. */

import type { HtlcState } from '@tandem/chain-kit/contract/action.ts'
import { environments } from '@tandem/families/registry.ts'
import type { Key } from '@tandem/keys/key.ts'
import { createStarkKey } from '@tandem/keys/stark.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll } from 'vitest'
import { openStarknetFixture, type StarknetFixture } from '../local/starknet.fixture.ts'
import { addressOfFelt } from '../terms/address.ts'
import { chainIdOf, type HtlcContract } from '../terms/htlc.ts'
import { createContractState } from './contract-state.ts'
import { createExecutor, type StarknetExecutor } from './execute.ts'
import type { StarknetNode } from './nodes/node.ts'
import { createProviderNode } from './nodes/provider-node.ts'

export interface ExecutorFixture {
  readonly local: StarknetFixture
  readonly chain: Chain
  readonly node: StarknetNode
  readonly contract: HtlcContract
  readonly solver: Party
  readonly user: Party
  readonly executor: StarknetExecutor
  executorWith(changes: Partial<StarknetNode>, onTrouble?: (what: string) => void): StarknetExecutor
  /** By default the solver pays the user 1,000 units for the secret. */
  termsFor(secret: string, over?: Partial<HtlcTerms>): HtlcTerms
  stateOf(terms: HtlcTerms): Promise<HtlcState>
}

type Party = { readonly key: Key<'stark'>; readonly address: string; readonly sender: StarknetFixture['accounts'][0]['sender'] }

export async function openExecutor(): Promise<ExecutorFixture> {
  const known = environments.testnet.chains.find(({ family }) => family === 'starknet')
  if (known === undefined) throw new Error('the registry has no Starknet')
  const chain: Chain = { ...known, reference: 'starknet:SN_TANDEM_LOCAL', pollMs: 1, requiredConfirmations: 1 }
  const local = await openStarknetFixture()
  const node = createProviderNode(local.url, 5_000)
  afterAll(async () => {
    node.close()
    await local.close()
  })
  const contract = { chainId: chainIdOf(chain), address: local.htlc, token: local.wbtc }
  const [solver, user] = local.accounts.map(({ privateKey, address, sender }) => ({
    key: createStarkKey(privateKey.slice(2).padStart(64, '0')),
    address: addressOfFelt(address),
    sender,
  })) as [Party, Party]
  const executorOn = (on: StarknetNode, onTrouble?: (what: string) => void) => createExecutor(chain, on, createContractState(on), onTrouble)
  return {
    local,
    chain,
    node,
    contract,
    solver,
    user,
    executor: executorOn(node),
    executorWith: (changes, onTrouble) => executorOn({ ...node, ...changes }, onTrouble),
    termsFor: (secret, over) => ({
      asset: `${chain.id}:wbtc`,
      initiator: solver.address,
      redeemer: user.address,
      amount: 1_000n,
      timelock: 600n,
      secretHash: hashSecret(secret),
      ...over,
    }),
    stateOf: (terms) => createContractState(node).htlc(contract, terms),
  }
}
