/** A simulated gateway in front of a node, which answers some paths itself. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Gateway {
  readonly url: string
  /** Answers that replace those of the node, by path, e.g. 'broadcasthex', or by path and value. */
  readonly answers: Map<string, unknown>
  /** The bodies of the requests, oldest first. */
  readonly asked: string[]
  close(): Promise<void>
}

export async function startGateway(node: string): Promise<Gateway> {
  const answers = new Map<string, unknown>()
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url?.replace('/wallet/', '') ?? ''
    const body = Buffer.concat(chunks).toString()
    bodies.push(body)
    const asked = JSON.parse(body || '{}')
    const answer = answers.get(`${path} ${asked.value}`) ?? answers.get(path)
    if (answer !== undefined) return response.end(JSON.stringify(answer))
    const passed = await fetch(`${node}${request.url}`, { method: 'POST', body: Buffer.concat(chunks) })
    return response.end(await passed.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    asked: bodies,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
