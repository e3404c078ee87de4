/** Tests the data of the Starknet chains in the registry. */
import { assertAddress } from '@tandem/families/assert-address.fixture.ts'
import { expect, it } from 'vitest'
import { starknetDataOf } from './chain-data.ts'
import { rows } from './registry.ts'

const chains = [...rows.mainnet.chains, ...rows.testnet.chains, ...rows.local.chains]

it.each(chains.map((chain) => ({ id: chain.id, ...starknetDataOf(chain) })))(
  '$id: names an account class and a fee token, and bounds the fee',
  ({ accountClass, feeToken, maxPerGas }) => {
    assertAddress('starknet', accountClass)
    assertAddress('starknet', feeToken)
    const fee = 10n ** 7n * maxPerGas.l2Gas + 500n * maxPerGas.l1DataGas
    expect(fee).toBeLessThanOrEqual(200n * 10n ** 18n)
    expect(fee).toBeGreaterThanOrEqual(10n * 10n ** 18n)
  },
)
