import { readFileSync } from 'node:fs'
import { createConfig, lint } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { openApi } from '../infra/openapi.ts'
import { ListingQuery } from '../shared/listing.ts'
import { checkAnswer } from './support/contract.ts'

const joke = {
  id: 'AAAAAAAAAAAAAAAAAAAAAA',
  joke: 'A joke',
  punchline: '',
  category: 'Classic',
  thumbsUp: 0,
  thumbsDown: 0,
  dateAdded: '2026-05-04T08:30:00.000Z',
}

describe('openapi.json', () => {
  it('is what the schemas and routes make; if not, npm run openapi', () => {
    expect(JSON.parse(readFileSync('openapi.json', 'utf8'))).toEqual(JSON.parse(JSON.stringify(openApi())))
  })

  it('passes the strictest rules of a linter without a warning, its examples too', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] })
    const problems = await lint({ ref: 'openapi.json', config })
    expect(problems.map(({ ruleId, message, location: [at] }) => [ruleId, message, at?.pointer])).toEqual([])
  })

  it('names schemas as clients do, and never two alike', () => {
    expect(Object.keys(openApi().components.schemas)).toEqual([
      'Joke',
      'JokeInput',
      'Category',
      'Problem',
      'InvalidProblem',
      'Fault',
      'DuplicateProblem',
      'Failure',
      'GatewayMessage',
    ])
    const inputs = JSON.stringify(openApi().components.schemas)
    expect(inputs.match(/French humour/g)).toHaveLength(2)
  })

  it('has no defaults, which clients send, and says in words what holds when a parameter is absent', () => {
    expect(JSON.stringify(openApi())).not.toContain('"default":')
    const { parameters } = Object(openApi().paths['/joke']).get
    const described = parameters.map(({ name, description }: Record<string, string>) => [
      name,
      /When absent: (\w+)\.$/.exec(`${description}`)?.[1],
    ])
    expect(described.filter(([, absent]: string[]) => absent !== undefined)).toEqual([
      ['numberofJokes', '25'],
      ['sortBy', 'dateAdded'],
      ['sortOrder', 'desc'],
    ])
  })

  it('offers the types that every client reads first, and one schema for each failure, whoever it comes from', () => {
    const contents = responses().map(({ status, content }) => ({
      status,
      types: Object.keys(content),
      schemas: new Set(Object.values(content).map(({ schema }) => JSON.stringify(schema))),
    }))
    for (const { status, types, schemas } of contents) {
      if (status === '200' || status === '201') expect(types[0]).toBe('application/json')
      if (!types.includes('text/plain')) expect(schemas.size).toBe(1)
    }
    expect(contents.find(({ status }) => status === '201')?.types).toEqual(['application/json', 'application/vnd.json'])
  })

  it('links every answer that tells of a joke to upvoting and showing it', () => {
    const linked = responses().filter(({ status }) => ['200', '201', '409'].includes(status))
    expect(linked).toHaveLength(4)
    for (const { links } of linked)
      expect(links && Object.keys(links)).toEqual([expect.stringMatching(/^upvote/), expect.stringMatching(/^show/)])
  })

  it('counts in 64 bits, and bounds listings', () => {
    const { Joke } = openApi().components.schemas
    expect(Joke.properties).toMatchObject({ thumbsUp: { format: 'int64' }, thumbsDown: { format: 'int64' } })
    const { schema } = Object(openApi().paths['/joke']).get.responses[200].content['application/json']
    expect(schema).toMatchObject({ maxItems: 250 })
  })

  it('describes every query parameter there is', () => {
    const { parameters } = Object(openApi().paths['/joke']).get
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual(Object.keys(ListingQuery.entries))
    expect(parameters).toEqual(parameters.map(() => expect.objectContaining({ description: expect.any(String) })))
  })

  it('marks what is an addition to the interface', () => {
    const { parameters } = Object(openApi().paths['/joke']).get
    const additions = parameters.filter(({ description = '' }) => description.includes('Addition to the interface'))
    expect(additions.map(({ name }: { name: string }) => name)).toEqual(['sortBy', 'cursor', 'id'])
  })
})

/** Every answer of every operation. */
function responses() {
  const operations: { responses: Record<string, { content: Record<string, { schema: object }>; links?: object }> }[] =
    Object.values(openApi().paths).flatMap((path) => Object.values(path))
  return operations.flatMap(({ responses }) =>
    Object.entries(responses).map(([status, response]) => ({ status, ...response })),
  )
}

describe('the check of every answer', () => {
  const answer = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
    status,
    headers: new Headers({ 'content-type': 'application/json', ...headers }),
    body,
  })

  it('accepts what the document describes', () => {
    checkAnswer('GET', '/joke?category=School', answer(200, [joke], { link: '<?cursor=x>; rel="next"' }))
    checkAnswer('GET', '/jokes', answer(404, { message: 'Not Found' }))
  })

  it.each([
    ['status', answer(202, [joke]), 'no such status'],
    ['content type', answer(200, [joke], { 'content-type': 'text/html' }), 'no such content type'],
    ['body', answer(200, [{ ...joke, thumbsUp: -1 }]), 'thumbsUp must be >= 0'],
    ['problem', answer(503, { detail: 'x' }, { 'content-type': 'application/problem+json' }), 'must have required'],
    ['header', answer(200, [joke], { 'retry-after': '1' }), 'no header Retry-After'],
    ['value of a header', answer(200, [joke], { link: '</>' }), 'must match pattern'],
  ])('throws for another %s', (_, other, message) => {
    expect(() => checkAnswer('GET', '/joke', other)).toThrow(message)
  })

  it('throws for another operation', () => {
    expect(() => checkAnswer('DELETE', '/joke', answer(200, []))).toThrow('no such operation')
  })
})
