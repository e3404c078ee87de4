import { expect, test } from 'vitest'
import { discoverAllWallets, type FoundWallet } from './discover.ts'

const ICON = 'data:image/svg+xml,x'

test('wallets of every standard are found, before and after, once each; an icon from elsewhere is left out', () => {
  const page = Object.assign(new EventTarget(), {
    starknet_some: { name: 'Some', icon: 'https://elsewhere.example/x.png', request: async () => [] },
    starknet_data: { settings: true },
    tronLink: { request: async () => ({}), tronWeb: false },
    unisat: { requestAccounts: async () => ['bc1'], sendBitcoin: async () => 'tx' },
  })
  const found: FoundWallet[] = []
  const early = {
    name: 'Early',
    icon: ICON,
    accounts: [],
    features: { 'solana:signAndSendTransaction': {}, 'sui:signAndExecuteTransaction': {} },
  }
  page.addEventListener('wallet-standard:app-ready', (event) =>
    (event as CustomEvent<{ register(...wallets: unknown[]): void }>).detail.register(early),
  )
  const stop = discoverAllWallets((wallet) => found.push(wallet), page)
  const late = { ...early, name: 'Late', features: { 'solana:signAndSendTransaction': {} } }
  const register = (api: { register(wallet: unknown): void }) => api.register(late)
  const detail = { info: { uuid: '1', rdns: 'org.example', name: 'Evm', icon: ICON }, provider: { request: async () => [] } }
  for (const _ of [1, 2]) {
    page.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }))
    page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  }
  stop()
  page.dispatchEvent(
    new CustomEvent('eip6963:announceProvider', { detail: { ...detail, info: { ...detail.info, uuid: '2', rdns: 'other' } } }),
  )
  expect(found.map(({ id }) => id)).toEqual([
    'solana:Early',
    'sui:Early',
    'starknet_some',
    'tronLink',
    'unisat',
    'solana:Late',
    'org.example',
  ])
  expect(found.map(({ icon }) => icon)).toEqual([ICON, ICON, '', '', '', ICON, ICON])
})
