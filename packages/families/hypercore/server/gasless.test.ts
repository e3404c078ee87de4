/** Tests that relays on HyperEVM have the limits of EVM chains. */

import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { approvalCall } from '@tandem/evm/terms/approval-call.ts'
import { maxUint256, toHex } from 'viem'
import { expect, test } from 'vitest'
import { openHypercoreClient } from './client.fixture.ts'
import { ON_EVM } from './hypercore.fixture.ts'

const { fixture, client, termsOf } = await openHypercoreClient()

const agreeing = (rounds: number) => `0x62${rounds.toString(16).padStart(6, '0')}5b600190038060045750631626ba7e60e01b5f5260205ff3`

test('we stop relaying for an account that burns gas in its signature check, or makes relays revert', async () => {
  const { contract, user, relay, local } = fixture
  const becomes = (code: string) => local.request({ method: 'hardhat_setCode', params: [user.address, code] })
  const { gasless } = client
  if (gasless === undefined) throw new Error('the client lacks the ability gasless')
  await fixture.sendAs(user, approvalCall(contract.token, contract.address, maxUint256))
  await fixture.mine()
  const terms = termsOf(fixture.user, fixture.solver)
  expect(await gasless.spendable?.(terms)).toBe(ON_EVM)

  const signature = toHex('whatever it is')
  await becomes(agreeing(25_000))
  await expect(gasless.verify(terms, signature)).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringMatching(/would take \d+ gas, and we pay for 600000; send initiate_transaction/),
  })

  await becomes(agreeing(1))
  await gasless.verify(terms, signature)
  const outbox = createMemoryOutbox(relay.signer)
  const initiate = () => gasless.initiate(terms, signature, outbox.open('i'))
  const revertedTx = await initiate()
  await becomes('0x600080fd')
  await fixture.mine()
  await becomes(agreeing(1))
  await expect(initiate()).rejects.toMatchObject({
    kind: 'would-fail',
    revertedTx,
    refusal: expect.stringContaining('no more are paid for'),
  })
  expect(outbox.reverted).toEqual(new Set([revertedTx]))
})
