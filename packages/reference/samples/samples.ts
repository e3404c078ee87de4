/** Prints one request in each language. */
import type { Sample } from '../blocks.ts'
import { APP_HEADER, APP_ID } from '../placeholders.ts'
import { printValue, pythonStyle } from './print-value.ts'
import { isStream, type SampleRequest, urlOf } from './request.ts'
import { typescriptSample } from './typescript.ts'

const ANSWER = `with urllib.request.urlopen(request, timeout=30) as response:
    print(json.load(response)["result"])`

const STREAM = `with urllib.request.urlopen(request, timeout=60) as response:
    for line in response:
        if line.startswith(b"data: "):
            print(json.loads(line[6:])["status"])`

/** In a POSIX shell no character is special between single quotes. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export function samplesOf(request: SampleRequest): readonly Sample[] {
  const typescript = typescriptSample(request)
  return [
    { language: 'sh', title: 'curl', text: curlSample(request) },
    ...(typescript === null ? [] : [{ language: 'ts' as const, title: 'TypeScript', text: typescript }]),
    { language: 'python', title: 'Python', text: pythonSample(request) },
  ]
}

function curlSample(request: SampleRequest): string {
  const { placed, needsAppId, body } = request
  const parts = [
    `curl ${isStream(request) ? '--no-buffer ' : ''}${placed.method === 'GET' || placed.method === 'POST' ? '' : `-X ${placed.method} `}${quote(urlOf(request))}`,
    ...(needsAppId ? [`-H ${quote(`${APP_HEADER}: ${APP_ID}`)}`] : []),
    ...(body === undefined ? [] : [`-H ${quote('content-type: application/json')}`, `-d ${quote(JSON.stringify(body, null, 2))}`]),
  ]
  return parts.join(' \\\n  ')
}

/** Uses only the standard library of Python. */
function pythonSample(request: SampleRequest): string {
  const { placed, needsAppId, body } = request
  const headers = {
    ...(needsAppId && { [APP_HEADER]: APP_ID }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const lines = [
    `    ${pythonStyle.text(urlOf(request))},`,
    ...(placed.method === 'GET' ? [] : [`    method=${pythonStyle.text(placed.method)},`]),
    ...(Object.keys(headers).length === 0 ? [] : [`    headers=${printValue(headers, pythonStyle, '    ')},`]),
    ...(body === undefined ? [] : [`    data=json.dumps(${printValue(body, pythonStyle, '    ')}).encode(),`]),
  ]
  return `import json\nimport urllib.request\n\nrequest = urllib.request.Request(\n${lines.join('\n')}\n)\n${isStream(request) ? STREAM : ANSWER}`
}
