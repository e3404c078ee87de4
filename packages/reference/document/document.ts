/** The parts of an OpenAPI 3.1 document that we write and read. */

export type JsonSchema = { readonly [keyword: string]: unknown }

export type Example = { readonly summary?: string; readonly value: unknown }
export type Examples = { [name: string]: Example }

export type MediaType = { readonly schema?: JsonSchema; examples?: Examples }
export type Content = { readonly 'application/json'?: MediaType; readonly 'text/event-stream'?: MediaType }

export type Parameter = {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
  examples?: Examples
}

export type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: readonly { readonly [scheme: string]: readonly string[] }[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: { readonly [status: string]: { readonly description: string; readonly content?: Content } }
}

export type ApiDocument = {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly components: {
    readonly schemas?: { readonly [name: string]: JsonSchema }
    readonly securitySchemes: { readonly [name: string]: JsonSchema }
  }
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
}

export type PlacedOperation = { readonly path: string; readonly method: string; readonly operation: Operation }

export function listOperations(document: ApiDocument): readonly PlacedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
}
