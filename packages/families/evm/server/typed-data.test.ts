/** Tests typed data as clients get it, in JSON, signed by the libraries that wallets use. */
import { type TypedDataField as EthersField, TypedDataEncoder, verifyTypedData, Wallet } from 'ethers'
import { concat, hashTypedData, keccak256, type TypedDataDefinition } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { type HtlcContract, initiateTypedData } from '../terms/htlc.ts'
import { verifySignature } from './gasless.ts'
import type { EvmNode } from './nodes/node.ts'

const KEY = `0x${'11'.repeat(32)}` as const
const account = privateKeyToAccount(KEY)
const contract: HtlcContract = { chainId: 42161, address: `0x${'c0'.repeat(20)}`, token: `0x${'70'.repeat(20)}` }
const terms = {
  asset: 'arbitrum:usdc',
  initiator: account.address.toLowerCase(),
  redeemer: `0x${'5e'.repeat(20)}`,
  amount: 2n ** 200n + 1n,
  timelock: 86_400n,
  secretHash: 'ab'.repeat(32),
} as const

type Json = {
  readonly domain: Record<string, string>
  readonly primaryType: string
  readonly types: Record<string, EthersField[]>
  readonly message: Record<string, string>
}
const json: Json = JSON.parse(JSON.stringify(initiateTypedData(contract, terms)))

const { EIP712Domain: _, ...messageTypes } = json.types

/** No account has code here, so only the key counts. */
const node = { call: async () => '0x' } as unknown as EvmNode
const expectAccepted = (signature: `0x${string}`) => verifySignature(node, contract, terms, signature)

describe('typed_data', () => {
  it('has the form of the specification: strings only, with both types', () => {
    expect(json).toEqual({
      domain: { name: 'HTLC-ERC20', version: '1', chainId: '42161', verifyingContract: contract.address },
      primaryType: 'Initiate',
      types: {
        EIP712Domain: ['name:string', 'version:string', 'chainId:uint256', 'verifyingContract:address'].map(field),
        Initiate: ['redeemer:address', 'timelock:uint256', 'amount:uint256', 'secretHash:bytes32'].map(field),
      },
      message: {
        redeemer: terms.redeemer,
        timelock: '86400',
        amount: (2n ** 200n + 1n).toString(),
        secretHash: `0x${terms.secretHash}`,
      },
    })
  })

  it('is signed by viem unchanged', async () => {
    await expectAccepted(await account.signTypedData(json as unknown as TypedDataDefinition))
  })

  it('is signed by ethers', async () => {
    const signature = await new Wallet(KEY).signTypedData(json.domain, messageTypes, json.message)
    expect(verifyTypedData(json.domain, messageTypes, json.message, signature)).toBe(account.address)
    await expectAccepted(signature as `0x${string}`)
  })

  it('is signed by a wallet that hashes domain and message itself, as hardware does', async () => {
    // By EIP-712, the fields are hashed in their order in the JSON.
    expect(TypedDataEncoder.from(messageTypes).primaryType).toBe(json.primaryType)
    const domainHash = TypedDataEncoder.hashDomain(json.domain)
    const messageHash = TypedDataEncoder.hashStruct(json.primaryType, messageTypes, json.message)
    const digest = keccak256(concat(['0x1901', domainHash as `0x${string}`, messageHash as `0x${string}`]))
    expect(digest).toBe(hashTypedData(json as unknown as TypedDataDefinition))
    await expectAccepted(await sign({ hash: digest, privateKey: KEY, to: 'hex' }))
  })
})

function field(text: string): EthersField {
  const [name = '', type = ''] = text.split(':')
  return { name, type }
}
