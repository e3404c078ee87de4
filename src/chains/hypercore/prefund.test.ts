/** What is special about prefunds on HyperCore: units, gas, few requests, and how many reclaims we pay for. */
import { encodeFunctionData, erc20Abi } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { createContracts } from '../evm/htlc.ts'
import { connectNode } from '../evm/nodes/connect-node.ts'
import type { EvmNode } from '../evm/nodes/node.ts'
import { createMemoryOutbox } from '../testing/outbox.fixture.ts'
import { AMOUNT, openHypercoreClient, undoAfterEach } from './client.fixture.ts'
import { depositAddressOf } from './htlc.ts'
import { callsOf, EVM_PER_CORE, transactionOf } from './hypercore.fixture.ts'
import { createPrefund } from './prefund.ts'
import { createTokenLinks } from './token-link.ts'

const { fixture, client, termsOf } = await openHypercoreClient()
undoAfterEach(fixture)
beforeEach(async () => {
  deadline = (await client.tip()).time + 3_600n
})

/** Independent of the chain's clock. */
let deadline: bigint

const fundingOf = async (terms: HtlcTerms, payer: string | null = null) =>
  callsOf(await client.funding({ terms, deadline, payer, approval: 'exact' }))

describe('a deposit', () => {
  test('funds its order even if somebody adds to it while the relay is unmined, and despite other reverted relays of the initiator', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    const { contract, relay, solver, user } = fixture
    const swap = { terms, deadline }
    await fixture.sendAs(user, transactionOf((await fundingOf(terms)).initiate))
    await fixture.mine()
    const outbox = { ...createMemoryOutbox(relay.signer).open('initiate'), revertedRelays: 3 }
    const tx = await client.prefund?.initiate(swap, outbox)
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transfer',
      args: [depositAddressOf(contract, swap), EVM_PER_CORE + 1n],
    })
    await fixture.sendAs(solver, { to: contract.token, data, tip: 5_000_000_000n })
    await fixture.mine()
    expect(await client.gasless?.hasReverted?.(tx ?? '')).toBe(false)
    expect(await client.prefund?.amounts([swap])).toEqual([0n])
    expect(await fixture.evmBalance(contract.address)).toBe(AMOUNT * EVM_PER_CORE)
  })

  test('is suggested to users without an allowance, whose signature alone is refused', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    const { typedData } = await fundingOf(terms)
    const signature = await fixture.user.account.signTypedData(JSON.parse(JSON.stringify(typedData)))
    await expect(client.gasless?.verify(terms, signature)).rejects.toMatchObject({ code: 'bad_request' })
    await expect(client.gasless?.verify(terms, signature)).rejects.toThrow(
      /own address does not hold that yet.*initiate_transaction, which pays it there and needs no approval/,
    )
    const stranger = await fixture.relay.account.signTypedData(JSON.parse(JSON.stringify(typedData)))
    await expect(client.gasless?.verify(terms, stranger)).rejects.toMatchObject({ code: 'invalid_signature' })
    // A text is not accepted as a signature.
    await expect(client.gasless?.verify(terms, `deposit until ${deadline}`)).rejects.toMatchObject({
      code: 'invalid_signature',
    })
  })

  test('lets the signature alone initiate the order, without an allowance', async () => {
    const terms = termsOf(fixture.user, fixture.solver)
    const { typedData, initiate } = await fundingOf(terms)
    const { gasless } = client
    if (gasless === undefined) throw new Error('the client lacks the ability gasless')
    const signature = await fixture.user.account.signTypedData(JSON.parse(JSON.stringify(typedData)))
    await expect(gasless.verify(terms, signature, deadline)).rejects.toMatchObject({ code: 'bad_request' })
    expect(await gasless.spendable?.(terms, deadline)).toBe(0n)
    await fixture.sendAs(fixture.user, transactionOf(initiate))
    await fixture.mine()
    await gasless.verify(terms, signature, deadline)
    await expect(gasless.verify(terms, signature, deadline + 1n)).rejects.toMatchObject({ code: 'bad_request' })
    expect(await gasless.spendable?.(terms, deadline)).toBe(null)
    const { contract } = fixture
    const held = await fixture.evmBalance(contract.address)
    await gasless.initiate(terms, signature, createMemoryOutbox(fixture.relay.signer).open('i'), deadline)
    await fixture.mine()
    expect(await fixture.evmBalance(contract.address)).toBe(held + terms.amount * EVM_PER_CORE)
  })

  test('is read among hundreds with few requests', async () => {
    const swaps = Array.from({ length: 401 }, () => ({ terms: termsOf(fixture.user, fixture.solver), deadline }))
    const [first, last] = [swaps[0], swaps.at(-1)] as const
    if (first === undefined || last === undefined) throw new Error('there are no swaps')
    for (const { terms } of [first, last]) await fixture.sendAs(fixture.user, transactionOf((await fundingOf(terms)).initiate))
    await fixture.mine()
    const node = connectNode(fixture.chain, { endpoints: { rpc: [fixture.local.rpcUrl] } })
    let asked = 0
    const counting: EvmNode = {
      ...node,
      call(call) {
        asked += 1
        return node.call(call)
      },
    }
    const prefund = createPrefund(fixture.chain, counting, createContracts(fixture.chain, [fixture.asset]), createTokenLinks(node))
    expect(await prefund.amounts(swaps)).toEqual(swaps.map((swap) => (swap === first || swap === last ? AMOUNT : 0n)))
    node.close()
    expect(asked).toBe(3)
  })

  test('that funds no order is reclaimed only a few times for one order, and then by anyone', async () => {
    const pay = async () => {
      await fixture.sendAs(fixture.user, transactionOf((await fundingOf(swap.terms)).initiate))
      await fixture.mine()
    }
    const swap = { terms: termsOf(fixture.user, fixture.solver), deadline }
    const outbox = createMemoryOutbox(fixture.relay.signer)
    const reclaim = () => client.prefund?.reclaim(swap, outbox.open('reclaim'))
    await pay()
    await expect(reclaim()).rejects.toThrow(/HTLC__NotTheInitiator/)
    // The clock of a local chain and the times of its blocks may be some seconds apart.
    await fixture.passSeconds(7_200n)
    const before = await fixture.spotBalance(fixture.user.address)
    for (let time = 0; time < 3; time += 1) {
      if (time > 0) await pay()
      expect(await reclaim()).toMatch(/^0x/)
      await fixture.mine()
    }
    await pay()
    await expect(reclaim()).rejects.toMatchObject({ refusal: expect.stringContaining('anyone may send reclaim_transaction') })
    expect(outbox.attempts('reclaim')).toHaveLength(3)
    // By the user, with the transaction that the API returns.
    const told = (await fundingOf(swap.terms)).reclaim
    if (told === undefined) throw new Error('expected a reclaim transaction')
    await fixture.sendAs(fixture.relay, transactionOf(told))
    await fixture.mine()
    expect((await fixture.spotBalance(fixture.user.address)) - before).toBe(4n * AMOUNT)
  })
})
