// Starts the HyperCore simulator: an EVM chain that stands for HyperEVM, and beside it the accounts of a simulated HyperCore.

import type { EdrProvider } from '@tandem/evm/local/edr-provider.ts'
import { type EvmChain, type EvmChainOptions, startEvmChain } from '@tandem/evm/local/evm-chain.ts'
import type { BlockHooks } from '@tandem/evm/local/evm-node.ts'
import { type Address, decodeEventLog, encodeFunctionData, erc20Abi, type Hex, numberToHex, type RpcLog, toEventSelector } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { type CoreLedger, createCoreLedger } from './core-ledger.ts'
import { type CoreAction, type Crossing, coreTokens, type Payout, settleBlock } from './core-state-machine.ts'
import { CORE_WRITER, coreWriterAbi, HYPE_BRIDGE, readSpotSend, systemAddressOf, WEI_PER_HYPE_UNIT } from './hyperliquid.ts'

export interface HypercoreChain extends EvmChain {
  /** The bridge holds the whole supply of the linked ERC-20 on HyperEVM. */
  link(token: bigint, link: { readonly erc20: Address; readonly weiDecimals: number; readonly extraDecimals: number }): Promise<void>
  setBridgeBalance(token: bigint, amount: bigint): Promise<void>
  /** Open spot orders put a part of an account's balance on hold like this. */
  hold(user: Address, token: bigint, amount: bigint): Promise<void>
}

type Linked = { readonly token: bigint; readonly erc20: Address; readonly scale: bigint }

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const RAW_ACTION = toEventSelector('RawAction(address,bytes)')
const RECEIVED = toEventSelector('Received(address,uint256)')
/** The keys' accounts and the bridge start with this balance in every token: more than anyone spends, less than 64 bits. */
const PLENTY = 10n ** 15n
/** The highest gas price puts HyperCore's payouts first in a block. */
const SYSTEM_GAS_PRICE = 10n ** 15n
const SYSTEM_GAS = 200_000n
/** A reorg can replace fewer blocks. */
const REMEMBERED_BLOCKS = 200

export async function startHypercoreChain(options: Omit<EvmChainOptions, 'hooks'>): Promise<HypercoreChain> {
  let core: Core | undefined
  const chain = await startEvmChain({
    ...options,
    async hooks(edr) {
      core = await createCore(
        edr,
        (options.keys ?? []).map((key) => privateKeyToAddress(key).toLowerCase() as Address),
      )
      return core.hooks
    },
  })
  if (core === undefined) throw new Error('the chain was started without its hooks')
  const { ledger, links } = core
  // A write between two blocks is lost in a reorg unless a block is mined after it.
  const kept = async (write: Promise<void>) => {
    await write
    await chain.request({ method: 'evm_mine' })
  }
  return {
    ...chain,
    async link(token, { erc20, weiDecimals, extraDecimals }) {
      // The simulator supports no transfers where the ERC-20 has fewer decimals.
      if (extraDecimals >= 0) links.push({ token, erc20: lower(erc20), scale: 10n ** BigInt(extraDecimals) })
      await kept(ledger.describeToken(token, weiDecimals, { erc20, extraDecimals }))
    },
    hold: (user, token, amount) => kept(ledger.hold(user, token, amount)),
    setBridgeBalance: (token, amount) => kept(ledger.setBalance(systemAddressOf(token), token, amount)),
  }
}

type Core = { readonly ledger: CoreLedger; readonly links: Linked[]; readonly hooks: BlockHooks }

async function createCore(edr: EdrProvider, rich: readonly Address[]): Promise<Core> {
  const ledger = createCoreLedger(edr)
  const links: Linked[] = []
  /** The key is the hash of the block after which payouts are due: those of a replaced block are never paid. */
  const payouts = new Map<Hex, readonly Payout[]>()

  await ledger.install()
  for (const user of rich) await ledger.activate(user)
  for (const token of Object.values(coreTokens)) {
    for (const user of [...rich, systemAddressOf(token)]) await ledger.setBalance(user, token, PLENTY)
    await ledger.describeToken(token, token === coreTokens.purr ? 5 : 8, null)
  }

  const head = async () =>
    (await edr.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as {
      readonly hash: Hex
      readonly baseFeePerGas: Hex
    }

  async function pay({ to, token, amount }: Payout): Promise<void> {
    const linked = links.find((link) => link.token === token)
    if (linked === undefined) return
    const from = systemAddressOf(token)
    await edr.request({ method: 'hardhat_setBalance', params: [from, numberToHex(10n ** 24n)] })
    await edr.request({ method: 'hardhat_impersonateAccount', params: [from] })
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount * linked.scale] })
    const transaction = { from, to: linked.erc20, data, gas: numberToHex(SYSTEM_GAS), gasPrice: numberToHex(SYSTEM_GAS_PRICE) }
    await edr.request({ method: 'eth_sendTransaction', params: [transaction] })
  }

  async function settle(): Promise<void> {
    const { hash, baseFeePerGas } = await head()
    const address = [CORE_WRITER, HYPE_BRIDGE, ...links.map((link) => link.erc20)]
    const logs = (await edr.request({
      method: 'eth_getLogs',
      params: [{ blockHash: hash, address, topics: [[TRANSFER, RAW_ACTION, RECEIVED]] }],
    })) as readonly RpcLog[]
    const due = await settleBlock(ledger, {
      baseFee: BigInt(baseFeePerGas),
      crossings: logs.flatMap((log) => hypeOf(log) ?? crossingOf(log, links) ?? []),
      actions: logs.flatMap((log) => actionOf(log) ?? []),
    })
    if (due.length > 0) payouts.set(hash, due)
    if (payouts.size > REMEMBERED_BLOCKS) payouts.delete(payouts.keys().next().value ?? hash)
  }

  return {
    ledger,
    links,
    hooks: {
      async before() {
        for (const payout of payouts.get((await head()).hash) ?? []) await pay(payout)
      },
      after: settle,
    },
  }
}

/** Null means that the log shows no HYPE that was sent to HyperCore. */
function hypeOf({ address, topics: [event, user], data }: RpcLog): Crossing | null {
  if (lower(address) !== HYPE_BRIDGE || event !== RECEIVED || user === undefined) return null
  return { from: lower(`0x${user.slice(26)}`), token: coreTokens.hype, amount: BigInt(data) / WEI_PER_HYPE_UNIT }
}

/** Null means that it is no transfer to the bridge, or a mint or a transfer by the bridge itself. */
function crossingOf(log: RpcLog, links: readonly Linked[]): Crossing | null {
  const linked = links.find((link) => link.erc20 === lower(log.address))
  if (linked === undefined || log.topics[0] !== TRANSFER) return null
  const { from, to, value } = decodeEventLog({ abi: erc20Abi, eventName: 'Transfer', topics: log.topics, data: log.data }).args
  const bridge = systemAddressOf(linked.token)
  if (lower(to) !== bridge || lower(from) === bridge || BigInt(from) === 0n) return null
  return { from: lower(from), token: linked.token, amount: value / linked.scale }
}

function actionOf(log: RpcLog): CoreAction | null {
  if (lower(log.address) !== CORE_WRITER || log.topics[0] !== RAW_ACTION) return null
  const { user, data } = decodeEventLog({ abi: coreWriterAbi, eventName: 'RawAction', topics: log.topics, data: log.data }).args
  return { user: lower(user), send: readSpotSend(data) }
}

function lower(address: string): Address {
  return address.toLowerCase() as Address
}
