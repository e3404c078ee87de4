/** Tests what is offered to sign instead of an approval: found by trial, checked before gas is spent, and forgotten when it does not work. */

import type { Gasless } from '@tandem/chain-kit/port/abilities/gasless.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { Calls } from '@tandem/protocol/funding/calls.ts'
import type { SignatureOffer } from '@tandem/protocol/funding/signature-offer.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { relayLimits } from '@tandem/protocol/relay-limits.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import {
  type Abi,
  type Address,
  concat,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  maxUint256,
  numberToHex,
  slice,
  toFunctionSelector,
  toHex,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, it } from 'vitest'
import { carelessToken } from '../../contract/artifacts/careless-token.ts'
import { contractAccount } from '../../contract/artifacts/contract-account.ts'
import { fallbackToken } from '../../contract/artifacts/fallback-token.ts'
import { fickleToken } from '../../contract/artifacts/fickle-token.ts'
import { htlcErc20 } from '../../contract/artifacts/htlc-erc20.ts'
import { idleToken } from '../../contract/artifacts/idle-token.ts'
import { keyToken } from '../../contract/artifacts/key-token.ts'
import { noReturnToken } from '../../contract/artifacts/no-return-token.ts'
import { signingFeeToken } from '../../contract/artifacts/signing-fee-token.ts'
import { signingToken } from '../../contract/artifacts/signing-token.ts'
import { testToken } from '../../contract/artifacts/test-token.ts'
import { approvalCall } from '../../terms/approval-call.ts'
import { initiateByAuthorizationData, PERMIT2, type TypedData } from '../../terms/one-signature.ts'
import { openEvmClient } from '../client.fixture.ts'
import { createContractState } from '../contract-state.ts'
import type { TestParty } from '../evm.fixture.ts'
import type { EvmNode } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'
import { createOneSignature } from './one-signature.ts'
import { digestOf, signable } from './signable.ts'

const LATER = 2n ** 40n
const { fixture, client, node, termsFor } = await openEvmClient()
const { user, solver, contracts } = fixture

type On = { readonly gasless: Gasless; readonly funding: typeof client.funding; readonly read: (terms: HtlcTerms) => Promise<string> }

function asOn(of: typeof client): On {
  if (of.gasless === undefined) throw new Error('the client lacks the ability gasless')
  return { gasless: of.gasless, funding: of.funding, read: async (terms) => (await readSwap(of, terms, 0n)).swap.phase }
}
const local = asOn(client)

function newTerms(over: Partial<HtlcTerms> = {}, symbol = 'usdc'): HtlcTerms {
  return termsFor(createSecret(), symbol, { initiator: user.address, redeemer: solver.address, ...over })
}

const fundingOf = async (terms: HtlcTerms, on = local, deadline = LATER, payer: string | null = null) =>
  (await on.funding({ terms, deadline, payer, approval: 'exact' })) as Calls
const offersFor = async (terms: HtlcTerms, on = local) => (await fundingOf(terms, on)).offers ?? []

async function theOffer(terms: HtlcTerms, on = local): Promise<SignatureOffer> {
  const [offer] = await offersFor(terms, on)
  if (offer === undefined) throw new Error('nothing is offered')
  return offer
}

async function sign({ offer, typedData }: SignatureOffer, by: Pick<TestParty, 'account'> = user): Promise<string> {
  const signatures: string[] = []
  for (const data of typedData) signatures.push(await by.account.signTypedData(signable(data as TypedData)))
  return `${offer}:${signatures.join(',')}`
}

async function relay(terms: HtlcTerms, signature: string, on = local, outbox = createMemoryOutbox(solver.signer)): Promise<string> {
  await on.gasless.initiate(terms, signature, outbox.open('i'), LATER)
  await fixture.mine()
  return on.read(terms)
}

