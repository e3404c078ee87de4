/** Tests that we accept every form of signature that the contract accepts, and refuse the rest before gas is spent. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { relayLimits } from '@tandem/protocol/relay-limits.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hashTypedData,
  hexToBigInt,
  maxUint256,
  numberToHex,
  slice,
  toHex,
} from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { blacklistToken } from '../contract/artifacts/blacklist-token.ts'
import { contractAccount } from '../contract/artifacts/contract-account.ts'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { testToken } from '../contract/artifacts/test-token.ts'
import { approvalCall } from '../terms/approval-call.ts'
import { evmFacts } from '../terms/facts.ts'
import { createContracts, initiateTypedData } from '../terms/htlc.ts'
import { openEvmClient } from './client.fixture.ts'

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const { fixture, client, termsFor } = await openEvmClient()
let gasless: NonNullable<ChainClient['gasless']>
let approve: (amount: bigint) => { to: Address; data: Hex }

beforeAll(async () => {
  if (client.gasless === undefined) throw new Error('the client lacks the ability gasless')
  gasless = client.gasless
  const { tokens, htlcs } = fixture.contracts
  approve = (amount) => ({
    to: tokens.wbtc,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [htlcs.wbtc, amount] }),
  })
  await fixture.sendAs(fixture.user, approve(maxUint256))
  await fixture.mine()
})

function newTerms(initiator = fixture.user.address, symbol = 'wbtc'): HtlcTerms {
  return termsFor(createSecret(), symbol, { initiator, redeemer: fixture.solver.address })
}

const typedDataOf = (terms: HtlcTerms) =>
  JSON.parse(JSON.stringify(initiateTypedData(createContracts(fixture.chain, fixture.assets).of(terms.asset), terms)))
const sign = (terms: HtlcTerms): Promise<Hex> => fixture.user.account.signTypedData(typedDataOf(terms))

const partsOf = (signature: Hex) => ({
  r: slice(signature, 0, 32),
  s: hexToBigInt(slice(signature, 32, 64)),
  parity: hexToBigInt(slice(signature, 64)) - 27n,
})
const join = (r: Hex, s: bigint, last: string) => `${r}${numberToHex(s, { size: 32 }).slice(2)}${last}` as Hex

function compact(signature: Hex): Hex {
  const { r, s, parity } = partsOf(signature)
  return join(r, s | (parity << 255n), '')
}

async function relay(terms: HtlcTerms, signature: string): Promise<string> {
  await gasless.initiate(terms, signature, createMemoryOutbox(fixture.solver.signer).open('i'))
  await fixture.mine()
  return (await readSwap(client, terms, 0n)).swap.phase
}

describe('a signature of the initiator', () => {
  it.each([
    ['as wallets make it', (signature: Hex) => signature],
    ['in the compact form', compact],
    [
      'with the recovery id instead of v',
      (signature: Hex) => join(partsOf(signature).r, partsOf(signature).s, `0${partsOf(signature).parity}`),
    ],
    ['without 0x', (signature: Hex) => signature.slice(2)],
  ])('is accepted %s, by us and by the contract', async (_, form) => {
    const terms = newTerms()
    const signature = form(await sign(terms))
    await gasless.verify(terms, signature)
    expect(await relay(terms, signature)).toBe('initiated')
  })

  it('of a contract account is accepted if the account approves it', async () => {
    const account = await fixture.deploy(contractAccount)
    const terms = newTerms(account)
    const signature = toHex('whatever the account understands')
    await expect(gasless.verify(terms, signature)).rejects.toMatchObject({ code: 'invalid_signature' })
    const onAccount = (functionName: 'approveDigest' | 'execute', args: readonly [Hex, Hex]) => ({
      to: account,
      data: encodeFunctionData({ abi: contractAccount.abi, functionName, args }),
    })
    const { to: token, data: approval } = approve(maxUint256)
    await fixture.deployer.send([
      onAccount('approveDigest', [hashTypedData(typedDataOf(terms)), signature]),
      onAccount('execute', [token, approval]),
      { to: token, data: encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [account, 10_000n] }) },
    ])
    await gasless.verify(terms, signature)
    expect(await relay(terms, signature)).toBe('initiated')
  })
})

describe('an account with a key and code (EIP-7702)', () => {
  const delegate = async () => {
    const { account, address } = fixture.user
    const nonce = Number(await fixture.local.request({ method: 'eth_getTransactionCount', params: [address, 'latest'] }))
    const contractAddress = await fixture.deploy(contractAccount)
    const authorization = await account.signAuthorization({ contractAddress, chainId: 31337, nonce: nonce + 1 })
    const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
    const raw = await account.signTransaction({
      type: 'eip7702',
      chainId: 31337,
      nonce,
      gas: 200_000n,
      to: address,
      authorizationList: [authorization],
      ...fees,
    })
    await fixture.local.request({ method: 'eth_sendRawTransaction', params: [raw] })
    await fixture.mine()
    return (await fixture.local.request({ method: 'eth_getCode', params: [address, 'latest'] })) as Hex
  }

  it('can sign with its key even if its code refuses, and with its code', async () => {
    expect(await delegate()).toMatch(/^0xef0100/)
    const byKey = newTerms()
    await gasless.verify(byKey, await sign(byKey))
    expect(await relay(byKey, await sign(byKey))).toBe('initiated')

    const byCode = newTerms()
    const signature = toHex('whatever the code understands')
    await expect(gasless.verify(byCode, signature)).rejects.toMatchObject({ code: 'invalid_signature' })
    const args = [hashTypedData(typedDataOf(byCode)), signature] as const
    const data = encodeFunctionData({ abi: contractAccount.abi, functionName: 'approveDigest', args })
    await fixture.deployer.send([{ to: fixture.user.address, data }])
    await gasless.verify(byCode, signature)
    expect(await relay(byCode, signature)).toBe('initiated')
  })
})

describe('before any gas is spent', () => {
  const relayer = async () => {
    const ask = (method: string) => fixture.local.request({ method, params: [fixture.solver.address, 'pending'] })
    return [await ask('eth_getTransactionCount'), await ask('eth_getBalance')]
  }
  /** The API refuses the signature. If it is relayed anyway, we sign nothing. */
  async function expectRefused(terms: HtlcTerms, signature: string, code: string, words: RegExp, on = gasless): Promise<void> {
    const before = await relayer()
    await expect(on.verify(terms, signature)).rejects.toMatchObject({ code, message: expect.stringMatching(words) })
    const outbox = createMemoryOutbox(fixture.solver.signer)
    await expect(on.initiate(terms, signature, outbox.open('i'))).rejects.toMatchObject({ kind: 'would-fail' })
    expect(outbox.attempts('i')).toEqual([])
    await fixture.mine()
    expect(await relayer()).toEqual(before)
  }
  const signAltered = async (terms: HtlcTerms, alter: (json: ReturnType<typeof typedDataOf>) => void) => {
    const json = typedDataOf(terms)
    alter(json)
    return fixture.user.account.signTypedData(json)
  }

  it.each<[string, (json: ReturnType<typeof typedDataOf>) => void]>([
    ['for another chain', ({ domain }) => Object.assign(domain, { chainId: '1' })],
    ['for another contract', ({ domain }) => Object.assign(domain, { verifyingContract: fixture.contracts.htlcs.usdc })],
    ['with another name', ({ domain }) => Object.assign(domain, { name: 'HTLC' })],
  ])('a signature %s is refused', async (_, alter) => {
    const terms = newTerms()
    await expectRefused(terms, await signAltered(terms, alter), 'invalid_signature', /it is by 0x[0-9a-f]{40}, or over something else/)
  })

  it('the refusal names the account that signed', async () => {
    const terms = newTerms()
    const { account, address } = fixture.solver
    const words = new RegExp(`not by .* over the typed_data of this order: it is by ${address}`)
    await expectRefused(terms, await account.signTypedData(typedDataOf(terms)), 'invalid_signature', words)
  })

  it('an initiator without allowance is asked for the approval', async () => {
    const terms = newTerms(fixture.user.address, 'usdc')
    await expectRefused(terms, await sign(terms), 'bad_request', /approved 0 .* send approval_transaction first/)
  })

  it('a transfer that the token would refuse is refused, with its reason', async () => {
    const token = await fixture.deploy(blacklistToken)
    const htlc = await fixture.deploy(htlcErc20, [token])
    const onToken = (functionName: 'mint' | 'setBlacklisted', args: readonly [Address, bigint] | readonly [Address, boolean]) => ({
      to: token,
      data: encodeFunctionData({ abi: blacklistToken.abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]),
    })
    const { user } = fixture
    await fixture.deployer.send([onToken('mint', [user.address, 10_000n]), onToken('setBlacklisted', [htlc, true])])
    await fixture.sendAs(user, approvalCall(token, htlc, maxUint256))
    await fixture.mine()
    const terms = newTerms()
    const assets = fixture.assets.map((asset) => (asset.id === terms.asset ? { ...asset, deployment: { htlc, token } } : asset))
    const on = fixture.connect({ assets })
    const typed = JSON.parse(JSON.stringify(initiateTypedData(createContracts(fixture.chain, assets).of(terms.asset), terms)))
    const signature = await user.account.signTypedData(typed)
    await expectRefused(terms, signature, 'bad_request', /the initiation would fail on the chain: initiate: /, on.gasless)
    await on.close()
  })
})

