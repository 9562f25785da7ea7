/** Content negotiation (RFC 9110, section 12.5). */

/** Returns the weight (`q`) of the first of these names that a header such as `Accept` lists, or 0. */
function weightIn(header: string, ...names: string[]): number {
  const weights = new Map<string, number>()
  for (const range of header.toLowerCase().split(',')) {
    const [name = ''] = range.split(';')
    const [, weight = 1] = /;\s*q\s*=\s*([\d.]+)/.exec(range) ?? []
    weights.set(name.trim(), Number(weight))
  }
  return names.map((name) => weights.get(name)).find((weight) => weight !== undefined) ?? 0
}

/** Whether `Accept` gives a media type more weight than another one. Most clients give both the same. */
export function prefers(accept: string | undefined, mediaType: string, other: string): boolean {
  const weightOf = (type: string) => weightIn(accept ?? '*/*', type, type.replace(/\/.*/, '/*'), '*/*')
  return weightOf(mediaType) > weightOf(other)
}

export function acceptsGzip(acceptEncoding = ''): boolean {
  return weightIn(acceptEncoding, 'gzip', '*') > 0
}
