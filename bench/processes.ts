/** Linux counts the memory and processor time of processes. */
import { readdir, readFile } from 'node:fs/promises'
import { platform } from 'node:os'

/** The times in /proc/PID/stat on Linux have this unit. */
const MS_PER_TICK = 10

export type Process = { readonly pid: number; readonly name: string; readonly kilobytes: number; readonly cpuMs: number }

export async function descendants(root: number): Promise<readonly Process[]> {
  const parents = new Map<number, number>()
  for (const entry of await readdir('/proc')) {
    if (!/^[0-9]+$/.test(entry)) continue
    const parent = /^PPid:\s+(\d+)$/m.exec(await readProcess(entry, 'status'))?.[1]
    if (parent !== undefined) parents.set(Number(entry), Number(parent))
  }
  const found = new Set([root])
  for (let before = 0; before !== found.size; ) {
    before = found.size
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid)
  }
  const processes: Process[] = []
  for (const pid of found) {
    const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(await readProcess(String(pid), 'smaps_rollup'))?.[1]
    // User and system time are the 12th and 13th fields after the command's name in parentheses, which may contain spaces.
    const times = (await readProcess(String(pid), 'stat')).split(') ')[1]?.split(' ').slice(11, 13) ?? []
    if (kilobytes === undefined) continue
    const cpuMs = times.reduce((total, ticks) => total + Number(ticks) * MS_PER_TICK, 0)
    processes.push({ pid, name: (await readProcess(String(pid), 'cmdline')).split('\0')[0] ?? '', kilobytes: Number(kilobytes), cpuMs })
  }
  return processes
}

/** The result is for all processes below this one, such as a database server that it started. It is null where /proc is missing. */
export async function cpuSecondsBelow(parent: number): Promise<number | null> {
  if (platform() !== 'linux') return null
  return (await descendants(parent)).reduce((sum, { pid, cpuMs }) => sum + (pid === parent ? 0 : cpuMs / 1000), 0)
}

/** The text is empty when the process has ended meanwhile. */
async function readProcess(pid: string, file: string): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/${file}`, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return ''
    throw error
  }
}
