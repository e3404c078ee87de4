/** How far a clock may be off: we compare deadlines and timelocks with the clock of this machine. */
import { type Finding, fail, ok, warn } from './check.ts'

const NOTICEABLE_MS = 2_000
const DANGEROUS_MS = 30_000

export function driftFinding(whose: string, aheadMs: number): Finding {
  const off = Math.abs(aheadMs)
  const text = `${whose} is ${(off / 1000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`
  const advice = 'synchronise both clocks (chrony, systemd-timesyncd)'
  if (off >= DANGEROUS_MS) return fail('clock', text, advice)
  return off >= NOTICEABLE_MS ? warn('clock', text, advice) : ok('clock', `${whose} and this machine agree`)
}
