import { expect, test } from 'vitest'
import { discoverWallets } from './eip6963.ts'
import { eip1193Wallet, ethersWallet, viemWallet } from './wallet.ts'

test('EIP-6963: each announced wallet is found once, before and after it is asked for', () => {
  const page = new EventTarget()
  const provider = { request: async () => null }
  const announce = (uuid: string) =>
    page.dispatchEvent(
      Object.assign(new Event('eip6963:announceProvider'), { detail: { info: { uuid, name: uuid, icon: '', rdns: '' }, provider } }),
    )
  page.addEventListener('eip6963:requestProvider', () => announce('early'))
  const found: string[] = []
  const stop = discoverWallets(({ info }) => found.push(info.name), page)
  announce('late')
  announce('late')
  stop()
  announce('after')
  expect(found).toEqual(['early', 'late'])
})

test('EIP-1193: the wallet is moved to the chain of the order before it sends, and a revert is an error', async () => {
  const asked: string[] = []
  let status: string | null = null
  const provider = {
    async request({ method, params }: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown> {
      asked.push(`${method} ${JSON.stringify(params ?? [])}`)
      if (method === 'eth_chainId') return '0x1'
      if (method === 'eth_requestAccounts') return ['0xaa']
      if (method === 'eth_sendTransaction') return '0xhash'
      if (method === 'eth_getTransactionReceipt') return { status }
      return null
    },
  }
  const wallet = eip1193Wallet(provider)
  const sent = await wallet.send(31337, { from: '0xaa', to: '0xbb', data: '0x12', value: 255n })
  expect(asked).toEqual([
    'eth_chainId []',
    'wallet_switchEthereumChain [{"chainId":"0x7a69"}]',
    'eth_sendTransaction [{"from":"0xaa","to":"0xbb","data":"0x12","value":"0xff"}]',
  ])
  status = '0x0'
  await expect(sent.mined()).rejects.toThrow('reverted')
  status = '0x1'
  await sent.mined()
})

test('viem and ethers: an account that is not that of the order sends nothing', async () => {
  const sent: unknown[] = []
  const sendTransaction = async (transaction: unknown) => sent.push(transaction)
  const viem = { account: { address: '0xAA' }, sendTransaction, signTypedData: sendTransaction, request: async () => '0x1' }
  const provider = { getNetwork: async () => ({ chainId: 1n }) }
  const ethers = { getAddress: async () => '0xAA', sendTransaction, signTypedData: sendTransaction, provider }
  for (const wallet of [viemWallet(viem as never), ethersWallet(ethers as never)]) {
    await expect(wallet.send(1, { from: '0xbb', to: '0xcc', data: '0x', value: 0n })).rejects.toThrow('expected 0xbb')
    expect(sent).toHaveLength(0)
    await wallet.send(1, { from: '0xaa', to: '0xcc', data: '0x', value: 0n })
    expect(sent.splice(0)).toHaveLength(1)
  }
})
