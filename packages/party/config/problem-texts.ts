/** Says what is wrong with a file or a URL, in phrases that never quote it: it may hold a password or a key. */

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be opened: this user may not read it',
  EPERM: 'cannot be opened: this user may not read it',
  EISDIR: 'is a folder, expected a file',
  ENOTDIR: 'does not exist: a part of its path is a file',
}

export function fileFault(error: unknown): string {
  const { code = '', message = String(error) } = error as { readonly code?: string; readonly message?: string }
  return FAULTS[code] ?? `cannot be read: ${message}`
}

export function urlProblem(text: string, protocols: readonly string[]): string | null {
  const expected = `must be a URL that begins with ${protocols.map((name) => `${name}://`).join(' or ')}`
  if (!URL.canParse(text)) return `${expected}, got a text that is no URL`
  const { protocol } = new URL(text)
  return protocols.includes(protocol.slice(0, -1)) ? null : `${expected}, got one of another kind`
}

/** A folder with a socket on this machine is allowed too. */
export function databaseUrlProblem(text: string): string | null {
  return text.startsWith('/') || text.startsWith('socket:') ? null : urlProblem(text, ['postgres', 'postgresql'])
}
