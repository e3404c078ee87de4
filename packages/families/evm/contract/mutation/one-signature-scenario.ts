// Checks the initiations by one signature: whose tokens they take, for which order, and that only what arrives counts.
import { equal } from 'node:assert/strict'
import { encodeFunctionData, type Hex, hashTypedData, parseSignature } from 'viem'
import { contractAccount } from '../artifacts/contract-account.ts'
import { drainingToken } from '../artifacts/draining-token.ts'
import { keyToken } from '../artifacts/key-token.ts'
import { obligingToken } from '../artifacts/obliging-token.ts'
import { signingFeeToken } from '../artifacts/signing-fee-token.ts'
import { signingToken } from '../artifacts/signing-token.ts'
import { testToken } from '../artifacts/test-token.ts'
import type { SetupOptions } from '../htlc.fixture.ts'
import { type HtlcOrder, htlcCall, initiateTypedData } from '../htlc-order.fixture.ts'
import {
  authorizationTypedData,
  createSigningSetup,
  later,
  PERMIT2,
  permit2TypedData,
  permitTypedData,
  type SigningSetup,
} from '../one-signature.fixture.ts'
import { isInState, moves, refused } from './expectations.ts'

const failed = 'HTLC__TransferFailed'
const duplicate = 'HTLC__DuplicateOrder'

export async function playOneSignature(options: SetupOptions): Promise<void> {
  const setup = await createSigningSetup(undefined, options)
  await playAuthorization(setup)
  await playPermit(setup)
  await playPermit2(setup)

  const byKey = await createSigningSetup(keyToken, options)
  const [authorized, permitted] = [byKey.newOrder(), byKey.newOrder()]
  await opens(byKey, authorized, htlcCall.initiateByAuthorization(authorized, later, await signAuthorization(byKey, authorized)))
  await opens(byKey, permitted, await permitCall(byKey, permitted, await signInitiate(byKey, permitted)))

  const fee = await createSigningSetup(signingFeeToken, options)
  const order = fee.newOrder()
  await refused(
    fee,
    fee.stranger,
    htlcCall.initiateByAuthorization(order, later, await signAuthorization(fee, order)),
    'HTLC__AmountNotReceived',
  )

  const draining = await createSigningSetup(drainingToken, options)
  await draining.approve(draining.htlc)
  await draining.open()
  await draining.approve(draining.htlc, 0n)
  const drained = draining.newOrder()
  const data = htlcCall.initiateByAuthorization(drained, later, await signAuthorization(draining, drained))
  await refused(draining, draining.stranger, data, 'HTLC__AmountNotReceived')
  await playObligingToken(await createSigningSetup(obligingToken, options))
}

/** The token takes any call for an authorization, and lets a stranger pay for another order in it. */
async function playObligingToken(setup: SigningSetup): Promise<void> {
  const stranger = await fundedAccount(setup)
  const act = (to: Hex, data: Hex) => encodeFunctionData({ abi: contractAccount.abi, functionName: 'execute', args: [to, data] })
  const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [setup.htlc, 10n ** 12n] })
  await setup.fixture.send({ from: setup.stranger, to: stranger, data: act(setup.token, approve) })
  const args = [stranger, act(setup.htlc, htlcCall.initiate(setup.newOrder({ initiator: stranger })))] as const
  const arm = encodeFunctionData({ abi: obligingToken.abi, functionName: 'arm', args })
  await setup.fixture.send({ from: setup.stranger, to: setup.token, data: arm })
  const unpaid = htlcCall.initiateByAuthorization(setup.newOrder(), later, '0x')
  await refused(setup, setup.stranger, unpaid, 'HTLC__AmountNotReceived')
}

const signAuthorization = (setup: SigningSetup, order: HtlcOrder) =>
  setup.initiator.signTypedData(authorizationTypedData(setup.tokenDomain, setup.domain, order))
const signInitiate = (setup: SigningSetup, order: HtlcOrder) => setup.initiator.signTypedData(initiateTypedData(setup.domain, order))

