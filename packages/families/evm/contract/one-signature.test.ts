// Tests initiations by one signature, without an allowance for the HTLC: what was signed is good for one order, for anybody.
import {
  concat,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  hexToBigInt,
  keccak256,
  maxUint256,
  numberToHex,
  parseSignature,
  slice,
} from 'viem'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { contractAccount } from './artifacts/contract-account.ts'
import { fallbackToken } from './artifacts/fallback-token.ts'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { idleToken } from './artifacts/idle-token.ts'
import { keyToken } from './artifacts/key-token.ts'
import { obligingToken } from './artifacts/obliging-token.ts'
import { permit2StandIn } from './artifacts/permit2-stand-in.ts'
import { signingFeeToken } from './artifacts/signing-fee-token.ts'
import { signingToken } from './artifacts/signing-token.ts'
import { testToken } from './artifacts/test-token.ts'
import type { TokenArtifact } from './htlc.fixture.ts'
import { type HtlcOrder, htlcCall, initiateTypedData } from './htlc-order.fixture.ts'
import {
  authorizationTypedData,
  createSigningSetup,
  later,
  PERMIT2,
  permit2TypedData,
  permitTypedData,
  type SigningSetup,
} from './one-signature.fixture.ts'
import { compileOpenZeppelinToken, emptyPermit2, PERMIT2_CODE_HASH, permit2Separator, publishedPermit2 } from './published-code.fixture.ts'

const failed = 'HTLC__TransferFailed'
const notReceived = 'HTLC__AmountNotReceived'

interface Code {
  readonly name: string
  /** OpenZeppelin's token takes the signatures of keys alone, as the standards say. */
  readonly takesAccounts: boolean
  load(): { readonly token?: TokenArtifact; readonly permit2?: Hex }
}

/** All that holds with our stand-ins holds with the published code. */
const codes: readonly Code[] = [
  { name: 'the stand-ins', takesAccounts: true, load: () => ({}) },
  {
    name: 'the published code of Permit2 and OpenZeppelin',
    takesAccounts: false,
    load: () => ({ token: compileOpenZeppelinToken(), permit2: publishedPermit2(1n) }),
  },
]

let setup: SigningSetup
let code: ReturnType<Code['load']>
const createSetup = (artifact = code.token) => createSigningSetup(artifact, code)

const relay = (data: Hex) => setup.send(setup.stranger, data)
const signAuthorization = (order: HtlcOrder, validBefore = later) =>
  setup.initiator.signTypedData(authorizationTypedData(setup.tokenDomain, setup.domain, order, validBefore))
const signPermit = async (order: HtlcOrder, deadline = later) =>
  setup.initiator.signTypedData(permitTypedData(setup.tokenDomain, setup.domain, order, await setup.permitNonce(), deadline))
const signPermit2 = (order: HtlcOrder, deadline = later) =>
  setup.initiator.signTypedData(permit2TypedData(setup.token, setup.domain, order, deadline))
const signInitiate = (order: HtlcOrder) => setup.initiator.signTypedData(initiateTypedData(setup.domain, order))

interface Way {
  readonly name: string
  /** The initiator does this once and for all tokens of this kind. */
  prepare(): Promise<unknown>
  call(order: HtlcOrder): Promise<Hex>
}

const authorization: Way = {
  name: 'an authorization (EIP-3009)',
  prepare: async () => undefined,
  call: async (order) => htlcCall.initiateByAuthorization(order, later, await signAuthorization(order)),
}
const permit: Way = {
  name: 'a permit (EIP-2612)',
  prepare: async () => undefined,
  call: async (order) =>
    htlcCall.initiateByPermit(order, await signInitiate(order), { deadline: later, signature: await signPermit(order) }),
}
const permit2: Way = {
  name: 'Permit2',
  prepare: () => setup.approve(PERMIT2),
  call: async (order) => htlcCall.initiateBySignatureTransfer(order, later, await signPermit2(order)),
}
const ways = [authorization, permit, permit2]

/** The last arguments of a call stay; the order that it names is another one. */
const withOrder = (data: Hex, order: HtlcOrder): Hex => {
  const named = htlcCall.initiateOnBehalf(order)
  return concat([slice(data, 0, 4), slice(named, 4), slice(data, 4 + 5 * 32)])
}

