/**
 * Gives each random order without a seed a cache key of its own, so that it is never answered from the cache. Replaces
 * `Accept` by the format that the service would choose, so that the cache holds a listing in two formats at most. A POST
 * keeps its `Accept`: its answer has other formats and is not cached.
 */

declare const CACHE_KEY_HEADER: string

type Values = Record<string, { value: string }>

interface Event {
  request: { method: string; headers: Values; querystring: Values }
  context: { requestId: string }
}

export function handler(event: Event) {
  const request = event.request
  const isRandom = has(request.querystring, 'sortby', /^random$/) && !has(request.querystring, 'seed', /./)
  request.headers[CACHE_KEY_HEADER] = { value: isRandom ? event.context.requestId : 'no' }
  if (request.method === 'GET' || request.method === 'HEAD')
    request.headers.accept = { value: format(request.headers.accept?.value ?? '*/*') }
  return request
}

function has(querystring: Values, wanted: string, pattern: RegExp) {
  return Object.keys(querystring).some(
    (name) => name.toLowerCase() === wanted && pattern.test(querystring[name]?.value ?? ''),
  )
}

function format(accept: string) {
  const ranges = accept.toLowerCase().split(',')
  const text = rank(ranges, ['text/plain', 'text/*', '*/*'])
  const json = rank(ranges, ['application/json', 'application/*', '*/*'])
  const preference = text.quality - json.quality || json.specificity - text.specificity || json.position - text.position
  return text.quality > 0 && preference > 0 ? 'text/plain' : 'application/json'
}

/** How much a client wants a format, whose names begin with the most specific one. */
function rank(ranges: string[], names: string[]) {
  const types = ranges.map((range) => range.replace(/;.*/, '').trim())
  const positions = names.map((name) => types.indexOf(name))
  const position = positions.filter((each) => each >= 0)[0]
  if (position === undefined) return { quality: 0, specificity: 0, position: 0 }
  const parameter = /;\s*q=([\d.]+)/.exec(ranges[position] ?? '')
  return { quality: Number(parameter ? parameter[1] : 1), specificity: positions.indexOf(position), position }
}