describe('refused is', () => {
  const refusal = async (terms: HtlcTerms, signature: string) =>
    expect(gasless.verify(terms, signature)).rejects.toMatchObject({ code: 'invalid_signature' })

  it('the malleable twin of a valid signature', async () => {
    const terms = newTerms()
    const { r, s, parity } = partsOf(await sign(terms))
    await refusal(terms, join(r, CURVE_ORDER - s, parity === 0n ? '1c' : '1b'))
  })

  it('a native coin', async () => {
    const terms = newTerms(fixture.user.address, 'eth')
    const refused = { code: 'bad_request', message: expect.stringContaining('not supported for initiations') }
    await expect(gasless.verify(terms, `0x${'11'.repeat(65)}`)).rejects.toMatchObject(refused)
  })
})

it('a signature is worthless once its initiator has sent revoke_transaction, which nobody else can', async () => {
  const terms = newTerms()
  const signature = await sign(terms)
  const { revoke, typedData } = (await client.funding({ terms, deadline: 0n, payer: null, approval: 'exact' })) as Funding<'calls'>
  expect(typedData).not.toBe(null)
  if (revoke === undefined) throw new Error('there is no revoke_transaction')
  const transaction = { to: revoke.to as Address, data: revoke.data as Hex }
  await fixture.sendAs(fixture.solver, transaction)
  await fixture.mine()
  await gasless.verify(terms, signature)
  const outbox = createMemoryOutbox(fixture.solver.signer)
  await fixture.sendAs(fixture.user, transaction)
  await fixture.mine()
  await expect(gasless.verify(terms, signature)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('revoked') })
  await expect(gasless.initiate(terms, signature, outbox.open('i'))).rejects.toBeInstanceOf(ChainFailure)
  expect(outbox.attempts('i')).toEqual([])
  expect(await readSwap(client, terms, 0n)).toMatchObject({ swap: { deposits: [] } })
  expect(evmFacts.revocableSignatures).toBe(true)
})

