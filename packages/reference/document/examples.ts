/** Example requests and responses for the OpenAPI document, recorded from a local stack with `npm run examples`. */
import recorded from './examples.json' with { type: 'json' }

export type ApiExample = {
  readonly operationId: string
  readonly name: string
  readonly request: {
    readonly path?: Readonly<Record<string, string>>
    readonly query?: Readonly<Record<string, string>>
    readonly body?: unknown
  }
  readonly response: { readonly status: number; readonly body: unknown }
}

/** The order is that of the recording, because later requests use values that earlier responses returned. */
export const apiExamples: readonly ApiExample[] = recorded
