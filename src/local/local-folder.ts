/** The folder a local stack writes to, used by one stack at a time. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const LOCAL_FOLDER = fileURLToPath(new URL('../../.tandem', import.meta.url))

/** Resolves to a function that gives the folder back. A claim whose process is gone does not count. */
export async function claimFolder(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'pid')
  await mkdir(folder, { recursive: true })
  const pid = await readPid(file)
  // Our own number is left from a process before us that had it too, as happens in containers.
  if (pid !== null && pid !== process.pid && isAlive(pid))
    throw new Error(`A local stack is running already (process ${pid}). Stop it first: kill ${pid}`)
  await writeFile(file, String(process.pid))
  return () => rm(file, { force: true })
}

async function readPid(file: string): Promise<number | null> {
  try {
    const pid = Number(await readFile(file, 'utf8'))
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives, and belongs to someone else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
