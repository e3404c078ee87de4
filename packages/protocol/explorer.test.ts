/** Tests the links to block explorers. */
import { environments } from '@tandem/families/registry.ts'
import { expect, test } from 'vitest'
import { explorerTxUrl, transactionLink } from './explorer.ts'

const chains = Object.values(environments).flatMap((environment) => environment.chains)
const pageOf = (id: string) => {
  const chain = chains.find((one) => one.id === id)
  return chain === undefined ? undefined : transactionLink(explorerTxUrl(chain), 'ab12')
}

test.each([
  ['bitcoin', 'https://mempool.space/tx/ab12'],
  ['bitcoin_testnet', 'https://mempool.space/testnet4/tx/ab12'],
  ['litecoin', 'https://litecoinspace.org/tx/ab12'],
  ['ethereum', 'https://etherscan.io/tx/ab12'],
  ['solana', 'https://explorer.solana.com/tx/ab12'],
  ['solana_testnet', 'https://explorer.solana.com/tx/ab12?cluster=devnet'],
  ['starknet', 'https://voyager.online/tx/ab12'],
  ['sui_testnet', 'https://suiscan.xyz/testnet/tx/ab12'],
  ['tron', 'https://tronscan.org/#/transaction/ab12'],
  ['tron_shasta', 'https://shasta.tronscan.org/#/transaction/ab12'],
  ['xrpl_testnet', 'https://testnet.xrpl.org/transactions/ab12'],
  ['hypercore_testnet', null],
  ['ethereum_localnet', null],
])('a transaction of %s is at %s', (id, expected) => expect(pageOf(id)).toBe(expected))

test.each(chains.filter((chain) => explorerTxUrl(chain) !== ''))('$id: the page is of its explorer', (chain) => {
  const page = new URL(transactionLink(explorerTxUrl(chain), 'ab12') ?? '')
  expect([page.protocol, page.origin]).toEqual(['https:', new URL(chain.explorerUrl).origin])
  expect(page.href).toContain('ab12')
})

test('the text behind a colon is no part of the hash, and a hash cannot change the URL', () => {
  expect(transactionLink('https://a.example/tx/{tx}', 'ab12:1')).toBe('https://a.example/tx/ab12')
  expect(transactionLink('https://a.example/tx/{tx}?of=1', '$&/../?x#y')).toBe('https://a.example/tx/%24%26%2F..%2F%3Fx%23y?of=1')
  expect(transactionLink('javascript:alert({tx})', 'ab12')).toBeNull()
  expect(transactionLink('https://a.example', 'ab12')).toBeNull()
})
