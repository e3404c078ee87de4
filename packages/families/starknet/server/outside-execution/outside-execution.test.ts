/**
 * Tests that one signature funds an order without an allowance, if the initiator's account takes outside executions: who is offered one, what
 * counts as signed, and what a hostile account, service or stranger can do with it.
 */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { type Felt, selectorOf } from '../../contract/client/felt.ts'
import {
  boastingAccountClass,
  fickleAccountClass,
  multisigAccountClass,
  openAccountClass,
  outsideV1AccountClass,
} from '../../local/classes/other-accounts.ts'
import { signHash } from '../../local/transactions/invoke.ts'
import { addressOfFelt, feltOf } from '../../terms/address.ts'
import { approvalCallOf, initiateCallOf, redeemCallOf } from '../../terms/htlc.ts'
import { type OutsideWay, outsideCall, outsideExecutionOf, outsideTypedData } from '../../terms/outside-execution.ts'
import { createContractState } from '../contract-state.ts'
import { starknet } from '../index.ts'
import { connectNode } from '../nodes/connect-node.ts'
import { createFamilyFixture, type TestParty } from '../starknet.fixture.ts'
import { createOutsideExecutions } from './outside-execution.ts'

const AMOUNT = 20_000n
const V2 = 'outside-execution-v2'
const V1 = 'outside-execution-v1'
const UNDEPLOYED = `0x0${'1'.repeat(63)}`
const DEADLINE = BigInt(Math.floor(Date.now() / 1000)) + 3_600n

const fixture = await createFamilyFixture()
const { devnet, contract, user, solver } = fixture
const client = fixture.connect()
const { gasless } = client
if (gasless === undefined) throw new Error('the client lacks the ability gasless')
const node = connectNode(fixture.chain, { endpoints: { rpc: [devnet.url] } })
const state = createContractState(node)
devnet.chain.mine()
afterAll(async () => {
  node.close()
  await client.close()
  await fixture.close()
})

/** The solver's account is the relay. */
const relay = solver.account
const userKey = BigInt(user.publicKey)
const termsOf = (initiator: string = user.account): HtlcTerms => ({
  asset: fixture.asset.id,
  initiator,
  redeemer: addressOfFelt(devnet.accounts[2].address),
  amount: AMOUNT,
  timelock: 600n,
  secretHash: hashSecret(createSecret()),
})
const accountOf = (classHash: bigint, keys: readonly bigint[] = [userKey]) => fixture.deployAccount(classHash, keys, AMOUNT)
const refused = (code: string, words: RegExp) => ({ name: 'TandemError', code, message: expect.stringMatching(words) })

async function offersOf(terms: HtlcTerms, { payer = null, by = client }: { payer?: string | null; by?: typeof client } = {}) {
  const funding = await by.funding({ terms, deadline: DEADLINE, payer, approval: 'exact' })
  if (funding.kind !== 'feltCalls') throw new Error(`unexpected funding ${funding.kind}`)
  return funding.offers ?? []
}

/** The user's wallet signs what it is shown. */
async function signedOffer(terms: HtlcTerms): Promise<string> {
  const [offer] = await offersOf(terms)
  if (offer === undefined) throw new Error('nothing is offered')
  return `${offer.offer}:${signatureOf(terms, offer.typedData[0])}`
}

const signatureOf = ({ initiator }: HtlcTerms, typedData: unknown) => fixture.sign({ ...user, account: initiator } as TestParty, typedData)

/** The user's own account calls itself. */
const modes = { honest: '0x0', idle: '0x1', 'initiates another order': '0x2' } as const
const become = (account: string, mode: keyof typeof modes) =>
  fixture.executeAs(
    addressOfFelt(feltOf(account)),
    [{ to: account, selector: selectorOf('set_mode'), calldata: [modes[mode]] }],
    (digest) => signHash(user.privateKey, digest),
  )

async function initiated(terms: HtlcTerms, text: string, outbox = createMemoryOutbox(solver.key)): Promise<string> {
  const tx = (await gasless?.initiate(terms, text, outbox.open('i'), DEADLINE)) ?? ''
  devnet.chain.mine()
  return tx
}

const balances = async (account: string) => ({
  wbtc: await client.balance(fixture.asset.id, account),
  strk: await client.balance(fixture.chain.nativeAsset, account),
  allowance: await state.allowance(contract.token, feltOf(account), contract.address),
})
const phaseOf = async (terms: HtlcTerms) => (await readSwap(client, terms, 0n)).swap.phase

