// Serves the part of java-tron's HTTP API that wallets, TronWeb and Tandem use: /wallet and /walletsolidity.

import { EdrRequestError } from '@tandem/evm/local/edr-provider.ts'
import { utils } from 'tronweb'
import { type Address, type Hex, keccak256, numberToHex, toHex } from 'viem'
import { ENERGY_PRICE_SUN, intrinsicGas, type MinedTransaction, type TronNode } from './tron-node.ts'
import { BroadcastRefusal, evmAddress, readHexTransaction, readJsonTransaction, tronHex } from './tron-transaction.ts'
import type { TronBlock } from './tron-view.ts'

type Body = Readonly<Record<string, unknown>>
type Endpoint = (body: Body) => Promise<unknown>

const NET_PRICE_SUN = 1_000
const EXPIRATION_MS = 60_000
const TERSE = { disableStorage: true, disableMemory: true, disableStack: true } as const

export function createWalletApi(node: TronNode): (path: string, body: Body) => Promise<unknown> {
  async function callOf(body: Body): Promise<{ readonly output: Hex; readonly energy: bigint; readonly failure: string | null }> {
    const [from, to, data] = [addressIn(body, 'owner_address'), addressIn(body, 'contract_address'), calldataIn(body)]
    const call = { from, to, data, value: numberToHex(BigInt(Number(body.call_value ?? 0))) }
    try {
      const output = (await node.evm('eth_call', [call, 'latest'])) as Hex
      const gas = BigInt((await node.evm('eth_estimateGas', [call, 'latest'])) as Hex)
      return { output, energy: gas - intrinsicGas(data), failure: null }
    } catch (error) {
      if (!(error instanceof EdrRequestError)) throw error
      const gas = BigInt(((await node.evm('debug_traceCall', [call, 'latest', TERSE])) as { readonly gas: string | number }).gas)
      const output = typeof error.data === 'string' ? (error.data as Hex) : '0x'
      return { output, energy: gas - intrinsicGas(data), failure: 'REVERT opcode executed' }
    }
  }

  async function broadcast(
    read: () => Promise<Parameters<TronNode['broadcast']>[0]>,
    describe: (message: string) => string,
  ): Promise<unknown> {
    let txid = ''
    try {
      const transaction = await read()
      txid = transaction.id
      await node.broadcast(transaction)
      return { result: true, code: 'SUCCESS', txid, message: '' }
    } catch (error) {
      if (error instanceof BroadcastRefusal) return { result: false, code: error.code, txid, message: describe(error.message) }
      return { result: false, code: 'OTHER_ERROR', txid, message: describe(error instanceof Error ? error.message : String(error)) }
    }
  }

  async function newest(path: string): Promise<TronBlock> {
    const block = await node.block(path.startsWith('/walletsolidity/') ? 'solid' : 'latest')
    if (block === null) throw new Error('the chain has no newest block')
    return block
  }

  async function minedById(body: Body): Promise<MinedTransaction | null> {
    return node.mined(String(body.value ?? '').toLowerCase())
  }

  const endpoints = (path: string): Readonly<Record<string, Endpoint>> => ({
    getnowblock: async () => blockJson(await newest(path)),
    async getblock(body) {
      const wanted = body.id_or_num === undefined ? await newest(path) : await node.block(Number(body.id_or_num))
      return wanted === null ? {} : blockJson(wanted)
    },
    async getblockbynum(body) {
      const block = await node.block(Number(body.num))
      return block === null ? {} : blockJson(block)
    },
    getnodeinfo: async () => ({ configNodeInfo: { codeVersion: 'simulator' } }),
    getchainparameters: async () => ({
      chainParameter: [
        { key: 'getEnergyFee', value: Number(ENERGY_PRICE_SUN) },
        { key: 'getTransactionFee', value: NET_PRICE_SUN },
        { key: 'getMaxFeeLimit', value: 15_000_000_000 },
      ],
    }),
    async getaccount(body) {
      const address = addressIn(body, 'address')
      const balance = BigInt((await node.evm('eth_getBalance', [address, 'latest'])) as Hex)
      return balance === 0n ? {} : { address: tronHex(address), balance: Number(balance) }
    },
    // There is no staking: all energy is paid in TRX.
    getaccountresource: async () => ({ freeNetLimit: 0, TotalNetLimit: 0, TotalEnergyLimit: 0 }),
    async getcontract(body) {
      const address = addressIn(body, 'value')
      const contract = node.contract(address)
      if (contract === undefined || contract === null) return {}
      return { contract_address: tronHex(address), bytecode: contract.bytecode.slice(2), abi: contract.abi, name: contract.name }
    },
    async triggerconstantcontract(body) {
      const { output, energy, failure } = await callOf(body)
      return {
        result: { result: true, ...(failure !== null && { message: utf8Hex(failure) }) },
        energy_used: Number(energy),
        constant_result: [output.slice(2)],
        transaction: { ret: [failure === null ? {} : { ret: 'FAILED' }] },
      }
    },
    async estimateenergy(body) {
      const { energy, failure } = await callOf(body)
      return failure === null
        ? { result: { result: true }, energy_required: Number(energy) }
        : { result: { code: 'CONTRACT_EXE_ERROR', message: utf8Hex(failure) } }
    },
    async triggersmartcontract(body) {
      const value = {
        owner_address: tronHex(addressIn(body, 'owner_address')),
        contract_address: tronHex(addressIn(body, 'contract_address')),
        data: calldataIn(body).slice(2),
        ...(Number(body.call_value ?? 0) > 0 && { call_value: Number(body.call_value) }),
      }
      return { result: { result: true }, transaction: await unsigned('TriggerSmartContract', value, Number(body.fee_limit ?? 0)) }
    },
    createtransaction: async (body) =>
      unsigned('TransferContract', {
        owner_address: tronHex(addressIn(body, 'owner_address')),
        to_address: tronHex(addressIn(body, 'to_address')),
        amount: Number(body.amount),
      }),
    broadcasttransaction: (body) => broadcast(() => readJsonTransaction(body), utf8Hex),
    broadcasthex: (body) =>
      broadcast(
        () => readHexTransaction(String(body.transaction ?? '')),
        (message) => message,
      ),
    async gettransactionbyid(body) {
      const mined = await minedById(body)
      return mined === null ? {} : { ...mined.transaction.json, ret: [{ contractRet: mined.result }] }
    },
    gettransactionfrompending: async (body) => node.pooled(String(body.value ?? '').toLowerCase())?.json ?? {},
    async gettransactioninfobyid(body) {
      const mined = await minedById(body)
      const solid = path.startsWith('/walletsolidity/') ? (await newest(path)).height : Number.POSITIVE_INFINITY
      return mined === null || mined.block.height > solid ? {} : infoJson(mined)
    },
    async gettransactioninfobyblocknum(body) {
      const block = await node.block(Number(body.num))
      const mined = await Promise.all((block?.transactions ?? []).map((id) => node.mined(id)))
      return mined.flatMap((transaction) => (transaction === null ? [] : infoJson(transaction)))
    },
  })

  async function unsigned(type: string, value: object, feeLimitSun = 0): Promise<unknown> {
    const head = await newest('')
    const transaction = {
      visible: false,
      raw_data: {
        contract: [{ parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }],
        ref_block_bytes: head.height.toString(16).padStart(4, '0').slice(-4),
        ref_block_hash: head.id.slice(16, 32),
        expiration: head.timeMs + EXPIRATION_MS,
        timestamp: head.timeMs,
        ...(feeLimitSun > 0 && { fee_limit: feeLimitSun }),
      },
    }
    const message = utils.transaction.txJsonToPb(transaction)
    const txID = utils.transaction.txPbToTxID(message).replace(/^0x/, '')
    return { ...transaction, txID, raw_data_hex: utils.transaction.txPbToRawDataHex(message).toLowerCase() }
  }

  return async (path, body) => {
    const name = /^\/wallet(?:solidity)?\/([a-z]+)$/.exec(path)?.[1] ?? ''
    const endpoint = endpoints(path)[name]
    if (endpoint === undefined) return undefined
    try {
      return await endpoint(body)
    } catch (error) {
      return { Error: error instanceof Error ? error.message : String(error) }
    }
  }
}

