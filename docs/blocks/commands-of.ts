/** Cuts the text of a shell block into commands, as a person types them: one after the other, each to its end. */
import { spawnSync } from 'node:child_process'

export function commandsOf(text: string): readonly string[] {
  const commands: string[] = []
  let pending = ''
  for (const line of text.split('\n')) {
    if (pending === '' && (line.trim() === '' || line.trimStart().startsWith('#'))) continue
    pending += `${line}\n`
    if (!isComplete(pending)) continue
    commands.push(pending.trimEnd())
    pending = ''
  }
  if (pending !== '') throw new Error(`the shell does not understand ${pending}`)
  return commands
}

function isComplete(text: string): boolean {
  if (text.endsWith('\\\n')) return false
  // A placeholder is a word, not a redirection.
  const { status, error } = spawnSync('bash', ['-n'], { input: text.replaceAll(/<([^<>\n]*)>/g, '$1') })
  if (error !== undefined) throw error
  return status === 0
}