describe.each([
  ['of OpenZeppelin 1.0.0', V2, () => user.account],
  ['of version 1', V1, () => accountOf(outsideV1AccountClass.classHash)],
] as const)('an account %s', (_, way, account) => {
  it(`is offered ${way}: one signature approves and initiates, and the user pays no fee`, async () => {
    const terms = termsOf(account())
    const offers = await offersOf(terms)
    expect(offers.map(({ offer, typedData }) => [offer, typedData.length])).toEqual([[way, 1]])
    const text = await signedOffer(terms)
    const before = await balances(terms.initiator)
    await gasless.verify(terms, text, DEADLINE)
    const tx = await initiated(terms, text)
    expect(await phaseOf(terms)).toBe('initiated')
    expect(await balances(terms.initiator)).toEqual({ ...before, wbtc: before.wbtc - AMOUNT })
    expect(await gasless.hasReverted?.(tx)).toBe(false)
    // A repeat joins, and is not sent again.
    await gasless.verify(terms, text, DEADLINE)
    expect(await gasless.spendable?.(terms, DEADLINE, text)).toBeNull()
  })
})

describe('nothing is offered', () => {
  it.each([
    ['that takes none', () => accountOf(multisigAccountClass.classHash, [userKey, userKey])],
    ['that says it does, and has no entry point', () => accountOf(boastingAccountClass.classHash)],
    ['that takes what nobody signed', () => accountOf(openAccountClass.classHash)],
    ['that is not deployed', () => UNDEPLOYED],
  ])('to an account %s', async (_, account) => {
    expect(await offersOf(termsOf(account()))).toEqual([])
  })

  it('to a delegate, with an allowance, and by a service without a relay', async () => {
    expect(await offersOf(termsOf(), { payer: solver.account })).toEqual([])
    expect(await offersOf(termsOf(), { payer: user.account })).toHaveLength(1)
    const account = accountOf(outsideV1AccountClass.classHash)
    fixture.executeAs(account, [approvalCallOf(contract, AMOUNT)], (digest) => signHash(user.privateKey, digest))
    expect(await offersOf(termsOf(account))).toEqual([])
    const unpaid = starknet.connect(fixture.chain, { assets: [fixture.asset], endpoints: { rpc: [devnet.url] } })
    expect(await offersOf(termsOf(), { by: unpaid })).toEqual([])
    expect(await unpaid.gasless?.offers?.(fixture.asset.id)).toEqual([])
    await expect(unpaid.gasless?.verify(termsOf(), `${V2}:1,2`, DEADLINE)).rejects.toMatchObject(refused('bad_request', /no account here/))
    await unpaid.close()
  })

  it('for an order whose nonce its account has used', async () => {
    const terms = termsOf()
    const execution = outsideExecutionOf(contract, terms, user.account, DEADLINE)
    const used = { ...execution, calls: [approvalCallOf(contract, 0n), approvalCallOf(contract, 0n)] as const }
    const signature = signatureOf(terms, outsideTypedData(V2, contract.chainId, used))
      .split(',')
      .map((part) => feltHex(BigInt(part)))
    fixture.send(user, [outsideCall(V2, user.account, used, signature)])
    devnet.chain.mine()
    expect(await offersOf(terms)).toEqual([])
  })

  it('while the node does not answer: the other instructions are complete', async () => {
    const failing = (error: Error) => createOutsideExecutions({ node: { ...node, call: () => Promise.reject(error) }, state, relay })
    expect(await failing(new ChainFailure('unreachable', 'no answer')).offersOf(contract, termsOf(), DEADLINE)).toEqual([])
    await expect(failing(new Error('a mistake of ours')).offersOf(contract, termsOf(), DEADLINE)).rejects.toThrow('a mistake of ours')
  })
})

const feltHex = (value: bigint): Felt => `0x${value.toString(16)}`

it('the assets of the chain name both versions', async () => {
  expect(await gasless.offers?.(fixture.asset.id)).toEqual([V2, V1])
})

