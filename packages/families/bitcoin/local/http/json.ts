// JSON with exact numbers: bigints as integers and amounts with eight decimals, neither ever a float.

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

/** A decimal fraction: `units` of 10^-`decimals`, all decimals written out. */
export function decimal(units: bigint, decimals: number): ExactNumber {
  const scale = 10n ** BigInt(decimals)
  const magnitude = units < 0n ? -units : units
  return { [RAW]: `${units < 0n ? '-' : ''}${magnitude / scale}.${(magnitude % scale).toString().padStart(decimals, '0')}` }
}

/** Amounts as Bitcoin Core prints them. */
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
