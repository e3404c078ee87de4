/** A request as a curl command. */
import { APP_ID, isStream, type SampleRequest, urlOf } from './request.ts'

export function curlSample(request: SampleRequest): string {
  const { placed, appIdHeader, body } = request
  const parts = [
    `curl ${isStream(request) ? '--no-buffer ' : ''}${placed.method === 'GET' || placed.method === 'POST' ? '' : `-X ${placed.method} `}${quote(urlOf(request))}`,
    ...(appIdHeader === null ? [] : [`-H ${quote(`${appIdHeader}: ${APP_ID}`)}`]),
    ...(body === undefined ? [] : [`-H ${quote('content-type: application/json')}`, `-d ${quote(JSON.stringify(body, null, 2))}`]),
  ]
  return parts.join(' \\\n  ')
}

/** POSIX shell: nothing is special between single quotes. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
