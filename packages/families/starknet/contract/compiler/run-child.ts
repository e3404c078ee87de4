// Runs one compilation or one run of tests in a process of its own: its memory is freed afterwards, and it blocks no other work.
import { loadCairo } from './cairo.ts'
import type { CairoTask } from './run.ts'

process.once('message', async ({ what, source }: CairoTask) => {
  const cairo = await loadCairo()
  process.send?.(cairo[what](source))
})
