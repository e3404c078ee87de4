/** The same request in each language. */
import type { Sample } from '../blocks.ts'
import { curlSample } from './curl.ts'
import { pythonSample } from './python.ts'
import type { SampleRequest } from './request.ts'
import { typescriptSample } from './typescript.ts'

export function samplesOf(request: SampleRequest): readonly Sample[] {
  const typescript = typescriptSample(request)
  return [
    { language: 'sh', title: 'curl', text: curlSample(request) },
    ...(typescript === null ? [] : [{ language: 'ts' as const, title: 'TypeScript', text: typescript }]),
    { language: 'python', title: 'Python', text: pythonSample(request) },
  ]
}