it('an account that burns gas in its signature check is relayed up to our gas limit', async () => {
  /** The code burns about 30 gas for each round, then accepts any signature (ERC-1271). */
  const burner = (rounds: number) =>
    // PUSH3 rounds, JUMPDEST, PUSH1 1, SWAP1, SUB, DUP1, PUSH1 4, JUMPI, POP, PUSH4 magic, PUSH1 224, SHL, PUSH0, MSTORE, PUSH1 32, PUSH0,
    // RETURN
    `0x62${rounds.toString(16).padStart(6, '0')}5b600190038060045750631626ba7e60e01b5f5260205ff3`
  const becomes = (code: string) => fixture.local.request({ method: 'hardhat_setCode', params: [fixture.user.address, code] })
  await fixture.sendAs(fixture.user, approve(maxUint256))
  await fixture.mine()
  const signature = toHex('whatever it is')
  const [modest, greedy] = [newTerms(), newTerms()]
  await becomes(burner(3_000))
  await gasless.verify(modest, signature)
  expect(await gasless.limits?.(modest, signature)).toEqual(relayLimits.byContract)
  expect(await relay(modest, signature)).toBe('initiated')

  await becomes(burner(25_000))
  const refused = {
    code: 'bad_request',
    message: expect.stringMatching(/would take \d+ gas, and we pay for 600000; send initiate_transaction/),
  }
  await expect(gasless.verify(greedy, signature)).rejects.toMatchObject(refused)
  const outbox = createMemoryOutbox(fixture.solver.signer)
  await expect(gasless.initiate(greedy, signature, outbox.open('i'))).rejects.toMatchObject({ kind: 'would-fail' })
  expect(outbox.attempts('i')).toEqual([])
})
