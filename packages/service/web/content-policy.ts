/** The Content-Security-Policy of the pages: only scripts and styles of this origin, and requests only to it and to the nodes that the pages use. */

/** Only the origins of the URLs in `nodes` are used. A text that is no http or websocket URL is left out, so that it cannot add a directive. `forms` says where forms may be sent. */
export function contentPolicy(nodes: readonly string[], forms: "'none'" | "'self'" = "'none'"): string {
  const origins = [...new Set(nodes.flatMap(originOf))].toSorted()
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...origins].join(' ')}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    `form-action ${forms}`,
    "frame-ancestors 'none'",
  ].join('; ')
}

function originOf(text: string): readonly string[] {
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && ['http:', 'https:', 'ws:', 'wss:'].includes(url.protocol) ? [`${url.protocol}//${url.host}`] : []
}
