/** Tests that the wallet's own node must say that the HTLC can move money on, before money is moved to the account there. */

import type { EvmCall, EvmWallet } from '@tandem/evm/browser/wallet.ts'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { initiateTypedData } from '@tandem/evm/terms/htlc.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { encodeFunctionData, type Hex, numberToHex, pad } from 'viem'
import { describe, expect, test } from 'vitest'
import { CORE_WRITER } from '../terms/core.ts'
import { accountAt } from '../terms/htlc.ts'
import { family, type HypercorePlan } from './index.ts'

const address = (digit: string): Hex => `0x${digit.repeat(40)}`
const contract = { chainId: 31_337, address: address('1'), token: address('2') }
const [user, solver] = [address('3'), address('4')]
const account = accountAt(contract, user)
const AMOUNT = 1_000n
const terms: HtlcTerms = {
  asset: 'hypercore_localnet:purr',
  initiator: user,
  redeemer: solver,
  timelock: 60n,
  amount: AMOUNT,
  secretHash: 'ab'.repeat(32),
}

const plan: HypercorePlan = {
  contract,
  coreToken: 1n,
  amount: AMOUNT,
  account,
  move: { from: user, to: CORE_WRITER, data: '0x01', value: 0n },
  initiate: { from: user, to: contract.address, data: '0x02', value: 0n },
  typedData: initiateTypedData(contract, terms),
}

const word = (value: bigint) => numberToHex(value, { size: 32 })
const ask = (functionName: 'coreToken' | 'evmPerCore') => encodeFunctionData({ abi: htlcCore.abi, functionName })

/** The node answers for the HTLC by calldata. Its transfers arrive at once. */
function walletOf(answers: Readonly<Record<string, Hex>>) {
  const sent: EvmCall[] = []
  const wallet: EvmWallet = {
    families: ['hypercore'],
    address: async () => user,
    async send(_, call) {
      sent.push(call)
      return { hash: '0xsent', mined: async () => undefined }
    },
    signTypedData: async () => '0xsigned',
    call: async (_, __, data) => answers[data] ?? word(sent.length === 0 ? 0n : AMOUNT),
  }
  return { wallet, sent }
}

const accountOf = encodeFunctionData({ abi: htlcCore.abi, functionName: 'accountOf', args: [user] })
const truth = { [ask('coreToken')]: word(1n), [ask('evmPerCore')]: word(1n), [accountOf]: pad(account, { size: 32 }) }

describe('the money is moved', () => {
  test('to the account that the HTLC itself names', async () => {
    const { wallet, sent } = walletOf(truth)
    expect(await family.fund(plan, wallet, { gasless: true })).toEqual({ kind: 'signed', signature: '0xsigned' })
    expect(sent).toEqual([plan.move])
  })

  test.each([
    ['has another token', { ...truth, [ask('coreToken')]: word(2n) }],
    ['has another account for the user', { ...truth, [accountOf]: pad(address('5'), { size: 32 }) }],
    ['knows no accounts', { ...truth, [accountOf]: '0x' as const }],
  ])('nowhere if the HTLC %s', async (_, answers) => {
    const { wallet, sent } = walletOf(answers)
    await expect(family.fund(plan, wallet, { gasless: true })).rejects.toThrow(/core_to_evm_transfer\.data/)
    expect(sent).toEqual([])
  })
})
