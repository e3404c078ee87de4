/** Tests ids, calldata and typed data against the standards, word by word. */

import { localAssets, localChains } from '@tandem/families/registry.ts'
import { concat, type Hex, hashTypedData, keccak256, padHex, stringToHex, toFunctionSelector, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  chainIdOf,
  createContracts,
  initiateData,
  initiateTypedData,
  initiateWithSignatureData,
  isRedeemWithGas,
  orderIdOf,
  redeemData,
  redeemWithGasData,
  refundData,
  secretsIn,
  swapIdOf,
} from './htlc.ts'

const initiator = '0x1111111111111111111111111111111111111111'
const redeemer = '0x2222222222222222222222222222222222222222'
const secretHash = 'ab'.repeat(32)
const terms = { asset: 'ethereum_localnet:wbtc', initiator, redeemer, amount: 150_000n, timelock: 1200n, secretHash } as const
const token = {
  chainId: 31337,
  address: '0x3333333333333333333333333333333333333333',
  token: '0x4444444444444444444444444444444444444444',
} as const

const word = (value: bigint | Hex): Hex => (typeof value === 'bigint' ? toHex(value, { size: 32 }) : padHex(value, { size: 32 }))
const words = (...values: (bigint | Hex)[]): Hex => concat(values.map(word))

describe('order id', () => {
  const id = keccak256(words(31337n, token.address, initiator, redeemer, 1200n, 150_000n, `0x${secretHash}`))

  it('is the hash of chain, contract and terms, 32 bytes each', () => {
    expect(orderIdOf(token, terms)).toBe(id)
    expect(swapIdOf(token, terms)).toBe(id.slice(2))
  })

  it('depends on each of them', () => {
    const ids = [
      swapIdOf(token, terms),
      swapIdOf({ ...token, chainId: 31338 }, terms),
      swapIdOf({ ...token, address: redeemer }, terms),
      swapIdOf(token, { ...terms, initiator: token.address }),
      swapIdOf(token, { ...terms, redeemer: token.address }),
      swapIdOf(token, { ...terms, timelock: 1201n }),
      swapIdOf(token, { ...terms, amount: 150_001n }),
      swapIdOf(token, { ...terms, secretHash: 'cd'.repeat(32) }),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('calldata', () => {
  const tail = [redeemer, 1200n, 150_000n, `0x${secretHash}`] as const

  it.each([
    { redeemer: redeemer.slice(0, -2) },
    { redeemer: `${redeemer.slice(0, -1)}g` },
    { secretHash: secretHash.slice(2) },
    { amount: -1n },
    { amount: 2n ** 256n },
  ])('and ids of %o are refused, not padded or cut', (wrong) => {
    expect(() => initiateData({ ...terms, ...wrong }, initiator)).toThrow(/32 bytes/)
    expect(() => orderIdOf(token, { ...terms, ...wrong })).toThrow(/32 bytes/)
  })

  it('initiates for the sender', () => {
    expect(initiateData(terms, initiator)).toBe(concat([toFunctionSelector('initiate(address,uint256,uint256,bytes32)'), words(...tail)]))
  })

  it('initiates on behalf when somebody else sends it', () => {
    expect(initiateData(terms, redeemer)).toBe(
      concat([toFunctionSelector('initiateOnBehalf(address,address,uint256,uint256,bytes32)'), words(initiator, ...tail)]),
    )
  })

  it('carries a signature', () => {
    expect(initiateWithSignatureData(terms, '0xc0ffee')).toBe(
      concat([
        toFunctionSelector('initiateWithSignature(address,address,uint256,uint256,bytes32,bytes)'),
        words(initiator, ...tail, 192n, 3n),
        padHex('0xc0ffee', { size: 32, dir: 'right' }),
      ]),
    )
  })

  it('redeems with the secret and refunds with its hash', () => {
    const secret = 'ef'.repeat(32)
    expect(redeemData(terms, secret)).toBe(
      concat([
        toFunctionSelector('redeem(address,address,uint256,uint256,bytes32)'),
        words(initiator, redeemer, 1200n, 150_000n, `0x${secret}`),
      ]),
    )
    const withGas = redeemWithGasData(terms, secret)
    expect(withGas).toBe(
      concat([
        toFunctionSelector('redeemOfferingCoinForGas(address,address,uint256,uint256,bytes32)'),
        words(initiator, redeemer, 1200n, 150_000n, `0x${secret}`),
      ]),
    )
    expect([withGas, redeemData(terms, secret)].map(isRedeemWithGas)).toEqual([true, false])
    expect(secretsIn(withGas)).toEqual([secret])
    expect(refundData(terms)).toBe(
      concat([toFunctionSelector('refund(address,address,uint256,uint256,bytes32)'), words(initiator, ...tail)]),
    )
  })
})

describe('typed data', () => {
  it('has the shape of the interface: numbers as strings, the domain among the types', () => {
    expect(initiateTypedData(token, terms)).toEqual({
      domain: { name: 'HTLC-ERC20', version: '1', chainId: '31337', verifyingContract: token.address },
      primaryType: 'Initiate',
      message: { redeemer, timelock: '1200', amount: '150000', secretHash: `0x${secretHash}` },
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
        ],
      },
    })
  })

  it('hashes as EIP-712 says, also after JSON', () => {
    const hashText = (text: string) => keccak256(stringToHex(text))
    const domainType = hashText('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)')
    const initiateType = hashText('Initiate(address redeemer,uint256 timelock,uint256 amount,bytes32 secretHash)')
    const domain = keccak256(words(domainType, hashText('HTLC-ERC20'), hashText('1'), 31337n, token.address))
    const message = keccak256(words(initiateType, redeemer, 1200n, 150_000n, `0x${secretHash}`))
    const digest = keccak256(concat(['0x1901', domain, message]))
    expect(hashTypedData(JSON.parse(JSON.stringify(initiateTypedData(token, terms))))).toBe(digest)
  })
})

describe('contracts of a chain', () => {
  const chain = localChains.find((known) => known.id === 'ethereum_localnet')
  const asset = localAssets.find((known) => known.id === terms.asset)
  if (chain === undefined || asset === undefined) throw new Error('the local registry changed')

  it('are found by asset, in canonical form', () => {
    const deployment = { htlc: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', token: token.token }
    const contracts = createContracts(chain, [{ ...asset, deployment }])
    expect(contracts.of(asset.id)).toEqual({ chainId: 31337, address: deployment.htlc.toLowerCase(), token: token.token })
    expect(() => contracts.of('ethereum_localnet:usdc')).toThrow(expect.objectContaining({ code: 'unsupported_pair' }))
  })

  it('are refused where a token is missing', () => {
    expect(() => createContracts(chain, [{ ...asset, deployment: { htlc: token.address, token: null } }])).toThrow(/token address/)
  })

  it('know their chain id from the reference alone', () => {
    expect(chainIdOf({ ...chain, reference: 'evm:421614' })).toBe(421614)
    expect(() => chainIdOf({ ...chain, reference: 'bitcoin:regtest' })).toThrow(/expected <evm or tron>:/)
    expect(chainIdOf({ ...chain, reference: 'tron:728126428' })).toBe(728126428)
  })
})