describe('a signature', () => {
  it('counts for one order, amount, chain, deadline, relay and version only', async () => {
    const terms = termsOf()
    const execution = outsideExecutionOf(contract, terms, relay, DEADLINE)
    const over = (change: Partial<typeof execution> = {}, chainId = contract.chainId, way: OutsideWay = V2) =>
      `${V2}:${signatureOf(terms, outsideTypedData(way, chainId, { ...execution, ...change }))}`
    const others = [
      over({ nonce: outsideExecutionOf(contract, termsOf(), relay, DEADLINE).nonce }),
      over({ executeBefore: DEADLINE + 1n }),
      over({ caller: feltOf(user.account) }),
      over({ calls: [approvalCallOf(contract, AMOUNT + 1n), execution.calls[1]] }),
      over({ calls: [execution.calls[0], initiateCallOf(contract, { ...terms, redeemer: user.account }, user.account)] }),
      over({}, '0x534e5f5345504f4c4941'),
      over({}, contract.chainId, V1),
    ]
    for (const text of others)
      await expect(gasless.verify(terms, text, DEADLINE)).rejects.toMatchObject(
        refused('invalid_signature', /does not accept.*outside-execution-v2/),
      )
    await expect(gasless.verify(terms, over(), DEADLINE + 1n)).rejects.toMatchObject(refused('invalid_signature', /does not accept/))
    await gasless.verify(terms, over(), DEADLINE)
    expect(await gasless.spendable?.(terms, DEADLINE, over())).toBe((await balances(user.account)).wbtc)
    expect(await gasless.spendable?.(terms)).toBe(0n)
  })

  it.each([
    ['of an unknown name', 'outside-execution-v3:1,2', 'bad_request', /expected one of outside-execution-v2, outside-execution-v1/],
    ['of a name that an object has', 'constructor:1,2', 'bad_request', /offer is unknown/],
    ['of no felts', `${V2}:`, 'invalid_signature', /expected a decimal number or hex/],
    ['of a second name', `${V2}:${V2}:1,2`, 'invalid_signature', /expected a decimal number or hex/],
  ])('%s is refused by name', async (_, text, code, words) => {
    await expect(gasless.verify(termsOf(), text, DEADLINE)).rejects.toMatchObject(refused(code, words))
  })

  it('of an account that is not deployed is refused by name', async () => {
    await expect(gasless.verify(termsOf(UNDEPLOYED), `${V2}:1,2`, DEADLINE)).rejects.toMatchObject(
      refused('bad_request', /is not deployed/),
    )
  })

  it('by an account that holds too little is refused by name', async () => {
    const account = fixture.deployAccount(fickleAccountClass.classHash, [userKey], AMOUNT - 1n)
    const terms = termsOf(account)
    await expect(gasless.verify(terms, await signedOffer(terms), DEADLINE)).rejects.toMatchObject(
      refused('bad_request', /holds 19999 of .* needs 20000/),
    )
    expect(await offersOf(terms)).toHaveLength(1)
  })

  it('is worth nothing after the deadline', async () => {
    const terms = termsOf()
    const past = BigInt(devnet.chain.node.nextBlock().timestamp) - 1n
    const text = `${V2}:${signatureOf(terms, outsideTypedData(V2, contract.chainId, outsideExecutionOf(contract, terms, relay, past)))}`
    await expect(gasless.verify(terms, text, past)).rejects.toMatchObject(refused('bad_request', /would fail.*now >= execute_before/))
    expect(await offersOf(termsOf())).toHaveLength(1)
  })
})

describe('a stranger', () => {
  const callOf = async (terms: HtlcTerms) => {
    const [way, signature = ''] = (await signedOffer(terms)).split(':')
    const felts = signature.split(',').map((part) => feltHex(BigInt(part)))
    return outsideCall(way as OutsideWay, terms.initiator, outsideExecutionOf(contract, terms, relay, DEADLINE), felts)
  }
  const revertOf = (party: TestParty, call: Awaited<ReturnType<typeof callOf>>) => {
    const raw = { to: BigInt(call.to), selector: BigInt(call.selector), calldata: call.calldata.map(BigInt) }
    try {
      party.sender.execute([raw])
      return null
    } catch (error) {
      return (error as Error).message
    }
  }

  it('cannot relay what is signed for our relay', async () => {
    const terms = termsOf()
    const call = await callOf(terms)
    const [, , third] = devnet.accounts
    expect(revertOf({ ...user, ...third } as TestParty, call)).toMatch(/SRC9: invalid caller/)
    expect(await phaseOf(terms)).toBe('waiting')
  })

  it('cannot use it twice, also after the order is settled', async () => {
    const secret = createSecret()
    const terms = { ...termsOf(), secretHash: hashSecret(secret) }
    const call = await callOf(terms)
    await initiated(terms, await signedOffer(terms))
    expect(revertOf(solver, call)).toMatch(/SRC9: duplicated nonce/)
    fixture.send(solver, [redeemCallOf(contract, terms, secret)])
    devnet.chain.mine()
    const before = await balances(user.account)
    expect(revertOf(solver, call)).toMatch(/SRC9: duplicated nonce/)
    expect(await balances(user.account)).toEqual(before)
  })
})

