/** Tests the Tron client: the calls for wallets, the checks before it pays, and the nodes that it refuses. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { contractAccount } from '@tandem/evm/contract/artifacts/contract-account.ts'
import { htlcErc20 } from '@tandem/evm/contract/artifacts/htlc-erc20.ts'
import { tetherTron } from '@tandem/evm/contract/artifacts/tether-tron.ts'
import { createTestSigner } from '@tandem/keys/keys.fixture.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { utils } from 'tronweb'
import { encodeFunctionData, maxUint256 } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { signInitiation } from '../local/wallet.ts'
import { accountOf, fromEvmAddress, toEvmAddress } from '../terms/address.ts'
import { rows } from '../terms/registry.ts'
import { tron } from './index.ts'
import { readAttempt } from './send/transaction.ts'
import { createTronFixture } from './tron.fixture.ts'

const USDT: AssetId = 'tron_localnet:usdt'

const fixture = opened(createTronFixture)
let client: ChainClient
beforeAll(async () => {
  client = fixture.connect()
})
afterAll(async () => {
  await client.close()
})

function propose(over: Partial<HtlcTerms> = {}): HtlcTerms {
  const [initiator, redeemer] = [fixture.user.address, fixture.solver.address]
  return { asset: USDT, amount: 100_000n, timelock: 600n, initiator, redeemer, secretHash: hashSecret(createSecret()), ...over }
}

async function callsOf(terms: HtlcTerms, payer: string | null = null, approval: 'exact' | 'unlimited' = 'exact') {
  const funding = await client.funding({ terms, payer, approval, deadline: 2_000_000_000n })
  if (funding.kind !== 'calls') throw new Error('expected calls')
  return funding
}

async function approve(amount: bigint): Promise<void> {
  const args = [toEvmAddress(fixture.contracts.htlcs.usdt), amount] as const
  const data = encodeFunctionData({ abi: tetherTron.abi, functionName: 'approve', args })
  await fixture.sendAs(fixture.user, { to: fixture.contracts.tokens.usdt, data })
  await fixture.local.mine()
}

describe('the funding calls', () => {
  it('have decimal numbers, base58 addresses, a fee limit in sun, and the typed data of the specification', async () => {
    const terms = propose()
    const { tokens, htlcs } = fixture.contracts
    const { numbers, approval, initiate, typedData } = await callsOf(terms)
    expect(numbers).toBe('decimal')
    expect(approval).toMatchObject({
      chainId: 31_339,
      to: tokens.usdt,
      value: 0n,
      gasLimit: 15_000_000n,
      data: expect.stringMatching(/^0x095ea7b3/),
    })
    expect(initiate).toMatchObject({ chainId: 31_339, to: htlcs.usdt, value: 0n, gasLimit: 60_000_000n })
    expect(typedData).toEqual({
      domain: { name: 'HTLC-ERC20', version: '1', chainId: '31339', verifyingContract: htlcs.usdt },
      primaryType: 'Initiate',
      types: {
        EIP712Domain: [
          { name: 'name', type: 'string' },
          { name: 'version', type: 'string' },
          { name: 'chainId', type: 'uint256' },
          { name: 'verifyingContract', type: 'address' },
        ],
        Initiate: [
          { name: 'redeemer', type: 'address' },
          { name: 'timelock', type: 'uint256' },
          { name: 'amount', type: 'uint256' },
          { name: 'secretHash', type: 'bytes32' },
          { name: 'destinationData', type: 'bytes' },
        ],
      },
      message: { redeemer: terms.redeemer, timelock: '600', amount: '100000', secretHash: `0x${terms.secretHash}`, destinationData: '0x' },
    })
  })

  it('have no approval if the allowance suffices, and one for another payer', async () => {
    const terms = propose()
    expect((await callsOf(terms, null, 'unlimited')).approval?.data).toContain(maxUint256.toString(16))
    await approve(100_000n)
    expect((await callsOf(terms)).approval).toBeNull()
    const delegated = await callsOf(terms, fixture.solver.address)
    expect(delegated.approval).not.toBeNull()
    expect(delegated.initiate.data.slice(0, 10)).not.toBe((await callsOf(terms)).initiate.data.slice(0, 10))
  })
})

describe('a signature', () => {
  const sign = async (terms: HtlcTerms) => signInitiation(fixture.user.wallet, fixture.user.key, (await callsOf(terms)).typedData)
  const verify = (terms: HtlcTerms, signature: string) => client.gasless?.verify(terms, signature)

  it('is refused for another contract and with destinationData, and the refusal has Tron addresses', async () => {
    await approve(maxUint256)
    const terms = propose()
    const signature = await sign(terms)
    await verify(terms, signature)
    const stranger = { ...terms, initiator: accountOf(createTestSigner(generatePrivateKey())) }
    await expect(verify(stranger, signature)).rejects.toThrow(stranger.initiator)
    await expect(verify({ ...terms, asset: 'tron_localnet:wbtc' }, signature)).rejects.toMatchObject({ code: 'invalid_signature' })
    // The user signs destinationData too, which the contract does not check.
    const { domain, types, message } = (await callsOf(terms)).typedData as Record<'domain' | 'types' | 'message', Record<string, never>>
    const { EIP712Domain: _, ...rest } = types
    const full = fixture.user.wallet.trx.signTypedData(domain, rest, message, fixture.user.key.slice(2))
    await expect(verify(terms, full)).rejects.toMatchObject({ code: 'invalid_signature' })
  })

  it('of a contract account is checked by the account', async () => {
    const { tokens, htlcs } = fixture.contracts
    const account = await fixture.deployer.deploy(contractAccount, [])
    const terms = propose({ initiator: account })
    const signature = '0x77686174657665722069742074616b6573'
    await expect(verify(terms, signature)).rejects.toMatchObject({ code: 'invalid_signature' })
    const { domain, types, message } = await signedPart(terms)
    const digest = utils._TypedDataEncoder.hash(domain, types, message) as `0x${string}`
    const onAccount = (functionName: 'approveDigest' | 'execute', args: readonly [`0x${string}`, `0x${string}`]) =>
      fixture.deployer.call(account, encodeFunctionData({ abi: contractAccount.abi, functionName, args }))
    await onAccount('approveDigest', [digest, signature])
    const approval = encodeFunctionData({ abi: tetherTron.abi, functionName: 'approve', args: [toEvmAddress(htlcs.usdt), maxUint256] })
    await onAccount('execute', [toEvmAddress(tokens.usdt), approval])
    const mint = encodeFunctionData({ abi: tetherTron.abi, functionName: 'mint', args: [toEvmAddress(account), terms.amount] })
    await fixture.deployer.call(tokens.usdt, mint)
    await verify(terms, signature)
    await client.gasless?.initiate(terms, signature, createMemoryOutbox(fixture.solver.signer).open('relay'))
    await fixture.local.mine()
    expect(await client.balance(USDT, account)).toBe(0n)
  })

  it('of an account that burns energy in its check is relayed up to our energy limit', async () => {
    const signature = '0x77686174657665722069742074616b6573'
    const [modest, greedy] = [propose({ initiator: await burner(10_000) }), propose({ initiator: await burner(20_000) })]
    await verify(modest, signature)
    const outbox = createMemoryOutbox(fixture.solver.signer)
    const relay = (terms: HtlcTerms, key: string, reverted = 0) =>
      client.gasless?.initiate(terms, signature, { ...outbox.open(key), revertedRelays: reverted })
    await expect(relay(modest, 'modest', 1)).rejects.toMatchObject({ refusal: expect.stringMatching(/no more are paid for/) })
    await relay(modest, 'modest')
    // The margin of one half would make the limit higher.
    expect((await readAttempt(outbox.attempts('modest')[0] as Attempt)).feeLimitSun).toBe(40_000_000n)
    await fixture.local.mine()
    expect(await client.balance(USDT, modest.initiator)).toBe(0n)

    const refused = {
      code: 'bad_request',
      message: expect.stringMatching(/would take \d+ energy, and we pay for 400000; send initiate_transaction/),
    }
    await expect(verify(greedy, signature)).rejects.toMatchObject(refused)
    await expect(relay(greedy, 'greedy')).rejects.toMatchObject({ kind: 'would-fail' })
    expect(outbox.attempts('greedy')).toEqual([])
  })

  /** The account is funded and has an allowance. It burns about 30 gas for each round, then accepts any signature (ERC-1271). */
  async function burner(rounds: number): Promise<string> {
    const { tokens, htlcs } = fixture.contracts
    // PUSH3 rounds, JUMPDEST, PUSH1 1, SWAP1, SUB, DUP1, PUSH1 4, JUMPI, POP, PUSH4 magic, PUSH1 224, SHL, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
    const runtime = `62${rounds.toString(16).padStart(6, '0')}5b600190038060045750631626ba7e60e01b5f5260205ff3`
    const approval = encodeFunctionData({ abi: tetherTron.abi, functionName: 'approve', args: [toEvmAddress(htlcs.usdt), maxUint256] })
    const size = (hex: string) => (hex.length / 2).toString(16).padStart(2, '0')
    // The 46 bytes copy the approval to memory, call the token with it, then copy the code and return it.
    const copy = (hex: string, from: number) => `60${size(hex)}60${from.toString(16).padStart(2, '0')}5f39`
    const data = approval.slice(2)
    const call = `5f5f60${size(data)}5f5f73${toEvmAddress(tokens.usdt).slice(2)}5af150`
    const start = `${copy(data, 46)}${call}${copy(runtime, 46 + data.length / 2)}60${size(runtime)}5ff3`
    const account = await fixture.deployer.deploy({ contractName: 'Burner', abi: [], bytecode: `0x${start}${data}${runtime}` }, [])
    const mint = encodeFunctionData({ abi: tetherTron.abi, functionName: 'mint', args: [toEvmAddress(account), 100_000n] })
    await fixture.deployer.call(tokens.usdt, mint)
    return account
  }

  async function signedPart(terms: HtlcTerms) {
    const { domain, types, message } = (await callsOf(terms)).typedData as Record<'domain' | 'types' | 'message', Record<string, never>>
    const { EIP712Domain: _, Initiate, ...none } = types
    const { destinationData: __, ...rest } = message
    return {
      domain,
      types: { ...none, Initiate: (Initiate as unknown as Field[]).filter(({ name }) => name !== 'destinationData') },
      message: rest,
    }
  }
})

