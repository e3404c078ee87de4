import { describe, expect, it } from 'vitest'
import { assertAddress } from './assert-address.fixture.ts'

describe('the check of addresses', () => {
  it.each([
    ['evm', '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33bf'],
    ['evm', '0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf'],
    ['solana', 'cbbtcf3aa214zXHbiAZQwf4122FBYbraNdFqgw4iMi'],
    ['solana', 'cbbtcf3aa214zXHbiAZQwf4122FBYbraNdFqgw4iMi0'],
    ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T'],
    ['tron', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
    ['starknet', '0x3fe2b97c1fd336e750087d68b9b867997fd64a2661ff3ca5a7c771641e8e7ac'],
    ['starknet', `0x${'f'.repeat(64)}`],
    ['bitcoin', 'bc1q'],
  ] as const)('refuses on %s the address %s', (family, address) => {
    expect(() => assertAddress(family, address)).toThrow()
  })
})
