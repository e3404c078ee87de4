/** Loads a filter of ids in the background when it is first needed. Until it is loaded, every id passes. */
import { createIdFilter, type IdFilter } from './id-filter.ts'

export interface LoadedFilter {
  /** The filter is loaded or loading, so new ids must be added. */
  readonly isInUse: boolean
  add(id: string): void
  pass(ids: readonly string[]): readonly string[]
  /** Ids may be missing, so the filter is loaded again when it is needed. */
  forget(): void
}

export type FilterSource = {
  /** An estimate is enough. */
  count(): Promise<number>
  ends(): AsyncIterable<readonly string[]>
}

/** Up to this many ids, a query of the database is cheap. */
const FEW_IDS = 500
/** Spare capacity for new ids, as a fraction of the loaded ones, and its minimum. A full filter is loaded again. */
const SPARE = 0.5
const MIN_SPARE = 10_000

export function createLoadedFilter(source: FilterSource, few: number = FEW_IDS): LoadedFilter {
  let filter: IdFilter | null = null
  let state: 'none' | 'loading' | 'loaded' = 'none'
  /** A load that began before the last `forget` is void. */
  let generation = 0

  async function load(begun: number): Promise<void> {
    const count = await source.count()
    if (generation !== begun) return
    const loading = createIdFilter(Math.ceil(count * (1 + SPARE)) + MIN_SPARE)
    filter = loading
    for await (const page of source.ends()) for (const end of page) loading.add(end)
    if (generation === begun) state = 'loaded'
  }

  function forget(): void {
    generation += 1
    filter = null
    state = 'none'
  }

  return {
    get isInUse() {
      return state !== 'none'
    },
    add(id) {
      filter?.add(id)
      if (filter?.isFull === true) forget()
    },
    pass(ids) {
      if (state === 'loaded') return ids.filter((id) => filter?.mayHave(id) === true)
      if (state === 'none' && ids.length > few) {
        state = 'loading'
        // If the database fails, the query for the ids fails too: the caller learns it there.
        load(generation).catch(forget)
      }
      return ids
    },
    forget,
  }
}
