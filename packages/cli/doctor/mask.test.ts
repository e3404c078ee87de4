/** Tests that the report of the doctor shows no secret. */
import { expect, test } from 'vitest'
import { createMask, maskAll, maskUrl } from './mask.ts'

test.each([
  ['http://127.0.0.1:8545', 'http://127.0.0.1:8545'],
  ['http://127.0.0.1:8545/', 'http://127.0.0.1:8545/'],
  ['https://node.example/v3/0123456789abcdef', 'https://node.example/v3/***'],
  ['https://node.example/rpc/eth?apikey=abc&x=1', 'https://node.example/rpc/eth?apikey=***&x=***'],
  ['http://alice:wonder@127.0.0.1:18443', 'http://***@127.0.0.1:18443'],
  ['wss://node.example/averyveryverylongword', 'wss://node.example/***'],
  ['postgres://alice:wonder@db.example:5432/tandem_1?sslmode=require', 'postgres://***@db.example:5432/tandem_1?sslmode=***'],
  ['ethereum_localnet:eth', 'ethereum_localnet:eth'],
  ['* -> *', '* -> *'],
])('%s is shown as %s', (url, shown) => {
  expect(maskUrl(url)).toBe(shown)
})

test('maskAll masks every text in a configuration', () => {
  expect(maskAll({ a: ['https://u:p@h.example/'], b: { c: 5, d: null }, e: { file: 'keys/vault' } })).toEqual({
    a: ['https://***@h.example/'],
    b: { c: 5, d: null },
    e: { file: 'keys/vault' },
  })
})

test('maskAll shows a program that prints a secret, and not its arguments', () => {
  expect(maskAll({ key: { command: ['vault', 'read', 'tokenXYZ'] } })).toEqual({ key: { command: ['vault', '***', '***'] } })
})

test('createMask masks secrets that other programs quote', () => {
  const key = '42'.repeat(32)
  const mask = createMask([key, 'https://node.example/v3/TOKEN123', 'postgres://alice:w%C3%B6nderland@db.example/name', 'short'])
  expect(mask(`the key ${key} is wrong`)).toBe('the key *** is wrong')
  expect(mask('POST https://node.example/v3/TOKEN123 failed')).toBe('POST https://node.example/v3/*** failed')
  expect(mask('unknown token TOKEN123, w%C3%B6nderland, wönderland')).toBe('unknown token ***, ***, ***')
  expect(mask('shortly')).toBe('shortly')
  expect(mask('http://127.0.0.1 refused')).toBe('http://127.0.0.1 refused')
})
