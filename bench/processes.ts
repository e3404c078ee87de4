/** Memory and processor time of processes, as Linux counts them. */
import { readdir, readFile } from 'node:fs/promises'

/** Of /proc/PID/stat on Linux. */
const MS_PER_TICK = 10

export type Process = { readonly pid: number; readonly name: string; readonly kilobytes: number; readonly cpuMs: number }

/** The process and everything below it. */
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
    // After the command's name in parentheses, which may contain spaces: user and system time are the 12th and 13th fields.
    const times = (await readProcess(String(pid), 'stat')).split(') ')[1]?.split(' ').slice(11, 13) ?? []
    if (kilobytes === undefined) continue
    const cpuMs = times.reduce((total, ticks) => total + Number(ticks) * MS_PER_TICK, 0)
    processes.push({ pid, name: (await readProcess(String(pid), 'cmdline')).split('\0')[0] ?? '', kilobytes: Number(kilobytes), cpuMs })
  }
  return processes
}

/** Empty when the process has ended meanwhile. */
async function readProcess(pid: string, file: string): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/${file}`, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return ''
    throw error
  }
}
