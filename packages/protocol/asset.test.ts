import { describe, expect, it } from 'vitest'
import { parseAssetId } from './asset.ts'

describe('parseAssetId', () => {
  it('compares case-insensitively and prints in lower case', () => {
    expect(parseAssetId('Bitcoin_Regtest:BTC')).toBe('bitcoin_regtest:btc')
    expect(parseAssetId('ethereum_localnet:usdc')).toBe('ethereum_localnet:usdc')
  })

  it.each([
    '',
    'btc',
    ':btc',
    'bitcoin:',
    'bitcoin:btc:x',
    'bitcoin btc',
    'bitcoin:btc ',
    'bitcoin:btc\n',
    'bitcoin/btc',
    'bítcoin:btc',
    '../x:y',
  ])('refuses "%s"', (text) => {
    expect(() => parseAssetId(text)).toThrow(expect.objectContaining({ code: 'bad_request' }))
  })
})
