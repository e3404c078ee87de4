// Tests cancelling against a real bitcoind: its replacement rules count.
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { expect, it } from 'vitest'
import { describeWithNode } from '../../../../../test/nodes/describe-with-node.ts'
import { randomSigner, regtestChain, startRealChain } from '../bitcoin.fixture.ts'
import { bitcoin } from '../index.ts'

await describeWithNode('bitcoind', 'cancelling on a real node', () => {
  const node = opened(startRealChain)

  it('replaces the payment, is replaced when the payment is wanted again, and cancels it for good', async () => {
    const chain = regtestChain()
    const client = bitcoin.connect(chain, { assets: [], endpoints: node.endpoints })
    const solver = randomSigner()
    const outbox = createMemoryOutbox(solver)
    for (let i = 0; i < 2; i++) await node.pay(client.addressOf(solver), 300_000n)
    await node.mine(1)
    const terms = {
      asset: chain.nativeAsset,
      initiator: client.identityOf(solver),
      redeemer: client.identityOf(randomSigner()),
      amount: 400_000n,
      secretHash: hashSecret(createSecret()),
      timelock: 20n,
    }
    const from = (await client.tip()).height
    const deposits = async () => (await readSwap(client, terms, from)).swap.deposits.map((deposit) => deposit.tx)
    const initiate = () => client.initiate(terms, outbox.open('initiate'))
    const cancel = async () => client.cancel?.(outbox.open('initiate'))

    await initiate()
    const first = await cancel()
    expect(await deposits()).toEqual([])
    const again = await initiate()
    expect(await deposits()).toEqual([again])
    const second = await cancel()
    expect([first, again, null, undefined]).not.toContain(second)
    expect(await deposits()).toEqual([])
    await node.mine(1)
    expect(await cancel()).toBeNull()
    expect(await deposits()).toEqual([])
    expect(await client.balance(chain.nativeAsset, client.addressOf(solver))).toBeGreaterThan(590_000n)
    await client.close()
  })
})
