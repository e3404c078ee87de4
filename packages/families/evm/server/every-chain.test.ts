/** Tests every EVM chain of the registry, at a node that serves its chain id. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { environments } from '@tandem/families/registry.ts'
import { createTestSigner } from '@tandem/keys/keys.fixture.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { type Address, encodeFunctionData, type Hex, numberToHex, parseTransaction } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { testToken } from '../contract/artifacts/test-token.ts'
import { type EvmChain, startEvmChain } from '../local/evm-chain.ts'
import { createEvmSender } from '../local/evm-sender.ts'
import { deployLocalContracts } from '../local/local-contracts.ts'
import { chainIdOf } from '../terms/htlc.ts'
import { evm } from './index.ts'

const { mainnet, testnet } = environments
const chains = [...mainnet.chains, ...testnet.chains].filter(({ family }) => family === 'evm')
const assets = [...mainnet.assets, ...testnet.assets]

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function start(chain: Chain, keys: readonly Hex[] = []): Promise<EvmChain> {
  const local = await startEvmChain({ chainId: chainIdOf(chain), keys, mining: { kind: 'manual' } })
  open.push(local)
  return local
}

function connect(chain: Chain, { rpcUrl }: EvmChain, of: Parameters<typeof evm.connect>[1]['assets'] = []): ChainClient {
  const client = evm.connect(chain, { assets: of, endpoints: { rpc: [rpcUrl] } })
  open.push(client)
  return client
}

describe('a node is accepted for the chain whose id it serves, and for no other', () => {
  it.each(chains.map((chain, index) => ({ id: chain.id, chain, other: chains[(index + 1) % chains.length] as Chain })))(
    '$id',
    async ({ chain, other }) => {
      const local = await start(chain)
      await connect(chain, local).verifyNode()
      await expect(connect(other, local).verifyNode()).rejects.toThrow(`${other.reference}`)
      const { finalHeight } = connect(chain, local)
      expect(finalHeight !== undefined).toBe(chain.finalityTag !== undefined)
      if (finalHeight !== undefined) expect(await finalHeight()).toBe(0n)
    },
  )
})

const saying = (value: bigint, words: number): Hex =>
  `0x7f${numberToHex(value, { size: 32 }).slice(2)}5f5260${numberToHex(32 * words).slice(2)}5ff3`

describe('a swap completes with the fee model of the chain', () => {
  it.each([
    ['ethereum', '0x2', null],
    ['bnbchain', '0x0', null],
    ['base', '0x2', ['0x420000000000000000000000000000000000000F', saying(10n ** 12n, 1)]],
    ['arbitrum', '0x2', ['0x00000000000000000000000000000000000000C8', saying(900_000n, 3)]],
  ] as const)('%s', async (id, type, oracle) => {
    const chain = chains.find((one) => one.id === id)
    const listed = assets.find((asset) => asset.chain === id && asset.tokenSchema !== null)
    if (chain === undefined || listed === undefined) throw new Error(`${id} has no token`)
    const [deployerKey, solverKey] = [generatePrivateKey(), generatePrivateKey()]
    const local = await start(chain, [deployerKey, solverKey])
    if (oracle !== null) await local.request({ method: 'hardhat_setCode', params: [...oracle] })
    const { htlcs, tokens } = await deployLocalContracts(local, deployerKey)
    const solver = privateKeyToAddress(solverKey).toLowerCase() as Address
    const data = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [solver, 1000n] })
    await createEvmSender(local, deployerKey).send([{ to: tokens.wbtc, data }])
    const client = connect(chain, local, [{ ...listed, decimals: 8, deployment: { htlc: htlcs.wbtc, token: tokens.wbtc } }])
    await client.verifyNode()

    const secret = createSecret()
    const terms: HtlcTerms = {
      asset: listed.id,
      initiator: solver,
      redeemer: '0x00000000000000000000000000000000000000aa',
      amount: 1000n,
      timelock: chain.timelocks.destination,
      secretHash: hashSecret(secret),
    }
    const outbox = createMemoryOutbox(createTestSigner(solverKey))
    const mineAll = async () => {
      for (let blocks = 0; blocks < chain.requiredConfirmations; blocks += 1) await local.request({ method: 'evm_mine' })
    }
    await client.initiate(terms, outbox.open('i'))
    await mineAll()
    expect((await readSwap(client, terms, 0n)).swap.phase).toBe('initiated')
    const tx = await client.redeem(terms, { deposits: [], to: null, secret }, outbox.open('r'))
    await mineAll()
    expect((await readSwap(client, terms, 0n)).swap.phase).toBe('redeemed')
    expect(await local.request({ method: 'eth_getTransactionByHash', params: [tx] })).toMatchObject({ type })
    const [sent] = outbox.attempts('r')
    // The transaction is bound to the chain (EIP-155 or EIP-2930), so it cannot be replayed on another.
    expect(parseTransaction(sent?.raw as Hex).chainId).toBe(local.chainId)
  })
})
