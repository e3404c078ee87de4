/** An Esplora server that answers as another one does, but for what a test changes. */
import { createServer } from 'node:http'

export interface ChangedEsplora {
  readonly url: string
  /** Paths, in the sequence of the questions. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

/** `change` returns null where the answer stays. Reads only. */
export async function serveChanged(
  esploraUrl: string,
  change: (path: string, answer: string) => { readonly status: number; readonly body: string } | null,
): Promise<ChangedEsplora> {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const answer = await fetch(`${esploraUrl}${path}`)
    const bytes = Buffer.from(await answer.arrayBuffer())
    const changed = change(path, bytes.toString())
    response.writeHead(changed?.status ?? answer.status).end(changed?.body ?? bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  return {
    url: `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`,
    asked,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
