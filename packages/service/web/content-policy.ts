/** The Content-Security-Policy of the pages: scripts and styles of this origin only, and requests to it and to the nodes that the pages ask. */

/** `nodes`: URLs. Only their origins count; a text that is no http or websocket URL is left out, so that none can add a directive. `forms`: where they may be sent. */
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
