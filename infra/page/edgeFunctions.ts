/** Functions that CloudFront runs on each request. They are JavaScript of its own runtime, so they are written as text. */
import { Function as EdgeFunction, FunctionCode, FunctionEventType, FunctionRuntime } from 'aws-cdk-lib/aws-cloudfront'
import type { Construct } from 'constructs'
import { NOT_FOUND } from '../../web/build.ts'

/** Runs code on each request, before CloudFront looks into its cache. */
export function atRequest(scope: Construct, id: string, code: string) {
  return {
    eventType: FunctionEventType.VIEWER_REQUEST,
    function: new EdgeFunction(scope, id, { code: FunctionCode.fromInline(code), runtime: FunctionRuntime.JS_2_0 }),
  }
}

/** S3's REST endpoint has no index documents for folders, and answers 403 where there is no file. */
export const FIND_DOCS = `function handler({ request }) {
  if (request.uri === '/docs' || request.uri === '/docs/') request.uri = '/docs/index.html'
  if (request.uri === '/' || request.uri.includes('.')) return request
  const headers = { 'content-type': { value: '${NOT_FOUND.contentType}' } }
  return { statusCode: 404, headers, body: ${JSON.stringify(NOT_FOUND.body)} }
}`

/** A header that is part of the cache key of listings. */
export const CACHE_KEY_HEADER = 'x-cache-apart'

/**
 * Gives each random order without a seed a cache key of its own, so that it is never answered from the cache. Replaces
 * `Accept` by the format that the service would choose, so that the cache holds a listing in two formats at most. A POST
 * keeps its `Accept`: its answer has other formats and is not cached.
 */
export const TELL_APART = `function handler({ request, context }) {
  const { headers, querystring, method } = request
  const has = (wanted, pattern) =>
    Object.entries(querystring).some(([name, { value }]) => name.toLowerCase() === wanted && pattern.test(value))
  const isRandom = has('sortby', /^random$/) && !has('seed', /./)
  headers['${CACHE_KEY_HEADER}'] = { value: isRandom ? context.requestId : 'no' }
  if (method === 'GET' || method === 'HEAD') headers.accept = { value: format(headers.accept) }
  return request
}

function format(accept) {
  const ranges = (accept ? accept.value : '*/*').toLowerCase().split(',')
  const rank = (types) => {
    for (const [specificity, type] of types.entries()) {
      const index = ranges.findIndex((range) => range.replace(/;.*/, '').trim() === type)
      const [, quality = 1] = /;\\s*q=([\\d.]+)/.exec(ranges[index]) || []
      if (index >= 0) return [-quality, specificity, index]
    }
    return [0]
  }
  const [text, json] = [['text/plain', 'text/*', '*/*'], ['application/json', 'application/*', '*/*']].map(rank)
  const first = text.map((each, index) => each - json[index]).find((difference) => difference !== 0)
  return text[0] < 0 && first < 0 ? 'text/plain' : 'application/json'
}`