const signPermit = async (setup: SigningSetup, order: HtlcOrder) =>
  setup.initiator.signTypedData(permitTypedData(setup.tokenDomain, setup.domain, order, await setup.permitNonce()))
const permitCall = async (setup: SigningSetup, order: HtlcOrder, signature: Hex) =>
  htlcCall.initiateByPermit(order, signature, { deadline: later, signature: await signPermit(setup, order) })

/** The call opens the order once, with the money of its initiator. */
async function opens(setup: SigningSetup, order: HtlcOrder, data: Hex): Promise<void> {
  await moves(setup, { from: setup.stranger, data, payee: order.initiator, amount: -order.amount })
  equal((await setup.state(order)) > 2n, true)
  await refused(setup, setup.stranger, data, duplicate)
}

async function playAuthorization(setup: SigningSetup): Promise<void> {
  const order = setup.newOrder()
  const signature = await signAuthorization(setup, order)
  const stolen = { ...order, redeemer: setup.stranger.address }
  await refused(setup, setup.stranger, htlcCall.initiateByAuthorization(stolen, later, signature), failed)
  await opens(setup, order, htlcCall.initiateByAuthorization(order, later, signature))

  const account = await fundedAccount(setup)
  const own = setup.newOrder({ initiator: account })
  await approveDigest(setup, account, hashTypedData(authorizationTypedData(setup.tokenDomain, setup.domain, own)), '0x1234')
  await opens(setup, own, htlcCall.initiateByAuthorization(own, later, '0x1234'))
}

async function playPermit(setup: SigningSetup): Promise<void> {
  const order = setup.newOrder()
  await refused(setup, setup.stranger, await permitCall(setup, order, '0x'), 'HTLC__InvalidSignature')
  await opens(setup, order, await permitCall(setup, order, await signInitiate(setup, order)))

  const raced = setup.newOrder()
  const data = await permitCall(setup, raced, await signInitiate(setup, raced))
  const { r, s, v } = parseSignature(await signPermit(setup, raced))
  const args = [raced.initiator, setup.htlc, raced.amount, later, Number(v), r, s] as const
  const direct = encodeFunctionData({ abi: signingToken.abi, functionName: 'permit', args })
  await setup.fixture.send({ from: setup.stranger, to: setup.token, data: direct })
  await opens(setup, raced, data)

  const account = await fundedAccount(setup)
  const own = setup.newOrder({ initiator: account })
  await approveDigest(setup, account, hashTypedData(initiateTypedData(setup.domain, own)), '0x12')
  await approveDigest(setup, account, hashTypedData(permitTypedData(setup.tokenDomain, setup.domain, own, 0n)), '0x34')
  await opens(setup, own, htlcCall.initiateByPermit(own, '0x12', { deadline: later, signature: '0x34' }))
}

async function playPermit2(setup: SigningSetup): Promise<void> {
  const order = setup.newOrder()
  const signature = await setup.initiator.signTypedData(permit2TypedData(setup.token, setup.domain, order))
  const data = htlcCall.initiateBySignatureTransfer(order, later, signature)
  await refused(setup, setup.stranger, data, failed)
  await isInState(setup, order, 0n)
  await setup.approve(PERMIT2)
  const stolen = { ...order, redeemer: setup.stranger.address }
  await refused(setup, setup.stranger, htlcCall.initiateBySignatureTransfer(stolen, later, signature), failed)
  await opens(setup, order, data)
}

async function fundedAccount(setup: SigningSetup) {
  const account = await setup.fixture.deploy(contractAccount)
  const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [account, 10n ** 12n] })
  await setup.fixture.send({ from: setup.stranger, to: setup.token, data: mint })
  return account
}

function approveDigest(setup: SigningSetup, account: Hex, digest: Hex, signature: Hex) {
  const data = encodeFunctionData({ abi: contractAccount.abi, functionName: 'approveDigest', args: [digest, signature] })
  return setup.fixture.send({ from: setup.stranger, to: account, data })
}
