/**
 * One process has the lock. Each that wants it writes a file of its own, then looks for files of others: of two at the same moment at least the later sees the
 * other, so never do both get it. No name is used twice, so the file of a dead process can be removed at any time.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** The kernel says when a process began, so another process that got the same number later is told apart. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}

/** Throws if another process has it. The files are `<path>.<id>`. */
export async function lockFile(path: string): Promise<{ release(): Promise<void> }> {
  const own = `${path}.${randomUUID()}`
  const draft = join(dirname(path), `.${basename(own)}`)
  // A renamed file appears with all its content, so nobody reads one that is half written.
  await writeFile(draft, `${process.pid} ${startOf(process.pid) ?? ''}`, { mode: 0o600 })
  await rename(draft, own)
  try {
    for (const other of await othersOf(path, own)) {
      const holder = await textOf(other)
      if (holder === null) continue
      if (isAlive(holder)) throw new Error(`another signer has the journal: ${other} is of the process ${holder.split(' ')[0]}`)
      await unlink(other).catch(ignoreMissing)
    }
  } catch (error) {
    await unlink(own)
    throw error
  }
  return { release: () => unlink(own).catch(ignoreMissing) }
}

async function othersOf(path: string, own: string): Promise<readonly string[]> {
  const folder = dirname(path)
  const names = await readdir(folder)
  return names.filter((name) => name.startsWith(`${basename(path)}.`) && name !== basename(own)).map((name) => join(folder, name))
}

function isAlive(holder: string): boolean {
  const [pidText = '', began = ''] = holder.split(' ')
  const pid = Number(pidText)
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return isCode(error, 'EPERM')
  }
  return began === '' || startOf(pid) === began
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    ignoreMissing(error)
    return null
  }
}

function ignoreMissing(error: unknown): void {
  if (!isCode(error, 'ENOENT')) throw error
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