type Field = { readonly name: string; readonly type: string }

describe('a node', () => {
  it('of another network, or with another contract in place of ours, is refused', async () => {
    const elsewhere = fixture.connect({ chain: { ...fixture.chain, reference: 'tron:31340' } })
    await expect(elsewhere.verifyNode()).rejects.toThrow(/first block is 0x.*expected one that ends in 00007a6c/)
    const plain = await fixture.deployer.deploy(htlcErc20, [toEvmAddress(fixture.contracts.tokens.usdt)])
    const assets = fixture.assets.map((asset) => ({ ...asset, deployment: { ...asset.deployment, htlc: plain } }))
    const lookAlike = fixture.connect({ assets })
    await expect(lookAlike.verifyNode()).rejects.toThrow(`the code at ${plain} is not that of our HTLC`)
    await Promise.all([elsewhere.close(), lookAlike.close()])
  })

  it('reports the solid block', async () => {
    await fixture.local.mine(20)
    expect(await client.finalHeight?.()).toBe((await client.tip()).height - 18n)
  })
})

test('the error for a deployer that cannot pay names its balance, in sun', async () => {
  const [asset] = fixture.assets
  if (asset === undefined) throw new Error('the fixture has no assets')
  const deployed = tron.deployHtlc?.({
    chain: fixture.chain,
    endpoints: { rpc: [fixture.local.url] },
    asset,
    token: fixture.contracts.tokens.usdt,
    signer: createTestSigner(generatePrivateKey()),
    dryRun: false,
    onProgress: () => undefined,
  })
  await expect(deployed).rejects.toThrow(/holds 0 sun/)
})

describe('public networks', () => {
  it.each([...rows.mainnet.chains, ...rows.testnet.chains])('$id works by data alone', async (chain) => {
    const client = tron.connect(chain, { assets: [], endpoints: { rpc: ['https://node.example'] } })
    expect(client.addressOf(fixture.user.signer)).toBe(fixture.user.address)
    expect(fromEvmAddress(toEvmAddress(fixture.user.address))).toBe(fixture.user.address)
    await client.close()
    const here = tron.connect(chain, { assets: [], endpoints: { rpc: [fixture.local.url] } })
    await expect(here.verifyNode()).rejects.toThrow(/expected one that ends in (2b6653dc|94a9059e)/)
    await here.close()
  })
})