describe.each(codes)('with $name:', ({ takesAccounts, load }) => {
  // A test that cannot be is not made, because a skipped one looks like one that is missing.
  const itByAccounts = takesAccounts ? it : () => undefined
  beforeAll(() => {
    code = load()
  })
  beforeEach(async () => {
    setup = await createSetup()
  })

  describe.each(ways)('by $name', ({ prepare, call }) => {
    beforeEach(() => prepare())

    it('an initiation takes the amount from the initiator, and the order proceeds as any other', async () => {
      const order = setup.newOrder()
      const before = await setup.balance(setup.initiator.address)
      const receipt = await relay(await call(order))
      const { secret: _, ...terms } = order
      expect(setup.events(receipt)).toEqual([{ eventName: 'Initiated', args: { ...terms, orderId: setup.orderId(order) } }])
      expect(await setup.balance(setup.initiator.address)).toBe(before - order.amount)
      expect(await setup.balance(setup.htlc)).toBe(order.amount)
      await relay(htlcCall.redeem(order))
      expect(await setup.balance(setup.redeemer.address)).toBe(order.amount)
    })

    it('an order that nobody redeems is refunded to the initiator', async () => {
      const order = setup.newOrder()
      const before = await setup.balance(setup.initiator.address)
      await relay(await call(order))
      await setup.expire(order)
      await relay(htlcCall.refund(order))
      expect(await setup.balance(setup.initiator.address)).toBe(before)
    })

    it('what was signed opens one order, once: while it is open, when it is settled, and after a revocation', async () => {
      const order = setup.newOrder()
      const data = await call(order)
      await relay(data)
      await expect(relay(data)).rejects.toThrow('HTLC__DuplicateOrder')
      await expect(relay(await call(order))).rejects.toThrow('HTLC__DuplicateOrder')
      await relay(htlcCall.redeem(order))
      await expect(relay(data)).rejects.toThrow('HTLC__DuplicateOrder')
      const revoked = setup.newOrder()
      const signed = await call(revoked)
      await setup.send(setup.initiator, htlcCall.revoke(revoked))
      await expect(relay(signed)).rejects.toThrow('HTLC__DuplicateOrder')
      expect(await setup.balance(setup.htlc)).toBe(0n)
    })

    it('what was signed opens no other order', async () => {
      const order = setup.newOrder()
      const data = await call(order)
      const others: readonly Partial<HtlcOrder>[] = [
        { redeemer: setup.stranger.address },
        { initiator: setup.stranger.address },
        { timelock: order.timelock - 1n },
        { amount: order.amount - 1n },
        { amount: order.amount + 1n },
        { secretHash: setup.newOrder().secretHash },
      ]
      for (const other of others) await expect(relay(withOrder(data, { ...order, ...other }))).rejects.toThrow(/HTLC__/)
      expect(await setup.balance(setup.htlc)).toBe(0n)
      await relay(data)
    })

    it('what was signed for another contract of the same token opens no order here', async () => {
      const twin = await setup.fixture.deploy(htlcErc20, [setup.token])
      const order = setup.newOrder()
      const there = setup
      setup = { ...there, domain: { ...there.domain, verifyingContract: twin } }
      const data = await call(order)
      setup = there
      await expect(relay(data)).rejects.toThrow(/HTLC__(TransferFailed|InvalidSignature)/)
      await setup.fixture.send({ from: setup.stranger, to: twin, data })
    })

    it('a wrong signer, and an account that holds too little, open nothing', async () => {
      const order = setup.newOrder()
      const honest = setup
      setup = { ...honest, initiator: honest.redeemer }
      const foreign = await call(order)
      setup = honest
      await expect(relay(foreign)).rejects.toThrow(/HTLC__(TransferFailed|InvalidSignature)/)
      const dear = setup.newOrder({ amount: 10n ** 12n + 1n })
      await expect(relay(await call(dear))).rejects.toThrow(failed)
      expect(await setup.state(order)).toBe(0n)
      expect(await setup.state(dear)).toBe(0n)
    })

    it('a token that takes a fee cannot be locked', async () => {
      setup = await createSetup(signingFeeToken)
      await prepare()
      const order = setup.newOrder()
      await expect(relay(await call(order))).rejects.toThrow(notReceived)
      expect(await setup.state(order)).toBe(0n)
      expect(await setup.balance(setup.htlc)).toBe(0n)
    })

    it('a token that checks everything and moves nothing opens nothing', async () => {
      setup = await createSetup(idleToken)
      await prepare()
      const order = setup.newOrder()
      await expect(relay(await call(order))).rejects.toThrow(/HTLC__(AmountNotReceived|TransferFailed)/)
      expect(await setup.state(order)).toBe(0n)
    })

    it('the terms of an order are checked as in any initiation', async () => {
      const bad = [{ timelock: 0n }, { amount: 0n }, { redeemer: setup.initiator.address }, { redeemer: setup.htlc }]
      for (const terms of bad) await expect(relay(await call(setup.newOrder(terms)))).rejects.toThrow(/HTLC__(?!TransferFailed)/)
    })
  })

  describe('an authorization', () => {
    it('is worthless for everybody but the HTLC', async () => {
      const order = setup.newOrder()
      const signature = await signAuthorization(order)
      const { r, s, v } = parseSignature(signature)
      const args = [order.initiator, setup.htlc, order.amount, 0n, later, setup.orderId(order), Number(v), r, s] as const
      const data = encodeFunctionData({ abi: signingToken.abi, functionName: 'receiveWithAuthorization', args })
      for (const thief of [setup.stranger, setup.redeemer])
        await expect(setup.fixture.send({ from: thief, to: setup.token, data })).rejects.toThrow()
      await relay(htlcCall.initiateByAuthorization(order, later, signature))
    })

    it('is good until its time, and says so itself', async () => {
      const latest = (await setup.fixture.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { timestamp: Hex }
      const soon = hexToBigInt(latest.timestamp) + 1_000n
      const order = setup.newOrder()
      const signature = await signAuthorization(order, soon)
      await expect(relay(htlcCall.initiateByAuthorization(order, later, signature))).rejects.toThrow(failed)
      await setup.fixture.request({ method: 'evm_setNextBlockTimestamp', params: [numberToHex(soon)] })
      await expect(relay(htlcCall.initiateByAuthorization(order, soon, signature))).rejects.toThrow(failed)
      const next = setup.newOrder()
      await setup.fixture.request({ method: 'evm_setNextBlockTimestamp', params: [numberToHex(soon + 999n)] })
      await relay(htlcCall.initiateByAuthorization(next, soon + 1_000n, await signAuthorization(next, soon + 1_000n)))
    })

    itByAccounts('of a contract account is what the account accepts, of any length', async () => {
      for (const signature of ['0x1234', `0x${'ab'.repeat(65)}`, `0x${'cd'.repeat(300)}`] as const) {
        const account = await fundedAccount()
        const order = setup.newOrder({ initiator: account })
        const data = htlcCall.initiateByAuthorization(order, later, signature)
        await expect(relay(data)).rejects.toThrow(failed)
        await approveDigest(account, hashTypedData(authorizationTypedData(setup.tokenDomain, setup.domain, order)), signature)
        await relay(data)
      }
    })

    it('is taken by a token that knows only v, r and s, and so is a permit', async () => {
      setup = await createSetup(keyToken)
      for (const { call } of [authorization, permit]) await relay(await call(setup.newOrder()))
      expect(await setup.balance(setup.htlc)).toBe(2n * setup.newOrder().amount)
    })

    it('cannot be given to a token that takes every call', async () => {
      setup = await createSetup(fallbackToken)
      const order = setup.newOrder()
      await expect(relay(htlcCall.initiateByAuthorization(order, later, await signAuthorization(order)))).rejects.toThrow(notReceived)
    })

    it('cannot be given to a token without code, nor to one without EIP-3009', async () => {
      setup = await createSetup({ ...testToken, args: ['Plain', 'PLAIN', 8] })
      const order = setup.newOrder()
      const data = htlcCall.initiateByAuthorization(order, later, await signAuthorization(order))
      await expect(relay(data)).rejects.toThrow(failed)
      await setup.fixture.request({ method: 'hardhat_setCode', params: [setup.token, '0x'] })
      await expect(relay(data)).rejects.toThrow(failed)
    })
  })

  describe('a permit', () => {
    const permitCall = (order: HtlcOrder, signature: Hex, deadline = later) => {
      const { r, s, v } = parseSignature(signature)
      const args = [order.initiator, setup.htlc, order.amount, deadline, Number(v), r, s] as const
      return encodeFunctionData({ abi: signingToken.abi, functionName: 'permit', args })
    }

    it('that a stranger used before does not stop the initiation, and gives the stranger nothing', async () => {
      const order = setup.newOrder()
      const [signature, initiate] = [await signPermit(order), await signInitiate(order)]
      await setup.fixture.send({ from: setup.stranger, to: setup.token, data: permitCall(order, signature) })
      const theft = setup.newOrder({ redeemer: setup.stranger.address })
      await expect(relay(htlcCall.initiateByPermit(theft, initiate, { deadline: later, signature }))).rejects.toThrow(
        'HTLC__InvalidSignature',
      )
      await expect(relay(htlcCall.initiateWithSignature(theft, initiate))).rejects.toThrow('HTLC__InvalidSignature')
      await relay(htlcCall.initiateByPermit(order, initiate, { deadline: later, signature }))
      expect(await setup.balance(setup.htlc)).toBe(order.amount)
    })

    it.each<[string, (order: HtlcOrder) => Promise<{ deadline: bigint; signature: Hex }>]>([
      ['is expired', async (order) => ({ deadline: 1n, signature: await signPermit(order, 1n) })],
      [
        'is for another amount',
        async (order) => ({ deadline: later, signature: await signPermit({ ...order, amount: order.amount + 1n }) }),
      ],
      ['is empty', async () => ({ deadline: later, signature: '0x' })],
    ])('that %s allows nothing, and does no harm where the allowance is there', async (_, make) => {
      const order = setup.newOrder()
      const data = htlcCall.initiateByPermit(order, await signInitiate(order), await make(order))
      await expect(relay(data)).rejects.toThrow(failed)
      await setup.approve(setup.htlc)
      await relay(data)
    })

    it('without the signature over the terms opens nothing', async () => {
      const order = setup.newOrder()
      const signature = await signPermit(order)
      const data = htlcCall.initiateByPermit(order, signature, { deadline: later, signature })
      await expect(relay(data)).rejects.toThrow('HTLC__InvalidSignature')
    })

    itByAccounts('of a contract account is what the account accepts', async () => {
      const account = await fundedAccount()
      const order = setup.newOrder({ initiator: account })
      const digest = hashTypedData(permitTypedData(setup.tokenDomain, setup.domain, order, 0n))
      const data = htlcCall.initiateByPermit(order, '0x12', { deadline: later, signature: '0x34' })
      await approveDigest(account, hashTypedData(initiateTypedData(setup.domain, order)), '0x12')
      await expect(relay(data)).rejects.toThrow(failed)
      await approveDigest(account, digest, '0x34')
      await relay(data)
    })

    it('is for exactly the amount, so nothing of it is left', async () => {
      const order = setup.newOrder()
      await relay(await permit.call(order))
      const args = [setup.initiator.address, setup.htlc] as const
      const data = encodeFunctionData({ abi: testToken.abi, functionName: 'allowance', args })
      expect(hexToBigInt(await setup.fixture.read(setup.token, data))).toBe(0n)
    })
  })

  describe('a transfer by Permit2', () => {
    const direct = (order: HtlcOrder, signature: Hex) => {
      const { permitted, nonce, deadline } = permit2TypedData(setup.token, setup.domain, order).message
      const witness = `0x${'11'.repeat(32)}` as const
      const details = { to: setup.htlc, requestedAmount: order.amount }
      const args = [{ permitted, nonce, deadline }, details, order.initiator, witness, 'x', signature] as const
      return encodeFunctionData({ abi: permit2StandIn.abi, functionName: 'permitWitnessTransferFrom', args })
    }

    it('is worthless for everybody but the HTLC', async () => {
      await setup.approve(PERMIT2)
      const order = setup.newOrder()
      const signature = await signPermit2(order)
      await expect(setup.fixture.send({ from: setup.stranger, to: PERMIT2, data: direct(order, signature) })).rejects.toThrow()
      await relay(htlcCall.initiateBySignatureTransfer(order, later, signature))
    })

    it('needs an allowance for Permit2, and a deadline that has not passed and was signed', async () => {
      const order = setup.newOrder()
      await expect(relay(await permit2.call(order))).rejects.toThrow(failed)
      await setup.approve(PERMIT2, order.amount)
      await expect(relay(htlcCall.initiateBySignatureTransfer(order, 1n, await signPermit2(order, 1n)))).rejects.toThrow(failed)
      await expect(relay(htlcCall.initiateBySignatureTransfer(order, later, await signPermit2(order, later - 1n)))).rejects.toThrow(failed)
      await relay(await permit2.call(order))
    })

    it('takes the compact form of a signature, and what a contract account accepts', async () => {
      await setup.approve(PERMIT2)
      const order = setup.newOrder()
      const { r, s, yParity } = parseSignature(await signPermit2(order))
      const compact = concat([r, numberToHex(hexToBigInt(s) | (BigInt(yParity) << 255n), { size: 32 })])
      await relay(htlcCall.initiateBySignatureTransfer(order, later, compact))

      const account = await fundedAccount()
      const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [PERMIT2, maxUint256] })
      const execute = encodeFunctionData({ abi: contractAccount.abi, functionName: 'execute', args: [setup.token, approve] })
      await setup.fixture.send({ from: setup.stranger, to: account, data: execute })
      const own = setup.newOrder({ initiator: account })
      await expect(relay(htlcCall.initiateBySignatureTransfer(own, later, '0x1234'))).rejects.toThrow(failed)
      await approveDigest(account, hashTypedData(permit2TypedData(setup.token, setup.domain, own)), '0x1234')
      await relay(htlcCall.initiateBySignatureTransfer(own, later, '0x1234'))
    })

    it('opens nothing on a chain without Permit2', async () => {
      await setup.approve(PERMIT2)
      await setup.fixture.request({ method: 'hardhat_setCode', params: [PERMIT2, '0x'] })
      const order = setup.newOrder()
      await expect(relay(await permit2.call(order))).rejects.toThrow(notReceived)
      expect(await setup.state(order)).toBe(0n)
    })
  })

  it('a token that takes any call for an authorization, and lets a stranger pay for another order in it, opens no two orders for one payment', async () => {
    setup = await createSetup(obligingToken)
    const stranger = await fundedAccount()
    const act = (to: Hex, data: Hex) => encodeFunctionData({ abi: contractAccount.abi, functionName: 'execute', args: [to, data] })
    const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [setup.htlc, maxUint256] })
    await setup.fixture.send({ from: setup.stranger, to: stranger, data: act(setup.token, approve) })
    const [paid, unpaid] = [setup.newOrder({ initiator: stranger }), setup.newOrder()]
    const args = [stranger, act(setup.htlc, htlcCall.initiate(paid))] as const
    const arm = encodeFunctionData({ abi: obligingToken.abi, functionName: 'arm', args })
    await setup.fixture.send({ from: setup.stranger, to: setup.token, data: arm })
    for (const signature of ['0x', numberToHex(1, { size: 65 })] as const)
      await expect(relay(htlcCall.initiateByAuthorization(unpaid, later, signature))).rejects.toThrow(notReceived)
    expect([await setup.state(unpaid), await setup.state(paid), await setup.balance(setup.htlc)]).toEqual([0n, 0n, 0n])
  })

  it('what was signed on one chain opens nothing on another, though all addresses are the same', async () => {
    await setup.approve(PERMIT2)
    const honest = setup
    for (const { call } of ways) {
      const order = setup.newOrder()
      const chainId = 99
      setup = { ...honest, domain: { ...honest.domain, chainId }, tokenDomain: { ...honest.tokenDomain, chainId } }
      const foreign = await call(order)
      setup = honest
      await expect(relay(foreign)).rejects.toThrow(/HTLC__(TransferFailed|InvalidSignature)/)
    }
  })
})

describe('the published code of Permit2', () => {
  it('is the one that we have read', () => {
    expect(keccak256(emptyPermit2())).toBe(PERMIT2_CODE_HASH)
  })

  it.each([1n, 31_337n])('computes its domain for the chain that it is on, if it was deployed on chain %i', async (deployedOn) => {
    setup = await createSigningSetup(undefined, { permit2: publishedPermit2(deployedOn) })
    const data = encodeFunctionData({ abi: permit2StandIn.abi, functionName: 'DOMAIN_SEPARATOR' })
    expect(await setup.fixture.read(PERMIT2, data)).toBe(permit2Separator(31_337n))
    await setup.approve(PERMIT2)
    await relay(await permit2.call(setup.newOrder()))
  })
})

async function fundedAccount() {
  const account = await setup.fixture.deploy(contractAccount)
  const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [account, 10n ** 12n] })
  await setup.fixture.send({ from: setup.stranger, to: setup.token, data: mint })
  return account
}

function approveDigest(account: Hex, digest: Hex, signature: Hex) {
  const data = encodeFunctionData({ abi: contractAccount.abi, functionName: 'approveDigest', args: [digest, signature] })
  return setup.fixture.send({ from: setup.stranger, to: account, data })
}
