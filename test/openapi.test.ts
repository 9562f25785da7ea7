import { createConfig, lint } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { openApi } from '../infra/openapi.ts'
import document from '../openapi.json' with { type: 'json' }
import { ListingQuery } from '../shared/listing.ts'

const { parameters } = document.paths['/joke'].get

describe('openapi.json', () => {
  it('openapi.json matches the code (if not: npm run openapi)', () => {
    expect(document).toEqual(JSON.parse(JSON.stringify(openApi())))
  })

  it('openapi.json passes the strictest lint rules', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] })
    const problems = await lint({ ref: 'openapi.json', config })
    expect(problems.map(({ ruleId, message, location: [at] }) => [ruleId, message, at?.pointer])).toEqual([])
  })

  it('openapi.json has no defaults, which generated clients would send', () => {
    expect(JSON.stringify(document)).not.toContain('"default":')
  })

  it('openapi.json describes every query parameter', () => {
    expect(parameters.map(({ name }) => name)).toEqual(Object.keys(ListingQuery.entries))
    expect(parameters).toEqual(parameters.map(() => expect.objectContaining({ description: expect.any(String) })))
  })
})