/** The API refuses it, and if it is relayed anyway nothing is signed. */
async function expectRefused(terms: HtlcTerms, signature: string, code: string, words = /./, on = local): Promise<void> {
  await expect(on.gasless.verify(terms, signature, LATER)).rejects.toMatchObject({ code, message: expect.stringMatching(words) })
  const outbox = createMemoryOutbox(solver.signer)
  await expect(on.gasless.initiate(terms, signature, outbox.open('i'), LATER)).rejects.toMatchObject({
    name: expect.stringMatching(/^(ChainFailure|TandemError)$/),
  })
  expect(outbox.attempts('i')).toEqual([])
}

const approve = async (spender: Address, amount: bigint, token = contracts.tokens.usdc) => {
  await fixture.sendAs(user, approvalCall(token, spender, amount))
  await fixture.mine()
}

/** The asset of this symbol is locked in another contract, with another token. */
async function withToken(artifact: { readonly abi: Abi; readonly bytecode: Hex }, args: readonly unknown[] = []) {
  const token = await fixture.deploy(artifact, args)
  const htlc = await fixture.deploy(htlcErc20, [token])
  await fixture.deployer.send([
    { to: token, data: encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [user.address, 10n ** 9n] }) },
  ])
  const assets = fixture.assets.map((asset) => (asset.id.endsWith(':usdc') ? { ...asset, deployment: { htlc, token } } : asset))
  const connected = fixture.connect({ assets })
  return { ...asOn(connected), token, htlc, close: () => connected.close() }
}
const kindsOf = async (artifact: { readonly abi: Abi; readonly bytecode: Hex }, args: readonly unknown[] = []) => {
  const on = await withToken(artifact, args)
  const kinds = await on.gasless.offers?.(newTerms().asset)
  await on.close()
  return kinds
}

const usdc = newTerms().asset

beforeEach(async () => {
  await approve(contracts.htlcs.usdc, 0n)
  await approve(PERMIT2, 0n)
})

describe('what a token takes is found by trial', () => {
  it.each<[string, { readonly abi: Abi; readonly bytecode: Hex }, readonly unknown[], readonly string[]]>([
    ['authorizations and permits', signingToken, ['Any Name', 'ANY', 6, '7'], ['authorization', 'permit', 'permit2']],
    ['the signatures of keys only', keyToken, [], ['authorization', 'permit', 'permit2']],
    ['none of its own', testToken, ['Plain', 'PLAIN', 8], ['permit2']],
    ['none, and returns nothing', noReturnToken, [], ['permit2']],
    ['every call that it does not know', fallbackToken, [], ['permit2']],
    ['authorizations from anybody', carelessToken, [], ['permit', 'permit2']],
  ])('%s', async (_, artifact, args, expected) => {
    expect(await kindsOf(artifact, args)).toEqual(expected)
  })

  it('a native coin takes none, and on a chain without Permit2 none is taken by it', async () => {
    expect(await local.gasless.offers?.(newTerms({}, 'eth').asset)).toEqual([])
    const code = await fixture.local.request({ method: 'eth_getCode', params: [PERMIT2, 'latest'] })
    await fixture.local.request({ method: 'hardhat_setCode', params: [PERMIT2, '0x'] })
    expect(await kindsOf(testToken, ['Plain', 'PLAIN', 8])).toEqual([])
    await fixture.local.request({ method: 'hardhat_setCode', params: [PERMIT2, code] })
  })
})

