/** Colours comments, texts and keywords of code. A wrong guess changes only colours. */
import { escapeHtml } from '@tandem/service/web/search.ts'

const KEYWORDS: Readonly<Record<string, string>> = {
  ts: 'import|from|const|let|for|await|async|of|if|else|return|new|function|export|type|throw|try|catch|true|false|null',
  python: 'import|from|with|as|for|in|if|else|elif|return|def|not|None|True|False|print',
  sh: 'curl|export|for|do|done|if|then|fi|echo',
  console: '',
  json: 'true|false|null',
}
const TEXT = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\``
const COMMENTS: Readonly<Record<string, string>> = {
  ts: '(?<!:)//[^\\n]*',
  python: '#[^\\n]*',
  sh: '(?<=^|\\s)#[^\\n]*',
  console: '(?<=^|\\s)#[^\\n]*',
}

export function highlight(code: string, language: string): string {
  const words = KEYWORDS[language]
  if (words === undefined) return escapeHtml(code)
  const parts = [`(${COMMENTS[language] ?? '(?!)'})`, `(${TEXT})`, words === '' ? '((?!))' : `\\b(${words})\\b`]
  let html = ''
  let last = 0
  for (const match of code.matchAll(new RegExp(parts.join('|'), 'gm'))) {
    const [whole, comment, text] = match
    const kind = comment !== undefined ? 'c' : text !== undefined ? 's' : 'k'
    html += `${escapeHtml(code.slice(last, match.index))}<span class="${kind}">${escapeHtml(whole)}</span>`
    last = match.index + whole.length
  }
  return html + escapeHtml(code.slice(last))
}
