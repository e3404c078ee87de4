// Makes a program of somebody else, for tests that call it in place of a program that checks something.
import { writeProgram } from '../linker/write-program.ts'

/** It accepts everything: mov r0, 0; exit. The loader wants a system call, which is never reached. */
export function createAcceptor(): Buffer {
  const code = Buffer.from(['b700000000000000', '9500000000000000', '85000000ffffffff', '9500000000000000'].join(''), 'hex')
  return writeProgram({ code, constants: Buffer.alloc(0), entry: 0, systemCalls: [{ at: 16, name: 'sol_get_clock_sysvar' }] })
}
