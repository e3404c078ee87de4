// Writes JSON with exact numbers: integers and amounts with eight decimals are bigints, never floats.

const RAW = Symbol('raw JSON number')

export type ExactNumber = { readonly [RAW]: string }

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | bigint
  | ExactNumber
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined }

export function decimal(units: bigint, decimals: number): ExactNumber {
  const scale = 10n ** BigInt(decimals)
  const magnitude = units < 0n ? -units : units
  return { [RAW]: `${units < 0n ? '-' : ''}${magnitude / scale}.${(magnitude % scale).toString().padStart(decimals, '0')}` }
}

export function btc(sats: bigint): ExactNumber {
  return decimal(sats, 8)
}

function isExact(value: object): value is ExactNumber {
  return RAW in value
}

export function stringifyJson(value: JsonValue): string {
  if (typeof value === 'bigint') return value.toString()
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isExact(value)) return value[RAW]
  if (Array.isArray(value)) return `[${value.map(stringifyJson).join(',')}]`
  const members = Object.entries(value).flatMap(([key, member]) =>
    member === undefined ? [] : [`${JSON.stringify(key)}:${stringifyJson(member)}`],
  )
  return `{${members.join(',')}}`
}
