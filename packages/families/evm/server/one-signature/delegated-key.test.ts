/**
 * Tests that a key whose account has code (EIP-7702) pays by each offer, whoever is asked about the signature: the token and Permit2 may ask
 * the code, older tokens ask the key, and the HTLC asks the key first.
 */

import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { Calls } from '@tandem/protocol/funding/calls.ts'
import type { SignatureOffer } from '@tandem/protocol/funding/signature-offer.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { relayLimits } from '@tandem/protocol/relay-limits.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { type Abi, concat, encodeFunctionData, type Hex, hexToBigInt, maxUint256, numberToHex, size, slice } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { carelessToken } from '../../contract/artifacts/careless-token.ts'
import { contractAccount } from '../../contract/artifacts/contract-account.ts'
import { htlcErc20 } from '../../contract/artifacts/htlc-erc20.ts'
import { keyDelegate } from '../../contract/artifacts/key-delegate.ts'
import { keyToken } from '../../contract/artifacts/key-token.ts'
import { signingToken } from '../../contract/artifacts/signing-token.ts'
import { testToken } from '../../contract/artifacts/test-token.ts'
import { approvalCall } from '../../terms/approval-call.ts'
import { PERMIT2, type SignatureWay, type TypedData } from '../../terms/one-signature.ts'
import { openEvmClient } from '../client.fixture.ts'
import { digestOf, signable } from './signable.ts'

const LATER = 2n ** 40n
const CHAIN = 31337
const { fixture, termsFor } = await openEvmClient()
const { solver } = fixture
const ask = (method: string, ...params: readonly unknown[]) => fixture.local.request({ method, params })

type Artifact = { readonly abi: Abi; readonly bytecode: Hex }

/** A client whose USDC is this token. */
async function withToken(artifact: Artifact, args: readonly unknown[] = []) {
  const token = await fixture.deploy(artifact, args)
  const htlc = await fixture.deploy(htlcErc20, [token])
  const assets = fixture.assets.map((asset) => (asset.id.endsWith(':usdc') ? { ...asset, deployment: { htlc, token } } : asset))
  const client = fixture.connect({ assets })
  if (client.gasless === undefined) throw new Error('the client lacks the ability gasless')
  return { ...client, gasless: client.gasless, token, htlc }
}
type On = Awaited<ReturnType<typeof withToken>>

/** A new key holds the token. Its account has the code of `delegate`, by a type 4 transaction. */
async function delegatedKey({ token }: On, delegate: Artifact): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey())
  await ask('hardhat_setBalance', account.address, numberToHex(10n ** 18n))
  const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [account.address, 100_000n] })
  await fixture.deployer.send([{ to: token, data: mint }])
  const authorization = await account.signAuthorization({ contractAddress: await fixture.deploy(delegate), chainId: CHAIN, nonce: 1 })
  const fees = { gas: 200_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }
  const made = { type: 'eip7702', chainId: CHAIN, to: account.address, authorizationList: [authorization], ...fees } as const
  await ask('eth_sendRawTransaction', await account.signTransaction({ ...made, nonce: 0 }))
  await fixture.mine()
  expect(await ask('eth_getCode', account.address, 'latest')).toMatch(/^0xef0100/)
  const { to, data } = approvalCall(token, PERMIT2, maxUint256)
  const approval = { type: 'eip1559', chainId: CHAIN, to, data: data as Hex, ...fees, nonce: 2 } as const
  await ask('eth_sendRawTransaction', await account.signTransaction(approval))
  await fixture.mine()
  return account
}

const termsOf = (account: PrivateKeyAccount): HtlcTerms =>
  termsFor(createSecret(), 'usdc', { initiator: account.address.toLowerCase(), redeemer: solver.address })
const phaseOf = async (on: On, terms: HtlcTerms) => (await readSwap(on, terms, 0n)).swap.phase

async function theOffer(on: On, terms: HtlcTerms): Promise<SignatureOffer> {
  const [offer] = ((await on.funding({ terms, deadline: LATER, payer: null, approval: 'exact' })) as Calls).offers ?? []
  if (offer === undefined) throw new Error('nothing is offered')
  return offer
}

async function sign(account: PrivateKeyAccount, { offer, typedData }: SignatureOffer, form: (signature: Hex) => Hex = (same) => same) {
  const signatures: string[] = []
  for (const data of typedData) signatures.push(form(await account.signTypedData(signable(data as TypedData))))
  return `${offer}:${signatures.join(',')}`
}

async function relay(on: On, terms: HtlcTerms, signature: string): Promise<string> {
  await on.gasless.initiate(terms, signature, createMemoryOutbox(solver.signer).open('i'), LATER)
  await fixture.mine()
  return phaseOf(on, terms)
}

