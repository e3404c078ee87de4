/** The local stack starts one role of the service in a process of its own, which ends with this process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { OF_STACK } from '@tandem/runtime/local-stack.ts'
import { PACKAGE_ROOT } from '@tandem/runtime/package-root.ts'
import type { Role } from '@tandem/service/role.ts'

export interface ServiceProcess {
  readonly pid: number
  stop(): Promise<void>
}

/** Resolves when the service runs. Its log goes to the same output as that of this process. */
export async function startServiceProcess(role: Role, configFile: string, logLevel: string): Promise<ServiceProcess> {
  const launcher = join(PACKAGE_ROOT, 'bin', 'tandem.js')
  const child = spawn(process.execPath, [launcher, 'start', '--role', role, '--config', configFile, '--log-level', logLevel], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, [OF_STACK]: '1' },
    // A Ctrl-C in the terminal is for the local stack, which then stops this process.
    detached: true,
  })
  const exited = once(child, 'exit')
  // The only message of the process says that it runs.
  const first = await Promise.race([once(child, 'message').then(() => 'running' as const), exited])
  if (first !== 'running' || child.pid === undefined) throw new Error(`the process with --role ${role} ended; its log says why`)
  return {
    pid: child.pid,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await exited
    },
  }
}
