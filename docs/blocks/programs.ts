/** Runs programs in one process of a clone. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Programs {
  /** Resolves when the program has ended. Rejects with its error. */
  run(file: string): Promise<void>
  close(): Promise<void>
}

export function startPrograms(folder: string, env: NodeJS.ProcessEnv): Programs {
  const child = spawn(join(folder, 'node_modules', '.bin', 'tsx'), [join('docs', 'blocks', 'run-programs.ts')], { cwd: folder, env })
  const ended = once(child, 'close')
  const waiting = new Map<string, (problem: string | null) => void>()
  let notes = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (notes += text))
  // Other lines are output of the programs.
  createInterface(child.stdout).on('line', (line) => {
    if (!line.startsWith('{"file":')) return
    const { file, problem } = JSON.parse(line) as { readonly file: string; readonly problem: string | null }
    waiting.get(file)?.(problem)
  })
  return {
    async run(file) {
      child.stdin.write(`${file}\n`)
      const stopped = ended.then(() => 'the process of the programs has ended')
      const problem = await Promise.race([new Promise<string | null>((resolve) => waiting.set(file, resolve)), stopped])
      if (problem !== null) throw new Error(`${file}: ${problem}\n${notes}`)
    },
    async close() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
