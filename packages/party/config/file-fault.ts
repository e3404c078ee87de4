/** Why a file cannot be read, in words, without what is in it. */

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be opened: this user may not read it',
  EPERM: 'cannot be opened: this user may not read it',
  EISDIR: 'is a folder, expected a file',
  ENOTDIR: 'does not exist: a part of its path is a file',
}

/** A phrase whose subject is the file. */
export function fileFault(error: unknown): string {
  const { code = '', message = String(error) } = error as { readonly code?: string; readonly message?: string }
  return FAULTS[code] ?? `cannot be read: ${message}`
}
