/** Tests that the user sees what lies at a deposit address before the wallet is asked, and that the wallet is not asked for nothing. */
import { type DepositBalance, NodeError, type Tandem, type Wallet } from '@tandem/sdk'
import { beforeEach, expect, test, vi } from 'vitest'
import { now } from '../../shared/clock.ts'
import { rescue as texts } from '../../texts.ts'
import type { Act } from './act.ts'
import { type AtDeposit, giveBack, lock, look } from './deposit-acts.ts'

const [OWNER, OTHER] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`]
const WBTC = 'ethereum_localnet:wbtc'

/** Everything in its order: what the page says, and what it asks of wallet and SDK. */
let happened: string[]
let account: string
vi.mock('./wallets.ts', () => ({
  openWallet: async (): Promise<Wallet> => {
    happened.push('wallet')
    return { families: ['evm'], address: async () => account }
  },
}))
beforeEach(() => {
  happened = []
  account = OWNER.toUpperCase().replace('0X', '0x')
})

function at(balance: DepositBalance | Error, deadline = now.value + 600): AtDeposit {
  const tandem = {
    async depositBalance(_: unknown, given: object) {
      happened.push(`read ${JSON.stringify(given)}`)
      if (balance instanceof Error) throw balance
      return balance
    },
    async returnDeposit(_: unknown, { wallet: _wallet, ...given }: { wallet: Wallet }) {
      happened.push(`return ${JSON.stringify(given)}`)
      return '0xhash'
    },
    async initiateDeposit() {
      happened.push('initiate')
      return '0xhash'
    },
  } as unknown as Tandem
  const facts = {
    id: WBTC,
    symbol: 'WBTC',
    decimals: 8,
    chain: 'ethereum_localnet',
    chainName: 'Ethereum Localnet',
    family: 'evm',
    explorerTxUrl: '',
    hasInstantRefund: true,
  }
  return { tandem, of: 'order', facts, initiator: OWNER, deadline }
}

const run = (act: Act) => act((text, { tx, details } = {}) => void happened.push([text, tx?.hash, details].filter(Boolean).join(' | ')))
const found = texts.deposits.holds('0.0000005 WBTC')
const asks = `${found} ${texts.deposits.confirm}`

test.each([
  ['the asset', undefined, '{}'],
  ['the coin', null, '{"token":null}'],
  ['a token', OTHER, `{"token":"${OTHER}"}`],
])('what was found is said before the wallet is asked: %s', async (_, which, given) => {
  await run(giveBack(at({ asset: WBTC, held: 50n }), which))
  expect(happened).toEqual([`read ${given}`, asks, 'wallet', `return ${given}`, `${texts.returned} | 0xhash`])
})

test('for nothing the wallet is not asked', async () => {
  const nothing = at({ asset: WBTC, held: 0n })
  await expect(run(giveBack(nothing, undefined))).rejects.toThrow(`${texts.deposits.nothing} ${texts.deposits.notSent}`)
  await expect(run(lock(nothing, 1n))).rejects.toThrow(texts.package.needs('0.00000001 WBTC'))
  expect(happened).toEqual(['read {}', 'read {}'])
})

test('a node that is silent or does not tell hinders no wallet; any other error ends the act', async () => {
  await run(giveBack(at(new NodeError('silent')), undefined))
  await run(lock(at({ asset: WBTC, held: null }), 50n))
  const unknown = `${texts.deposits.notRead} ${texts.deposits.confirm}`
  expect(happened).toEqual([
    'read {}',
    `${unknown} | silent`,
    'wallet',
    'return {}',
    `${texts.returned} | 0xhash`,
    'read {}',
    unknown,
    'wallet',
    'initiate',
    `${texts.package.locked} | 0xhash`,
  ])
  await expect(run(giveBack(at(new Error('no address')), 'x'))).rejects.toThrow('no address')
})

test('another account than the owner is told until when only the owner may, and asked all the same', async () => {
  account = OTHER
  await run(giveBack(at({ asset: WBTC, held: 50n }, now.value - 1), undefined))
  expect(happened).toEqual(['read {}', asks, 'wallet', 'return {}', `${texts.returned} | 0xhash`])
  happened = []
  await run(giveBack(at({ asset: WBTC, held: 50n }), undefined))
  expect(happened.at(3)).toMatch(/^0\.0000005 WBTC lies .* Your wallet has another account than the owner\. Until .* only the owner, 0xaaa/)
  expect(happened.slice(4)).toEqual(['return {}', `${texts.returned} | 0xhash`])
})

test('a token that the page does not know is counted without decimals', async () => {
  await run(look(at({ asset: null, held: 1_234_567n }), OTHER))
  expect(happened.at(-1)).toBe(texts.deposits.holds(texts.deposits.unknownToken('1\u202f234\u202f567')))
})

test('the amount of the order is enough to lock it', async () => {
  await run(lock(at({ asset: WBTC, held: 50n }), 50n))
  expect(happened).toEqual(['read {}', asks, 'wallet', 'initiate', `${texts.package.locked} | 0xhash`])
})
