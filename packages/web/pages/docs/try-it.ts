/** "Try it": sends the request of the form, and shows the answer as text. */
import { docs } from '../../texts.ts'

/** Keeps the id of the last order that was made here, which the forms of other pages start with. */
const LAST_ORDER = 'tandem:docs:order'
const MAX_CHARS = 200_000

export function prepareTry(): void {
  const form = document.querySelector<HTMLFormElement>('form.try')
  if (form === null) return
  form.hidden = false
  const order = sessionStorage.getItem(LAST_ORDER)
  const orderInput = form.querySelector<HTMLInputElement>('[name="path:order_id"]')
  if (order !== null && orderInput !== null) orderInput.value = order

  const stop = form.querySelector<HTMLButtonElement>('.stop')
  const outcome = form.querySelector<HTMLElement>('.outcome')
  if (stop === null || outcome === null) return
  let running: AbortController | null = null
  stop.addEventListener('click', () => running?.abort())
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    running?.abort()
    const controller = new AbortController()
    running = controller
    stop.hidden = false
    await send(form, outcome, controller.signal)
    if (running === controller) stop.hidden = true
  })
}

async function send(form: HTMLFormElement, outcome: HTMLElement, signal: AbortSignal): Promise<void> {
  const [line, text] = [document.createElement('p'), document.createElement('pre')]
  text.tabIndex = 0
  line.textContent = docs.waiting
  outcome.replaceChildren(line)
  try {
    const { url, init } = requestOf(form)
    const response = await fetch(url, { ...init, signal })
    line.textContent = docs.answered(response.status, response.headers.get('request-id') ?? '')
    line.className = response.ok ? 'good' : 'wrong'
    outcome.append(text)
    const answer = await readInto(text, response)
    if (!response.ok && typeof answer?.error === 'string') text.before(refusalOf(answer.error, answer.code))
  } catch (error) {
    if (signal.aborted) line.textContent = docs.stopped
    else {
      line.className = 'wrong'
      line.textContent = error instanceof Error ? error.message : String(error)
    }
  }
}

type Answer = { readonly result?: { readonly order_id?: unknown } | null; readonly error?: unknown; readonly code?: unknown }

/** The error in words, with a link to what to do about it. */
function refusalOf(error: string, code: unknown): HTMLElement {
  const line = document.createElement('p')
  line.className = 'said'
  line.append(`${error}. `)
  if (typeof code === 'string') {
    const link = document.createElement('a')
    link.href = `/docs/errors#${encodeURIComponent(code)}`
    link.textContent = docs.whatToDo(code)
    line.append(link)
  }
  return line
}

/** A stream is shown as it comes. JSON is laid out when it is complete, and returned. */
async function readInto(place: HTMLElement, response: Response): Promise<Answer | null> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
    text = `${text}${part.value}`.slice(-MAX_CHARS)
    place.textContent = text
  }
  if (response.headers.get('content-type')?.startsWith('application/json') !== true) return null
  const answer = JSON.parse(text) as Answer
  place.textContent = JSON.stringify(answer, null, 2)
  const order = answer.result?.order_id
  if (typeof order === 'string') sessionStorage.setItem(LAST_ORDER, order)
  return answer
}

function requestOf(form: HTMLFormElement): { readonly url: string; readonly init: RequestInit } {
  const { method = 'GET', path = '' } = form.dataset
  const headers = new Headers()
  const query = new URLSearchParams()
  let filled = path
  let body: string | null = null
  for (const [field, value] of new FormData(form)) {
    const text = String(value)
    const [place, name = ''] = field.split(':')
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(text))
    else if (field === 'app') headers.set(form.querySelector<HTMLInputElement>('[name="app"]')?.dataset.header ?? '', text)
    else if (field === 'body') body = text
    else if (text !== '' && place === 'query') query.set(name, text)
    else if (text !== '' && place === 'header') headers.set(name, text)
  }
  if (body !== null) headers.set('content-type', 'application/json')
  const search = query.size === 0 ? '' : `?${query}`
  return { url: `${filled}${search}`, init: { method, headers, ...(body !== null && { body }) } }
}
