/** This test shows that a row of attempts that somebody else wrote is not signed again when its fee is raised. */

import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import { createStarkKey } from '@tandem/keys/stark.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { expect, it } from 'vitest'
import { felt, selectorOf } from '../../contract/client/felt.ts'
import { newKey } from '../../local/starknet.fixture.ts'
import { feltOf } from '../../terms/address.ts'
import { createContractState } from '../contract-state.ts'
import { openExecutor } from '../executor.fixture.ts'
import { suggestFees } from '../fees/fees.ts'
import { usualRedeemGas } from '../fees/gas.ts'
import { signInvoke } from './transaction.ts'

const { local, chain, node, contract, solver, user, executor, termsFor, stateOf } = await openExecutor()

it('a transaction that somebody else signed is not signed for by us, and keeps nothing from being done', async () => {
  const outbox = createMemoryOutbox(solver.key)
  const known = await executor.initiate(contract, termsFor(createSecret()), outbox.open('known'))
  local.chain.mine()
  const sender = feltOf(solver.address)
  const thief = createStarkKey(newKey().slice(2).padStart(64, '0'))
  const transfer = { to: local.strk, selector: selectorOf('transfer'), calldata: [feltOf(user.address), felt(5n), felt(0n)] }
  const envelope = {
    chainId: contract.chainId,
    sender,
    nonce: await node.nonce(sender),
    gas: usualRedeemGas,
    fees: await suggestFees(node, chain),
  }
  const forged = await signInvoke(thief.signerFor(testPurpose), envelope, { calls: [transfer] })
  // Nodes have the transaction that the row names, so it is not sent again.
  await outbox.open('a').record({ ...forged, tx: known })
  outbox.passSeconds(chain.feeBumpSeconds)
  const held = () => createContractState(node).tokenBalance(local.strk, feltOf(user.address))
  const before = await held()
  const terms = termsFor(createSecret())
  await executor.initiate(contract, terms, outbox.open('a'))
  local.chain.mine()
  expect(await held()).toBe(before)
  expect(await stateOf(terms)).toBe('open')
})
