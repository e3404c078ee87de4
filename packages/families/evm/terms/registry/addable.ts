/** Says how an operator writes EVM chains and tokens that the registry does not have. */
import type { Asset } from '@tandem/protocol/asset.ts'
import type { AddableFamily, ChainKind } from '@tandem/protocol/registry/addable.ts'
import type { EvmData, FeeModel } from '../chain-data.ts'
import { arbitrumLike, coin, ethereumLike, fastEvm, opStackLike, token } from './kinds.ts'
import { localEvm } from './local.ts'
import { withTiers } from './tiers.ts'

const GWEI = 10n ** 9n
const GAS_PRICES: readonly FeeModel['gasPrice'][] = ['eip1559', 'legacy']
const DATA_FEES: readonly FeeModel['dataFee'][] = ['none', 'in-gas', 'op-stack', 'citrea']

/** The operator states the block time and the confirmations of a chain of the kind `fast`. */
const fast = { ...fastEvm, blockBoundsMs: { fastest: 100n, slowest: 60_000n } } as const satisfies ChainKind

const publicKinds = { ethereum: ethereumLike, arbitrum: arbitrumLike, op_stack: opStackLike, fast }

export const addable: AddableFamily = {
  kinds: { mainnet: publicKinds, testnet: publicKinds, local: { local: localEvm } },
  reference: { pattern: /^evm:[1-9][0-9]{0,14}$/, example: '"evm:<chain id>"' },
  familyData: feesOf,
  coin: { decimals: 18, asset: (chain, currency) => tiered(chain, coin(chain.id, currency)) },
  token: {
    pattern: /^0x[0-9a-fA-F]{40}$/,
    form: 'the address of an ERC-20, 0x and 40 hex digits',
    maxDecimals: 36,
    isAccount: true,
    asset: (chain, currency, address) => tiered(chain, token(chain.id, currency, address)),
  },
}

function tiered(chain: Parameters<typeof withTiers>[0][number], asset: Asset): Asset {
  return withTiers([chain], [asset])[0] ?? asset
}

function feesOf({ familyData }: ChainKind, details: Readonly<Record<string, string | boolean>>): EvmData {
  const { fees, hidesUnmined } = familyData as EvmData
  const { gas_price: gasPrice, data_fee: dataFee, max_gwei_per_gas: maxGwei, hides_unmined: hides, ...others } = details
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Error(`"${unknown}" is not known: expected gas_price, data_fee, max_gwei_per_gas or hides_unmined`)
  if (hides !== undefined && typeof hides !== 'boolean') throw new Error('hides_unmined must be true or false')
  return {
    fees: {
      gasPrice: oneOf('gas_price', GAS_PRICES, gasPrice) ?? fees.gasPrice,
      dataFee: oneOf('data_fee', DATA_FEES, dataFee) ?? fees.dataFee,
      maxPerGas: maxGwei === undefined ? fees.maxPerGas : gweiOf(maxGwei),
    },
    hidesUnmined: hides ?? hidesUnmined,
  }
}

function oneOf<T extends string>(name: string, all: readonly T[], given: unknown): T | undefined {
  const found = all.find((one) => one === given)
  if (given !== undefined && found === undefined) throw new Error(`${name} must be one of ${all.join(', ')}`)
  return found
}

function gweiOf(given: unknown): bigint {
  if (typeof given !== 'string' || !/^[1-9][0-9]{0,9}$/.test(given)) throw new Error('max_gwei_per_gas must be a whole number in quotes')
  return BigInt(given) * GWEI
}
