/** Tests that contract addresses get the canonical form of their family. */
import { environments } from '@tandem/families/registry.ts'
import { createRegistry, type RegistryData } from '@tandem/protocol/registry/registry.ts'
import { describe, expect, test } from 'vitest'
import { canonicalContracts } from './canonical-contracts.ts'

const { chains, assets } = environments.mainnet
const HTLC = `0x${'aB'.repeat(20)}`
const CBBTC = '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf'
const USDT_ON_TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'

const open = (deployments: RegistryData['deployments']) =>
  createRegistry({ chains, ...canonicalContracts(chains, { assets, deployments }), served: new Set(['base', 'tron', 'bitcoin']) })

describe('contracts', () => {
  test('of a deployment and of the registry are in the form of their family: hex in lower case, base58 as it is', () => {
    const registry = open({ 'base:cbbtc': { htlc: HTLC }, 'tron:usdt': { htlc: USDT_ON_TRON } })
    expect(registry.asset('base:cbbtc').deployment).toEqual({ htlc: HTLC.toLowerCase(), token: CBBTC.toLowerCase() })
    expect(registry.asset('tron:usdt').deployment).toEqual({ htlc: USDT_ON_TRON, token: USDT_ON_TRON })
  })

  test('that differ only in case are one token where the family says so', () => {
    const given = CBBTC.toUpperCase().replace('0X', '0x')
    expect(open({ 'base:cbbtc': { htlc: HTLC, token: given } }).asset('base:cbbtc').deployment.token).toBe(CBBTC.toLowerCase())
    expect(() => open({ 'base:cbbtc': { htlc: HTLC, token: HTLC } })).toThrow(/the token of base:cbbtc is 0xcbb7.*the deployments say 0xab/)
  })

  test('that are no addresses of their chain are refused by name', () => {
    expect(() => open({ 'base:cbbtc': { htlc: '0x01' } })).toThrow('the contract "0x01" of base:cbbtc is not an address on base')
    const otherCase = USDT_ON_TRON.toLowerCase()
    expect(() => open({ 'tron:usdt': { htlc: otherCase } })).toThrow(`the contract "${otherCase}" of tron:usdt is not an address on tron`)
  })

  test('of a chain without contracts stay null', () => {
    expect(open({ 'bitcoin:btc': { htlc: null } }).asset('bitcoin:btc').deployment).toEqual({ htlc: null, token: null })
  })

  test('of unknown assets are left as they are', () => {
    const { testnet } = environments
    const deployments = { 'base_sepolia:doge': { htlc: 'elsewhere' } }
    expect(canonicalContracts(testnet.chains, { assets: testnet.assets, deployments }).deployments).toEqual(deployments)
  })
})
