/** A request in Python, with its standard library only. */
import { printValue, pythonStyle } from './print-value.ts'
import { APP_ID, isStream, type SampleRequest, urlOf } from './request.ts'

export function pythonSample(request: SampleRequest): string {
  const { placed, appIdHeader, body } = request
  const headers = {
    ...(appIdHeader !== null && { [appIdHeader]: APP_ID }),
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

const ANSWER = `with urllib.request.urlopen(request, timeout=30) as response:
    print(json.load(response)["result"])`

const STREAM = `with urllib.request.urlopen(request, timeout=60) as response:
    for line in response:
        if line.startswith(b"data: "):
            print(json.loads(line[6:])["status"])`
