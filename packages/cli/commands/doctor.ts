/** `tandem doctor` shows the effective configuration, checks everything that it refers to, and says how to fix problems. */
import { type CheckedFinding, type Diagnosis, diagnose } from '../doctor/diagnose.ts'
import { configPath } from './config-path.ts'
import type { Terminal } from './terminal.ts'

/** Resolves to false if a check fails. */
export async function doctorCommand(options: { readonly config?: string; readonly json?: boolean }, terminal: Terminal): Promise<boolean> {
  const diagnosis = await diagnose(configPath(options.config))
  const failures = diagnosis.findings.filter(({ level }) => level === 'fail').length
  if (options.json) terminal.answer(JSON.stringify({ ok: failures === 0, ...diagnosis }, null, 2))
  else terminal.answer(describe(diagnosis))
  return failures === 0
}

function describe({ party, configuration, findings }: Diagnosis): string {
  const shown = configuration === null ? [] : [`The ${party}'s effective configuration:`, JSON.stringify(configuration, null, 2), '']
  const count = (level: string) => findings.filter((finding) => finding.level === level).length
  return [...shown, ...findings.map(lineOf), '', `${count('ok')} ok, ${count('warn')} warnings, ${count('fail')} FAILED`].join('\n')
}

const WORDS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const

function lineOf({ level, check, about, text, advice }: CheckedFinding): string {
  const line = `${WORDS[level]}  ${check.padEnd(13)}  ${about}: ${text}`
  return advice === undefined ? line : `${line}\n      -> ${advice}`
}