function blockJson({ id, parentId, height, timeMs }: TronBlock): unknown {
  return {
    blockID: id,
    block_header: {
      raw_data: { number: height, timestamp: timeMs, parentHash: parentId, witness_address: `41${'00'.repeat(20)}`, version: 31 },
    },
  }
}

function infoJson({ transaction, block, result, energy, energyFeeSun, netFeeSun, logs, output }: MinedTransaction): unknown {
  const isCall = transaction.creation !== undefined || transaction.data !== '0x'
  return {
    id: transaction.id,
    fee: Number(energyFeeSun + netFeeSun),
    blockNumber: block.height,
    blockTimeStamp: block.timeMs,
    contractResult: [transaction.creation === undefined ? output.slice(2) : ''],
    ...(isCall && { contract_address: tronHex(transaction.to) }),
    receipt: {
      energy_usage_total: Number(energy),
      energy_fee: Number(energyFeeSun),
      net_fee: Number(netFeeSun),
      // A plain transfer has no contract result.
      ...(isCall && { result }),
    },
    ...(result !== 'SUCCESS' && {
      result: 'FAILED',
      resMessage: utf8Hex(result === 'REVERT' ? 'REVERT opcode executed' : 'Not enough energy'),
    }),
    log: logs.map((log) => ({ address: log.address.slice(2), topics: log.topics.map((topic) => topic.slice(2)), data: log.data.slice(2) })),
  }
}

function addressIn(body: Body, field: string): Address {
  return evmAddress(String(body[field] ?? ''))
}

function calldataIn({ data, function_selector: selector, parameter }: Body): Hex {
  if (typeof data === 'string') return `0x${data.replace(/^0x/, '')}`
  const prefix = typeof selector === 'string' && selector !== '' ? keccak256(toHex(selector)).slice(0, 10) : '0x'
  return `${prefix}${typeof parameter === 'string' ? parameter.replace(/^0x/, '') : ''}` as Hex
}

function utf8Hex(text: string): string {
  return Buffer.from(text).toString('hex')
}
