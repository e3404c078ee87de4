// Checks tokens only: whose tokens are taken by whose signature, and which token results are accepted.
import { equal } from 'node:assert/strict'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import {
  type Address,
  concat,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  hexToBigInt,
  numberToHex,
  parseSignature,
  zeroAddress,
} from 'viem'
import { contractAccount } from '../artifacts/contract-account.ts'
import { falseReturnToken } from '../artifacts/false-return-token.ts'
import { feeToken } from '../artifacts/fee-token.ts'
import { malformedAccount } from '../artifacts/malformed-account.ts'
import { noReturnToken } from '../artifacts/no-return-token.ts'
import { reentrantToken } from '../artifacts/reentrant-token.ts'
import { testToken } from '../artifacts/test-token.ts'
import { type ContractFixture, createContractFixture } from '../contract.fixture.ts'
import { createHtlcSetup, type HtlcSetup, type SetupOptions, type TokenArtifact } from '../htlc.fixture.ts'
import { type HtlcOrder, htlcCall, initiateTypedData, refundTypedData } from '../htlc-order.fixture.ts'
import { playDeposits } from './deposit-scenario.ts'
import { moves, refused } from './expectations.ts'
import { playGas } from './gas-scenario.ts'
import { playOneSignature } from './one-signature-scenario.ts'
import { playOrders } from './order-scenario.ts'
import type { Part } from './parts.ts'

const invalid = 'HTLC__InvalidSignature'
const branchChainId = 99

export function tokenScenario(options: SetupOptions, kind: 'ERC-20' | 'HyperCore' = 'ERC-20'): readonly Part[] {
  const trialOf = (artifact?: TokenArtifact) => createHtlcSetup(kind, artifact, options)
  const parts: readonly Part[] = [
    {
      files: [],
      async play() {
        const setup = await trialOf()
        await playOrders(setup)
        await playSignatures(setup)
        await playContractAccounts(setup)
        await playChainSplit(setup)
        await playTokens(trialOf)
        await playReentrancy(await trialOf(reentrantToken))
      },
    },
  ]
  if (kind !== 'ERC-20') return parts
  return [
    ...parts,
    { files: ['GasWithPayout.sol'], play: async () => playGas(await trialOf()) },
    { files: ['HtlcErc20.sol'], play: () => playOneSignature(options) },
    { files: ['BriefAccounts.sol', 'DepositAccount.sol', 'Deposits.sol'], play: () => playDeposits(kind, options) },
  ]
}

const sign = (setup: HtlcSetup, order: HtlcOrder) => setup.initiator.signTypedData(initiateTypedData(setup.domain, order))

async function playSignatures(setup: HtlcSetup): Promise<void> {
  const { stranger, initiator } = setup
  const relayed = (order: HtlcOrder, signature: Hex) => ({
    from: stranger,
    data: htlcCall.initiateWithSignature(order, signature),
    payee: initiator.address,
    amount: -order.amount,
  })
  for (const form of ['plain', 'recovery id', 'EIP-2098 even', 'EIP-2098 odd'] as const) {
    const { order, r, s, yParity } = await signedWithParity(setup, form === 'EIP-2098 even' ? 0 : 1)
    const compact = concat([r, numberToHex(hexToBigInt(s) | (BigInt(yParity) << 255n), { size: 32 })])
    const lastByte = form === 'recovery id' ? yParity : 27 + yParity
    await moves(setup, relayed(order, form.startsWith('EIP') ? compact : concat([r, s, numberToHex(lastByte, { size: 1 })])))
  }
  const { order, r, s, yParity } = await signedWithParity(setup, 0)
  const signature = concat([r, s, numberToHex(27 + yParity, { size: 1 })])
  const twin = concat([r, numberToHex(secp256k1.Point.Fn.ORDER - hexToBigInt(s), { size: 32 }), numberToHex(28 - yParity, { size: 1 })])
  const foreign = await stranger.signTypedData(initiateTypedData(setup.domain, order))
  for (const bad of [twin, foreign, '0x' as const]) await refused(setup, stranger, htlcCall.initiateWithSignature(order, bad), invalid)
  const more = { ...order, amount: order.amount + 1n }
  await refused(setup, stranger, htlcCall.initiateWithSignature(more, signature), invalid)
  const ofNobody = { ...order, initiator: zeroAddress }
  await refused(setup, stranger, htlcCall.initiateWithSignature(ofNobody, numberToHex(0, { size: 65 })), invalid)
}

/** Half of all signatures have either parity, so this takes two tries. */
async function signedWithParity(setup: HtlcSetup, parity: number) {
  for (;;) {
    const order = setup.newOrder()
    const { r, s, yParity } = parseSignature(await sign(setup, order))
    if (yParity === parity) return { order, r, s, yParity }
  }
}