const tokens: Readonly<Record<SignatureWay, () => Promise<On>>> = {
  authorization: () => withToken(signingToken, ['Signing', 'SIGN', 6, '2']),
  permit: () => withToken(carelessToken),
  permit2: () => withToken(testToken, ['Plain', 'PLAIN', 6]),
}
const ways = Object.keys(tokens) as SignatureWay[]

const forms: Readonly<Record<string, (signature: Hex) => Hex>> = {
  'v of 27 or 28': (signature) => signature,
  'v of 0 or 1': (signature) => concat([slice(signature, 0, 64), numberToHex(hexToBigInt(slice(signature, 64)) - 27n, { size: 1 })]),
  '64 bytes': (signature) => {
    const parity = hexToBigInt(slice(signature, 64)) - 27n
    return concat([slice(signature, 0, 32), numberToHex(hexToBigInt(slice(signature, 32, 64)) | (parity << 255n), { size: 32 })])
  },
}

describe.each(ways)('by %s, a key whose code approves what the key signs', (way) => {
  it.each(Object.keys(forms))('pays, with the limits of code, in the form of %s', async (form) => {
    const on = await tokens[way]()
    const account = await delegatedKey(on, keyDelegate)
    const terms = termsOf(account)
    const offer = await theOffer(on, terms)
    expect(offer.offer).toBe(way)
    const signature = await sign(account, offer, forms[form])
    await on.gasless.verify(terms, signature, LATER)
    expect(await on.gasless.limits?.(terms, signature, LATER)).toEqual(relayLimits.byContract)
    expect(await relay(on, terms, signature)).toBe('initiated')
    await on.close()
  })
})

describe.each(ways)('by %s, a key whose code approves something else', (way) => {
  /** The code approves it for each text that is to be signed. */
  async function approveByCode(account: PrivateKeyAccount, { typedData }: SignatureOffer, signatureAt: (index: number) => Hex) {
    const calls = typedData.map((data, index) => ({
      to: account.address,
      data: encodeFunctionData({
        abi: contractAccount.abi,
        functionName: 'approveDigest',
        args: [digestOf(data as TypedData), signatureAt(index)],
      }),
    }))
    await fixture.deployer.send(calls)
  }

  it('pays by what its code understands, of any length, also that of a key', async () => {
    for (const length of [65, 64, 66, 1]) {
      const on = await tokens[way]()
      const account = await delegatedKey(on, contractAccount)
      const terms = termsOf(account)
      const offer = await theOffer(on, terms)
      const signatureAt = (index: number) => concat(Array.from({ length }, () => numberToHex(0x50 + index, { size: 1 })))
      const signature = `${offer.offer}:${offer.typedData.map((_, index) => signatureAt(index)).join(',')}`
      expect(size(signatureAt(0))).toBe(length)
      await expect(on.gasless.verify(terms, signature, LATER)).rejects.toMatchObject({ code: 'invalid_signature' })
      await approveByCode(account, offer, signatureAt)
      await on.gasless.verify(terms, signature, LATER)
      expect(await relay(on, terms, signature)).toBe('initiated')
      await on.close()
    }
  })

  it('is refused with the signature of its key before gas is spent, and is offered the next way', async () => {
    const on = await tokens[way]()
    const account = await delegatedKey(on, contractAccount)
    const terms = termsOf(account)
    const offer = await theOffer(on, terms)
    const signature = await sign(account, offer)
    await expect(on.gasless.verify(terms, signature, LATER)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(/the initiation would fail on the chain/),
    })
    const outbox = createMemoryOutbox(solver.signer)
    await expect(on.gasless.initiate(terms, signature, outbox.open('i'), LATER)).rejects.toMatchObject({ kind: 'would-fail' })
    expect(outbox.attempts('i')).toEqual([])
    const next = ((await on.funding({ terms, deadline: LATER, payer: null, approval: 'exact' })) as Calls).offers ?? []
    expect(next.map((one) => one.offer)).not.toContain(way)
    await on.close()
  })
})

it('an older token asks the key, whatever its code says', async () => {
  const on = await withToken(keyToken)
  for (const delegate of [keyDelegate, contractAccount]) {
    const account = await delegatedKey(on, delegate)
    const terms = termsOf(account)
    const offer = await theOffer(on, terms)
    expect(offer.offer).toBe('authorization')
    const signature = await sign(account, offer)
    await on.gasless.verify(terms, signature, LATER)
    expect(await relay(on, terms, signature)).toBe('initiated')
  }
  await on.close()
})
