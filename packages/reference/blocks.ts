/** The blocks of a page. Every page is made once as blocks, then written as HTML and as Markdown. */

/** Text with `code`, **bold** and [links](…), as in Markdown. */
export type Inline = string

export type Field = {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly text: Inline
  readonly inner: readonly Field[]
}

export type Sample = { readonly language: 'sh' | 'ts' | 'python'; readonly title: string; readonly text: string }

/** One input of "try it". `place` is where its value goes in the request. */
export type TryInput = {
  readonly name: string
  readonly place: 'path' | 'query' | 'header'
  readonly isRequired: boolean
  readonly text: Inline
  readonly value: string
  /** All allowed values, if there are only a few; otherwise empty. */
  readonly choices: readonly string[]
}

export type TryForm = {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly needsAppId: boolean
  readonly inputs: readonly TryInput[]
  /** JSON; null if the request has no body. */
  readonly body: string | null
}

export type Block =
  | { readonly kind: 'heading'; readonly level: 2 | 3; readonly text: Inline }
  | { readonly kind: 'paragraph'; readonly text: Inline }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly Inline[] }
  | { readonly kind: 'table'; readonly head: readonly Inline[]; readonly rows: readonly (readonly Inline[])[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'samples'; readonly name: string; readonly samples: readonly Sample[] }
  | { readonly kind: 'fields'; readonly title: string; readonly fields: readonly Field[] }
  | { readonly kind: 'endpoint'; readonly method: string; readonly path: string }
  | { readonly kind: 'try'; readonly form: TryForm }
  /** `text` says the same for readers who do not see the picture. */
  | { readonly kind: 'picture'; readonly svg: string; readonly text: string }
  | { readonly kind: 'folded'; readonly title: Inline; readonly blocks: readonly Block[] }

export type Page = {
  /** Begins with `/docs`. */
  readonly path: string
  readonly title: string
  /** One line for lists and for search. */
  readonly summary: Inline
  /** GET, POST or PATCH, shown before the title in lists; null for other pages. */
  readonly method: string | null
  readonly blocks: readonly Block[]
}

export type PageGroup = { readonly title: string; readonly summary: Inline; readonly pages: readonly Page[] }

/** The anchor of a heading. */
export function anchorOf(text: Inline): string {
  return text
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
