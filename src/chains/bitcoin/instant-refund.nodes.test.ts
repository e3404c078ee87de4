// Instant refunds against a real bitcoind, whose reading of the scripts and signatures is the one that counts.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithNode } from '../../../test/nodes/describe-with-node.ts'
import { createSecret, hashSecret } from '../../protocol/secret.ts'
import { lookAt } from '../conformance-harness.ts'
import { createMemoryOutbox } from '../conformance-outbox.ts'
import { instantRefundOf, randomSigner, regtestChain, signAll, startRealChain, type TestChain } from './bitcoin-fixture.ts'
import { bitcoin } from './index.ts'

await describeWithNode('bitcoind', 'instant refunds on a real node', () => {
  let node: TestChain
  beforeAll(async () => {
    node = await startRealChain()
  })
  afterAll(() => node?.close())

  it('gives two deposits back in one transaction, long before the timelock', async () => {
    const chain = regtestChain()
    const client = bitcoin.connect(chain, { assets: [], endpoints: node.endpoints })
    const [user, solver] = [randomSigner(), randomSigner()]
    const terms = {
      asset: chain.nativeAsset,
      initiator: client.identityOf(user),
      redeemer: client.identityOf(solver),
      amount: 400_000n,
      secretHash: hashSecret(createSecret()),
      timelock: 200n,
    }
    const from = (await client.tip()).height
    const look = async () => (await lookAt(client, terms, from)).swap
    for (const amount of [300_000n, 200_000n]) await node.pay(client.swapId(terms), amount)
    await node.mine(1)

    const { deposits } = await look()
    const refunds = await signAll(client, terms, { deposits, to: client.addressOf(user) }, solver)
    const tx = await instantRefundOf(client).send(terms, refunds, createMemoryOutbox(user).open('refund'))
    await node.mine(1)
    const after = await look()
    expect(after.phase).toBe('refunded')
    expect(after.deposits.map((deposit) => deposit.spend?.tx)).toEqual([tx, tx])
    expect(await client.balance(chain.nativeAsset, client.addressOf(user))).toBe(refunds.reduce((sum, { pays }) => sum + pays, 0n))
    await client.close()
  })
})
