/** Checks the answers that tests receive against `openapi.json`. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import openApi from '../../openapi.json' with { type: 'json' }
import type { Answer } from './service.ts'

interface Described {
  content?: Record<string, object>
  headers?: Record<string, { $ref: string }>
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema(openApi, 'openapi.json')

/**
 * Checks status, content type, body and headers of an answer, except to methods that clients do not call themselves. An
 * unknown operation must get API Gateway's 404.
 *
 * @throws {Error} if the document does not describe such an answer
 */
export function checkAnswer(method: string, url: string, answer: Answer): void {
  if (method === 'OPTIONS' || method === 'HEAD') return
  const fault = faultOf(method, new URL(url).pathname, answer)
  if (fault !== undefined)
    throw new Error(`${method} ${url} answered ${answer.status}: ${fault} ${JSON.stringify(answer.body).slice(0, 500)}`)
}

function faultOf(method: string, path: string, { status, headers, body }: Answer): string | undefined {
  const operation = findOperation(method, path)
  if (operation === undefined) {
    const isGatewayAnswer = status === 404 && JSON.stringify(body) === '{"message":"Not Found"}'
    return isGatewayAnswer ? undefined : 'openapi.json has no such operation.'
  }
  const response = operation.responses[status]
  if (response === undefined) return 'openapi.json has no such status.'
  const [type = ''] = headers.get('content-type')?.split(';') ?? []
  if (response.content?.[type] === undefined) return `openapi.json has no such content type, ${type}.`
  const pointer = `${operation.pointer}/responses/${status}/content/${pointerPart(type)}/schema`
  const faults = [
    mismatch(pointer, body),
    // Some schemas allow messages of API Gateway too, but only the service sends problem documents.
    type === 'application/problem+json' ? mismatch('#/components/schemas/Problem', body) : undefined,
    ...HEADERS.map((name) => headerFault(response, name, headers.get(name))),
  ]
  return faults.find(Boolean)
}

const HEADERS = ['X-Total-Count', 'Link', 'Location', 'Retry-After']

function headerFault({ headers }: Described, name: string, value: string | null): string | undefined {
  if (value === null) return undefined
  const reference = headers?.[name]?.$ref
  if (reference === undefined) return `openapi.json has no header ${name}.`
  return mismatch(`${reference}/schema`, /^\d+$/.test(value) ? Number(value) : value)
}

function findOperation(method: string, path: string) {
  const paths: Record<string, Record<string, { responses: Record<string, Described> }>> = openApi.paths
  for (const [template, operations] of Object.entries(paths)) {
    const operation = operations[method.toLowerCase()]
    if (operation && new RegExp(`^${template.replaceAll(/{\w+}/g, '[^/]+')}$`).test(path))
      return { ...operation, pointer: `#/paths/${pointerPart(template)}/${method.toLowerCase()}` }
  }
  return undefined
}

function mismatch(pointer: string, value: unknown): string | undefined {
  const validator = ajv.getSchema(`openapi.json${pointer}`)
  return validator?.(value) ? undefined : ajv.errorsText(validator?.errors)
}

/** A key of a JSON pointer (RFC 6901), escaped for a URI. */
function pointerPart(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
}
