/** What is wrong with a URL, as a phrase whose subject is the setting; null: nothing. Never quotes it: a URL may hold a password or a key. */

export function urlProblem(text: string, protocols: readonly string[]): string | null {
  const expected = `must be a URL that begins with ${protocols.map((name) => `${name}://`).join(' or ')}`
  if (!URL.canParse(text)) return `${expected}, got a text that is no URL`
  const { protocol } = new URL(text)
  return protocols.includes(protocol.slice(0, -1)) ? null : `${expected}, got one of another kind`
}

/** Also the folder of a socket on this machine. */
export function databaseUrlProblem(text: string): string | null {
  return text.startsWith('/') || text.startsWith('socket:') ? null : urlProblem(text, ['postgres', 'postgresql'])
}
