/** Processor time of the embedded database server: all processes below the one that started it. Linux only; else null. */
import { readdir, readFile } from 'node:fs/promises'
import { platform } from 'node:os'

/** The kernel's unit of /proc/<pid>/stat on every common Linux. */
const TICKS_PER_SECOND = 100

export async function postgresCpuSeconds(parentPid: number): Promise<number | null> {
  if (platform() !== 'linux') return null
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const processes = (await Promise.all(all.map(readStat))).filter((stat) => stat !== null)
  const below = new Set([parentPid])
  let ticks = 0
  // Parents have lower ids as a rule; a second pass finds the rest.
  for (const pass of [1, 2]) {
    for (const { pid, parent, ticks: used } of processes) {
      if (!below.has(parent) || below.has(pid)) continue
      below.add(pid)
      ticks += used
    }
    if (pass === 2) break
  }
  return ticks / TICKS_PER_SECOND
}

async function readStat(pid: string): Promise<{ readonly pid: number; readonly parent: number; readonly ticks: number } | null> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
  } catch {
    // It ended meanwhile.
    return null
  }
}