describe('a relay', () => {
  it('whose initiation reverts leaves no approval behind, and is not paid for again', async () => {
    const account = accountOf(fickleAccountClass.classHash)
    const terms = termsOf(account)
    const text = await signedOffer(terms)
    await gasless.verify(terms, text, DEADLINE)
    const outbox = createMemoryOutbox(solver.key)
    const tx = (await gasless.initiate(terms, text, outbox.open('i'), DEADLINE)) ?? ''
    // The account's own transaction comes first, and takes the money away.
    const away = { to: contract.token, selector: selectorOf('transfer'), calldata: [feltOf(user.account), '0x1', '0x0'] as const }
    fixture.executeAs(account, [away], (digest) => signHash(user.privateKey, digest), 10n ** 12n)
    expect(await gasless.hasReverted?.(tx)).toBe(true)
    expect((await balances(account)).allowance).toBe(0n)
    await expect(initiated(terms, text, outbox)).rejects.toMatchObject({ refusal: expect.stringMatching(/no more are paid for/) })
    expect(outbox.attempts('i')).toHaveLength(1)
  })

  it.each(['idle', 'initiates another order'] as const)(
    'of an account that becomes %s counts as reverted, and is not paid for again',
    async (mode) => {
      const account = accountOf(fickleAccountClass.classHash)
      const terms = termsOf(account)
      const text = await signedOffer(terms)
      await gasless.verify(terms, text, DEADLINE)
      expect(await gasless.limits?.(terms, text, DEADLINE)).toEqual({ reverted: 1, unmined: 1 })
      become(account, mode)
      const outbox = createMemoryOutbox(solver.key)
      const tx = await initiated(terms, text, outbox)
      expect(await phaseOf(terms)).toBe('waiting')
      expect(await balances(account)).toMatchObject({ wbtc: mode === 'idle' ? AMOUNT : 0n, allowance: 0n })
      become(account, 'honest')
      await expect(initiated(terms, text, outbox)).rejects.toMatchObject({ refusal: expect.stringMatching(/no more are paid for/) })
      expect([...outbox.reverted]).toEqual([tx])
      expect(outbox.attempts('i')).toHaveLength(1)
    },
  )

  it('that did nothing is counted also if its order is over', async () => {
    const account = accountOf(fickleAccountClass.classHash)
    const terms = termsOf(account)
    const text = await signedOffer(terms)
    become(account, 'idle')
    const outbox = createMemoryOutbox(solver.key)
    const tx = await initiated(terms, text, outbox)
    outbox.abandon('i')
    expect(await client.cancel?.(outbox.open('i'))).toBeNull()
    expect([...outbox.reverted]).toEqual([tx])
  })

  it('of an account that does nothing in a simulation is refused, and that account is offered nothing more', async () => {
    const account = accountOf(fickleAccountClass.classHash)
    const terms = termsOf(account)
    const text = await signedOffer(terms)
    become(account, 'idle')
    await expect(gasless.verify(terms, text, DEADLINE)).rejects.toMatchObject(
      refused('bad_request', /does not initiate: send approval_transaction/),
    )
    become(account, 'honest')
    expect(await offersOf(termsOf(account))).toEqual([])
    expect(await offersOf(termsOf())).toHaveLength(1)
  })

  it.each([
    ['L2 gas', { l2Gas: 60_000_001n }, /not paid for.*60000001 L2 gas/],
    ['L1 data gas', { l1DataGas: 4097n }, /not paid for.*4097 L1 data gas/],
    ['L1 gas', { l1Gas: 1n }, /not paid for.* 1 L1 gas/],
  ])('that takes too much %s is refused before it is paid for', async (_, much, reason) => {
    const estimate: typeof node.estimate = async (...asked) => {
      const estimated = await node.estimate(...asked)
      return { ...estimated, gas: { ...estimated.gas, ...much } }
    }
    const greedy = createOutsideExecutions({ node: { ...node, estimate }, state, relay })
    const terms = termsOf()
    const [, signature = ''] = (await signedOffer(terms)).split(':')
    const given = { way: V2, signature: signature.split(',').map((part) => feltHex(BigInt(part))) } as const
    await expect(greedy.verify({ contract, terms, given, deadline: DEADLINE })).rejects.toMatchObject(refused('bad_request', reason))
  })

  it('of an order that is initiated already is superseded', async () => {
    const terms = termsOf()
    const text = await signedOffer(terms)
    fixture.send(user, [approvalCallOf(contract, AMOUNT), initiateCallOf(contract, terms, user.account)])
    devnet.chain.mine()
    await gasless.verify(terms, text, DEADLINE)
    await expect(initiated(terms, text)).rejects.toMatchObject({ kind: 'superseded' })
  })
})
