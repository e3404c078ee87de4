/** These tests give an address of one family to another by mistake: nobody would have the key of what is paid there. */

import { textFormsOf as bitcoin } from '@tandem/bitcoin/server/index.ts'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import { textForms as evm } from '@tandem/evm/terms/address.ts'
import { environments } from '@tandem/families/registry.ts'
import { textForms as hypercore } from '@tandem/hypercore/terms/core.ts'
import { textForms as solana } from '@tandem/solana/terms/address.ts'
import { textForms as starknet } from '@tandem/starknet/terms/address.ts'
import { textForms as sui } from '@tandem/sui/terms/address.ts'
import { textForms as tron } from '@tandem/tron/terms/address.ts'
import { textFormsOf as xrpl } from '@tandem/xrpl/terms/address.ts'
import { describe, expect, test } from 'vitest'

const addresses = {
  bitcoin: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  'bitcoin, legacy': '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
  evm: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  'evm, without a checksum': '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
  tron: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  solana: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  starknet: '0x04718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d',
  'starknet, as nodes write it': '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d',
  sui: `0x${'fa'.repeat(32)}`,
  xrpl: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
} as const
type Form = keyof typeof addresses

const [ledger] = environments.local.chains.filter(({ family }) => family === 'xrpl')
if (ledger === undefined) throw new Error('there is no XRP Ledger')

/** `own` lists the forms that a family accepts. A Starknet address with all its digits has the form of one of Sui. */
const families: readonly { readonly name: string; readonly forms: TextForms; readonly own: readonly Form[] }[] = [
  { name: 'bitcoin', forms: bitcoin(networkOf('bitcoin:mainnet')), own: ['bitcoin', 'bitcoin, legacy'] },
  { name: 'evm', forms: evm, own: ['evm', 'evm, without a checksum'] },
  { name: 'hypercore', forms: hypercore, own: ['evm', 'evm, without a checksum'] },
  { name: 'tron', forms: tron, own: ['tron'] },
  { name: 'solana', forms: solana, own: ['solana'] },
  { name: 'starknet', forms: starknet, own: ['starknet', 'starknet, as nodes write it'] },
  { name: 'sui', forms: sui, own: ['sui', 'starknet'] },
  { name: 'xrpl', forms: xrpl(ledger), own: ['xrpl'] },
]

describe.each(families)('$name', ({ forms, own }) => {
  const all = Object.keys(addresses) as Form[]
  test.each(all.filter((form) => own.includes(form)))('takes an address of %s', (form) => {
    expect(() => forms.parseAddress(addresses[form])).not.toThrow()
  })

  test.each(all.filter((form) => !own.includes(form)))('refuses an address of %s', (form) => {
    const refusal = expect.objectContaining({ code: 'invalid_address' })
    expect(() => forms.parseAddress(addresses[form])).toThrow(refusal)
    expect(() => forms.parseIdentity(addresses[form])).toThrow(refusal)
  })
})
