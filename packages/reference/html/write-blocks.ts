/** Writes blocks as HTML that is readable without scripts. Parts that need a script are hidden until it runs. */
import { escapeHtml } from '@tandem/service/web/search.ts'
import { anchorOf, type Block, type Field, type TryForm, type TryInput } from '../blocks.ts'
import { APP_HEADER, APP_ID } from '../placeholders.ts'
import { guideNames } from '../read-markdown.ts'
import { highlight } from './highlight.ts'
import { inlineHtml } from './inline.ts'

/** Numbers for ids, which must differ on a page. */
type Counter = { next(): number }

export function blocksHtml(blocks: readonly Block[]): string {
  let count = 0
  return writeAll(blocks, { next: () => ++count })
}

function writeAll(blocks: readonly Block[], ids: Counter): string {
  const isFirstFields = blocks.findIndex(({ kind }) => kind === 'fields')
  return blocks
    .map((block, index) => (index === isFirstFields ? `<h2 id="fields">Fields</h2>${write(block, ids)}` : write(block, ids)))
    .join('\n')
}

function write(block: Block, ids: Counter): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level} id="${anchorOf(block.text)}">${inline(block.text)}</h${block.level}>`
    case 'paragraph':
      return `<p>${inline(block.text)}</p>`
    case 'list': {
      const tag = block.isOrdered ? 'ol' : 'ul'
      return `<${tag}>${block.items.map((item) => `<li>${inline(item)}</li>`).join('')}</${tag}>`
    }
    case 'table':
      return tableHtml(block.head, block.rows)
    case 'code':
      return codeHtml(block.text, block.language)
    case 'samples':
      return samplesHtml(block, ids.next())
    case 'fields':
      return `<section class="fields"><h3>${escapeHtml(block.title)}</h3>${fieldsHtml(block.fields, 0)}</section>`
    case 'endpoint':
      return `<p class="endpoint"><span class="method method-${block.method.toLowerCase()}">${block.method}</span> <code>${escapeHtml(block.path)}</code></p>`
    case 'try':
      return tryHtml(block.form)
    case 'picture':
      return `<figure class="picture">${block.svg}</figure>`
    case 'folded':
      return `<details class="folded"><summary>${inline(block.title)}</summary>${writeAll(block.blocks, ids)}</details>`
  }
}

/** Guides link to each other by their files, so that the links work in the repository too. */
function resolveLink(link: string): string {
  const [file = '', anchor] = link.split('#')
  const name = guideNames.find((guide) => `${guide}.md` === file)
  return name === undefined ? link : `/docs/guides/${name}${anchor === undefined ? '' : `#${anchor}`}`
}

const inline = (text: string): string => inlineHtml(text, resolveLink)

/** Wide tables and code scroll on their own, also by the keyboard. On a phone a row becomes a paragraph. */
function tableHtml(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]) => row.map((cell) => `<td>${inline(cell)}</td>`).join('')
  const headings = head.map((cell) => `<th scope="col">${inline(cell)}</th>`).join('')
  return `<div class="scroll" tabindex="0" role="group" aria-label="Table: ${escapeHtml(head.join(', '))}"><table><thead><tr>${headings}</tr></thead><tbody>${rows.map((row) => `<tr>${cells(row)}</tr>`).join('')}</tbody></table></div>`
}

function codeHtml(text: string, language: string): string {
  return `<div class="code"><pre tabindex="0"><code>${highlight(text, language)}</code></pre></div>`
}

/** Radio buttons choose the language, so that it works without scripts. */
function samplesHtml({ name, samples }: Extract<Block, { kind: 'samples' }>, id: number): string {
  const choices = samples.map(
    ({ language, title }, index) =>
      `<input type="radio" name="sample-${id}" id="sample-${id}-${language}" value="${language}"${index === 0 ? ' checked' : ''}><label for="sample-${id}-${language}">${title}</label>`,
  )
  const panels = samples.map(({ language, text }) => `<div class="panel panel-${language}">${codeHtml(text, language)}</div>`)
  return `<fieldset class="samples"><legend>${escapeHtml(name)}</legend>${choices.join('')}${panels.join('')}</fieldset>`
}

function fieldsHtml(fields: readonly Field[], depth: number): string {
  return `<ul>${fields.map((field) => `<li>${fieldHtml(field, depth)}</li>`).join('')}</ul>`
}

function fieldHtml({ name, type, isRequired, text, inner }: Field, depth: number): string {
  const head = `<code class="name">${escapeHtml(name)}</code> <span class="type">${escapeHtml(type)}${isRequired ? '' : ', optional'}</span>`
  const words = text === '' ? '' : `<span class="words">${inline(text)}</span>`
  if (inner.length === 0) return `${head}${words}`
  return `<details${depth === 0 && inner.length <= OPEN_UP_TO ? ' open' : ''}><summary>${head}${words}</summary>${fieldsHtml(inner, depth + 1)}</details>`
}

/** Longer lists of inner fields are folded. */
const OPEN_UP_TO = 8

/** Inputs without a value in the sample are folded. */
const isShown = ({ isRequired, value }: TryInput): boolean => isRequired || value !== ''

function tryHtml({ operationId, method, path, needsAppId, inputs, body }: TryForm): string {
  const fieldOf = ({ name, place, isRequired, value, choices, text }: TryInput) => {
    const id = `try-${place}-${anchorOf(name)}`
    const attributes = `id="${id}" name="${place}:${escapeHtml(name)}"${isRequired ? ' required' : ''} aria-describedby="${id}-about"`
    const input =
      choices.length === 0
        ? `<input ${attributes} value="${escapeHtml(value)}" autocomplete="off" spellcheck="false">`
        : `<select ${attributes}>${isRequired ? '' : '<option value="">–</option>'}${choices.map((choice) => `<option${choice === value ? ' selected' : ''}>${escapeHtml(choice)}</option>`).join('')}</select>`
    return `<div class="field"><label for="${id}"><code>${escapeHtml(name)}</code>${isRequired ? '' : ' <small>optional</small>'}</label>${input}<small id="${id}-about">${inline(text)}</small></div>`
  }
  const [shown, folded] = [inputs.filter(isShown), inputs.filter((input) => !isShown(input))]
  const more =
    folded.length === 0
      ? ''
      : `<details class="more"><summary>${folded.length} more, optional</summary><div class="inputs">${folded.map(fieldOf).join('')}</div></details>`
  const app = !needsAppId
    ? ''
    : `<div class="field"><label for="try-app"><code>${APP_HEADER}</code></label><input id="try-app" name="app" required value="${APP_ID}" data-header="${APP_HEADER}" autocomplete="off" spellcheck="false"></div>`
  const text =
    body === null
      ? ''
      : `<div class="field"><label for="try-body">Body</label><textarea id="try-body" name="body" rows="${body.split('\n').length + 1}" spellcheck="false">${escapeHtml(body)}</textarea></div>`
  return `<form class="try" hidden data-operation="${escapeHtml(operationId)}" data-method="${method}" data-path="${escapeHtml(path)}"><h2 id="try-it">Try it</h2>${app}${shown.map(fieldOf).join('')}${text}${more}<div class="actions"><button type="submit" class="button main">Send</button><button type="button" class="button stop" hidden>Stop</button></div><div class="outcome" aria-live="polite"></div></form>`
}
