/** Tests that addresses are parsed by the rules of their chain. */
import { expect, test } from 'vitest'
import { parseAddress } from './parse-address.ts'

test('an address is checked by the rules of its chain', async () => {
  const address = '0x52908400098527886E0F7030069857D2E4169EE7'
  expect((await parseAddress('ethereum_sepolia', address)).toLowerCase()).toBe(address.toLowerCase())
  const wrong = parseAddress('ethereum_sepolia', '0x52908400098527886e0F7030069857D2E4169EE7')
  await expect(wrong).rejects.toThrow(expect.objectContaining({ name: 'AddressError', message: expect.stringContaining('checksum') }))
  await expect(parseAddress('bitcoin', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx')).rejects.toThrow()
  expect(await parseAddress('bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')).toBe('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
  await expect(parseAddress('nowhere', 'x')).rejects.toThrow('does not know the chain')
})
