/** A clone of the repository in a folder of its own, as a newcomer has it after `npm ci`: with a space in its path, and nothing in `.tandem`. */
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { type Programs, startPrograms } from './programs.ts'
import { startTask, type Task } from './task.ts'
import { openTerminal, type Terminal } from './terminal.ts'

export interface Clone {
  readonly folder: string
  /** A shell in the folder. */
  openTerminal(): Terminal
  /** Runs a TypeScript program of the folder. */
  runProgram(file: string): Promise<void>
  /** Starts a command that goes on, in a terminal of its own. Resolves when it prints that it is ready. */
  start(command: string, ready: RegExp): Promise<Task>
  /** Ends everything that was started. */
  remove(): Promise<void>
}

const repository = join(import.meta.dirname, '../..')
/** Made by tools, or large. */
const LEFT_OUT = new Set(['node_modules', '.git', '.tandem', 'dist', join('packages', 'sdk', 'dist')])

/** `python`: a folder with libraries of Python. */
export async function makeClone(python: string): Promise<Clone> {
  const parent = await mkdtemp(join(tmpdir(), 'tandem clone '))
  const folder = join(parent, 'tandem')
  await cp(repository, folder, { recursive: true, filter: (from) => !LEFT_OUT.has(relative(repository, from)) })
  await linkLibraries(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const env = environment(join(parent, 'global'), python)
  const running: { close(): Promise<void> }[] = []
  let programs: Programs | null = null
  return {
    folder,
    openTerminal() {
      const terminal = openTerminal(folder, env)
      running.push(terminal)
      return terminal
    },
    runProgram(file) {
      if (programs === null) {
        programs = startPrograms(folder, env)
        running.push(programs)
      }
      return programs.run(file)
    },
    async start(command, ready) {
      const task = startTask(command, ready, folder, env)
      running.push(task)
      await task.ready
      return task
    },
    async remove() {
      for (const one of running.reverse()) await one.close()
      await rm(parent, { recursive: true, force: true })
    },
  }
}

/** Our own packages are those of the clone: their links are relative. */
async function linkLibraries(from: string, to: string): Promise<void> {
  await mkdir(to)
  for (const name of await readdir(from)) {
    if (name === '@tandem') await cp(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true })
    else if (name !== '.cache') await symlink(join(from, name), join(to, name))
  }
}

/** The environment of a plain login, without the settings of npm, of vitest or of ours that this process has. */
function environment(prefix: string, python: string): NodeJS.ProcessEnv {
  const { HOME, LANG, TZ, TMPDIR, PATH = '' } = process.env
  const path = [join(prefix, 'bin'), dirname(process.execPath), PATH].join(delimiter)
  return {
    ...{ HOME, LANG, TZ, TMPDIR },
    PATH: path,
    // The port of the API in the pages may be in use here.
    PORT: '0',
    npm_config_prefix: prefix,
    npm_config_update_notifier: 'false',
    PYTHONPATH: python,
    PYTHONDONTWRITEBYTECODE: '1',
  }
}
