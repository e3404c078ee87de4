/** Signatures as the contract reads them: every form it takes is taken, everything it refuses is refused before gas is spent. */
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
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractAccount } from '../../../contracts/evm/artifacts/contract-account.ts'
import { testToken } from '../../../contracts/evm/artifacts/test-token.ts'
import type { AssetId } from '../../protocol/asset.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { createSecret, hashSecret } from '../../protocol/secret.ts'
import { lookAt } from '../conformance-harness.ts'
import { createMemoryOutbox } from '../conformance-outbox.ts'
import type { ChainClient } from '../family.ts'
import { createEvmFixture, type EvmFixture } from './evm-fixture.ts'
import { createContracts, initiateTypedData } from './htlc.ts'

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

let fixture: EvmFixture
let client: ChainClient
let gasless: NonNullable<ChainClient['gasless']>
let approve: (amount: bigint) => { to: Address; data: Hex }

beforeAll(async () => {
  fixture = await createEvmFixture()
  client = fixture.connect()
  if (client.gasless === undefined) throw new Error('this family has gasless initiations')
  gasless = client.gasless
  const { tokens, htlcs } = fixture.contracts
  approve = (amount) => ({
    to: tokens.wbtc,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [htlcs.wbtc, amount] }),
  })
  await fixture.sendAs(fixture.user, approve(maxUint256))
  await fixture.mine()
})
afterAll(async () => {
  await client.close()
  await fixture.close()
})

function newTerms(initiator = fixture.user.address, symbol = 'wbtc'): HtlcTerms {
  const asset = `${fixture.chain.id}:${symbol}` as AssetId
  return { asset, initiator, redeemer: fixture.solver.address, amount: 1_000n, timelock: 600n, secretHash: hashSecret(createSecret()) }
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

/** EIP-2098. */
function compact(signature: Hex): Hex {
  const { r, s, parity } = partsOf(signature)
  return join(r, s | (parity << 255n), '')
}

async function relay(terms: HtlcTerms, signature: string): Promise<string> {
  await gasless.initiate(terms, signature, createMemoryOutbox(fixture.solver.signer).open('i'))
  await fixture.mine()
  return (await lookAt(client, terms, 0n)).swap.phase
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
  ])('is taken %s, by us and by the contract', async (_, form) => {
    const terms = newTerms()
    const signature = form(await sign(terms))
    await gasless.verify(terms, signature)
    expect(await relay(terms, signature)).toBe('initiated')
  })

  it('of a contract account is taken when the account says so', async () => {
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

describe('refused is', () => {
  const refusal = async (terms: HtlcTerms, signature: string) =>
    expect(gasless.verify(terms, signature)).rejects.toMatchObject({ code: 'invalid_signature' })

  it('the malleable twin of a good signature', async () => {
    const terms = newTerms()
    const { r, s, parity } = partsOf(await sign(terms))
    await refusal(terms, join(r, CURVE_ORDER - s, parity === 0n ? '1c' : '1b'))
  })

  it('a signature over other terms, or by someone else', async () => {
    const terms = newTerms()
    await refusal(terms, await sign({ ...terms, timelock: 601n }))
    await refusal(terms, await fixture.solver.account.signTypedData(typedDataOf(terms)))
  })

  it.each(['', '0x', 'not hex', '0x123', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`, `0x${'11'.repeat(5000)}`])(
    'what is no signature: %.20s',
    async (signature) => {
      await refusal(newTerms(), signature)
    },
  )

  it('a native coin', async () => {
    const terms = newTerms(fixture.user.address, 'eth')
    const refused = { code: 'bad_request', message: expect.stringContaining('not supported for initiations') }
    await expect(gasless.verify(terms, `0x${'11'.repeat(65)}`)).rejects.toMatchObject(refused)
  })

  it('a good signature without the money or the allowance behind it', async () => {
    const rich = { ...newTerms(), amount: 10n ** 18n }
    await expect(gasless.verify(rich, await sign(rich))).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(/holds/),
    })
    const terms = newTerms(fixture.user.address, 'usdc')
    await expect(gasless.verify(terms, await sign(terms))).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(/approved 0 /),
    })
  })
})

it('a signature that was used already is still a good one, whatever is left of the money', async () => {
  const terms = newTerms()
  const signature = await sign(terms)
  await relay(terms, signature)
  await fixture.sendAs(fixture.user, approve(0n))
  await fixture.mine()
  await gasless.verify(terms, signature)
})
