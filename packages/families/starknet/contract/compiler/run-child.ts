// One compilation or one run of tests, in a process of its own: what it allocates is gone afterwards, and nobody waits for it in vain.
import { loadCairo } from './cairo.ts'
import type { CairoTask } from './run.ts'

process.once('message', async ({ what, source }: CairoTask) => {
  const cairo = await loadCairo()
  process.send?.(cairo[what](source))
})