async function playContractAccounts(setup: HtlcSetup): Promise<void> {
  const { fixture, stranger } = setup
  const account = await fixture.deploy(contractAccount)
  const order = await setup.open({ redeemer: account })
  await refused(setup, stranger, htlcCall.instantRefund(order, '0x12'), invalid)
  const digest = hashTypedData(refundTypedData(setup.domain, order))
  const approve = encodeFunctionData({ abi: contractAccount.abi, functionName: 'approveDigest', args: [digest, '0x12'] })
  await fixture.send({ from: stranger, to: account, data: approve })
  await moves(setup, { from: stranger, data: htlcCall.instantRefund(order, '0x12'), payee: order.initiator, amount: order.amount })

  const malformed = await fixture.deploy(malformedAccount)
  const setAnswer = encodeFunctionData({ abi: malformedAccount.abi, functionName: 'setAnswer', args: ['0x1626ba7e'] })
  await fixture.send({ from: stranger, to: malformed, data: setAnswer })
  const other = await setup.open({ redeemer: malformed })
  await refused(setup, stranger, htlcCall.instantRefund(other, '0x12'), invalid)
}

let branch: Promise<ContractFixture> | undefined

/** A branch has the same contract and another chain id: a signature is valid on one of them only. */
async function playChainSplit(setup: HtlcSetup): Promise<void> {
  branch ??= createContractFixture({ chainId: branchChainId })
  const there = await branch
  for (const address of [setup.htlc, setup.token]) {
    const code = await setup.fixture.request({ method: 'eth_getCode', params: [address, 'latest'] })
    await there.request({ method: 'hardhat_setCode', params: [address, code] })
  }
  const [signer, redeemer] = there.accounts
  const order = setup.newOrder({ initiator: signer.address, redeemer: redeemer.address })
  const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [signer.address, order.amount] })
  const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [setup.htlc, order.amount] })
  for (const data of [mint, approve]) await there.send({ from: signer, to: setup.token, data })
  const relay = async (chainId: number) => {
    const signature = await signer.signTypedData(initiateTypedData({ ...setup.domain, chainId }, order))
    return there.attempt({ from: redeemer.address, to: setup.htlc, data: htlcCall.initiateWithSignature(order, signature) })
  }
  equal((await relay(setup.domain.chainId)).error, invalid)
  equal((await relay(branchChainId)).error, null)
}

async function playTokens(trialOf: (artifact: TokenArtifact) => Promise<HtlcSetup>): Promise<void> {
  const fee = await trialOf(feeToken)
  await refused(fee, fee.initiator, htlcCall.initiate(fee.newOrder()), 'HTLC__AmountNotReceived')

  const silent = await trialOf(noReturnToken)
  const quiet = await silent.open()
  const redeemed = { data: htlcCall.redeem(quiet), payee: quiet.redeemer, amount: quiet.amount }
  await moves(silent, { from: silent.stranger, ...redeemed })

  const failing = await trialOf(falseReturnToken)
  const order = await failing.open()
  await failing.fixture.send({
    from: failing.stranger,
    to: failing.token,
    data: encodeFunctionData({ abi: falseReturnToken.abi, functionName: 'setFailing', args: [true] }),
  })
  await refused(failing, failing.initiator, htlcCall.initiate(failing.newOrder()), 'HTLC__TransferFailed')
  await refused(failing, failing.stranger, htlcCall.redeem(order), 'HTLC__TransferFailed')
  await failing.fixture.request({ method: 'hardhat_setCode', params: [failing.token, '0x'] })
  await refused(failing, failing.stranger, htlcCall.redeem(order), 'HTLC__TransferFailed')
}

/** With a reentrant token every order is paid once, and another user's order is not paid out. */
async function playReentrancy(setup: HtlcSetup): Promise<void> {
  await setup.open()
  const arm = (data: Hex, withheld: bigint) =>
    setup.fixture.send({
      from: setup.stranger,
      to: setup.token,
      data: encodeFunctionData({ abi: reentrantToken.abi, functionName: 'arm', args: [setup.htlc, data, withheld] }),
    })
  const ways: ((order: HtlcOrder, consent: Hex) => readonly [data: Hex, payee: Address])[] = [
    (order) => [htlcCall.redeem(order), order.redeemer],
    (order) => [htlcCall.redeemBatch(order.redeemer, [order]), order.redeemer],
    (order) => [htlcCall.refund(order), order.initiator],
    (order, consent) => [htlcCall.instantRefund(order, consent), order.initiator],
  ]
  for (const way of ways) {
    const order = await setup.open()
    const [data, payee] = way(order, await setup.redeemer.signTypedData(refundTypedData(setup.domain, order)))
    await arm(data, 0n)
    await setup.expire(order)
    await moves(setup, { from: setup.stranger, data, payee, amount: order.amount })
  }
  const paidOut = await setup.open()
  const order = setup.newOrder()
  await arm(htlcCall.redeem(paidOut), order.amount)
  await refused(setup, setup.initiator, htlcCall.initiate(order), 'HTLC__AmountNotReceived')
}
