/** Output of one-shot commands: answers to standard output, for scripts; notes and errors to standard error. */
import { explainError } from './explain-error.ts'

export interface Terminal {
  answer(text: string): void
  note(text: string): void
}

const terminal: Terminal = {
  answer: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
}

export async function runOnce(work: (terminal: Terminal) => Promise<void>): Promise<void> {
  try {
    await work(terminal)
  } catch (error) {
    terminal.note(`tandem: ${explainError(error)}`)
    process.exitCode = 1
  }
}
