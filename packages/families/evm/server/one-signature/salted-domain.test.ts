/** Tests that a token with its chain in the salt of its domain is found by trial, and that what is signed for it initiates. */

import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { Calls } from '@tandem/protocol/funding/calls.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { ethers } from 'ethers'
import { encodeFunctionData, numberToHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { ethersWallet, viemWallet } from '../../browser/wallet.ts'
import { htlcErc20 } from '../../contract/artifacts/htlc-erc20.ts'
import { saltedToken } from '../../contract/artifacts/salted-token.ts'
import type { TypedData } from '../../terms/one-signature.ts'
import { openEvmClient } from '../client.fixture.ts'

const LATER = 2n ** 40n
const { fixture, termsFor } = await openEvmClient()
const { solver } = fixture
const token = await fixture.deploy(saltedToken)
const htlc = await fixture.deploy(htlcErc20, [token])
const client = fixture.connect({
  assets: fixture.assets.map((asset) => (asset.id.endsWith(':usdc') ? { ...asset, deployment: { htlc, token } } : asset)),
})
const { gasless } = client
if (gasless === undefined) throw new Error('the client lacks the ability gasless')

it.each([
  [
    'viem',
    (key: `0x${string}`) =>
      viemWallet({ account: privateKeyToAccount(key), signTypedData: privateKeyToAccount(key).signTypedData } as never),
  ],
  ['ethers', (key: `0x${string}`) => ethersWallet(new ethers.Wallet(key))],
])('what %s signs with the chain as the salt initiates, and what it signs for another chain does not', async (_, walletOf) => {
  const key = generatePrivateKey()
  const { address } = privateKeyToAccount(key)
  await fixture.deployer.send([
    { to: token, data: encodeFunctionData({ abi: saltedToken.abi, functionName: 'mint', args: [address, 10_000n] }) },
  ])
  const terms = termsFor(createSecret(), 'usdc', { initiator: address.toLowerCase(), redeemer: solver.address })
  const { offers = [] } = (await client.funding({ terms, deadline: LATER, payer: null, approval: 'exact' })) as Calls
  expect(offers.map(({ offer }) => offer)).toEqual(['authorization'])
  const [data] = (offers[0]?.typedData ?? []) as readonly TypedData[]
  if (data === undefined) throw new Error('nothing to sign')
  expect(data.domain).toEqual({ name: 'Bridged', version: '1', verifyingContract: token, salt: numberToHex(31337, { size: 32 }) })

  const sign = async (typedData: TypedData) => `authorization:${await walletOf(key).signTypedData(31337, address, typedData)}`
  const foreign = await sign({ ...data, domain: { ...data.domain, salt: numberToHex(1, { size: 32 }) } })
  await expect(gasless.verify(terms, foreign, LATER)).rejects.toMatchObject({ code: 'invalid_signature' })
  const signature = await sign(data)
  await gasless.verify(terms, signature, LATER)
  await gasless.initiate(terms, signature, createMemoryOutbox(solver.signer).open('i'), LATER)
  await fixture.mine()
  expect((await readSwap(client, terms, 0n)).swap.phase).toBe('initiated')
})

it('its permits are found too', async () => {
  expect(await gasless.offers?.(termsFor(createSecret(), 'usdc').asset)).toEqual(['authorization', 'permit', 'permit2'])
  await client.close()
})
