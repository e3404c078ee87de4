/** Tests that a payout is tried exactly as it is sent: no recipient passes the trial and fails on the chain. */

import type { RedeemItem } from '@tandem/chain-kit/port/abilities/spending.ts'
import { createMemoryOutbox, type MemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { twoFacedAccount } from '../../contract/artifacts/two-faced-account.ts'
import { createContracts, orderIdOf } from '../../terms/htlc.ts'
import { openEvmClient } from '../client.fixture.ts'
import { feeModelOf, suggestFees } from '../fees/fees.ts'
import { createEvmClient } from '../index.ts'
import type { EvmNode, NodeCall } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'

const tricks = ['NONE', 'ORIGIN', 'GAS', 'CODE', 'STATE', 'ACCESS', 'PRICE'] as const
type Trick = (typeof tricks)[number]

const { fixture, client, node, termsFor, phaseOf } = await openEvmClient()
const contract = createContracts(fixture.chain, fixture.assets).of(`${fixture.chain.id}:eth`)
let outbox: MemoryOutbox
beforeEach(() => {
  outbox = createMemoryOutbox(fixture.solver.signer)
})

async function lockedFor(parties: Partial<HtlcTerms>, symbol = 'eth'): Promise<RedeemItem> {
  const secret = createSecret()
  const terms = termsFor(secret, symbol, parties)
  await client.initiate(terms, outbox.open(`initiate ${secret}`))
  await fixture.mine()
  return { terms, secret, deposits: [] }
}

function connect(to: EvmNode) {
  return createEvmClient(fixture.chain, { assets: fixture.assets, endpoints: { rpc: [fixture.local.rpcUrl] } }, to)
}

async function arm(account: Hex, trick: Trick, terms: HtlcTerms, minGas: bigint): Promise<void> {
  const { maxFeePerGas } = await suggestFees(node, feeModelOf(fixture.chain))
  const args = [tricks.indexOf(trick), contract.address, orderIdOf(contract, terms), minGas, maxFeePerGas] as const
  await fixture.deployer.send([{ to: account, data: encodeFunctionData({ abi: twoFacedAccount.abi, functionName: 'arm', args }) }])
}

async function lockedForTrick(trick: Trick): Promise<RedeemItem> {
  const redeemer = await fixture.deploy(twoFacedAccount)
  const item = await lockedFor({ redeemer })
  await arm(redeemer, trick, item.terms, 280_000n)
  return item
}

const redeem = ({ terms, secret }: RedeemItem, on = client) => on.redeem(terms, { deposits: [], to: null, secret }, outbox.open('r'))

describe('a recipient that takes the money only in a simulation', () => {
  it.each(tricks.slice(1))('by %s is found before the secret is shown', async (trick) => {
    const item = await lockedForTrick(trick)
    await client.verifyPayout(item.terms, null)
    await expect(redeem(item)).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringContaining(`paying ${item.terms.redeemer}`),
    })
    expect(outbox.attempts('r')).toEqual([])
  })

  it('is found in a batch, too, and is paid when it is honest', async () => {
    const first = await lockedForTrick('NONE')
    const { redeemer } = first.terms
    const second = await lockedFor({ redeemer })
    const batch = () => client.batchRedeem?.redeem([first, second], outbox.open('batch'))
    await arm(redeemer as Hex, 'STATE', second.terms, 0n)
    await expect(batch()).rejects.toMatchObject({ kind: 'would-fail' })
    await arm(redeemer as Hex, 'GAS', second.terms, 330_000n)
    await expect(batch()).rejects.toMatchObject({ kind: 'would-fail' })
    expect(outbox.attempts('batch')).toEqual([])
    await arm(redeemer as Hex, 'NONE', second.terms, 0n)
    await batch()
    await fixture.mine()
    expect([await phaseOf(first.terms), await phaseOf(second.terms)]).toEqual(['redeemed', 'redeemed'])
  })

  it('as the initiator of a refund is found before we pay for it: the gas that is sent is the gas that was tried', async () => {
    const initiator = await fixture.deploy(twoFacedAccount)
    const { terms } = await lockedFor({ initiator, redeemer: fixture.user.address })
    await fixture.passSeconds(601n)
    // Many nodes estimate without a gas price: then the account takes little.
    const on = connect({ ...node, estimateGas: async () => 70_000n })
    const refund = () => on.refund(terms, { deposits: [], to: null }, outbox.open('r'))
    await arm(initiator, 'GAS', terms, 150_000n)
    await expect(refund()).rejects.toMatchObject({ kind: 'would-fail' })
    expect(outbox.attempts('r')).toEqual([])
    await arm(initiator, 'NONE', terms, 0n)
    await refund()
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('refunded')
  })
})

describe('a node that does not support state overrides', () => {
  const nodes: readonly (readonly [string, (call: NodeCall) => Promise<Hex>])[] = [
    ['refuses them', () => Promise.reject(new NodeRefusal(-32602, 'too many arguments, want at most 2', null))],
    ['ignores them', ({ overrides: _, ...call }) => node.call(call)],
  ]

  it.each(nodes)('because it %s pays accounts and tokens, and no contract in the native coin', async (_, play) => {
    const plain: EvmNode = { ...node, call: (call) => (call.overrides === undefined ? node.call(call) : play(call)) }
    const on = connect(plain)
    const account = await fixture.deploy(twoFacedAccount)
    await expect(redeem(await lockedFor({ redeemer: account }), on)).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringContaining('it is a contract'),
    })
    expect(outbox.attempts('r')).toEqual([])
    for (const item of [await lockedFor({}), await lockedFor({ redeemer: account }, 'wbtc')]) {
      outbox = createMemoryOutbox(fixture.solver.signer)
      await redeem(item, on)
      await fixture.mine()
      expect(await phaseOf(item.terms)).toBe('redeemed')
    }
  })
})
