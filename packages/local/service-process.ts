/** The local stack starts a signer, or one role of the service, in a process of its own, which ends with this process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { OF_STACK } from '@tandem/runtime/local-stack.ts'
import { PACKAGE_ROOT } from '@tandem/runtime/package-root.ts'
import type { Role } from '@tandem/service/role.ts'

export interface StackProcess {
  readonly pid: number
  stop(): Promise<void>
}

export function startServiceProcess(role: Role, configFile: string, logLevel: string): Promise<StackProcess> {
  return startStackProcess(['start', '--role', role], configFile, logLevel)
}

/** Resolves when it runs. Its log goes to the same output as that of this process. */
export async function startStackProcess(command: readonly string[], configFile: string, logLevel: string): Promise<StackProcess> {
  const launcher = join(PACKAGE_ROOT, 'bin', 'tandem.js')
  const child = spawn(process.execPath, [launcher, ...command, '--config', configFile, '--log-level', logLevel], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, [OF_STACK]: '1' },
    // A Ctrl-C in the terminal is for the local stack, which then stops this process.
    detached: true,
  })
  const exited = once(child, 'exit')
  // The only message of the process says that it runs.
  const first = await Promise.race([once(child, 'message').then(() => 'running' as const), exited])
  if (first !== 'running' || child.pid === undefined)
    throw new Error(`the process of \`tandem ${command.join(' ')}\` ended; its log says why`)
  return {
    pid: child.pid,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await exited
    },
  }
}
