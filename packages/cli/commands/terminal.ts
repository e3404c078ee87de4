/** Output of one-shot commands: answers to standard output, for scripts; notes and errors to standard error. */
import { explainError } from './explain-error.ts'

export interface Terminal {
  answer(text: string): void
  note(text: string): void
  /** An answer in the place of the last one. Absent: there is no screen. */
  redraw?(text: string): void
}

/** Control sequences of ECMA-48: the text before stays in the scrollback. */
const CURSOR_HOME = '\u001b[H'
const CLEAR_BELOW = '\u001b[J'

const terminal: Terminal = {
  answer: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
  ...(process.stdout.isTTY && { redraw: (text: string) => void process.stdout.write(`${CURSOR_HOME}${CLEAR_BELOW}${text}\n`) }),
}

export async function runOnce(work: (terminal: Terminal) => Promise<void>): Promise<void> {
  try {
    await work(terminal)
  } catch (error) {
    terminal.note(`tandem: ${explainError(error)}`)
    process.exitCode = 1
  }
}
