// Makes the objects that a new chain has: the framework, the clock, a token, and coins of both for the first accounts.
import { bcs } from '@mysten/sui/bcs'
import { normalizeSuiAddress, SUI_CLOCK_OBJECT_ID } from '@mysten/sui/utils'
import { coinData } from '../objects/coin.ts'
import { digestOf } from '../objects/digest.ts'
import { type Draft, finishObject, type SuiObject } from '../objects/object.ts'
import { CLOCK_TYPE, FRAMEWORK, SUI_TYPE } from '../objects/types.ts'

export const GENESIS_DIGEST = digestOf('TransactionData', new TextEncoder().encode('genesis of the local chain'))
export const CLOCK_ID = normalizeSuiAddress(SUI_CLOCK_OBJECT_ID)

const USDC_PACKAGE = normalizeSuiAddress('0x05dc')
export const USDC_TYPE = `${USDC_PACKAGE}::usdc::USDC`

export const coinInfos: ReadonlyMap<string, { readonly decimals: number; readonly name: string; readonly symbol: string }> = new Map([
  [SUI_TYPE, { decimals: 9, name: 'Sui', symbol: 'SUI' }],
  [USDC_TYPE, { decimals: 6, name: 'USD Coin', symbol: 'USDC' }],
])

/** The amount is 1,000,000,000 SUI and 1,000,000,000,000 USDC. */
const AMOUNT = 10n ** 18n
const COIN_IDS = 0xc0_0000

const packages = [
  { id: normalizeSuiAddress('0x1'), modules: ['bcs', 'hash', 'vector'], types: [] },
  {
    id: FRAMEWORK,
    modules: ['balance', 'clock', 'coin', 'dynamic_field', 'package', 'sui', 'transfer'],
    types: ['balance::Balance', 'clock::Clock', 'coin::Coin', 'dynamic_field::Field', 'package::UpgradeCap', 'sui::SUI'],
  },
  { id: USDC_PACKAGE, modules: ['usdc'], types: ['usdc::USDC'] },
] as const

export function genesisObjects(owners: readonly string[], timestampMs: number): readonly SuiObject[] {
  const coins = owners.flatMap((owner, index) => [
    coinDraft(COIN_IDS + 2 * index, SUI_TYPE, owner),
    coinDraft(COIN_IDS + 2 * index + 1, USDC_TYPE, owner),
  ])
  return [...packages.map(packageDraft), clockDraft(timestampMs), ...coins].map((draft) => finishObject(draft, 1n, GENESIS_DIGEST))
}

export function clockDraft(timestampMs: number): Draft {
  const contents = Buffer.concat([bcs.Address.serialize(CLOCK_ID).toBytes(), bcs.u64().serialize(timestampMs).toBytes()])
  return {
    id: CLOCK_ID,
    owner: { kind: 'shared', initialVersion: 1n },
    data: { kind: 'move', type: CLOCK_TYPE, hasPublicTransfer: false, contents },
  }
}

function coinDraft(number: number, coinType: string, address: string): Draft {
  const id = normalizeSuiAddress(number.toString(16))
  return { id, owner: { kind: 'address', address }, data: coinData(id, coinType, AMOUNT) }
}

/** The packages have no bytecode: the simulator re-implements them. */
function packageDraft({ id, modules, types }: (typeof packages)[number]): Draft {
  const typeOrigins = types.map((type) => {
    const [moduleName = '', datatypeName = ''] = type.split('::')
    return { moduleName, datatypeName }
  })
  const empty = modules.map((name): [string, Uint8Array] => [name, new Uint8Array()])
  return { id, owner: { kind: 'immutable' }, data: { kind: 'package', modules: new Map(empty), typeOrigins, linkage: [] } }
}
