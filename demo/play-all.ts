/** The demo's swaps are performed one after the other. Those whose chains do not run are skipped. */
import type { LocalClient } from './client/local-client.ts'
import type { StoryTeller } from './story-teller.ts'
import { chainsOf, type DemoSwap, swaps } from './swaps.ts'

export async function playAll(client: LocalClient, teller: StoryTeller): Promise<{ readonly summary: string; readonly ok: boolean }> {
  const counts = { done: 0, failed: 0, skipped: 0 }
  for (const swap of swaps) counts[await play(swap, client, teller)] += 1
  const { done, failed, skipped } = counts
  const rest = skipped === 0 ? '' : ` ${skipped} skipped: their chains do not run here.`
  if (done + failed === 0) return { summary: `Nothing was swapped.${rest}`, ok: false }
  if (failed > 0) return { summary: `${failed} of ${done + failed} did not end as they should.${rest}`, ok: false }
  return { summary: `All ${done} ended as they should.${rest}`, ok: true }
}

async function play(swap: DemoSwap, client: LocalClient, teller: StoryTeller): Promise<'done' | 'failed' | 'skipped'> {
  const missing = chainsOf(swap).filter((id) => client.info.chains[id] === undefined)
  teller.begin(swap.title)
  if (missing.length > 0) {
    teller.skip(swap.name, `${missing.join(' and ')} ${missing.length === 1 ? 'does' : 'do'} not run in this stack`)
    return 'skipped'
  }
  try {
    const report = await swap.run(client, teller)
    teller.end(report)
    return report.ok ? 'done' : 'failed'
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const nothing = { order_id: '', status: '', source_tx: '', destination_tx: '' }
    teller.end({ swap: swap.name, ...nothing, ok: false, error: reason, ms: teller.ms })
    return 'failed'
  }
}
