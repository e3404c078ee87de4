/** Describes the columns of a statement as values: one description gives the type of a row and checks every row that is read. */

/** Checks a value of the driver or of JSON, and may convert it. Throws for any other value. */
export type Column<T> = (value: unknown) => T

export type ValueOf<C> = C extends Column<infer T> ? T : never

/** The error names the kind of a value, never the value, which may be a secret. */
function unexpected(expected: string, value: unknown): Error {
  const found = value === null ? 'null' : value instanceof Date ? 'a time' : Array.isArray(value) ? 'a list' : typeof value
  return new Error(`${expected} is expected, and ${found} was read`)
}

export const text: Column<string> = (value) => {
  if (typeof value !== 'string') throw unexpected('text', value)
  return value
}

export const boolean: Column<boolean> = (value) => {
  if (typeof value !== 'boolean') throw unexpected('a boolean', value)
  return value
}

/** Reads smallint, integer and float8, and any number in JSON. */
export const number: Column<number> = (value) => {
  if (typeof value !== 'number') throw unexpected('a number', value)
  return value
}

/** Reads int8 and numeric. */
export const bigint: Column<bigint> = (value) => {
  if (typeof value !== 'bigint') throw unexpected('a bigint', value)
  return value
}

/** Big numbers come as text, because JSON numbers are floats. */
export const bigintText: Column<bigint> = (value) => {
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) throw unexpected('digits', value)
  return BigInt(value)
}

export const time: Column<Date> = (value) => {
  if (!(value instanceof Date)) throw unexpected('a time', value)
  return value
}

export const bytes: Column<Buffer> = (value) => {
  if (!Buffer.isBuffer(value)) throw unexpected('bytes', value)
  return value
}

/** The keys of an object are complete by its type. A list may lack some. */
export function oneOf<T extends string>(values: readonly T[] | Readonly<Record<T, true>>): Column<T> {
  const known = new Set<string>(Array.isArray(values) ? values : Object.keys(values))
  const isKnown = (value: unknown): value is T => typeof value === 'string' && known.has(value)
  return (value) => {
    if (!isKnown(value)) throw unexpected(`one of ${[...known].join(', ')}`, value)
    return value
  }
}

export function nullable<T>(column: Column<T>): Column<T | null> {
  return (value) => (value === null ? null : column(value))
}

/** Another version may have written any other value. It reads as null, so that one such row does not fail the work for all. */
export function known<T>(column: Column<T>): Column<T | null> {
  return (value) => {
    try {
      return column(value)
    } catch {
      return null
    }
  }
}

export function listOf<T>(column: Column<T>): Column<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw unexpected('a list', value)
    return value.map((element) => column(element))
  }
}

export function mapOf<T>(column: Column<T>): Column<Readonly<Record<string, T>>> {
  return (value) => {
    if (!isObject(value)) throw unexpected('an object', value)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, column(each)]))
  }
}

/** PostgreSQL's `json_agg` of no rows is null. */
export function listOrNull<T>(column: Column<T>): Column<readonly T[]> {
  const list = listOf(column)
  return (value) => (value === null ? [] : list(value))
}

/** Describes a row or an object in JSON. Columns that are not described are ignored. */
export function shape<T extends object>(columns: Columns<T>): Column<Readonly<T>> {
  const read = reading(columns)
  return (value) => {
    if (!isObject(value)) throw unexpected('a row', value)
    return read((name) => value[name])
  }
}

/** Describes a list from `json_build_array`, in the sequence of the description. The driver's work grows with the number of columns. */
export function fields<T extends object>(columns: Columns<T>): Column<Readonly<T>> {
  const read = reading(columns)
  const { length } = Object.keys(columns)
  return (value) => {
    if (!Array.isArray(value) || value.length !== length) throw unexpected(`a list of ${length}`, value)
    return read((_, place): unknown => value[place])
  }
}

type Columns<T> = { readonly [K in keyof T]: Column<T[K]> }

/** This runs for every row, so one `try` covers all columns. */
function reading<T extends object>(columns: Columns<T>): (get: (name: string, place: number) => unknown) => Readonly<T> {
  const entries = Object.entries<Column<unknown>>(columns)
  return (get) => {
    const found: Record<string, unknown> = {}
    let place = 0
    let current = ''
    try {
      for (const [name, column] of entries) {
        current = name
        found[name] = column(get(name, place))
        place += 1
      }
    } catch (error) {
      throw new Error(`${current}: ${error instanceof Error ? error.message : error}`)
    }
    // Each property was checked by its column. The type of a mapped object cannot say that.
    return found as Readonly<T>
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

export function readAll<Row>(source: string, row: Column<Row>, rows: readonly unknown[]): readonly Row[] {
  try {
    return rows.map((each) => row(each))
  } catch (error) {
    throw new Error(`${source} returned an unexpected row: ${error instanceof Error ? error.message : error}`)
  }
}
