/** Inline Markdown: `code`, **bold** and [links](…). Everything else is text, and is escaped. */
import { escapeHtml } from '@tandem/service/web/search.ts'

const TOKEN = /`([^`]+)`|\*\*([^*]+)\*\*|\[((?:[^\]`]|`[^`]*`)+)\]\(([^)\s]+)\)/g
/** Links may lead to pages of this service, parts of the page and other sites, never to `javascript:`. */
const SAFE_LINK = /^(\/|#|https?:\/\/|[a-z0-9._-]+(\/|\.md|$))/i

/** `resolve` turns the links of a file into those of the site. */
export function inlineHtml(text: string, resolve: (link: string) => string = (link) => link): string {
  let html = ''
  let last = 0
  for (const match of text.matchAll(TOKEN)) {
    const [whole, code, bold, label, link] = match
    html += escapeHtml(text.slice(last, match.index))
    last = match.index + whole.length
    if (code !== undefined) html += `<code>${escapeHtml(code)}</code>`
    else if (bold !== undefined) html += `<strong>${inlineHtml(bold, resolve)}</strong>`
    else if (SAFE_LINK.test(link ?? '')) html += `<a href="${escapeHtml(resolve(link ?? ''))}">${inlineHtml(label ?? '', resolve)}</a>`
    else html += escapeHtml(whole)
  }
  return html + escapeHtml(text.slice(last))
}

/** The text without its marks. */
export function plainText(text: string): string {
  return text.replaceAll(TOKEN, (_whole, code?: string, bold?: string, label?: string) => code ?? plainText(bold ?? label ?? ''))
}
