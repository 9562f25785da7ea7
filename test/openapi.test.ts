import { execFileSync } from 'node:child_process'
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

describe('a client generated from it', () => {
  it('is up to date; if not, npm run openapi', () => {
    const check = () => execFileSync('npm', ['run', 'generate', '--', '--check'], { cwd: 'test/client', stdio: 'pipe' })
    expect(check).not.toThrow()
  })
})

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
    ['header', answer(200, [joke], { 'retry-after': '1' }), 'no header Retry-After'],
    ['value of a header', answer(200, [joke], { link: '</>' }), 'must match pattern'],
  ])('throws for another %s', (_, other, message) => {
    expect(() => checkAnswer('GET', '/joke', other)).toThrow(message)
  })

  it('throws for another operation', () => {
    expect(() => checkAnswer('DELETE', '/joke', answer(200, []))).toThrow('no such operation')
  })
})