describe('a node that', () => {
  const contract = { chainId: 31337, address: contracts.htlcs.usdc, token: contracts.tokens.usdc }
  const waysBy = (call: EvmNode['call']) => {
    const changed = { ...node, call }
    return createOneSignature(changed, createContractState(changed))
  }

  it('simulates no call of a contract hides only what needs one', async () => {
    const ways = waysBy(async (call) => {
      if (call.from !== undefined) throw new NodeRefusal(-32000, 'sender not an eoa', null)
      return node.call(call)
    })
    expect(await ways.waysOf(contract)).toEqual(['permit'])
  })

  it('refuses some calls itself lets no token seem to refuse them, which would lose money with one that takes everything', async () => {
    const careless = await withToken(carelessToken)
    const on = { chainId: 31337, address: careless.htlc, token: careless.token }
    const authorizing = toFunctionSelector(
      'receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
    )
    const ways = waysBy(async (call) => {
      const isByOther = call.data?.startsWith(authorizing) === true && call.from !== careless.htlc
      if (isByOther) throw new NodeRefusal(-32000, 'missing trie node', null)
      return node.call(call)
    })
    expect(await ways.waysOf(on)).toEqual(['permit', 'permit2'])
    await careless.close()
  })

  it('fails keeps no order from being made, and is not asked for every order', async () => {
    let asked = 0
    const ways = waysBy(async () => {
      asked += 1
      throw new ChainFailure('unreachable', 'no answer')
    })
    expect(await ways.offersOf(contract, newTerms(), LATER)).toEqual([])
    const once = asked
    expect(await ways.offersOf(contract, newTerms(), LATER)).toEqual([])
    expect(asked).toBe(once)
    await expect(ways.waysOf(contract)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('an offer', () => {
  it('is made to the initiator while an approval is missing, beside typed_data', async () => {
    const terms = newTerms()
    const { approval, typedData, offers } = await fundingOf(terms)
    expect(approval).not.toBeNull()
    expect(typedData).not.toBeNull()
    expect(offers?.map(({ offer }) => offer)).toEqual(['authorization'])
    expect((await fundingOf(terms, local, LATER, solver.address)).offers).toEqual([])
    await approve(contracts.htlcs.usdc, maxUint256)
    expect(await offersFor(terms)).toEqual([])
  })

  it('by Permit2 is made where the account has approved that', async () => {
    const terms = newTerms({}, 'wbtc')
    expect(await offersFor(terms)).toEqual([])
    await approve(PERMIT2, terms.amount - 1n, contracts.tokens.wbtc)
    expect(await offersFor(terms)).toEqual([])
    await approve(PERMIT2, terms.amount, contracts.tokens.wbtc)
    expect((await offersFor(terms)).map(({ offer }) => offer)).toEqual(['permit2'])
  })
})

type Way = { readonly on: On; readonly symbol: string; readonly close: () => Promise<void> }

const onLocal = (symbol: string): Way => ({ on: local, symbol, close: async () => undefined })

/** Each way has a client whose token, or whose initiator, leads to it. */
const ways = {
  authorization: async () => onLocal('usdc'),
  async permit() {
    const on = await withToken(carelessToken)
    return { on, symbol: 'usdc', close: on.close }
  },
  async permit2() {
    await approve(PERMIT2, maxUint256, contracts.tokens.wbtc)
    return onLocal('wbtc')
  },
} satisfies Readonly<Record<string, () => Promise<Way>>>

describe.each(Object.keys(ways) as (keyof typeof ways)[])('by %s', (way) => {
  const opened = async () => {
    const { on, symbol, close } = await ways[way]()
    const terms = newTerms({}, symbol)
    const offer = await theOffer(terms, on)
    expect(offer.offer).toBe(way)
    return { on, terms, offer, close }
  }

  it('an order is initiated without an allowance for the HTLC, once', async () => {
    const { on, terms, offer, close } = await opened()
    const signature = await sign(offer)
    await on.gasless.verify(terms, signature, LATER)
    expect(await on.gasless.spendable?.(terms, LATER, signature)).toBeGreaterThanOrEqual(terms.amount)
    expect(await on.gasless.spendable?.(terms, LATER)).toBe(0n)
    expect(await on.gasless.limits?.(terms, signature, LATER)).toEqual(relayLimits.byKey)
    expect(await relay(terms, signature, on)).toBe('initiated')
    await on.gasless.verify(terms, signature, LATER)
    expect(await on.gasless.spendable?.(terms, LATER, signature)).toBeNull()
    await expect(relay(terms, signature, on)).rejects.toMatchObject({ kind: 'superseded' })
    await close()
  })

  it('every form of a key is taken', async () => {
    const forms: readonly ((signature: Hex) => Hex)[] = [
      (signature) => concat([slice(signature, 0, 64), numberToHex(hexToBigInt(slice(signature, 64)) - 27n, { size: 1 })]),
      (signature) => {
        const parity = hexToBigInt(slice(signature, 64)) - 27n
        return concat([slice(signature, 0, 32), numberToHex(hexToBigInt(slice(signature, 32, 64)) | (parity << 255n), { size: 32 })])
      },
    ]
    for (const form of forms) {
      const { on, terms, offer, close } = await opened()
      const [name, signatures = ''] = (await sign(offer)).split(':')
      const changed = signatures.split(',').map((one) => form(one as Hex))
      const signature = `${name}:${changed.join(',')}`
      expect(await relay(terms, signature, on)).toBe('initiated')
      await close()
    }
  })

  it('what was signed is refused for other terms, another deadline, and by somebody else', async () => {
    const { on, terms, offer, close } = await opened()
    const signature = await sign(offer)
    for (const over of [
      { amount: terms.amount - 1n },
      { redeemer: user.address },
      { timelock: terms.timelock + 1n },
      { initiator: solver.address },
    ])
      await expectRefused({ ...terms, ...over }, signature, 'invalid_signature', /signature is not by/, on)
    await expect(on.gasless.verify(terms, signature, LATER - 1n)).rejects.toMatchObject({ code: 'invalid_signature' })
    await expectRefused(terms, await sign(offer, solver), 'invalid_signature', new RegExp(`it is by ${solver.address}`), on)
    await expectRefused(terms, signature.replace(/^[a-z0-9]+:/, ''), 'invalid_signature', /./, on)
    await close()
  })

  it('what was signed for another chain is refused', async () => {
    const { on, terms, offer, close } = await opened()
    const foreign = {
      ...offer,
      typedData: offer.typedData.map((data) => ({ ...data, domain: { ...(data.domain as object), chainId: '1' } })),
    }
    await expectRefused(terms, await sign(foreign), 'invalid_signature', /./, on)
    await close()
  })

  it('an initiator that holds too little is refused', async () => {
    const { on, close } = await opened()
    const terms = newTerms({ amount: 10n ** 30n }, way === 'permit2' ? 'wbtc' : 'usdc')
    const offer = await theOffer(terms, on)
    await expectRefused(terms, await sign(offer), 'bad_request', /holds \d+ of .*, the order needs/, on)
    await close()
  })

  it('a signature that has expired is refused', async () => {
    const { on, terms, close } = await opened()
    const { offers = [] } = await fundingOf(terms, on, 1n)
    const [offer] = offers
    if (offer === undefined) throw new Error('nothing is offered')
    const signature = await sign(offer)
    await expect(on.gasless.verify(terms, signature, 1n)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(/would fail/),
    })
    expect((await theOffer(terms, on)).offer).toBe(way)
    await close()
  })
})

describe('a permit', () => {
  it('that somebody else used before is no obstacle', async () => {
    const on = await withToken(carelessToken)
    const terms = newTerms()
    const offer = await theOffer(terms, on)
    const signature = await sign(offer)
    const permit = signature.split(/[:,]/)[1] as Hex
    const args = [user.address, on.htlc, terms.amount, LATER, permit] as const
    await fixture.sendAs(solver, {
      to: on.token,
      data: encodeFunctionData({ abi: signingToken.abi.filter(isBytesPermit), functionName: 'permit', args }),
    })
    await fixture.mine()
    await on.gasless.verify(terms, signature, LATER)
    expect(await relay(terms, signature, on)).toBe('initiated')
    await on.close()
  })

  it('pledges all that the initiator has: two at once have the same number, and the later one overwrites the allowance', async () => {
    const on = await withToken(carelessToken)
    const terms = newTerms()
    const signature = await sign(await theOffer(terms, on))
    await approve(on.htlc, maxUint256, on.token)
    expect(await on.gasless.spendable?.(terms, LATER, signature)).toBe(terms.amount)
    await approve(on.htlc, 0n, on.token)
    expect(await on.gasless.spendable?.(terms, LATER, signature)).toBe(terms.amount)
    await on.close()
  })

  it('is refused without the signature over the terms', async () => {
    const on = await withToken(carelessToken)
    const terms = newTerms()
    const [permit = ''] = (await sign(await theOffer(terms, on))).split(',')
    await expectRefused(terms, permit, 'invalid_signature', /two for a permit/, on)
    await expectRefused(terms, `${permit},${permit.slice('permit:'.length)}`, 'invalid_signature', /over the typed_data/, on)
    await on.close()
  })
})

describe('an account with code', () => {
  it('signs by its code, for each way', async () => {
    const cases = [
      { on: { ...local, close: async () => undefined }, token: contracts.tokens.usdc, symbol: 'usdc', way: 'authorization', parts: 1 },
      { on: await withToken(carelessToken), token: null, symbol: 'usdc', way: 'permit', parts: 2 },
      { on: { ...local, close: async () => undefined }, token: contracts.tokens.wbtc, symbol: 'wbtc', way: 'permit2', parts: 1 },
    ]
    for (const { on, token, symbol, way, parts } of cases) {
      const account = await fixture.deploy(contractAccount)
      const held = token ?? ('token' in on ? on.token : contracts.tokens.usdc)
      const onAccount = (functionName: 'approveDigest' | 'execute', args: readonly [Hex, Hex]) => ({
        to: account,
        data: encodeFunctionData({ abi: contractAccount.abi, functionName, args }),
      })
      await fixture.deployer.send([
        { to: held, data: encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [account, 10_000n] }) },
        onAccount('execute', [held, approvalCall(held, PERMIT2, maxUint256).data as Hex]),
      ])
      const terms = newTerms({ initiator: account }, symbol)
      const { offer, typedData } = await theOffer(terms, on)
      expect([offer, typedData.length]).toEqual([way, parts])
      const signatures = typedData.map((_, index) => toHex(`what the account understands ${index}`))
      const signature = `${offer}:${signatures.join(',')}`
      await expectRefused(terms, signature, 'invalid_signature', /./, on)
      await fixture.deployer.send(
        typedData.map((data, index) => onAccount('approveDigest', [digestOf(data as TypedData), signatures[index] ?? '0x'])),
      )
      await on.gasless.verify(terms, signature, LATER)
      expect(await on.gasless.limits?.(terms, signature, LATER)).toEqual(relayLimits.byContract)
      expect(await relay(terms, signature, on)).toBe('initiated')
      await on.close()
    }
  })
})

describe('a key whose account has code (EIP-7702)', () => {
  it.each(Object.keys(ways) as (keyof typeof ways)[])('has the limits of code, which the token or Permit2 asks, by %s', async (way) => {
    const { on, symbol, close } = await ways[way]()
    const terms = newTerms({}, symbol)
    const signature = await sign(await theOffer(terms, on))
    expect(await on.gasless.limits?.(terms, signature, LATER)).toEqual(relayLimits.byKey)
    const code = await fixture.local.request({ method: 'eth_getCode', params: [await fixture.deploy(contractAccount), 'latest'] })
    await fixture.local.request({ method: 'hardhat_setCode', params: [user.address, code] })
    const limits = await on.gasless.limits?.(terms, signature, LATER)
    await fixture.local.request({ method: 'hardhat_setCode', params: [user.address, '0x'] })
    expect(limits).toEqual(relayLimits.byContract)
    await close()
  })
})

describe('a token that lies', () => {
  it.each([
    ['takes a fee', signingFeeToken],
    ['moves nothing', idleToken],
  ])('and %s is found before gas is spent, and the next way is offered to that account', async (_, artifact) => {
    const on = await withToken(artifact)
    const terms = newTerms()
    const offer = await theOffer(terms, on)
    expect(offer.offer).toBe('authorization')
    await expectRefused(terms, await sign(offer), 'bad_request', /the initiation would fail on the chain/, on)
    expect((await offersFor(terms, on)).map((next) => next.offer)).toEqual(['permit'])
    const other = newTerms({ initiator: solver.address, redeemer: user.address })
    expect((await theOffer(other, on)).offer).toBe('authorization')
    await on.close()
  })

  it('between simulation and block costs a few relays, and then the way is not taken any more', async () => {
    const on = await withToken(fickleToken)
    const breaks = (broken: boolean) => ({
      to: on.token,
      data: encodeFunctionData({ abi: fickleToken.abi, functionName: 'setBroken', args: [broken] }),
    })
    for (let reverted = 0; reverted < 3; reverted += 1) {
      const account = privateKeyToAccount(generatePrivateKey())
      const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [account.address, 10n ** 9n] })
      await fixture.deployer.send([{ to: on.token, data: mint }])
      const terms = newTerms({ initiator: account.address })
      const signature = await sign(await theOffer(terms, on), { account })
      await on.gasless.verify(terms, signature, LATER)
      // The switch has the higher fee, so it is mined first.
      const nonce = Number(await fixture.local.request({ method: 'eth_getTransactionCount', params: [user.address, 'pending'] }))
      const fees = { maxFeePerGas: 900_000_000_000n, maxPriorityFeePerGas: 800_000_000_000n }
      const raw = await user.account.signTransaction({ type: 'eip1559', chainId: 31337, nonce, gas: 100_000n, ...fees, ...breaks(true) })
      const tx = await on.gasless.initiate(terms, signature, createMemoryOutbox(solver.signer).open('i'), LATER)
      await fixture.local.request({ method: 'eth_sendRawTransaction', params: [raw] })
      await fixture.mine()
      expect(await on.gasless.hasReverted?.(tx)).toBe(true)
      await fixture.sendAs(user, breaks(false))
      await fixture.mine()
    }
    const terms = newTerms()
    const offer = await theOffer(terms, on)
    expect(offer.offer).toBe('authorization')
    await expect(on.gasless.verify(terms, await sign(offer), LATER)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(/does not work for this token at the moment/),
    })
    expect((await theOffer(terms, on)).offer).toBe('permit')
    await on.close()
  })
})

