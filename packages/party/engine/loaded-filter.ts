/** A filter of ids that is loaded in the background when it is first needed. Until it is loaded, every id passes. */
import { createIdFilter, type IdFilter } from './id-filter.ts'

export interface LoadedFilter {
  /** New ids must be added: it is loaded, or loading. */
  readonly isInUse: boolean
  add(id: string): void
  /** Those that may be known. */
  pass(ids: readonly string[]): readonly string[]
  /** Ids may be missing: load it again when it is needed. */
  forget(): void
}

export type FilterSource = {
  /** How many ids there are, about. */
  count(): Promise<number>
  /** The ends of all ids, in pages. */
  ends(): AsyncIterable<readonly string[]>
}

/** To ask the database about this many ids is cheap. */
const FEW_IDS = 500
/** Spare capacity for new ids: a fraction of those that are loaded, and a minimum. When it is full, the filter is loaded again. */
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
        // The database fails for the question itself, too: the caller learns it there.
        load(generation).catch(forget)
      }
      return ids
    },
    forget,
  }
}
