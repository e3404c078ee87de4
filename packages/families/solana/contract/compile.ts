// Compiles the program to the same bytes on every machine: a fixed compiler version, fixed options, our own linker.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { linkProgram } from './linker/link.ts'

export const sourceFolder = join(import.meta.dirname, 'src')

/** Another version may choose other instructions, and so give other bytes. */
export const compilerVersion = '19.1.7'

export const compilerOptions = [
  '--target=bpfel',
  '-mcpu=v2',
  '-O2',
  '-std=c17',
  '-ffreestanding',
  '-fno-builtin',
  '-fno-stack-protector',
  '-fno-jump-tables',
  '-fno-asynchronous-unwind-tables',
  '-nostdinc',
  '-Wall',
  '-Wextra',
  '-Werror',
  // A frame of sBPF has 4,096 bytes; the kernel's has 512.
  ...['-mllvm', '-bpf-stack-size=4096'],
] as const

const run = promisify(execFile)

export async function compileProgram(
  clang: readonly [string, ...string[]],
  folder = sourceFolder,
  moreOptions: readonly string[] = [],
): Promise<Buffer> {
  const [file, ...prefix] = clang
  const { stdout } = await run(file, [...prefix, '--version'])
  if (!stdout.includes(`clang version ${compilerVersion} `))
    throw new Error(`clang ${compilerVersion} is needed, not ${stdout.split('\n')[0]}`)
  const output = await mkdtemp(join(tmpdir(), 'tandem-sbpf-'))
  try {
    const object = join(output, 'htlc.o')
    // The paths are relative, so that no path of this machine gets into the object.
    await run(file, [...prefix, ...compilerOptions, ...moreOptions, '-c', 'htlc.c', '-o', object], { cwd: folder })
    return linkProgram(await readFile(object))
  } finally {
    await rm(output, { recursive: true, force: true })
  }
}