it('strangers who relay first pause nothing, however often they do', async () => {
  const on = await withToken(fickleToken)
  for (let relayed = 0; relayed < 3; relayed += 1) {
    const account = privateKeyToAccount(generatePrivateKey())
    const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [account.address, 10n ** 9n] })
    await fixture.deployer.send([{ to: on.token, data: mint }])
    const terms = newTerms({ initiator: account.address })
    const signature = await sign(await theOffer(terms, on), { account })
    await on.gasless.verify(terms, signature, LATER)
    const data = initiateByAuthorizationData(terms, LATER, signature.split(':')[1] as Hex)
    // The stranger pays the higher fee, so that relay is mined first.
    const nonce = Number(await fixture.local.request({ method: 'eth_getTransactionCount', params: [user.address, 'pending'] }))
    const fees = { maxFeePerGas: 900_000_000_000n, maxPriorityFeePerGas: 800_000_000_000n }
    const raw = await user.account.signTransaction({ type: 'eip1559', chainId: 31337, nonce, gas: 400_000n, ...fees, to: on.htlc, data })
    const tx = await on.gasless.initiate(terms, signature, createMemoryOutbox(solver.signer).open('i'), LATER)
    await fixture.local.request({ method: 'eth_sendRawTransaction', params: [raw] })
    await fixture.mine()
    expect([await on.gasless.hasReverted?.(tx), await on.read(terms)]).toEqual([true, 'initiated'])
  }
  const terms = newTerms()
  await on.gasless.verify(terms, await sign(await theOffer(terms, on)), LATER)
  expect((await theOffer(terms, on)).offer).toBe('authorization')
  await on.close()
})

it('an offer that nobody made is refused by name', async () => {
  await expectRefused(newTerms(), `voodoo:0x${'11'.repeat(65)}`, 'bad_request', /expected one of authorization, permit, permit2/)
  await expectRefused(newTerms({}, 'eth'), `authorization:0x${'11'.repeat(65)}`, 'bad_request', /does not support/)
  expect(await local.gasless.offers?.(usdc)).toContain('authorization')
})

function isBytesPermit(item: (typeof signingToken.abi)[number]): boolean {
  return item.type === 'function' && item.name === 'permit' && item.inputs.length === 5
}
