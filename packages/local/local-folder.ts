/** The folder of the local stack is used by one stack at a time. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Resolves to a function that releases the folder. Takes over the claim of a process that has ended. */
export async function claimFolder(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'pid')
  await mkdir(folder, { recursive: true })
  const pid = await readPid(file)
  // In a container, a process that has ended may have had this process's id.
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
    // EPERM means that the process runs under another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
