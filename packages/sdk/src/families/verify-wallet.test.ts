/** Before a wallet is asked for anything: it is on the right network, and what it would pay is our contract. */

import type { Node, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import { htlcCode } from '@tandem/evm/terms/deploy/verify-code.ts'
import { createContracts } from '@tandem/evm/terms/htlc.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import type { SwapRecord } from '@tandem/protocol/wire/swap.ts'
import { tronWebWallet } from '@tandem/tron/browser/wallet.ts'
import { xrplJsWallet } from '@tandem/xrpl/browser/wallet.ts'
import { describe, expect, test } from 'vitest'
import { type Deployments, pinnedAsset } from '../verify/pinned.ts'

async function sideOf(asset: string, deployments: Deployments = {}): Promise<SwapSide> {
  const pinned = await pinnedAsset(asset, deployments)
  const terms = { asset: pinned.asset.id, initiator: '', redeemer: '', amount: 1n, secretHash: '', timelock: 1n }
  return { ...pinned, leg: 'source', terms, owner: null, record: {} as SwapRecord }
}

async function verify(side: SwapSide, wallet: object, node: Node | null, to: 'pay' | 'settle' = 'pay'): Promise<void> {
  const { verifyWallet } = await loadFamily(side.chain.family)
  await verifyWallet?.(side, { wallet: wallet as Wallet, node }, to)
}

describe('on EVM chains', () => {
  const htlc = `0x${'12'.repeat(20)}`
  const token = `0x${'34'.repeat(20)}`
  const nodeWith = (code: string): Node => ({ url: 'http://node', fetch: async () => Response.json({ result: code }) })
  const walletWith = (answer: string) => ({ families: ['evm'], call: async () => answer })

  test.each([
    ['the native coin', 'ethereum_localnet:eth', { htlc }],
    ['a token', 'ethereum_localnet:wbtc', { htlc, token }],
  ])('%s is paid only to our own code, as the user’s node shows it', async (_, asset, deployment) => {
    const side = await sideOf(asset, { [asset]: deployment })
    const code = htlcCode(createContracts(side.chain, [{ ...side.asset, deployment: side.deployment }]).of(side.asset.id))
    await verify(side, walletWith('0x'), nodeWith(code))
    const refused = { name: 'VerificationError', field: 'htlc' }
    await expect(verify(side, walletWith('0x'), nodeWith('0x'))).rejects.toMatchObject(refused)
    await expect(verify(side, walletWith('0x'), nodeWith(`${code.slice(0, -2)}ff`))).rejects.toMatchObject(refused)
    // A refund sends no coins, and must not depend on a node.
    await verify(side, walletWith('0x'), nodeWith('0x'), 'settle')
  })

  test('without a node the wallet’s own must show a contract before the native coin is sent', async () => {
    const asset = 'ethereum_localnet:eth'
    const side = await sideOf(asset, { [asset]: { htlc } })
    await expect(verify(side, walletWith('0x'), null)).rejects.toMatchObject({ name: 'VerificationError', field: 'htlc' })
    await verify(side, walletWith(`0x${'00'.repeat(32)}`), null)
  })
})

describe('a wallet on another network is refused', () => {
  test.each(['pay', 'settle'] as const)('on Tron, to %s', async (to) => {
    const asset = 'tron_localnet:usdt'
    const side = await sideOf(asset, {
      [asset]: { htlc: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', token: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
    })
    const onNetwork = (end: string) =>
      tronWebWallet({
        defaultAddress: { base58: 'T' },
        transactionBuilder: {},
        trx: { getBlockByNumber: async () => ({ blockID: `${'0'.repeat(56)}${end}` }) },
      } as never)
    await verify(side, onNetwork('00007a6b'), null, to)
    // These addresses are of the main network.
    await expect(verify(side, onNetwork('2b6653dc'), null, to)).rejects.toThrow(/chain id 728126428, and tron_localnet has 31339/)
  })

  test.each(['pay', 'settle'] as const)('on the XRP Ledger, to %s', async (to) => {
    const side = await sideOf('xrpl_localnet:xrp')
    const expected = Number(side.chain.reference.replace(/^xrpl:/, ''))
    const onNetwork = (network_id?: number) =>
      xrplJsWallet({ classicAddress: 'r' } as never, { request: async () => ({ result: { info: { network_id } } }) } as never)
    await verify(side, onNetwork(expected), null, to)
    await expect(verify(side, onNetwork(1), null, to)).rejects.toThrow(/the wallet is on network 1 of the XRP Ledger, and xrpl_localnet is/)
    await expect(verify(side, onNetwork(), null, to)).rejects.toThrow(/the wallet is on network 0/)
  })
})
