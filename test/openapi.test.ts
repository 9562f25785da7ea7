import { createConfig, lint } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { openApi } from '../infra/openapi.ts'
import document from '../openapi.json' with { type: 'json' }
import { ListingQuery } from '../shared/listing.ts'
import { checkAnswer } from './support/contract.ts'
import { numberedJoke } from './support/numberedJoke.ts'

const joke = numberedJoke(0)
const { parameters, responses: listed } = document.paths['/joke'].get

describe('openapi.json', () => {
  it('openapi.json matches the code (if not: npm run openapi)', () => {
    expect(document).toEqual(JSON.parse(JSON.stringify(openApi())))
  })

  it('openapi.json passes the strictest lint rules', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] })
    const problems = await lint({ ref: 'openapi.json', config })
    expect(problems.map(({ ruleId, message, location: [at] }) => [ruleId, message, at?.pointer])).toEqual([])
  })

  it('openapi.json has each schema once', () => {
    const names = 'Joke JokeInput Category Problem InvalidProblem FieldError DuplicateProblem AnyProblem GatewayMessage'
    expect(Object.keys(document.components.schemas).join(' ')).toBe(names)
    expect(JSON.stringify(document.components.schemas).match(/French humour/g)).toHaveLength(2)
  })

  it('openapi.json describes defaults in words, not in schemas', () => {
    // Generated clients would send the defaults of schemas.
    expect(JSON.stringify(document)).not.toContain('"default":')
    const defaults = parameters.map(({ description }) => /When absent: (\w+)\.$/.exec(description)?.[1])
    expect(defaults.filter(Boolean)).toEqual(['25', 'dateAdded', 'desc'])
  })

  it('openapi.json lists application/json first, with one schema per failure', () => {
    for (const { status, content } of responses()) {
      const types = Object.keys(content)
      if (status === '201') expect(types).toEqual(['application/json', 'application/vnd.json'])
      if (status === '200') expect(types[0]).toBe('application/json')
      const schemas = new Set(Object.values(content).map(({ schema }) => JSON.stringify(schema)))
      if (!types.includes('text/plain')) expect(schemas.size).toBe(1)
    }
  })

  it('openapi.json links each joke to its operations', () => {
    const linked = responses().filter(({ status }) => ['200', '201', '409'].includes(status))
    expect(linked).toHaveLength(4)
    for (const { links } of linked)
      expect(links && Object.keys(links)).toEqual([expect.stringMatching(/^upvote/), expect.stringMatching(/^show/)])
  })

  it('openapi.json states the sizes of values', () => {
    const { thumbsUp, thumbsDown } = document.components.schemas.Joke.properties
    expect([thumbsUp.format, thumbsDown.format]).toEqual(['int64', 'int64'])
    expect(listed[200].content['application/json'].schema).toMatchObject({ maxItems: 250 })
  })

  it('openapi.json describes listing jokes before adding them', () => {
    expect(Object.keys(document.paths['/joke'])).toEqual(['get', 'post'])
  })

  it('openapi.json describes every query parameter', () => {
    expect(parameters.map(({ name }) => name)).toEqual(Object.keys(ListingQuery.entries))
    expect(parameters).toEqual(parameters.map(() => expect.objectContaining({ description: expect.any(String) })))
  })

  it('openapi.json marks additions to the contract', () => {
    const named = (text: string) =>
      parameters.flatMap(({ name, description }) => (description.includes(text) ? name : [])).join()
    expect(named('leaves out French humour')).toBe('category')
    expect(named('Addition to the contract')).toBe('categories,sortBy,seed,cursor,id')
  })
})

/** All responses of all operations. */
function responses() {
  const operations: { responses: Record<string, { content: Record<string, { schema: object }>; links?: object }> }[] =
    Object.values(openApi().paths).flatMap((path) => Object.values(path))
  return operations.flatMap(({ responses }) =>
    Object.entries(responses).map(([status, response]) => ({ status, ...response })),
  )
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}) {
  return { status, headers: new Headers({ 'content-type': 'application/json', ...headers }), body }
}

it.each([
  ['operation', answer(200, [joke]), 'no such operation', 'DELETE'],
  ['status', answer(202, [joke]), 'no such status'],
  ['content type', answer(200, [joke], { 'content-type': 'text/html' }), 'no such content type'],
  ['body', answer(200, [{ ...joke, thumbsUp: -1 }]), 'thumbsUp must be >= 0'],
  ['problem', answer(503, { detail: 'x' }, { 'content-type': 'application/problem+json' }), 'must have required'],
  ['header', answer(200, [joke], { 'retry-after': '1' }), 'no header Retry-After'],
  ['value of a header', answer(200, [joke], { link: '</>' }), 'must match pattern'],
])('checkAnswer throws for an undocumented %s', (_, undocumented, message, method = 'GET') => {
  expect(() => checkAnswer(method, '/joke', undocumented)).toThrow(message)
})
